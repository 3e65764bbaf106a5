//! Goal seek, compared with LibreOffice's and with published examples.

use quadrille_cell::{CellAddress, SheetId, Value};
use quadrille_document::GoalSeekError;

use crate::support::Sheet;

fn cell(name: &str) -> CellAddress {
    CellAddress::parse_a1(name).expect("cells in tests are named well")
}

/// A sheet with these contents in B1, B2, ….
fn sheet(contents: &[&str]) -> Sheet {
    let texts: Vec<Vec<&str>> = contents.iter().map(|text| vec![*text]).collect();
    let texts = serde_json::to_string(&texts).expect("texts");
    Sheet::new(&format!(r#"[{{"type":"typeTexts","sheet":1,"at":"B1","texts":{texts}}}]"#))
}

/// The values are those of LibreOffice 7.4's `seekGoal`. The first is Microsoft's example of goal
/// seek, a loan of 100,000 over 180 months, with which Excel finds 7.02 %.
#[test]
fn goals_are_reached_with_the_values_of_libreoffice() {
    for (contents, changing, goal, expected) in [
        (["100000", "180", "", "=PMT(B3/12,B2,B1)"], "B3", "-900", 0.07020951099),
        (["100000", "180", "5%", "=PMT(B3/12,B2,B1)"], "B3", "-900", 0.07020951099),
        (["150000", "360", "6%", "=PMT(B3/12,B2,B1)"], "B1", "-750", 125_093.710794),
        (["2", "", "", "=B1^3-2*B1-5"], "B1", "0", 2.0945514817),
        (["1", "", "", "=EXP(B1)"], "B1", "20", 2.9957322736),
        (["0", "", "", "=B1^2+1"], "B1", "10", 3.0),
        (["3", "", "", "=LN(B1)"], "B1", "-2", 0.1353352832),
        (["50", "0.2", "", "=B1*(1+B2)"], "B1", "1,000", 833.3333333),
        (["70", "80", "", "=AVERAGE(B1:B3)"], "B3", "80", 90.0),
        (["0.1", "", "", "=NPV(B1,-100,60,60)"], "B1", "0", 0.1306623862),
        (["1", "", "", "=SIN(B1)"], "B1", "0.5", std::f64::consts::FRAC_PI_6),
        // Through other cells, and 5 % of growth in a step function.
        (["4", "=B1*2", "=B2+1", "=B3^2"], "B1", "25", 2.0),
        (["1", "", "", "=IF(B1<50,-1,B1-60)"], "B1", "0", 60.0),
    ] {
        let sheet = sheet(&contents);
        let found = sheet.document.goal_seek(SheetId(1), cell("B4"), goal, cell(changing)).expect(goal);
        assert!(found.is_reached, "{contents:?}: {found:?}");
        let difference = (found.value - expected).abs();
        assert!(difference <= expected.abs() * 1e-8, "{contents:?}: {found:?}, expected {expected}");
        // The document does not change.
        let first = sheet.document.workbook().sheets()[0].value(cell("B1"));
        assert_eq!(first, Value::Number(contents[0].parse().expect("a number")));
    }
}

#[test]
fn an_unreachable_goal_gives_the_nearest_value() {
    let sheet = sheet(&["1", "", "", "=B1^2+1"]);
    let found = sheet.document.goal_seek(SheetId(1), cell("B4"), "0", cell("B1")).expect("a formula");
    assert!(!found.is_reached);
    assert!(found.value.abs() < 0.1, "{found:?}");
}

#[test]
fn the_texts_have_the_formats_of_the_cells() {
    let sheet = sheet(&["100000", "180", "5%", "=PMT(B3/12,B2,B1)"]);
    let found = sheet.document.goal_seek(SheetId(1), cell("B4"), "-$900", cell("B3")).expect("a loan");
    assert_eq!((found.changing_text.as_str(), found.result_text.as_str()), ("7%", "-$900.00"));
}

#[test]
fn searches_that_are_not_possible_have_a_reason() {
    let sheet = sheet(&["1", "=B1/0", "text", "=B1*2"]);
    let seek = |set, goal, changing| sheet.document.goal_seek(SheetId(1), cell(set), goal, cell(changing));
    assert_eq!(seek("B1", "2", "B1"), Err(GoalSeekError::NoFormula));
    assert_eq!(seek("B4", "two", "B1"), Err(GoalSeekError::BadGoal));
    assert_eq!(seek("B4", "2", "B3"), Err(GoalSeekError::BadChangingCell));
    assert_eq!(seek("B4", "2", "B2"), Err(GoalSeekError::BadChangingCell));
    assert_eq!(seek("B2", "2", "B1"), Err(GoalSeekError::NoNumber));
    // A cell that the formula does not depend on.
    assert!(!seek("B4", "7", "A1").expect("a formula").is_reached);
}
