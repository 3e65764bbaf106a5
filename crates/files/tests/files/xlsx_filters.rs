//! Filters of `.xlsx` files: of tables, by colors, ranks and averages, and by groups of dates.

use crate::notation::{commanded, import, items, with_changed_part};
use crate::page_setup::part;
use quadrille_cell::{Dimension, SheetId};
use quadrille_document::Document;
use quadrille_files::{FileFormat, FilteredRows, Images, WriteOptions, write_with_filtered_rows};
use quadrille_workbook::Workbook;

const KINDS: [&str; 2] = ["autoFilter", "filterColumn"];

/// A table whose filter has a condition in each column, and a filter of the sheet beside it.
const COMMANDS: &str = r##"[
  {"type":"setCells","sheet":1,"at":"A1","cells":[
    [{"text":"Item"},{"text":"Count"},{"text":""},{"text":"Color"},{"text":"Size"}],
    [{"text":"ink"},{"number":3},{"text":""},{"text":"x"},{"number":1}],
    [{"text":"pen"},{"number":5},{"text":""},{"text":"y"},{"number":9}],
    [{"text":"ink"},{"number":8},{"text":""},{"text":"z"},{"number":9}]]},
  {"type":"format","sheet":1,"range":"D3:D4","format":{"fillColor":"#ffff00"}},
  {"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["E2:E4"],"fields":{"rule":"cell","operator":"greater","formula1":"=100","priority":1,"format":{"bold":true}}},
  {"type":"setItem","sheet":1,"item":60,"kind":"table","anchors":["A1:B4"],"fields":{"name":"Stock"}},
  {"type":"setItem","sheet":1,"item":61,"kind":"autoFilter","anchors":["A1:B4"]},
  {"type":"setItem","sheet":1,"item":62,"kind":"filterColumn","anchors":["A1"],"fields":{"parent":61,"rule":"values","shown":["ink"]}},
  {"type":"setItem","sheet":1,"item":63,"kind":"filterColumn","anchors":["B1"],"fields":{"parent":61,"rule":"top","rank":2}},
  {"type":"setItem","sheet":1,"item":70,"kind":"autoFilter","anchors":["D1:E4"]},
  {"type":"setItem","sheet":1,"item":71,"kind":"filterColumn","anchors":["D1"],"fields":{"parent":70,"rule":"color","color":"#ffff00"}},
  {"type":"setItem","sheet":1,"item":72,"kind":"filterColumn","anchors":["E1"],"fields":{"parent":70,"rule":"aboveAverage"}}
]"##;

fn written(workbook: &Workbook) -> Vec<u8> {
    let mut document = Document::from_workbook(workbook.clone());
    while !document.evaluate(u64::MAX).finished {}
    let filtered = FilteredRows::from([(SheetId(1), document.filtered_rows(SheetId(1), None))]);
    let (options, images) = (WriteOptions::default(), Images::new());
    write_with_filtered_rows(workbook, FileFormat::Xlsx, &options, &images, &filtered).expect("written")
}

#[test]
fn filters_of_tables_and_by_color_rank_and_average_survive_a_round_trip() {
    let workbook = commanded(COMMANDS);
    let again = import(FileFormat::Xlsx, &written(&workbook)).expect("readable");
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(items(&again.workbook, &KINDS), items(&workbook, &KINDS));
    // The rows that a filter hides are not hidden by hand.
    assert_eq!(again.workbook.sheets()[0].hidden_runs(Dimension::Rows).count(), 0);
}

