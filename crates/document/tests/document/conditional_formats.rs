//! Conditional formatting follows Excel; its rules are described in ECMA-376, part 1, 18.3.1.10 and
//! 18.18.12 (`ST_CfType`).

use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_document::{Document, EvaluationContext};
use quadrille_operation::{Command, plan};

const SHEET: SheetId = SheetId(1);

fn run(document: &mut Document, command: &serde_json::Value) {
    let command: Command =
        serde_json::from_value(command.clone()).expect("commands in tests are well-formed");
    let mut number = 100;
    let mut new_id = || {
        number += 1;
        SheetId(number)
    };
    let planned = plan(&command, document.workbook(), &mut new_id).expect("commands in tests are possible");
    // 2026-11-22, 12:00.
    document.apply(&planned, EvaluationContext { time_ms: 1_795_348_800_000, seed: 1 });
    while !document.evaluate(1_000_000).finished {}
}

/// Styles of the cells in column A under rules for A1:A9: `*` bold, colors, bars, icons.
fn styles(cells: &[&str], rules: &[serde_json::Value]) -> String {
    let mut document = Document::new();
    let texts: Vec<_> = cells.iter().map(|text| vec![*text]).collect();
    run(&mut document, &serde_json::json!({"type": "typeTexts", "sheet": 1, "at": "A1", "texts": texts}));
    for (at, fields) in rules.iter().enumerate() {
        let command = serde_json::json!({
            "type": "setItem", "sheet": 1, "item": 10 + at, "kind": "conditionalRule", "anchors": ["A1:A9"], "fields": fields,
        });
        run(&mut document, &command);
    }
    let sheet = document.workbook().sheet(SHEET).expect("the first sheet");
    let rules = document.conditional_formats(SHEET, Range::whole_sheet());
    let describe = |row: usize| {
        let cell = CellAddress::clamped(row as u32, 0);
        let Some(style) = rules.style_of(cell, &sheet.value(cell), sheet.format(cell)) else {
            return "-".to_owned();
        };
        let mut text = String::new();
        if let Some(format) = style.format {
            text += if format.bold { "*" } else { "" };
            text += &format.fill_color.map_or(String::new(), |color| format!("{:06x}", color.0));
        }
        if let Some(bar) = style.bar {
            text += &format!("bar {:.2}..{:.2}", bar.start, bar.end);
        }
        if let Some(icon) = style.icon {
            text += &format!("icon {}", icon.index);
        }
        text
    };
    (0..cells.len()).map(describe).collect::<Vec<_>>().join(" | ")
}

fn check(cells: &[&str], rule: serde_json::Value, expected: &str) {
    let mut rule = rule;
    rule["format"] = serde_json::json!({"bold": true});
    assert_eq!(styles(cells, &[rule.clone()]), expected, "{rule}");
}

use serde_json::json;

#[test]
fn cell_rules_compare_as_formulas_do() {
    let cells = ["1", "5", "9", "text", ""];
    check(&cells, json!({"rule": "cell", "operator": "greater", "formula1": "=4"}), "- | * | * | * | -");
    check(
        &cells,
        json!({"rule": "cell", "operator": "between", "formula1": "=2", "formula2": "=9"}),
        "- | * | * | - | -",
    );
    check(&cells, json!({"rule": "cell", "operator": "equal", "formula1": "=\"TEXT\""}), "- | - | - | * | -");
    // A blank cell counts as zero.
    check(&cells, json!({"rule": "cell", "operator": "less", "formula1": "=2"}), "* | - | - | - | *");
}

#[test]
fn formula_rules_are_relative_to_each_cell() {
    check(&["1", "2", "2", "3"], json!({"rule": "formula", "formula1": "=A1=A2"}), "- | * | - | -");
    check(&["1", "2", "2", "3"], json!({"rule": "formula", "formula1": "=$A$4>A1+1"}), "* | - | - | -");
}

#[test]
fn texts_blanks_and_errors() {
    let cells = ["Apple pie", "pineapple", "", "=1/0", "7"];
    check(&cells, json!({"rule": "text", "operator": "contains", "text": "APPLE"}), "* | * | - | - | -");
    check(&cells, json!({"rule": "text", "operator": "beginsWith", "text": "apple"}), "* | - | - | - | -");
    check(&cells, json!({"rule": "blank"}), "- | - | * | - | -");
    check(&cells, json!({"rule": "error"}), "- | - | - | * | -");
}

#[test]
fn duplicates_ranks_and_averages_consider_all_cells() {
    let cells = ["1", "2", "2", "10", "a", "A"];
    check(&cells, json!({"rule": "duplicate"}), "- | * | * | - | * | *");
    check(&cells, json!({"rule": "unique"}), "* | - | - | * | - | -");
    check(&cells, json!({"rule": "top", "rank": 1}), "- | - | - | * | - | -");
    check(&cells, json!({"rule": "bottom", "rank": 50, "percent": true}), "* | * | * | - | - | -");
    // The mean is 3.75.
    check(&cells, json!({"rule": "aboveAverage"}), "- | - | - | * | - | -");
    check(&cells, json!({"rule": "belowAverage"}), "* | * | * | - | - | -");
}

#[test]
fn date_rules_are_relative_to_the_last_transaction() {
    let cells = ["2026-11-22", "2026-11-21", "2026-10-31", "2026-11-28", "2026-11-15"];
    check(&cells, json!({"rule": "date", "period": "today"}), "* | - | - | - | -");
    check(&cells, json!({"rule": "date", "period": "yesterday"}), "- | * | - | - | -");
    check(&cells, json!({"rule": "date", "period": "lastMonth"}), "- | - | * | - | -");
    // 2026-11-22 is a Sunday, with which Excel's weeks begin.
    check(&cells, json!({"rule": "date", "period": "thisWeek"}), "* | - | - | * | -");
    check(&cells, json!({"rule": "date", "period": "lastWeek"}), "- | * | - | - | *");
}

#[test]
fn color_scales_data_bars_and_icon_sets() {
    let scale = json!({"rule": "colorScale", "stops": [
        {"at": "minimum", "color": "#000000"}, {"at": "percentile", "value": 50, "color": "#808080"}, {"at": "maximum", "color": "#ffffff"}]});
    assert_eq!(styles(&["0", "10", "30", "x"], &[scale]), "000000 | 808080 | ffffff | -");
    let bar = json!({"rule": "dataBar", "color": "#638ec6"});
    assert_eq!(styles(&["-5", "0", "15"], &[bar]), "bar 0.25..0.00 | bar 0.25..0.25 | bar 0.25..1.00");
    let icons = json!({"rule": "iconSet", "iconSet": "3Arrows"});
    assert_eq!(
        styles(&["0", "33", "34", "67", "100"], &[icons]),
        "icon 0 | icon 0 | icon 1 | icon 2 | icon 2"
    );
}

#[test]
fn the_first_rule_wins_and_can_stop_later_rules() {
    let red = json!({"rule": "cell", "operator": "greater", "formula1": "=1", "format": {"fillColor": "#ff0000"}, "priority": 1});
    let bold = json!({"rule": "cell", "operator": "greater", "formula1": "=0", "format": {"fillColor": "#00ff00", "bold": true}, "priority": 2});
    assert_eq!(styles(&["1", "2"], &[bold.clone(), red.clone()]), "*00ff00 | *ff0000");
    let mut last = red;
    last["stop"] = json!(true);
    assert_eq!(styles(&["1", "2"], &[bold, last]), "*00ff00 | ff0000");
}
