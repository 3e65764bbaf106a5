//! Compares the results of formulas that EtherCalc saved with those that are calculated here.

use quadrille_cell::{CellAddress, SheetId, Value};
use quadrille_document::{Document, EvaluationContext};
use quadrille_files::FormulaResult;
use quadrille_operation::Transaction;
use quadrille_workbook::{Sheet, Workbook};

use crate::limits;

/// Slices of evaluation after which the values of a workbook are not compared: an import does not wait for
/// a formula that takes minutes.
const SLICES_MAX: usize = 20;
/// Numbers that differ by less than this, in relation to the larger one, are the same: sums may be added
/// in another order.
const TOLERANCE: f64 = 1e-9;
/// Functions whose results depend on the moment.
const VOLATILE: [&str; 3] = ["NOW(", "TODAY(", "RAND("];

/// A formula with different results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueDifference {
    pub sheet: SheetId,
    pub cell: CellAddress,
    pub formula: String,
    pub ethercalc: String,
    pub here: String,
    pub because: Option<&'static str>,
}

/// The results of one sheet that EtherCalc saved.
pub struct SavedSheet {
    pub sheet: SheetId,
    pub results: Vec<FormulaResult>,
}

/// Calculates a workbook as of a time, and compares. `None` when calculating takes too long.
pub fn differences(workbook: &Workbook, saved: &[SavedSheet], time_ms: i64) -> Option<Vec<ValueDifference>> {
    if saved.iter().all(|sheet| sheet.results.is_empty()) {
        return Some(Vec::new());
    }
    let mut document = Document::from_workbook(workbook.clone());
    document.apply(&Transaction::default(), EvaluationContext { time_ms, seed: 0 });
    let mut slices = 0;
    while !document.evaluate(limits::EVALUATION_STEPS).finished {
        slices += 1;
        if slices == SLICES_MAX {
            return None;
        }
    }
    let calculated = document.workbook();
    let mut found = Vec::new();
    for SavedSheet { sheet: id, results } in saved {
        let Some(sheet) = calculated.sheet(*id) else { continue };
        found.extend(results.iter().filter_map(|result| difference(calculated, sheet, result)));
    }
    Some(found)
}

fn difference(workbook: &Workbook, sheet: &Sheet, saved: &FormulaResult) -> Option<ValueDifference> {
    let value = sheet.value(saved.cell);
    if is_same(saved, &value) {
        return None;
    }
    let upper = saved.formula.to_uppercase();
    let is_volatile = VOLATILE.iter().any(|name| upper.contains(name));
    let is_elsewhere = saved.formula.contains('!') && refers_elsewhere(workbook, &saved.formula);
    let because = match () {
        () if is_volatile => Some("volatile"),
        () if is_elsewhere => Some("other room"),
        () => None,
    };
    Some(ValueDifference {
        sheet: sheet.id(),
        cell: saved.cell,
        formula: saved.formula.clone(),
        ethercalc: shown(&saved.value_type, &saved.value),
        here: match value {
            Value::Blank => String::new(),
            Value::Number(number) => number.to_string(),
            Value::Boolean(boolean) => if boolean { "TRUE" } else { "FALSE" }.to_owned(),
            Value::Text(text) => text.to_string(),
            Value::Error(error) => error.to_string(),
        },
        because,
    })
}

/// Whether the name before an exclamation mark is not that of a sheet of the workbook.
fn refers_elsewhere(workbook: &Workbook, formula: &str) -> bool {
    formula.match_indices('!').any(|(at, _)| {
        let before = formula[..at].trim_end_matches(['"', '\'']);
        let is_end = |character: char| "(,;+-*/&=<>^\"'$ ".contains(character);
        let name = before.rsplit(is_end).next().unwrap_or_default();
        !workbook.sheets().iter().any(|sheet| sheet.name().eq_ignore_ascii_case(name))
    })
}

