//! Reports of what a written file leaves out (rule F23).

use quadrille_document::Document;
use quadrille_files::{FileFormat, Images, Loss, LossKind, WriteOptions, losses, write_with_images};
use quadrille_workbook::{ItemKind, Workbook};
use serde_json::{Value as Json, json};

use crate::notation::import;

/// A PNG image of two pixels, and the beginning of a WebP image.
const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x02\x00\x00\x00\x01\x08\x02\x00\x00\x00{@\xe8\xdd\x00\x00\x00\x0dIDATx\x9cc\xf8\xcf\x00\x04\xff\x01\x07\x00\x01\xff\xe2#\x9eY\x00\x00\x00\x00IEND\xaeB`\x82";
const WEBP: &[u8] = b"RIFF\x10\0\0\0WEBPVP8 ";

/// An item of the sheet `Data`, at one or more ranges.
fn item(id: u64, kind: &str, anchors: &[&str], fields: Json) -> Json {
    json!({ "id": id, "kind": kind, "anchors": anchors, "fields": fields })
}

fn chart(id: u64, title: &str, fields: &[(&str, Json)]) -> Json {
    let series =
        json!([{ "name": "=Data!$B$1", "categories": "=Data!$A$2:$A$4", "values": "=Data!$B$2:$B$4" }]);
    let mut all = json!({ "type": "column", "title": title, "series": series });
    for (field, value) in fields {
        all[*field] = value.clone();
    }
    item(id, "chart", &["H1"], all)
}

fn workbook(items: Vec<Json>) -> Workbook {
    let workbook = json!({
        "format": "quadrille-workbook", "version": 1,
        "sheets": [{ "name": "Data", "items": items, "cells": {
            "A1": "Fruit", "B1": "Crates", "A2": "Apple", "B2": 3, "A3": "Pear", "B3": 4, "A4": "Plum", "B4": 5,
        } }],
    });
    let imported = import(FileFormat::Json, workbook.to_string().as_bytes()).expect("valid");
    assert_eq!(imported.warnings, Vec::<String>::new());
    calculated(imported.workbook)
}

fn calculated(workbook: Workbook) -> Workbook {
    let mut document = Document::from_workbook(workbook);
    while !document.evaluate(u64::MAX).finished {}
    document.snapshot()
}

fn images() -> Images {
    [("a".repeat(64), PNG.into()), ("b".repeat(64), WEBP.into())].into_iter().collect()
}

fn texts(workbook: &Workbook, format: FileFormat) -> Vec<String> {
    losses(workbook, format, &WriteOptions::default(), &images()).iter().map(Loss::text).collect()
}

/// Every kind of item, with what becomes of it in `.xlsx`, `.ods` and `.csv` files: `""` for nothing lost.
fn cases() -> Vec<(Json, &'static str, &'static str, &'static str)> {
    vec![
        (item(1, "merge", &["D1:E2"], json!({})), "", "", "merged cells: 'Data'!D1:E2"),
        (item(1, "link", &["A2"], json!({ "url": "https://example.org" })), "", "", "links: 'Data'!A2"),
        (item(1, "note", &["A2"], json!({ "text": "ripe" })), "", "", "notes: 'Data'!A2"),
        (
            item(1, "commentThread", &["A2"], json!({ "author": "Ann" })),
            "",
            "comments: 'Data'!A2",
            "comments: 'Data'!A2",
        ),
        (
            item(1, "suggestion", &["A2"], json!({ "value": "Fig", "author": "Ann" })),
            "suggestions: Ann ('Data'!A2)",
            "suggestions: Ann ('Data'!A2)",
            "suggestions: Ann ('Data'!A2)",
        ),
        (chart(1, "Sold", &[]), "", "", "charts: Sold ('Data'!H1)"),
        (
            chart(1, "Sold", &[("type", json!("bubble"))]),
            "charts, which become charts of another type: Sold ('Data'!H1)",
            "charts, which become charts of another type: Sold ('Data'!H1)",
            "charts: Sold ('Data'!H1)",
        ),
        (
            chart(1, "Sold", &[("type", json!("treemap"))]),
            "",
            "charts, which become charts of another type: Sold ('Data'!H1)",
            "charts: Sold ('Data'!H1)",
        ),
        (
            chart(1, "Sold", &[("type", json!("stock"))]), // one series
            "charts, which become charts of another type: Sold ('Data'!H1)",
            "charts, which become charts of another type: Sold ('Data'!H1)",
            "charts: Sold ('Data'!H1)",
        ),
        (
            chart(1, "Sold", &[("type", json!("heatMap"))]),
            "charts, which become charts of another type: Sold ('Data'!H1)",
            "charts, which become charts of another type: Sold ('Data'!H1)",
            "charts: Sold ('Data'!H1)",
        ),
        (
            chart(1, "Sold", &[("type", json!("gauge"))]),
            "charts, which become charts of another type: Sold ('Data'!H1)",
            "charts, which become charts of another type: Sold ('Data'!H1)",
            "charts: Sold ('Data'!H1)",
        ),
        (
            chart(1, "Sold", &[("type", json!("map"))]),
            "",
            "charts, which become charts of another type: Sold ('Data'!H1)",
            "charts: Sold ('Data'!H1)",
        ),
        (
            chart(1, "Sold", &[("aggregate", json!("sum"))]),
            "combined points of charts, which show every point: Sold ('Data'!H1)",
            "combined points of charts, which show every point: Sold ('Data'!H1)",
            "charts: Sold ('Data'!H1)",
        ),
        (
            chart(1, "Sold", &[("subtitle", json!("in crates"))]),
            "subtitles of charts: Sold ('Data'!H1)",
            "",
            "charts: Sold ('Data'!H1)",
        ),
        (
            chart(1, "Sold", &[("series", json!([]))]),
            "charts: Sold ('Data'!H1)",
            "charts: Sold ('Data'!H1)",
            "charts: Sold ('Data'!H1)",
        ),
        (
            item(1, "sparkline", &["F2"], json!({ "source": "=B2:B4" })),
            "",
            "sparklines: 'Data'!F2",
            "sparklines: 'Data'!F2",
        ),
        (
            item(1, "image", &["F2"], json!({ "source": "a".repeat(64), "altText": "Logo" })),
            "",
            "",
            "images: Logo ('Data'!F2)",
        ),
        (
            item(1, "image", &["F2"], json!({ "source": "b".repeat(64), "altText": "Logo" })),
            "images: Logo ('Data'!F2)",
            "",
            "images: Logo ('Data'!F2)",
        ),
        (
            item(1, "image", &["F2"], json!({ "source": "a".repeat(64), "inCell": true })),
            "",
            "images in cells, which lie over them: 'Data'!F2",
            "images: 'Data'!F2",
        ),
        // A cell of Excel has a value or an image.
        (
            item(1, "image", &["B2"], json!({ "source": "a".repeat(64), "inCell": true })),
            "images in cells, which lie over them: 'Data'!B2",
            "images in cells, which lie over them: 'Data'!B2",
            "images: 'Data'!B2",
        ),
        (
            item(1, "table", &["A1:B4"], json!({ "name": "Harvest", "headerRow": true })),
            "",
            "tables: Harvest ('Data'!A1:B4)",
            "tables: Harvest ('Data'!A1:B4)",
        ),
        (
            item(1, "conditionalRule", &["B2:B4", "D2"], json!({ "rule": "blank" })),
            "",
            "",
            "conditional formats: 'Data'!B2:B4, 'Data'!D2",
        ),
        (
            item(
                1,
                "conditionalRule",
                &["B2:B4"],
                json!({ "rule": "iconSet", "iconSet": "3Arrows", "stops": [
                    { "at": "percent", "value": 0 }, { "at": "number", "value": 4 },
                    { "at": "formula", "formula": "=$B$4", "orEqual": false },
                ] }),
            ),
            "",
            "thresholds of icon sets: 'Data'!B2:B4",
            "conditional formats: 'Data'!B2:B4",
        ),
        (
            item(
                1,
                "conditionalRule",
                &["B2:B4"],
                json!({ "rule": "iconSet", "iconSet": "3Arrows", "stops": [{ "at": "number", "value": 4 }] }),
            ),
            "thresholds of icon sets: 'Data'!B2:B4",
            "thresholds of icon sets: 'Data'!B2:B4",
            "conditional formats: 'Data'!B2:B4",
        ),
        (
            item(1, "conditionalRule", &["B2:B4"], json!({ "rule": "aboveAverage", "deviations": 2 })),
            "",
            "conditional formats: 'Data'!B2:B4",
            "conditional formats: 'Data'!B2:B4",
        ),
        (
            item(1, "alternatingColors", &["A1:B4"], json!({ "firstColor": "#ffffff" })),
            "",
            "",
            "alternating colors: 'Data'!A1:B4",
        ),
        (
            item(1, "validation", &["D2:D4"], json!({ "rule": "list", "choices": ["a", "b"] })),
            "",
            "",
            "data validation: 'Data'!D2:D4",
        ),
        (
            item(
                1,
                "validation",
                &["D2:D4"],
                json!({ "rule": "list", "choices": ["a"], "displayStyle": "chip", "choiceColors": [{ "value": "a", "color": "#2a917a" }] }),
            ),
            "colors of choices, and several choices in a cell: 'Data'!D2:D4",
            "colors of choices, and several choices in a cell: 'Data'!D2:D4",
            "data validation: 'Data'!D2:D4",
        ),
        (
            item(
                1,
                "validation",
                &["D2:D4"],
                json!({ "rule": "list", "choices": ["a"], "allowMultiple": true }),
            ),
            "colors of choices, and several choices in a cell: 'Data'!D2:D4",
            "colors of choices, and several choices in a cell: 'Data'!D2:D4",
            "data validation: 'Data'!D2:D4",
        ),
        (
            item(
                1,
                "validation",
                &["D2:D4"],
                json!({ "rule": "whole", "formula1": "=0", "formula2": "=5", "displayStyle": "rating" }),
            ),
            "stars of ratings and chips of people: 'Data'!D2:D4",
            "stars of ratings and chips of people: 'Data'!D2:D4",
            "data validation: 'Data'!D2:D4",
        ),
        (
            item(1, "validation", &["D2:D4"], json!({ "rule": "any", "displayStyle": "people" })),
            "stars of ratings and chips of people: 'Data'!D2:D4",
            "stars of ratings and chips of people: 'Data'!D2:D4",
            "data validation: 'Data'!D2:D4",
        ),
        (
            item(1, "validation", &["D2:D4"], json!({ "rule": "checkbox" })),
            "",
            "data validation: 'Data'!D2:D4",
            "data validation: 'Data'!D2:D4",
        ),
        (
            item(1, "validation", &["D2:D4"], json!({ "rule": "checkbox", "checkedValue": "done" })),
            "data validation: 'Data'!D2:D4",
            "data validation: 'Data'!D2:D4",
            "data validation: 'Data'!D2:D4",
        ),
        (
            item(
                1,
                "validation",
                &["D2:D4"],
                json!({ "rule": "list", "choices": ["c".repeat(200), "d".repeat(100)] }),
            ),
            "data validation: 'Data'!D2:D4",
            "",
            "data validation: 'Data'!D2:D4",
        ),
        (item(1, "autoFilter", &["A1:B4"], json!({})), "", "", "filters: 'Data'!A1:B4"),
        (
            item(1, "filterView", &["A1:B4"], json!({ "name": "Mine" })),
            "filter views: Mine ('Data'!A1:B4)",
            "filter views: Mine ('Data'!A1:B4)",
            "filter views: Mine ('Data'!A1:B4)",
        ),
        (
            item(1, "protectedRange", &["B2:B4"], json!({ "description": "Figures" })),
            "",
            "protected cells: Figures ('Data'!B2:B4)",
            "protected cells: Figures ('Data'!B2:B4)",
        ),
        (
            item(1, "protectedRange", &["B2:B4"], json!({ "warningOnly": true })),
            "protected cells: 'Data'!B2:B4",
            "protected cells: 'Data'!B2:B4",
            "protected cells: 'Data'!B2:B4",
        ),
        (
            item(1, "protectedRange", &["B2:B4"], json!({ "editors": ["mailto:ann@example.org"] })),
            "people who may edit protected cells: 'Data'!B2:B4",
            "protected cells: 'Data'!B2:B4",
            "protected cells: 'Data'!B2:B4",
        ),
        (
            item(1, "outlineGroup", &["2:3"], json!({ "dimension": "rows" })),
            "",
            "",
            "groups of rows and columns: 'Data'!2:3",
        ),
        (
            item(1, "printArea", &["A1:B4"], json!({})),
            "",
            "page setup and print areas: 'Data'!A1:B4",
            "page setup and print areas: 'Data'!A1:B4",
        ),
        (item(1, "pageBreak", &["3:3"], json!({})), "", "", "page setup and print areas: 'Data'!3:3"),
        (
            item(0, "sheetSettings", &[], json!({ "differentFirst": true, "firstHeader": "&LCover" })),
            "",
            "page setup and print areas: 'Data'",
            "page setup and print areas: 'Data'",
        ),
        (item(0, "sheetSettings", &[], json!({ "frozenRows": 1 })), "", "", "frozen panes: 'Data'"),
        (
            item(0, "sheetSettings", &[], json!({ "orientation": "landscape" })),
            "",
            "",
            "page setup and print areas: 'Data'",
        ),
    ]
}

#[test]
fn every_item_that_a_format_leaves_out_is_named() {
    for (item, in_xlsx, in_ods, in_csv) in cases() {
        let comment = json!({ "id": 2, "kind": "comment", "anchors": [], "fields": { "parent": 1, "text": "why", "author": "Ann" } });
        let is_thread = item["kind"] == "commentThread";
        let workbook = workbook(if is_thread { vec![item.clone(), comment] } else { vec![item.clone()] });
        for (format, expected) in [
            (FileFormat::Xlsx, in_xlsx),
            (FileFormat::Ods, in_ods),
            (FileFormat::Csv, in_csv),
            (FileFormat::Json, ""),
        ] {
            if format == FileFormat::Json && item["kind"] == "image" {
                continue;
            }
            assert_eq!(texts(&workbook, format).join("; "), expected, "{format:?}: {item}");
        }
    }
}

/// Items that are not in a file that is written and read again are those of the report, and no others.
#[test]
fn a_file_has_the_items_that_the_report_does_not_name() {
    for (item, in_xlsx, in_ods, _) in cases() {
        let workbook = workbook(vec![item.clone()]);
        let count = |workbook: &Workbook, kind: ItemKind| workbook.sheets()[0].items().of_kind(kind).count();
        let kind = ItemKind::from_name(item["kind"].as_str().expect("a kind")).expect("a known kind");
        // Settings are one item, a thread without comments is nothing, nor is a rule that allows any value, and what
        // becomes something else is there. Alternating colors are rules.
        let is_open = item["fields"]["rule"] == "any";
        if is_open || matches!(kind, ItemKind::SheetSettings | ItemKind::CommentThread | ItemKind::PrintArea)
        {
            continue;
        }
        let is_changed = [
            "another type",
            "every point",
            "subtitles",
            "lie over",
            "thresholds",
            "people who",
            "colors of",
            "stars of",
        ];
        for (format, expected) in [(FileFormat::Xlsx, in_xlsx), (FileFormat::Ods, in_ods)] {
            let bytes =
                write_with_images(&workbook, format, &WriteOptions::default(), &images()).expect("written");
            let again = import(format, &bytes).expect("sound").workbook;
            let kind = if kind == ItemKind::AlternatingColors { ItemKind::ConditionalRule } else { kind };
            let is_there = count(&again, kind) > 0;
            let is_kept = expected.is_empty() || is_changed.iter().any(|changed| expected.contains(changed));
            assert_eq!(is_there, is_kept, "{format:?}: {item} {expected}");
        }
    }
}

#[test]
fn merged_ranges_that_are_too_large_for_an_ods_file_are_named() {
    let merge = |id: u64, range: &str| item(id, "merge", &[range], json!({}));
    let source = json!({ "format": "quadrille-workbook", "version": 1, "sheets": [{
        "name": "Data", "cells": { "M1048576": 1 }, "items": [merge(1, "A1:B2"), merge(2, "C5:L1048576")],
    }] });
    let workbook = import(FileFormat::Json, source.to_string().as_bytes()).expect("valid").workbook;
    assert_eq!(texts(&workbook, FileFormat::Ods), ["merged cells: 'Data'!C5:L1048576"]);
}

#[test]
fn contents_of_the_workbook_and_of_cells_are_named() {
    let source = json!({
        "names": { "Tax": "=Data!$B$1", "\\q": "=2" },
        "sheets": [
            { "name": "Data", "formats": {
                "A1:B1": { "bold": true }, "C1:C3": { "numberFormat": "0.0" }, "D1": { "overflow": "clip", "fontFamily": "Arial" },
            }, "cells": {
                "A1": 1, "B1": { "formula": "=A1*2" }, "B2": { "formula": "=A2*2" }, "C1": 1.25, "C2": 1.5, "C3": 44_000.75,
                "D1": { "formula": "=SPLIT(\"a b\",\" \")" }, "A9": { "formula": "=1/3" },
            } },
            { "name": "Plan of everything that is to be done", "cells": { "A1": 1 } },
        ],
    });
    let workbook =
        calculated(import(FileFormat::Json, source.to_string().as_bytes()).expect("valid").workbook);
    assert_eq!(
        texts(&workbook, FileFormat::Csv),
        [
            "other sheets: Plan of everything that is to be done",
            "names that the format cannot express: \\q, Tax",
            "formulas, of which the file has the results: 'Data'!A9, 'Data'!B1:B2, 'Data'!D1",
            "digits of numbers that are not displayed: 'Data'!C1, 'Data'!C3",
            "formats of cells: 'Data'!A1:D1",
        ]
    );
    assert_eq!(
        texts(&workbook, FileFormat::Xlsx),
        [
            "names of sheets, which are changed: Plan of everything that is to be done → Plan of everything that is to b",
            "names that the format cannot express: \\q",
            "results of functions that other programs do not have: SPLIT ('Data'!D1)",
            "clipped text, which flows over: 'Data'!D1",
        ]
    );
    assert_eq!(
        texts(&workbook, FileFormat::Html)[4],
        "fonts, borders, indents and rotation of cells: 'Data'!D1"
    );
    assert_eq!(texts(&workbook, FileFormat::Json), [] as [String; 0]);
    let second = WriteOptions { sheet: Some(workbook.sheets()[1].id()), ..WriteOptions::default() };
    let of_second = losses(&workbook, FileFormat::Csv, &second, &Images::new());
    assert_eq!(
        of_second.iter().map(|loss| loss.kind).collect::<Vec<_>>(),
        [LossKind::OtherSheets, LossKind::Names]
    );
}

/// A long list of places is counted.
#[test]
fn a_report_names_the_first_places() {
    let notes =
        (1..=30).map(|row| item(row, "note", &[&format!("A{row}")], json!({ "text": "x" }))).collect();
    let [loss] = losses(&workbook(notes), FileFormat::Csv, &WriteOptions::default(), &Images::new())
        .try_into()
        .expect("one loss");
    assert_eq!((loss.kind, loss.places.len(), loss.count), (LossKind::Notes, 20, 30));
    assert!(loss.text().ends_with("'Data'!A20, … (30)"), "{}", loss.text());
}

#[test]
fn kinds_have_names_of_their_own() {
    let mut codes: Vec<&str> = LossKind::ALL.iter().map(|kind| kind.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), LossKind::ALL.len());
}

