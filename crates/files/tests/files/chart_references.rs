//! References and texts of charts in `.xlsx` files: sheets with any name, missing sheets, and texts that look like
//! references.

use crate::charts::charts;
use crate::notation::{commanded, import, items, with_changed_part};
use crate::packages::check_package;
use crate::page_setup::part;
use quadrille_files::{FileFormat, Loss, WriteOptions, losses, write};
use quadrille_workbook::Workbook;

fn lost(workbook: &Workbook) -> Vec<String> {
    let lost = losses(workbook, FileFormat::Xlsx, &WriteOptions::default(), &Default::default());
    lost.iter().map(Loss::text).collect()
}

fn xlsx(workbook: &Workbook) -> Vec<u8> {
    let bytes = write(workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    check_package(&bytes);
    bytes
}

/// A workbook with one chart of these series, and fields after them.
fn with_chart(series: &str, more: &str) -> Workbook {
    commanded(&format!(
        r#"[{{"type":"setItem","sheet":1,"item":5,"kind":"chart","anchors":["D2"],"fields":{{"series":[{series}]{more}}}}}]"#
    ))
}

/// Charts on a sheet whose name has an apostrophe made the export fail, or were left out if the name was long.
#[test]
fn sheets_of_charts_have_any_name() {
    for (name, written) in [
        ("Bob's", "'Bob''s'!$B$1:$B$3"),
        ("abc 'abc' abc abc abc abc ab 31", "'abc ''abc'' abc abc abc abc ab 31'!$B$1:$B$3"),
        ("Stop!A1", "'Stop!A1'!$B$1:$B$3"),
    ] {
        let workbook = commanded(&format!(
            r#"[{{"type":"renameSheet","sheet":1,"name":"{name}"}},
            {{"type":"typeText","sheet":1,"cell":"B2","text":"7"}},
            {{"type":"setItem","sheet":1,"kind":"chart","anchors":["D2"],"fields":{{"type":"pie","series":[{{"name":"=$B$1","categories":"=$A$1:$A$3","values":"=$B$1:$B$3","labels":true,"labelCells":"=$A$1:$A$3"}}]}}}},
            {{"type":"setItem","sheet":1,"kind":"chart","anchors":["D9"],"fields":{{"type":"bubble","series":[{{"categories":"=$A$1:$A$3","values":"=$B$1:$B$3","sizes":"=$B$1:$B$3"}}]}}}},
            {{"type":"setItem","sheet":1,"kind":"sparkline","anchors":["C1"],"fields":{{"source":"=A1:B1"}}}}]"#
        ));
        assert_eq!(lost(&workbook), [] as [String; 0]);
        let bytes = xlsx(&workbook);
        let chart = part(&bytes, "xl/charts/chart1.xml");
        assert!(chart.contains(&format!("<c:val><c:numRef><c:f>{written}</c:f><c:numCache>")), "{chart}");
        let again = import(FileFormat::Xlsx, &bytes).expect("readable");
        assert_eq!(again.warnings, [] as [String; 0]);
        let kinds: Vec<String> = items(&again.workbook, &["chart", "sparkline"]);
        assert_eq!(kinds.len(), 3, "{kinds:?}");
        assert!(kinds.iter().all(|item| !item.contains("#REF!")), "{kinds:?}");
    }
}