/// The elements of ECMA-376 part 1, 18.3.2.
#[test]
fn conditions_are_written_with_their_table_or_sheet_and_the_rows_they_hide() {
    let file = written(&commanded(COMMANDS));
    let table = part(&file, "xl/tables/table1.xml");
    let expected = r#"<autoFilter ref="A1:B4"><filterColumn colId="0"><filters><filter val="ink"/></filters></filterColumn><filterColumn colId="1"><top10 top="1" percent="0" val="2"/></filterColumn></autoFilter>"#;
    assert!(table.contains(expected), "{table}");
    let sheet = part(&file, "xl/worksheets/sheet1.xml");
    let expected = r#"<autoFilter ref="D1:E4"><filterColumn colId="0"><colorFilter dxfId="1" cellColor="1"/></filterColumn><filterColumn colId="1"><dynamicFilter type="aboveAverage"/></filterColumn></autoFilter>"#;
    assert!(sheet.contains(expected), "{sheet}");
    let styles = part(&file, "xl/styles.xml");
    let formats: Vec<&str> = styles.split("<dxf>").collect();
    assert!(formats[0].ends_with(r#"<dxfs count="2">"#) && formats.len() == 3, "{styles}");
    assert!(formats[2].contains(r#"<bgColor rgb="FFFFFF00"/>"#), "{styles}");
    // ink 3 is not among the two largest counts and has no fill; pen is not shown.
    for (row, is_hidden) in [(1, false), (2, true), (3, true), (4, false)] {
        let start = sheet.split(&format!("<row r=\"{row}\"")).nth(1).and_then(|rest| rest.split('>').next());
        assert_eq!(start.expect("a row").contains("hidden=\"1\""), is_hidden, "{row}: {sheet}");
    }
}

/// Groups of dates and icons as Excel writes them (ECMA-376 part 1, 18.3.2.4 and 18.3.2.9; the icons of
/// Excel 2010 in [MS-XLSX], CT_IconFilter).
#[test]
fn groups_of_dates_and_icons_survive_a_round_trip() {
    let file = written(&commanded(COMMANDS));
    let read = |condition: &str| {
        let changed = with_changed_part(&file, "xl/tables/table1.xml", |text| {
            text.replace(r#"<top10 top="1" percent="0" val="2"/>"#, condition)
        });
        let read = import(FileFormat::Xlsx, &changed).expect("readable");
        let columns = items(&read.workbook, &["filterColumn"]);
        let column = columns.into_iter().find(|line| line.starts_with("filterColumn B1"));
        let fields = column.map(|line| line.trim_start_matches("filterColumn B1 ").to_owned());
        (fields.unwrap_or_default(), read)
    };
    let dates = r#"<dateGroupItem year="2024" dateTimeGrouping="year"/><dateGroupItem year="2023" month="3" day="7" hour="0" minute="59" second="1" dateTimeGrouping="second"/>"#;
    let added = r#"<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="x14" xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"><x14:iconFilter iconSet="3Stars" iconId="2"/></mc:Choice></mc:AlternateContent>"#;
    let fallback = "<mc:Fallback><customFilters><customFilter val=\"7\"/></customFilters></mc:Fallback>";
    for (condition, fields) in [
        (
            format!("<filters>{dates}</filters>"),
            r#"{"rule":"values","shownDates":["2024","2023-03-07T00:59:01"]}"#,
        ),
        (
            format!("<filters blank=\"1\"><filter val=\"x\"/>{dates}</filters>"),
            r#"{"rule":"values","showBlanks":true,"shown":["x"],"shownDates":["2024","2023-03-07T00:59:01"]}"#,
        ),
        (
            r#"<iconFilter iconSet="5Quarters" iconId="4"/>"#.to_owned(),
            r#"{"iconIndex":4.0,"iconSet":"5Quarters","rule":"icon"}"#,
        ),
        (r#"<iconFilter iconSet="3Arrows"/>"#.to_owned(), r#"{"rule":"icon"}"#),
        (added.to_owned(), r#"{"iconIndex":2.0,"iconSet":"3Stars","rule":"icon"}"#),
    ] {
        let (found, imported) = read(&condition);
        assert_eq!((found.as_str(), &imported.warnings), (fields, &Vec::new()), "{condition}");
        let table = part(&written(&imported.workbook), "xl/tables/table1.xml");
        assert!(table.contains(&condition), "{condition}: {table}");
    }
    let other_programs = added.replace("</mc:Choice>", &format!("</mc:Choice>{fallback}"));
    assert_eq!(read(&other_programs).0, r#"{"iconIndex":2.0,"iconSet":"3Stars","rule":"icon"}"#);

    for unknown in [
        r#"<filters><dateGroupItem year="2024" dateTimeGrouping="day"/></filters>"#,
        r#"<filters><dateGroupItem year="2024" month="3" dateTimeGrouping="week"/></filters>"#,
    ] {
        let (found, imported) = read(unknown);
        assert_eq!((found.as_str(), imported.warnings.len()), ("", 1), "{unknown}");
    }
}
