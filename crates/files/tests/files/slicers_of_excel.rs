//! Slicers and timelines in parts as Excel writes them, also damaged ones.

use quadrille_files::{FileFormat, WriteOptions, write};

use crate::notation::{import, items_of, with_changed_part};
use crate::packages::{check_package, parts};
use crate::slicers::{BY_REGION, TABLE, pivot, slicer, slicers, workbook, written_and_read};

const X14: &str = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main";
const X15: &str = "http://schemas.microsoft.com/office/spreadsheetml/2010/11/main";
const COMPATIBILITY: &str = r#"xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" mc:Ignorable="x xr10" xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:xr10="http://schemas.microsoft.com/office/spreadsheetml/2016/revision10""#;

/// What Excel writes into the properties of a frame.
const IDENTITY: &str = r#"<a:extLst><a:ext uri="{FF2B5EF4-FFF2-40B4-BE49-F238E27FC236}"><a16:creationId xmlns:a16="http://schemas.microsoft.com/office/drawing/2014/main" id="{81B1DE92-0000-4000-8000-83842593CD97}"/></a:ext></a:extLst>"#;

/// A file with a table, a pivot table on a sheet of its own, a slicer of each, and a timeline.
fn file_of_excel() -> Vec<u8> {
    let place = r#""width":200,"height":150"#;
    let (bytes, names) = (
        written_and_read(&workbook(&[
            TABLE,
            &pivot(4, "B5", BY_REGION),
            &slicer(1, 6, "F2", &format!(r#""column":"=$A$1:$A$6",{place}"#)),
            &slicer(101, 6, "J2", &format!(r#""column":"=Sheet1!$A$1:$A$6",{place}"#)),
            &slicer(101, 7, "J12", &format!(r#""column":"=Sheet1!$C$1:$C$6","type":"dates",{place}"#)),
        ]))
        .1,
        [("Region", "Area"), ("Region 1", "Region 7"), ("Day", "Day 2")],
    );
    let drawing = |text: &str| {
        let mut text = text.to_owned();
        for (old, new) in names {
            text = text.replace(&format!("name=\"{old}\""), &format!("name=\"{new}\""));
            let start = format!("name=\"{new}\"/><xdr:cNvGraphicFramePr/>");
            let identified = format!("name=\"{new}\">{IDENTITY}</xdr:cNvPr><xdr:cNvGraphicFramePr/>");
            text = text.replace(&start, &identified);
        }
        text
    };
    let views = |views: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<slicers xmlns=\"{X14}\" {COMPATIBILITY}>{views}</slicers>"
        )
    };
    let mut bytes = with_changed_part(&bytes, "xl/drawings/drawing1.xml", drawing);
    bytes = with_changed_part(&bytes, "xl/drawings/drawing2.xml", drawing);
    let of_table = r#"<slicer name="Area" xr10:uid="{8EFAA373-0000-4000-8000-AC6177B2E715}" cache="Slicer_Region" caption="Sales &amp; more" columnCount="2" showCaption="0" style="SlicerStyleDark1" rowHeight="234950"/>"#;
    bytes = with_changed_part(&bytes, "xl/slicers/slicer1.xml", |_| views(of_table));
    let of_pivot = r#"<slicer name="Region 7" xr10:uid="{A4380EE1-0000-4000-8000-BD9281B45832}" cache="Slicer_Region1" caption="Region" rowHeight="247650"/>"#;
    bytes = with_changed_part(&bytes, "xl/slicers/slicer2.xml", |_| views(of_pivot));
    let timeline = format!(
        r#"<timelines xmlns="{X15}" {COMPATIBILITY}><timeline name="Day 2" xr10:uid="{{6684580C-0000-4000-8000-2310D5D945F2}}" cache="NativeTimeline_Day" caption="Delivered" level="3" selectionLevel="3" scrollPosition="2024-05-19T00:00:00"/></timelines>"#
    );
    with_changed_part(&bytes, "xl/timelines/timeline1.xml", |_| timeline.clone())
}

#[test]
fn slicers_of_excel_are_read() {
    let made = file_of_excel();
    assert!(parts(&made)["xl/drawings/drawing2.xml"].contains(IDENTITY));
    for file in [&made, include_bytes!("../fixtures/slicers.xlsx").as_slice()] {
        assert_slicers(file);
    }
}

/// The slicers of [`file_of_excel`].
fn assert_slicers(file: &[u8]) {
    let read = import(FileFormat::Xlsx, file).expect("readable");
    assert_eq!(read.warnings, Vec::<String>::new());
    let of_table = r#"slicer F2 {"column":"=$A$1:$A$6","columns":2.0,"height":150.0,"title":"Sales & more","type":"values","width":200.0}"#;
    assert_eq!(slicers(&read.workbook, 0), [of_table]);
    let of_pivot = r#"slicer J2 {"column":"=Sheet1!$A$1:$A$6","height":150.0,"type":"values","width":200.0}"#;
    let timeline = r#"slicer J12 {"column":"=Sheet1!$C$1:$C$6","grouping":"date","height":150.0,"title":"Delivered","type":"dates","width":200.0}"#;
    assert_eq!(slicers(&read.workbook, 1), [timeline, of_pivot]);
    assert_eq!(read.workbook.names().count(), 0);
}

/// The warnings of the file with another text of a part.
fn warnings_with(part: &str, change: impl Fn(&str) -> String) -> Vec<String> {
    let before = file_of_excel();
    let after = with_changed_part(&before, part, |text| {
        let changed = change(text);
        assert_ne!(changed, text, "{part}");
        changed
    });
    import(FileFormat::Xlsx, &after).expect("readable").warnings
}

#[test]
fn slicers_that_cannot_be_expressed_are_left_out_and_named() {
    let of_table = "xl/slicerCaches/slicerCache1.xml";
    let of_pivot = "xl/slicerCaches/slicerCache2.xml";
    let of_days = "xl/timelineCaches/timelineCache1.xml";
    let cases: [(&str, &str, &str, &str); 14] = [
        (
            "xl/slicers/slicer1.xml",
            "cache=\"Slicer_Region\"",
            "cache=\"Gone\"",
            "the slicer Sales & more: its cache is missing",
        ),
        (of_table, "tableId=\"1\"", "tableId=\"9\"", "the slicer Sales & more: its table is missing"),
        (
            of_table,
            "column=\"1\"",
            "column=\"5\"",
            "the slicer Sales & more: its table does not have its column",
        ),
        (
            of_table,
            "column=\"1\"",
            "column=\"4294967295\"",
            "the slicer Sales & more: its table does not have its column",
        ),
        (
            of_table,
            "tableId=\"1\"",
            "tableId=\"-1\"",
            "the slicer Sales & more: it is connected with nothing",
        ),
        (
            "xl/tables/table1.xml",
            " ref=\"A1:D6\"",
            " ref=\"A1:D6\" headerRowCount=\"0\"",
            "the slicer Sales & more: its table has no header",
        ),
        (
            "xl/drawings/drawing1.xml",
            "<sle:slicer ",
            "<sle:other ",
            "the slicer Sales & more: it has no place",
        ),
        (
            of_pivot,
            "name=\"PivotTable1\"",
            "name=\"Gone\"",
            "the slicer Region: its pivot tables are left as values, or missing",
        ),
        (
            of_pivot,
            "tabId=\"2\"",
            "tabId=\"1\"",
            "the slicer Region: its pivot tables are left as values, or missing",
        ),
        (
            of_pivot,
            "sourceName=\"Region\"",
            "sourceName=\"Gone\"",
            "the slicer Region: its pivot table does not have its field, or groups it",
        ),
        (
            of_pivot,
            "<data><tabular",
            "<data><olap pivotCacheId=\"3\"/><tabular",
            "the slicer Region: its data is not in this file",
        ),
        (
            of_days,
            "sourceName=\"Day\"",
            "sourceName=\"\"",
            "the timeline Delivered: its pivot table does not have its field, or groups it",
        ),
        (
            of_days,
            "<pivotTables>",
            "<pivotTables/><gone>",
            "slicers of a damaged part: xl/timelineCaches/timelineCache1.xml: ill-formed document",
        ),
        ("xl/pivotTables/pivotTable1.xml", "axis=\"axisRow\"", "axis=\"axisRow\" name=\"Region\"", ""),
    ];
    for (part, old, new, expected) in cases {
        let warnings = warnings_with(part, |text| text.replacen(old, new, 1));
        match expected {
            "" => assert_eq!(warnings, Vec::<String>::new(), "{part}"),
            _ => assert!(
                warnings[0].starts_with(&format!("left out: {expected}")),
                "{part} {new}: {warnings:?}"
            ),
        }
        assert!(warnings.len() <= 2, "{warnings:?}");
    }
}

#[test]
fn the_other_slicers_of_a_damaged_file_are_read() {
    let before = file_of_excel();
    let after = with_changed_part(&before, "xl/slicers/slicer2.xml", |text| text.replace("</slicers>", ""));
    let read = import(FileFormat::Xlsx, &after).expect("readable");
    assert_eq!(
        read.warnings,
        ["left out: slicers of a damaged part: xl/slicers/slicer2.xml: the part ends in the middle"]
    );
    assert_eq!((slicers(&read.workbook, 0).len(), slicers(&read.workbook, 1).len()), (1, 1));
    // No name of a cache is left, and no part of slicers is kept for the next export.
    assert_eq!(read.workbook.names().count(), 0);
    let again = write(&read.workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    check_package(&again);
    assert!(!parts(&again).contains_key("xl/slicers/slicer2.xml"));
}

#[test]
fn the_filter_wins_over_the_selection_of_a_slicer() {
    let change = |text: &str| text.replace(r#"<i x="1" s="1"/>"#, r#"<i x="1"/>"#);
    let after = with_changed_part(&file_of_excel(), "xl/slicerCaches/slicerCache2.xml", change);
    let read = import(FileFormat::Xlsx, &after).expect("readable");
    assert_eq!(read.warnings, Vec::<String>::new());
    assert!(!items_of(&read.workbook, 1, &["pivotTable"])[0].contains("filters"));
}

#[test]
fn slicers_on_another_sheet_than_their_data_are_left_out() {
    // The slicer of the table moves to the sheet of the pivot table.
    let before = file_of_excel();
    let link = |text: &str| text.replace("../slicers/slicer2.xml", "../slicers/slicer1.xml");
    let frame = |text: &str| text.replace("name=\"Region 7\"", "name=\"Area\"");
    let after = with_changed_part(&before, "xl/worksheets/_rels/sheet2.xml.rels", link);
    let after = with_changed_part(&after, "xl/drawings/drawing2.xml", frame);
    let read = import(FileFormat::Xlsx, &after).expect("readable");
    assert_eq!(read.warnings, ["left out: the slicer Sales & more: its table is on another sheet"]);
}

/// A file with more slicers than are read.
#[test]
fn the_number_of_slicers_is_limited() {
    let before = file_of_excel();
    let view = r#"<slicer name="Area" cache="Slicer_Region" caption="Many" rowHeight="1"/>"#;
    let many = |text: &str| text.replace("</slicers>", &format!("{}</slicers>", view.repeat(1_100)));
    let after = with_changed_part(&before, "xl/slicers/slicer1.xml", many);
    let read = import(FileFormat::Xlsx, &after).expect("readable");
    assert_eq!(read.warnings, ["left out: slicers beyond 1000"]);
    assert_eq!(slicers(&read.workbook, 0).len(), 1_000);
}

/// Writes files for other programs, and `fixtures/slicers.xlsx`: `cargo test --test files -- --ignored write_slicers`.
#[test]
#[ignore = "writes files to be opened by hand"]
fn write_slicers() {
    let report = pivot(4, "B5", BY_REGION);
    let of_days = slicer(101, 6, "J2", r#""column":"=Sheet1!$C$1:$C$6","type":"dates""#);
    let period = r#"{"type":"filterBySlicer","sheet":101,"item":6,"from":"2024-02-01","to":"2024-03-31"}"#;
    let of_region = slicer(101, 7, "J12", r#""column":"=Sheet1!$B$1:$B$6""#);
    let values = r#"{"type":"filterBySlicer","sheet":101,"item":7,"shown":["Apples"]}"#;
    let high = pivot(4, "B1", BY_REGION);
    for (name, workbook) in [
        ("timeline", workbook(&[&report, &of_days, period])),
        ("slicer", workbook(&[&report, &of_region, values])),
        ("slicer-without-room", workbook(&[&high, &of_region, values])),
    ] {
        let bytes = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
        save(name, &bytes);
    }
    save("slicers", &file_of_excel());
}

fn save(name: &str, bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("quadrille-{name}.xlsx"));
    std::fs::write(&path, bytes).expect("the temporary folder can be written");
    println!("{}", path.display());
}