/// Excel keeps a chart whose cells are gone, with `#REF!`.
#[test]
fn charts_of_missing_sheets_are_written() {
    let of_missing = with_chart(r#"{"name":"=Sheet!$B$1","values":"=Sheet!$B$2:$B$4"}"#, "");
    let of_deleted = commanded(
        r#"[{"type":"addSheet","name":"Data"},
        {"type":"setItem","sheet":1,"item":5,"kind":"chart","anchors":["D2"],"fields":{"series":[{"name":"=Data!$B$1","values":"=Data!$B$2:$B$4"}]}},
        {"type":"removeSheet","sheet":101}]"#,
    );
    for workbook in [of_missing, of_deleted] {
        assert_eq!(lost(&workbook), [] as [String; 0]);
        let bytes = xlsx(&workbook);
        let chart = part(&bytes, "xl/charts/chart1.xml");
        assert!(chart.contains("<c:val><c:numRef><c:f>#REF!</c:f></c:numRef></c:val>"), "{chart}");
        let again = import(FileFormat::Xlsx, &bytes).expect("readable");
        let read = charts(&again.workbook);
        assert!(read[0].contains(r##""name":"=#REF!","values":"=#REF!""##), "{read:?}");
    }
}

/// A file of another program with charts of a sheet that it does not have.
#[test]
fn charts_of_missing_sheets_are_reported_when_read() {
    let file = include_bytes!("../fixtures/chart-labels.xlsx");
    let bytes =
        with_changed_part(file, "xl/charts/chart1.xml", |text| text.replace("Towns!", "'No Town''s'!"));
    let read = import(FileFormat::Xlsx, &bytes).expect("readable");
    let warning = "charts whose data is in sheets that the file does not have are empty";
    assert!(read.warnings.iter().any(|line| line == warning), "{:?}", read.warnings);
    let again = import(FileFormat::Xlsx, &xlsx(&read.workbook)).expect("readable");
    assert_eq!(charts(&again.workbook).len(), charts(&read.workbook).len());
}

/// `rust_xlsxwriter` reads texts such as `Plan!A1` and `=(net)` as references to cells.
#[test]
fn titles_of_charts_may_look_like_references() {
    for title in ["Plan!A1", "=(net)", "=Plan!$A$1", "Up!"] {
        let workbook = with_chart(
            &format!(r#"{{"name":"=\"{title}\"","values":"=Sheet1!$A$1:$A$3"}}"#),
            &format!(r#","title":"{title}","xTitle":"{title}","yTitle":"{title}""#),
        );
        assert_eq!(lost(&workbook), [] as [String; 0]);
        let again = import(FileFormat::Xlsx, &xlsx(&workbook)).expect("readable");
        let read = charts(&again.workbook).remove(0);
        for field in ["title", "xTitle", "yTitle"] {
            assert!(read.contains(&format!(r#""{field}":"{title}""#)), "{read}");
        }
        assert!(read.contains(&format!(r#""name":"=\"{title}\"""#)), "{read}");
    }
}

/// Values that a file has without cells.
#[test]
fn constants_of_charts_round_trip() {
    let series = r#"{"categories":"={\"a & b\",\"c\"}","values":"={-1.5,2}"}"#;
    let bytes = xlsx(&with_chart(series, ""));
    let chart = part(&bytes, "xl/charts/chart1.xml");
    let values = r#"<c:val><c:numLit><c:formatCode>General</c:formatCode><c:ptCount val="2"/><c:pt idx="0"><c:v>-1.5</c:v></c:pt>"#;
    assert!(chart.contains(values), "{chart}");
    let read = charts(&import(FileFormat::Xlsx, &bytes).expect("readable").workbook).remove(0);
    assert!(read.contains(&series[1..series.len() - 1]), "{read}");
}

/// Whole columns and names are written as they are. What a chart of Excel cannot have is named.
#[test]
fn formulas_of_charts_are_written_or_named() {
    let whole = with_chart(r#"{"values":"=Sheet1!$A:$A"}"#, "");
    assert_eq!(lost(&whole), [] as [String; 0]);
    let chart = part(&xlsx(&whole), "xl/charts/chart1.xml");
    assert!(
        chart.contains("<c:f>Sheet1!$A:$A</c:f>") || chart.contains("<c:f>'Sheet1'!$A:$A</c:f>"),
        "{chart}"
    );
    for values in ["={TRUE,2}", "=OFFSET(Sheet1!$A$1,0,0,3)", "=Sheet1!$A$1:$A$3*2"] {
        let workbook = with_chart(&format!(r#"{{"values":"{values}"}}"#), r#","title":"Units""#);
        assert_eq!(lost(&workbook), ["charts: Units ('Sheet1'!D2)"], "{values}");
        assert_eq!(charts(&import(FileFormat::Xlsx, &xlsx(&workbook)).expect("readable").workbook).len(), 0);
    }
}
