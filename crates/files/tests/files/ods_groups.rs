//! Groups of rows and columns, and views of sheets of OpenDocument files.

use crate::notation::{commanded, import, items, with_changed_part};
use crate::page_setup::part;
use quadrille_cell::Dimension;
use quadrille_files::{FileFormat, Loss, WriteOptions, losses, write};
use quadrille_workbook::Workbook;

fn group(id: u32, range: &str, fields: &str) -> String {
    format!(
        r#"{{"type":"setItem","sheet":1,"item":{id},"kind":"outlineGroup","anchors":["{range}"],"fields":{{{fields}}}}}"#
    )
}

fn workbook(commands: &[String]) -> Workbook {
    commanded(&format!("[{}]", commands.join(",")))
}

fn ods(workbook: &Workbook) -> Vec<u8> {
    write(workbook, FileFormat::Ods, &WriteOptions::default()).expect("written")
}

const ROWS: &str = r#""dimension":"rows""#;
const COLUMNS: &str = r#""dimension":"columns""#;

#[test]
fn groups_within_groups_survive_a_round_trip() {
    let collapsed = format!(r#"{ROWS},"collapsed":true"#);
    let commands = [
        r#"{"type":"setCells","sheet":1,"at":"A5","cells":[[{"text":"x"}]]}"#.to_owned(),
        group(11, "2:4", &collapsed),
        group(12, "6:9", ROWS),
        group(13, "7:8", ROWS),
        group(14, "10:10", ROWS),
        group(15, "B:D", COLUMNS),
        group(16, "C:C", COLUMNS),
        group(17, "E:F", COLUMNS),
    ];
    let workbook = workbook(&commands);
    let again = import(FileFormat::Ods, &ods(&workbook)).expect("readable").workbook;
    assert_eq!(items(&again, &["outlineGroup"]), items(&workbook, &["outlineGroup"]));
    let sheet = &again.sheets()[0];
    let hidden: Vec<u32> = (0..12).filter(|row| sheet.is_hidden(Dimension::Rows, *row)).collect();
    assert_eq!(hidden, [1, 2, 3]);
}

#[test]
fn groups_that_overlap_are_named_as_lost() {
    let workbook = workbook(&[group(11, "2:5", ROWS), group(12, "4:8", ROWS), group(13, "9:200000", ROWS)]);
    let lost = losses(&workbook, FileFormat::Ods, &WriteOptions::default(), &Default::default());
    let lost: Vec<String> = lost.iter().map(Loss::text).collect();
    assert_eq!(lost, ["groups of rows and columns: 'Sheet1'!4:8, 'Sheet1'!9:200000"]);
    let again = import(FileFormat::Ods, &ods(&workbook)).expect("readable").workbook;
    assert_eq!(items(&again, &["outlineGroup"]), [r#"outlineGroup 2:5 {"dimension":"rows"}"#]);
}

/// The settings that LibreOffice 7.4 has for panes that do not scroll.
#[test]
fn frozen_panes_are_settings_of_the_view() {
    for (fields, columns, rows) in [
        (r#""frozenRows":2,"frozenColumns":1"#, (2, 1), (2, 2)),
        (r#""frozenRows":1"#, (0, 0), (2, 1)),
        (r#""frozenColumns":3"#, (2, 3), (0, 0)),
    ] {
        let workbook = workbook(&[format!(
            r#"{{"type":"setItem","sheet":1,"item":0,"kind":"sheetSettings","anchors":[],"fields":{{{fields}}}}}"#
        )]);
        let file = ods(&workbook);
        let settings = part(&file, "settings.xml");
        for (direction, (mode, position)) in [("Horizontal", columns), ("Vertical", rows)] {
            for (name, kind, value) in [("Mode", "short", mode), ("Position", "int", position)] {
                let item = format!(
                    r#"<config:config-item config:name="{direction}Split{name}" config:type="{kind}">{value}</config:config-item>"#
                );
                assert!(settings.contains(&item), "{item}\n{settings}");
            }
        }
        let again = import(FileFormat::Ods, &file).expect("readable").workbook;
        assert_eq!(items(&again, &["sheetSettings"]), items(&workbook, &["sheetSettings"]));
    }
}

/// LibreOffice 7.4 showed the color of the tab.
#[test]
fn zoom_gridlines_and_colors_of_tabs_come_back() {
    let set = |sheet: u32, fields: &str| {
        format!(
            r#"{{"type":"setItem","sheet":{sheet},"item":0,"kind":"sheetSettings","anchors":[],"fields":{{{fields}}}}}"#
        )
    };
    let hidden = r#""showHeadings":false,"showZeros":false"#;
    let all = format!(r##""tabColor":"#1f6f5c","showGridlines":false,"zoom":120,"frozenRows":1,{hidden}"##);
    let one = workbook(&[set(1, &all)]);
    let file = ods(&one);
    let settings = part(&file, "settings.xml");
    for (name, kind, value) in [
        ("ShowGrid", "boolean", "false"),
        ("ZoomType", "short", "0"),
        ("ZoomValue", "int", "120"),
        ("HasColumnRowHeaders", "boolean", "false"),
        ("ShowZeroValues", "boolean", "false"),
    ] {
        let item = format!(
            r#"<config:config-item config:name="{name}" config:type="{kind}">{value}</config:config-item>"#
        );
        assert!(settings.contains(&item), "{item}\n{settings}");
    }
    assert!(part(&file, "content.xml").contains("table:tab-color=\"#1f6f5c\""));
    let read = |file: &[u8]| import(FileFormat::Ods, file).expect("readable").workbook;
    assert_eq!(items(&read(&file), &["sheetSettings"]), items(&one, &["sheetSettings"]));
    // Headings and zeros are settings of the whole view: those that another sheet shows are shown.
    let two = workbook(&[set(1, hidden), r#"{"type":"addSheet","name":"Second"}"#.to_owned()]);
    assert_eq!(items(&read(&ods(&two)), &["sheetSettings"]), Vec::<String>::new());
    // A zoom that fits the sheet to the window has no percentage.
    let fitted = with_changed_part(&file, "settings.xml", |text| {
        text.replace("config:type=\"short\">0<", "config:type=\"short\">1<").replace(">120<", ">7000<")
    });
    let settings = items(&read(&fitted), &["sheetSettings"]);
    assert!(!settings[0].contains("zoom") && settings[0].contains("showGridlines"), "{settings:?}");
}

/// LibreOffice 7.4 wrote the file from one of openpyxl.
#[test]
fn groups_of_libreoffice_are_read() {
    let read = import(FileFormat::Ods, include_bytes!("../fixtures/groups.ods")).expect("readable");
    assert_eq!(
        items(&read.workbook, &["outlineGroup"]),
        [
            r#"outlineGroup 2:4 {"collapsed":true,"dimension":"rows"}"#,
            r#"outlineGroup 6:9 {"dimension":"rows"}"#,
            r#"outlineGroup 7:8 {"dimension":"rows"}"#,
            r#"outlineGroup B:D {"collapsed":true,"dimension":"columns"}"#,
        ]
    );
}