fn is_same(saved: &FormulaResult, value: &Value) -> bool {
    let kind = saved.value_type.as_bytes();
    match (kind.first(), value) {
        (Some(b'n'), Value::Number(number)) => is_close(&saved.value, *number),
        (Some(b'n'), Value::Boolean(boolean)) => is_close(&saved.value, f64::from(u8::from(*boolean))),
        (Some(b't'), Value::Text(text)) => saved.value == **text,
        // An empty text and a blank cell are shown alike.
        (Some(b't'), Value::Blank) => saved.value.is_empty(),
        (Some(b'b') | None, Value::Blank) => true,
        (Some(b'b') | None, Value::Text(text)) => text.is_empty(),
        (Some(b'e'), Value::Error(error)) => saved.value_type[1..] == error.to_string(),
        _ => false,
    }
}

fn is_close(saved: &str, number: f64) -> bool {
    let Ok(saved) = saved.trim().parse::<f64>() else { return false };
    saved == number || (saved - number).abs() <= TOLERANCE * saved.abs().max(number.abs())
}

/// A value as EtherCalc shows it.
fn shown(value_type: &str, value: &str) -> String {
    match value_type.as_bytes() {
        [b'e', ..] => value_type[1..].to_owned(),
        b"nl" => if value == "0" { "FALSE" } else { "TRUE" }.to_owned(),
        [b'b', ..] => String::new(),
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use quadrille_files::{FileFormat, socialcalc_formula_results};

    use quadrille_number_format::InputContext;

    use super::*;
    use crate::workbook_files;

    fn check(cells: &str) -> Vec<(String, String, String, Option<&'static str>)> {
        let save = format!("version:1.5\n{cells}");
        let read = workbook_files::read(
            FileFormat::SocialCalc,
            save.as_bytes(),
            "",
            InputContext::default(),
            &mut |_| true,
        );
        let workbook = read.expect("a save").workbook;
        let sheet = workbook.sheets()[0].id();
        let saved = [SavedSheet { sheet, results: socialcalc_formula_results(&save) }];
        let found = differences(&workbook, &saved, 1_700_000_000_000).expect("calculated");
        let shown =
            |found: ValueDifference| (found.cell.to_string(), found.ethercalc, found.here, found.because);
        found.into_iter().map(shown).collect()
    }

    #[test]
    fn results_that_are_the_same_are_not_reported() {
        let same = "cell:A1:v:5\ncell:A2:vtf:n:10:A1*2\ncell:A3:vtf:t:x5:\"x\"&A1\ncell:A4:vtf:nl:1:A1>2\n\
                    cell:A5:vtf:e#DIV/0!:0:A1/0\ncell:A6:vtf:n:0.30000000000000004:0.1+0.2\n\
                    cell:A7:vtf:nd:45352:DATE(2024,3,1)\n";
        assert_eq!(check(same), []);
    }

    #[test]
    fn other_results_are_reported_with_the_reason_if_it_is_known() {
        let owned = |cell: &str, ethercalc: &str, here: &str, because| {
            (cell.to_owned(), ethercalc.to_owned(), here.to_owned(), because)
        };
        let cells = "cell:A1:v:5\ncell:A2:vtf:n:11:A1*2\ncell:A3:vtf:e#VALUE!:0:\"3\"+4\n\
                     cell:A4:vtf:n:44000:NOW()\ncell:A5:vtf:n:7:\"other\"!B1\n";
        let found = check(cells);
        assert_eq!(found[0], owned("A2", "11", "10", None));
        assert_eq!(found[1], owned("A3", "#VALUE!", "7", None));
        assert_eq!((&*found[2].0, found[2].3), ("A4", Some("volatile")));
        // The server fetches the values of the other room when the workbook is opened.
        assert_eq!(found[3], owned("A5", "7", "#N/A", Some("other room")));
        assert_eq!(found.len(), 4);
    }
}
