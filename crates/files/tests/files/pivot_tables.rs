//! Pivot tables in `.xlsx` and `.ods` files: written and read again, and read from files of LibreOffice
//! 7.4.

use std::io::{Cursor, Read, Write};

use quadrille_cell::{CellAddress, SheetId};
use quadrille_document::{Document, EvaluationContext};
use quadrille_files::{FileFormat, WriteOptions, write};
use quadrille_operation::{ItemDetails, Transaction};
use quadrille_workbook::{ItemKind, Workbook};

use crate::notation::{commanded, import, values};

const SALES: &str = r##"{"type":"setCells","sheet":1,"at":"A1","cells":[
    [{"text":"Region"},{"text":"Product"},{"text":"Day"},{"text":"Amount"}],
    [{"text":"East"},{"text":"Apples"},{"number":45300},{"number":10}],
    [{"text":"East"},{"text":"Pears"},{"number":45331},{"number":20}],
    [{"text":"West"},{"text":"Apples"},{"number":45301},{"number":30}],
    [{"text":"North"},{"text":"Plums"},{"number":45700},{"number":7}],
    [{"text":"West"},{"text":"Apples"},{"number":45332},{"number":5}]]},
  {"type":"format","sheet":1,"range":"C2:C6","format":{"numberFormat":"yyyy-mm-dd"}},
  {"type":"addSheet","name":"Pivot"}"##;

/// The workbook of [`SALES`] with a pivot table in B5 of its second sheet.
fn with_pivot_table(fields: &str) -> Workbook {
    let source = r#""source":"=Sheet1!$A$1:$D$6""#;
    let item = format!(
        r#"{{"type":"setItem","sheet":101,"kind":"pivotTable","anchors":["B5"],"fields":{{{source},{fields}}}}}"#
    );
    evaluated(commanded(&format!("[{SALES},{item}]")))
}

fn evaluated(workbook: Workbook) -> Workbook {
    let mut document = Document::from_workbook(workbook);
    document.apply(&Transaction { operations: Vec::new() }, EvaluationContext::default());
    while !document.evaluate(u64::MAX).finished {}
    document.snapshot()
}

fn written_and_read(workbook: &Workbook) -> (Workbook, Vec<u8>) {
    written_and_read_as(workbook, FileFormat::Xlsx)
}

fn written_and_read_as(workbook: &Workbook, format: FileFormat) -> (Workbook, Vec<u8>) {
    let bytes = write(workbook, format, &WriteOptions::default()).expect("written");
    let read = import(format, &bytes).expect("readable");
    assert_eq!(read.warnings, Vec::<String>::new());
    (read.workbook, bytes)
}

fn pivot_tables(workbook: &Workbook) -> Vec<String> {
    let sheet = &workbook.sheets()[1];
    let details =
        sheet.items().iter().map(|(id, item)| ItemDetails::new(Some(sheet.id()), id, item, workbook));
    let text = |item: ItemDetails| serde_json::to_string(&item.fields).expect("text keys");
    details.filter(|item| item.kind == "pivotTable").map(text).collect()
}

#[test]
fn pivot_tables_are_written_and_read() {
    for fields in [
        r#""rows":[{"column":"=Sheet1!$A:$A"}],"values":[{"column":"=Sheet1!$D:$D","function":"sum"}]"#,
        r#""rows":[{"column":"=Sheet1!$A:$A","order":"descending"},{"column":"=Sheet1!$B:$B"}],"columns":[{"column":"=Sheet1!$C:$C","grouping":"year"}],
           "values":[{"column":"=Sheet1!$D:$D","function":"average"},{"column":"=Sheet1!$D:$D","function":"count","shownAs":"percentOfTotal"}],"layout":"compact""#,
        r#""rows":[{"column":"=Sheet1!$C:$C","grouping":"year"},{"column":"=Sheet1!$C:$C","grouping":"month","subtotals":false}],"values":[{"column":"=Sheet1!$D:$D","function":"maximum","shownAs":"rank"}],
           "layout":"outline","showTotalRow":false"#,
        r#""rows":[{"column":"=Sheet1!$D:$D","start":0,"step":10}],"columns":[{"column":"=Sheet1!$A:$A","sortBy":0,"rank":2,"rule":"top"}],
           "values":[{"column":"=Sheet1!$D:$D","function":"sum","numberFormat":"0.00","shownAs":"runningTotal"}],"showTotalColumn":false"#,
        r#""rows":[{"column":"=Sheet1!$A:$A"}],"values":[{"column":"=Sheet1!$D:$D","function":"sum"}],
           "filters":[{"column":"=Sheet1!$A:$A","shown":["East","North"],"showBlanks":false},{"column":"=Sheet1!$B:$B","shown":["Apples","Plums"],"showBlanks":false}]"#,
    ] {
        let before = with_pivot_table(fields);
        let (read, _) = written_and_read(&before);
        let after = evaluated(read);
        assert_eq!(pivot_tables(&after).len(), 1, "{fields}");
        assert_eq!(values(&after, 1, "A1:K14"), values(&before, 1, "A1:K14"), "{fields}");
        assert!(values(&after, 1, "B7:E9").concat().contains(char::is_numeric), "{fields}");
        // What has been read is written as it was.
        let (again, _) = written_and_read(&after);
        assert_eq!(pivot_tables(&again), pivot_tables(&after), "{fields}");
    }
}