/// Excel has a filter over a table in the table, with all of its columns, and one filter of the sheet.
#[test]
fn filters_that_excel_does_not_have_are_lost_and_named() {
    let table = item(1, "table", &["A1:B4"], json!({ "name": "Fruits" }));
    let filter = |id: u64, range: &str| item(id, "autoFilter", &[range], json!({}));
    let column = item(3, "filterColumn", &["A1"], json!({ "parent": 2, "shown": ["Pear"] }));
    let lost = |items: Vec<Json>| texts(&workbook(items), FileFormat::Xlsx);
    assert_eq!(lost(vec![table.clone(), filter(2, "A1:B4"), column.clone()]), [] as [&str; 0]);
    assert_eq!(lost(vec![table, filter(2, "A1:A4"), column.clone()]), ["filters: 'Data'!A1:A4"]);
    assert_eq!(lost(vec![filter(2, "A1:B4"), column.clone()]), [] as [&str; 0]);
    assert_eq!(lost(vec![filter(2, "A1:B4"), column, filter(4, "D1:E4")]), ["filters: 'Data'!D1:E4"]);
}

/// Excel has tasks in a part of their own, and reactions nowhere.
#[test]
fn reactions_and_assignees_are_named_with_the_cell_of_their_thread() {
    let child = |id: u64, kind: &str, parent: u64, text: &str| json!({ "id": id, "kind": kind, "anchors": [], "fields": { "parent": parent, "text": text } });
    let items = vec![
        item(1, "commentThread", &["A2"], json!({ "assignee": "Ann", "resolved": true })),
        child(2, "comment", 1, "why"),
        child(3, "reaction", 2, "👍"),
    ];
    assert_eq!(
        texts(&workbook(items), FileFormat::Xlsx),
        ["reactions to comments: 👍 ('Data'!A2)", "assignees of tasks: Ann ('Data'!A2)"]
    );
}

/// A cell of Excel has one thread, and no note beside it.
#[test]
fn a_second_thread_and_a_note_of_a_cell_are_named() {
    let thread = |id: u64| item(id, "commentThread", &["A2"], json!({ "author": "Ann" }));
    let comment = |id: u64, parent: u64| json!({ "id": id, "kind": "comment", "anchors": [], "fields": { "parent": parent, "text": "why" } });
    let note = item(5, "note", &["A2"], json!({ "text": "ripe" }));
    let items = vec![thread(1), comment(2, 1), thread(3), comment(4, 3), note];
    assert_eq!(
        texts(&workbook(items), FileFormat::Xlsx),
        ["notes: 'Data'!A2", "threads of comments in one cell, which become one: 'Data'!A2"]
    );
}