#[test]
fn what_the_format_cannot_express_is_written_as_values() {
    for fields in [
        r#""rows":[{"column":"=Sheet1!$A:$A"}],"values":[{"column":"=Sheet1!$D:$D","function":"median"}]"#,
        r#""rows":[{"column":"=Sheet1!$C:$C","grouping":"weekday"}],"values":[{"column":"=Sheet1!$D:$D","function":"sum"}]"#,
    ] {
        let before = with_pivot_table(fields);
        let (after, _) = written_and_read(&before);
        assert_eq!(pivot_tables(&after), Vec::<String>::new());
        assert_eq!(values(&after, 1, "A1:K14"), values(&before, 1, "A1:K14"), "{fields}");
    }
}

#[test]
fn the_parts_of_a_pivot_table_are_linked() {
    let before = with_pivot_table(
        r#""rows":[{"column":"=Sheet1!$A:$A"}],"values":[{"column":"=Sheet1!$D:$D","function":"sum"}]"#,
    );
    let (_, bytes) = written_and_read(&before);
    let part = |name: &str| part(&bytes, name);
    assert!(part("[Content_Types].xml").contains("/xl/pivotTables/pivotTable1.xml"));
    assert!(part("xl/workbook.xml").contains(r#"<pivotCaches><pivotCache cacheId="1" r:id="rIdPivot1"/>"#));
    assert!(part("xl/worksheets/_rels/sheet2.xml.rels").contains("../pivotTables/pivotTable1.xml"));
    assert!(part("xl/pivotTables/pivotTable1.xml").contains(r#"<location ref="B5:C9""#));
    let cache = part("xl/pivotCache/pivotCacheDefinition1.xml");
    assert!(cache.contains(r#"<worksheetSource ref="A1:D6" sheet="Sheet1"/>"#), "{cache}");
    assert!(cache.contains(r#"<s v="East"/><s v="North"/><s v="West"/>"#), "{cache}");
}

#[test]
fn pivot_tables_of_libreoffice_show_the_same_values() {
    let bytes = include_bytes!("../fixtures/pivot-tables-libreoffice.xlsx");
    let read = import(FileFormat::Xlsx, bytes).expect("readable");
    let after = evaluated(read.workbook);
    assert_eq!(pivot_tables(&after).len(), 3);
    // The values that LibreOffice displays when it opens the file; it calls totals "Total Result".
    let by_region = ["Region | Sum - Amount", "East | 31.5", "North | 7", "West | 35", "Grand Total | 73.5"];
    assert_eq!(values(&after, 1, "A1:B5"), by_region);
    let average = [
        "Average - Amount | Region |  | ",
        "Product | East | West | Grand Total",
        "Apples | 5.75 | 17.5 | 11.625",
        "Pears | 20 |  | 20",
        "Grand Total | 10.5 | 17.5 | 13.3",
    ];
    assert_eq!(values(&after, 1, "A13:D17"), average);
    // LibreOffice marks its fields as those of the outline layout, in which it opens the file.
    let outline = [
        "Sum - Amount |  | Quarter |  |  | ",
        "Region | Product | 1 | 2 | 3 | Grand Total",
        "East |  |  |  |  | ",
        " | Apples | 11.5 |  |  | 11.5",
        " | Pears |  | 20 |  | 20",
        "North |  |  |  |  | ",
        " | Plums |  |  | 7 | 7",
        "West |  |  |  |  | ",
        " | Apples | 30 | 5 |  | 35",
        "Grand Total |  | 41.5 | 25 | 7 | 73.5",
    ];
    assert_eq!(values(&after, 1, "E1:J10"), outline);
    let sheet = after.sheet(SheetId(2)).expect("the second sheet");
    assert!(
        sheet.input(CellAddress::parse_a1("A2").expect("an address")) == quadrille_workbook::Input::Blank
    );
}

#[test]
fn pivot_tables_are_written_to_opendocument_files_and_read() {
    for fields in [
        r#""rows":[{"column":"=Sheet1!$A:$A"}],"values":[{"column":"=Sheet1!$D:$D","function":"sum"}]"#,
        r#""rows":[{"column":"=Sheet1!$A:$A","order":"descending","subtotals":false},{"column":"=Sheet1!$B:$B"}],
           "columns":[{"column":"=Sheet1!$C:$C","grouping":"year"}],
           "values":[{"column":"=Sheet1!$D:$D","function":"median"},{"column":"=Sheet1!$D:$D","function":"count","shownAs":"percentOfTotal"}],"layout":"outline""#,
        r#""rows":[{"column":"=Sheet1!$D:$D","start":0,"step":10}],"columns":[{"column":"=Sheet1!$A:$A","sortBy":0,"rank":2,"rule":"top"}],
           "values":[{"column":"=Sheet1!$D:$D","function":"sum","shownAs":"runningTotal"}],"showTotalColumn":false"#,
        r#""rows":[{"column":"=Sheet1!$A:$A"}],"values":[{"column":"=Sheet1!$D:$D","function":"sum"}],"showTotalRow":false,
           "filters":[{"column":"=Sheet1!$A:$A","shown":["East","North"],"showBlanks":false}]"#,
    ] {
        let labels = r#","totalLabel":"Total Result","subtotalLabel":"* Result""#;
        let before = with_pivot_table(&format!("{fields}{labels}"));
        let (read, _) = written_and_read_as(&before, FileFormat::Ods);
        let after = evaluated(read);
        assert_eq!(pivot_tables(&after).len(), 1, "{fields}");
        assert_eq!(values(&after, 1, "A1:K14"), values(&before, 1, "A1:K14"), "{fields}");
    }
}

#[test]
fn pivot_tables_of_opendocument_files_of_libreoffice_show_the_same_values() {
    let bytes = include_bytes!("../fixtures/pivot-tables-libreoffice.ods");
    let after = evaluated(import(FileFormat::Ods, bytes).expect("readable").workbook);
    assert_eq!(pivot_tables(&after).len(), 3);
    // The values that LibreOffice displays, which calls a sum "Sum - Amount".
    assert_eq!(values(&after, 1, "A2:B5"), ["East | 31.5", "North | 7", "West | 35", "Total Result | 73.5"]);
    let two_fields = [
        "Region | Product | 1 | 2 | 3 | Total Result",
        "East | Apples | 11.5 |  |  | 11.5",
        " | Pears |  | 20 |  | 20",
        "North | Plums |  |  | 7 | 7",
        "West | Apples | 30 | 5 |  | 35",
        "Total Result |  | 41.5 | 25 | 7 | 73.5",
    ];
    assert_eq!(values(&after, 1, "E2:J7"), two_fields);
    let average = [
        "Product | East | West | Total Result",
        "Apples | 5.75 | 17.5 | 11.625",
        "Pears | 20 |  | 20",
        "Total Result | 10.5 | 17.5 | 13.3",
    ];
    assert_eq!(values(&after, 1, "A14:D17"), average);
}

#[test]
fn calculated_fields_are_written_to_xlsx_and_as_values_to_ods() {
    let before = with_pivot_table(
        r#""rows":[{"column":"=Sheet1!$A:$A"}],"values":[{"name":"Tenth","formula":"=ROUND(Sheet1!$D:$D/10,2)"},
           {"column":"=Sheet1!$D:$D","function":"sum","name":"Sum"}]"#,
    );
    // East has 10 and 20, North 7, West 30 and 5.
    let expected = ["Region | Tenth | Sum", "East | 3 | 30", "North | 0.7 | 7", "West | 3.5 | 35"];
    assert_eq!(values(&before, 1, "B5:D8"), expected);
    let (after, bytes) = written_and_read(&before);
    let cache = part(&bytes, "xl/pivotCache/pivotCacheDefinition1.xml");
    let field = r#"<cacheField name="Tenth" numFmtId="0" formula="ROUND(Amount/10,2)" databaseField="0"/>"#;
    assert!(cache.contains(field), "{cache}");
    let table = part(&bytes, "xl/pivotTables/pivotTable1.xml");
    assert!(table.contains(r#"<dataField name="Tenth " fld="4""#), "{table}");
    let after = evaluated(after);
    assert_eq!(values(&after, 1, "B5:D9"), values(&before, 1, "B5:D9"));
    assert!(pivot_tables(&after)[0].contains(r#""formula":"=ROUND(Sheet1!$D:$D/10,2)""#));
    let (after, _) = written_and_read_as(&before, FileFormat::Ods);
    assert_eq!(values(&after, 1, "B5:D8"), expected);
    assert_eq!(pivot_tables(&after), Vec::<String>::new());
}

/// Own groups of texts with the values beside them, and own groups of numbers in columns.
const OWN_GROUPS: &str = r#""rows":[{"column":"=Sheet1!$A:$A","name":"Area","groups":[{"name":"Coast","values":["East","West"]}]},
      {"column":"=Sheet1!$A:$A"}],
    "columns":[{"column":"=Sheet1!$D:$D","name":"Size","groups":[{"name":"Small","values":["5","7"]},{"name":"Large","values":["20","30"]}]}],
    "values":[{"column":"=Sheet1!$D:$D","function":"sum"}],"totalLabel":"Total Result","subtotalLabel":"* Result""#;

#[test]
fn own_groups_are_written_and_read() {
    let before = with_pivot_table(OWN_GROUPS);
    let expected = [
        "Area | Region | 10 | Large | Small | Total Result",
        "Coast | East | 10 | 20 |  | 30",
        " | West |  | 30 | 5 | 35",
        "Coast Result |  | 10 | 50 | 5 | 65",
        "North | North |  |  | 7 | 7",
        "North Result |  |  |  | 7 | 7",
        "Total Result |  | 10 | 50 | 12 | 72",
    ];
    assert_eq!(values(&before, 1, "B6:G12"), expected);
    for format in [FileFormat::Xlsx, FileFormat::Ods] {
        let (after, bytes) = written_and_read_as(&before, format);
        let after = evaluated(after);
        assert_eq!(pivot_tables(&after).len(), 1, "{format:?}");
        // Files have no label of subtotals.
        let shown = values(&after, 1, "B6:G12").join("\n").replace(" total", " Result");
        assert_eq!(shown, expected.join("\n"), "{format:?}");
        if format == FileFormat::Xlsx {
            // ECMA-376, 18.10.1.16 and 18.10.1.38: East and West are in the first group, North in the other.
            let cache = part(&bytes, "xl/pivotCache/pivotCacheDefinition1.xml");
            let group = r#"<fieldGroup base="0"><discretePr count="3"><x v="0"/><x v="1"/><x v="0"/></discretePr><groupItems count="2"><s v="Coast"/><s v="North"/></groupItems></fieldGroup>"#;
            assert!(cache.contains(group), "{cache}");
            assert!(cache.contains(r#"</sharedItems><fieldGroup par="4"/>"#), "{cache}");
        }
    }
}

#[test]
fn own_groups_of_libreoffice_show_the_same_values() {
    // The pivot table of an `.xlsx` file of ours, which LibreOffice 7.4 has read and saved.
    let bytes = include_bytes!("../fixtures/pivot-groups-libreoffice.ods");
    let after = evaluated(import(FileFormat::Ods, bytes).expect("readable").workbook);
    // The values that LibreOffice displays, which names the fields itself.
    let expected = [
        "Region2 | Region | 4 | 5 | 6 | Few | Total Result",
        "Coast | East |  |  |  | 30 | 30",
        " | West |  |  | 5 | 30 | 35",
        "Coast Result |  |  |  | 5 | 60 | 65",
        "North | North | 7 |  |  |  | 7",
        "North Result |  | 7 |  |  |  | 7",
        "South | South |  | 8 |  |  | 8",
        "South Result |  |  | 8 |  |  | 8",
        "Total Result |  | 7 | 8 | 5 | 60 | 80",
    ];
    assert_eq!(values(&after, 0, "G4:M12"), expected);
    assert_eq!(after.sheets()[0].items().of_kind(ItemKind::PivotTable).count(), 1);
}

#[test]
fn hidden_groups_and_groups_of_groups_are_read() {
    let before = with_pivot_table(
        r#""rows":[{"column":"=Sheet1!$A:$A","name":"Area","groups":[{"name":"Coast","values":["East","West"]}]}],
           "values":[{"column":"=Sheet1!$D:$D","function":"sum"},{"name":"Tenth","formula":"=Sheet1!$D:$D/10"}]"#,
    );
    let bytes = write(&before, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let shown = |changes: &[(&str, &str)]| {
        let read = import(FileFormat::Xlsx, &with_changes(&bytes, changes)).expect("readable");
        assert_eq!(read.warnings, Vec::<String>::new());
        values(&evaluated(read.workbook), 1, "B5:D8")
    };
    let grand_total = |sum: &str, tenth: &str| format!("Grand total | {sum} | {tenth}");
    assert_eq!(shown(&[])[1..], ["Coast | 65 | 6.5", "North | 7 | 0.7", &grand_total("72", "7.2")]);
    // The first group is hidden.
    let hidden = [(r#"<item x="0"/><item x="1"/>"#, r#"<item h="1" x="0"/><item x="1"/>"#)];
    assert_eq!(shown(&hidden)[1..3], ["North | 7 | 0.7".to_owned(), grand_total("7", "0.7")]);
    // A field that puts both groups into one, in place of the field of the groups, and a calculated field
    // that names another.
    let field = r#"<cacheField name="World" numFmtId="0" databaseField="0"><fieldGroup base="4"><discretePr count="2"><x v="0"/><x v="0"/></discretePr><groupItems count="1"><s v="All"/></groupItems></fieldGroup></cacheField>"#;
    let twice = r#"<cacheField name="Twice" formula="Tenth*2" databaseField="0"/>"#;
    let end = format!("{field}{twice}</cacheFields>");
    let nested = [
        ("</cacheFields>", end.as_str()),
        (r#"<rowFields count="1"><field x="4"/>"#, r#"<rowFields count="1"><field x="6"/>"#),
        (
            "</pivotFields>",
            r#"<pivotField axis="axisRow" compact="0" outline="0"><items count="1"><item x="0"/></items></pivotField><pivotField dataField="1"/></pivotFields>"#,
        ),
        (r#" fld="5""#, r#" fld="7""#),
    ];
    assert_eq!(
        shown(&nested)[..3],
        ["World | SUM of Amount | Tenth".to_owned(), "All | 72 | 14.4".to_owned(), grand_total("72", "14.4")]
    );
    // Fields that group one another are no groups.
    let circular = [(r#"<fieldGroup base="0">"#, r#"<fieldGroup base="4">"#)];
    let read = import(FileFormat::Xlsx, &with_changes(&bytes, &circular)).expect("readable");
    assert_eq!(read.warnings.len(), 1, "{:?}", read.warnings);
    assert_eq!(values(&read.workbook, 1, "B6:C6"), ["Coast | 65"]);
}

/// A file with other texts in its parts of pivot tables.
fn with_changes(bytes: &[u8], changes: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut written = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).expect("a part");
        let name = part.name().expect("a name").into_owned();
        let mut content = Vec::new();
        part.read_to_end(&mut content).expect("readable");
        if name.contains("/pivot") && name.ends_with(".xml") {
            let mut text = String::from_utf8(content).expect("text");
            for (from, to) in changes {
                text = text.replacen(from, to, 1);
            }
            content = text.into_bytes();
        }
        written.start_file(name, zip::write::SimpleFileOptions::default()).expect("a name");
        written.write_all(&content).expect("written");
    }
    written.finish().expect("written").into_inner()
}

/// The text of a part of a file.
fn part(bytes: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut text = String::new();
    archive.by_name(name).expect(name).read_to_string(&mut text).expect("text");
    text
}
