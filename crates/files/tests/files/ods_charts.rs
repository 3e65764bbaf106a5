//! Charts of OpenDocument files: round trips, and files of LibreOffice.
//!
//! LibreOffice 7.4 wrote the fixtures from the `.xlsx` files of `charts.rs`: `round_trips/libreoffice_charts.py
//! fixtures`. The same script compares, with openpyxl, what LibreOffice reads from files that Quadrille writes.

use quadrille_document::Document;
use quadrille_files::{FileFormat, Imported, Loss, WriteOptions, losses, write};
use quadrille_workbook::Workbook;
use serde_json::json;

use crate::charts::charts;
use crate::notation::{commanded, import, items, items_of, with_changed_part};
use crate::page_setup::part;

fn written(workbook: &Workbook) -> Vec<u8> {
    write(workbook, FileFormat::Ods, &WriteOptions::default()).expect("written")
}

fn read(bytes: &[u8]) -> Imported {
    import(FileFormat::Ods, bytes).expect("readable")
}

/// The workbook after writing and reading it.
fn again(workbook: &Workbook) -> Imported {
    read(&written(workbook))
}

fn lost(workbook: &Workbook) -> Vec<String> {
    let lost = losses(workbook, FileFormat::Ods, &WriteOptions::default(), &Default::default());
    lost.iter().map(Loss::text).collect()
}

/// A workbook with the sheet `Data`: names in A2:A4, numbers in B1:C4 with headers, and these items.
fn workbook(items: &[serde_json::Value]) -> Workbook {
    let workbook = json!({ "sheets": [{ "name": "Data", "items": items, "cells": {
        "A1": "Fruit", "B1": "Crates", "C1": "Boxes", "A2": "Apple", "B2": 3, "C2": 7,
        "A3": "Pear", "B3": 4, "C3": 5, "A4": "Plum", "B4": 5, "C4": 1,
    } }] });
    let imported = import(FileFormat::Json, workbook.to_string().as_bytes()).expect("valid");
    assert_eq!(imported.warnings, [] as [String; 0]);
    let mut document = Document::from_workbook(imported.workbook);
    while !document.evaluate(u64::MAX).finished {}
    document.snapshot()
}

fn chart(at: &str, fields: &str) -> serde_json::Value {
    let fields: serde_json::Value = serde_json::from_str(fields).expect("fields are JSON");
    json!({ "id": 1, "kind": "chart", "anchors": [at], "fields": fields })
}

/// The files of other programs with every type, trendlines, error bars and prices.
#[test]
fn charts_of_every_type_round_trip() {
    for (name, file) in [
        ("charts", &include_bytes!("../fixtures/charts.xlsx")[..]),
        ("statistics", include_bytes!("../fixtures/chart-statistics.xlsx")),
        ("forecasts", include_bytes!("../fixtures/chart-forecasts.xlsx")),
        ("stock", include_bytes!("../fixtures/stock-charts.xlsx")),
        ("bubbles", include_bytes!("../fixtures/rare-charts.xlsx")),
    ] {
        let read = import(FileFormat::Xlsx, file).expect("readable");
        let again = again(&read.workbook);
        assert_eq!(again.warnings, [] as [String; 0], "{name}");
        // Addresses of OpenDocument files have no relative rows and columns, and the color that the second
        // series of a chart has anyway is not its own.
        let expected = charts(&read.workbook)
            .into_iter()
            .map(|line| line.replace("Data!B1", "Data!$B$1").replace(r##""color":"#d9822b","##, ""));
        assert_eq!(charts(&again.workbook), expected.collect::<Vec<_>>(), "{name}");
        assert_eq!(lost(&read.workbook), [] as [String; 0], "{name}");
    }
}

/// What `.xlsx` files cannot have: subtitles, a third type, an area on the second axis, series of constants.
#[test]
fn subtitles_and_three_types_round_trip() {
    let fields = r##"{"type":"combo","title":"Harvest","subtitle":"in crates","legend":"left","xTitle":"Fruit",
        "yTitle":"Crates & more","y2Title":"Boxes","yMin":-2.5,"yMax":10,"yLogarithmic":true,"gridlines":false,
        "showsHidden":true,"width":500,"height":200,"offsetX":7,"offsetY":9,"altText":"<a> \"chart\"","series":[
        {"name":"=Data!$B$1","categories":"=Data!$A$2:$A$4","values":"=Data!$B$2:$B$4","type":"column","color":"#123456"},
        {"categories":"=Data!$A$2:$A$4","values":"=Data!$C$2:$C$4","type":"area","axis":"secondary"},
        {"name":"=\"a \"\"goal\"\"\"","categories":"=Data!$A$2:$A$4","values":"={3,4.5,-2}","type":"line","markers":true,"smooth":true},
        {"categories":"=Data!$A$2:$A$4","values":"=(Data!$B$2:$B$3,Data!$C$4)","type":"line"}]}"##;
    let workbook = workbook(&[chart("E7", fields)]);
    let again = again(&workbook);
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(charts(&again.workbook), charts(&workbook));
    assert_eq!(lost(&workbook), [] as [String; 0]);
}

/// A chart without cells has its data in a table of its own, with the categories in the first column.
#[test]
fn constants_round_trip() {
    for fields in [
        r#"{"height":300,"width":480,"legend":"none","type":"column","series":[
            {"categories":"={\"a\",\"b\"}","name":"=\"Own\"","values":"={3,-4.5}"},
            {"categories":"={\"a\",\"b\"}","name":"=\"Two\"","values":"={1,2}"}]}"#,
        r#"{"height":300,"width":480,"legend":"none","type":"bubble","series":[
            {"categories":"={1,2}","name":"=\"Own\"","values":"={3,4.5}","sizes":"={5,6}"}]}"#,
    ] {
        let workbook = workbook(&[chart("E1", fields)]);
        assert_eq!(charts(&again(&workbook).workbook), charts(&workbook));
        let document = part(&written(&workbook), "Object 1/content.xml");
        assert!(
            !document.contains("xlink:href=\"..\"") && document.contains("local-table.B2:local-table.B3")
        );
    }
}

/// Names of ranges, columns of tables and spilled ranges become the addresses of their cells.
#[test]
fn ranges_of_formulas_become_addresses() {
    let workbook = json!({
        "names": { "crates": "=Data!$B$2:$B$4" },
        "sheets": [
            { "name": "It's new", "items": [
                { "id": 1, "kind": "chart", "anchors": ["A1"], "fields": { "series": [
                    { "values": "=crates", "name": "=Data!$B$1" }, { "values": "=Fruits[Boxes]" },
                    { "values": "=Data!$E$1#" }, { "values": "='It''s new'!$B:$B" },
                ] } },
            ], "cells": { "B1": 1 } },
            { "name": "Data", "items": [
                { "id": 1, "kind": "table", "anchors": ["A1:C4"], "fields": { "name": "Fruits", "headerRow": true } },
            ], "cells": { "A1": "Fruit", "B1": "Crates", "C1": "Boxes", "B2": 1, "E1": { "formula": "=SEQUENCE(3)" } } },
        ],
    });
    let imported = import(FileFormat::Json, workbook.to_string().as_bytes()).expect("valid");
    let mut document = Document::from_workbook(imported.workbook);
    while !document.evaluate(u64::MAX).finished {}
    let chart = charts(&again(&document.snapshot()).workbook).remove(0);
    for values in [
        r#"{"name":"=Data!$B$1","values":"=Data!$B$2:$B$4"}"#,
        r#"{"values":"=Data!$C$2:$C$4"}"#,
        r#"{"values":"=Data!$E$1:$E$3"}"#,
        r#"{"values":"='It''s new'!$B:$B"}"#,
    ] {
        assert!(chart.contains(values), "{values} in {chart}");
    }
}

/// The fields of the charts of a file of LibreOffice, which has colors, wider columns, and titles that are those
/// of the only series elsewhere.
#[test]
fn charts_of_libreoffice_are_read() {
    let first = read(include_bytes!("../fixtures/charts-libreoffice.ods"));
    let more = read(include_bytes!("../fixtures/more-charts-libreoffice.ods"));
    assert_eq!([first.warnings, more.warnings].concat(), [] as [String; 0]);
    let expected = [
        r##"chart F2 {"gridlines":false,"height":288.0,"offsetX":10.0,"offsetY":5.0,"series":[{"color":"#1f6f5c","labels":true,"name":"=$B$1","values":"=$B$2:$B$5"},{"color":"#c0504d","name":"=$C$1","values":"=$C$2:$C$5"}],"title":"Sales & more","type":"column","width":590.0,"xTitle":"Month","yMax":60.0,"yMin":0.0,"yTitle":"Pieces"}"##,
        r##"chart F20 {"altText":"Shares as bars","height":288.0,"legend":"none","series":[{"color":"#4f81bd","name":"=$B$1","values":"=$B$2:$B$5"},{"color":"#c0504d","name":"=$C$1","values":"=$C$2:$C$5"}],"stacking":"percent","type":"bar","width":590.0,"xTitle":"Share","yTitle":"Month"}"##,
        r##"chart F40 {"height":288.0,"legend":"top","series":[{"color":"#4a7ebb","markers":true,"name":"=$B$1","smooth":true,"trendline":"linear","values":"=$B$2:$B$5"}],"title":"North","type":"line","width":590.0}"##,
        r##"chart P2 {"height":288.0,"series":[{"color":"#4f81bd","name":"=$B$1","type":"column","values":"=$B$2:$B$5"},{"axis":"secondary","name":"=$D$1","type":"line","values":"=$D$2:$D$5"}],"title":"Two kinds","type":"combo","width":590.0,"y2Title":"Share"}"##,
        r##"chart P20 {"height":288.0,"legend":"left","series":[{"color":"#4f81bd","name":"=$B$1","values":"=$B$2:$B$5"}],"title":"Pie","type":"pie","width":590.0}"##,
    ];
    assert_eq!(charts(&first.workbook), expected);
    let expected = [
        r##"chart P40 {"height":288.0,"series":[{"color":"#4f81bd","name":"=$C$1","values":"=$C$2:$C$5"}],"title":"South","type":"doughnut","width":590.0}"##,
        r##"chart Z2 {"height":144.0,"series":[{"categories":"=$B$2:$B$5","color":"#4a7ebb","name":"=\"Named here\"","values":"=$C$2:$C$5"}],"title":"Named here","type":"scatter","width":1195.0,"xMax":100.0,"xMin":0.0,"yLogarithmic":true}"##,
        r##"chart Z20 {"height":288.0,"series":[{"color":"#4f81bd","name":"=$B$1","values":"=$B$2:$B$5"},{"color":"#c0504d","name":"=$C$1","values":"=$C$2:$C$5"}],"stacking":"stacked","type":"area","width":590.0}"##,
        r##"chart Z40 {"height":288.0,"series":[{"color":"#4a7ebb","name":"=$B$1","values":"=$B$2:$B$5"},{"color":"#be4b48","name":"=$C$1","values":"=$C$2:$C$5"}],"type":"radar","width":590.0}"##,
    ];
    assert_eq!(charts(&more.workbook), expected);
}

/// Trendlines, error bars, prices and bubbles of LibreOffice are those of the `.xlsx` files that it has read.
#[test]
fn statistics_and_prices_of_libreoffice_are_those_of_xlsx_files() {
    // Without what LibreOffice adds: colors, titles of the only series, sizes.
    let shortened = |workbook: &Workbook| -> Vec<String> {
        let shortened = |line: String| {
            let mut fields: serde_json::Value =
                serde_json::from_str(line.splitn(3, ' ').nth(2).expect("fields")).expect("fields are JSON");
            for field in ["title", "width", "height", "gridlines"] {
                fields.as_object_mut().expect("fields").remove(field);
            }
            for series in fields["series"].as_array_mut().expect("series") {
                series.as_object_mut().expect("a series").remove("color");
            }
            let place = line.split(' ').nth(1).expect("a place");
            format!("{place} {fields}").replace("Data!B1", "Data!$B$1")
        };
        charts(workbook).into_iter().map(shortened).collect()
    };
    for (name, libreoffice, source, warnings) in [
        (
            "statistics",
            &include_bytes!("../fixtures/chart-statistics-libreoffice.ods")[..],
            &include_bytes!("../fixtures/chart-statistics.xlsx")[..],
            &[
                "left out: horizontal error bars of scatter charts",
                "left out: error bars with values of their own",
            ][..],
        ),
        (
            "forecasts",
            include_bytes!("../fixtures/chart-forecasts-libreoffice.ods"),
            include_bytes!("../fixtures/chart-forecasts.xlsx"),
            &[],
        ),
        (
            "stock",
            include_bytes!("../fixtures/stock-charts-libreoffice.ods"),
            include_bytes!("../fixtures/stock-charts.xlsx"),
            &[],
        ),
        // LibreOffice has no surface charts, and draws that of the source as columns.
        (
            "rare",
            include_bytes!("../fixtures/rare-charts-libreoffice.ods"),
            include_bytes!("../fixtures/rare-charts.xlsx"),
            &["3-D charts are drawn in 2-D"],
        ),
    ] {
        let found = read(libreoffice);
        assert_eq!(found.warnings, warnings, "{name}");
        let expected = shortened(&import(FileFormat::Xlsx, source).expect("readable").workbook);
        let mut found = shortened(&found.workbook);
        if name == "rare" {
            found.retain(|line| !line.starts_with("F40 "));
        }
        assert_eq!(found, expected, "{name}");
    }
}

/// The document of a chart in the place of that of the only chart of a file.
fn with_document(chart: &str) -> Vec<u8> {
    let file = written(&workbook(&[chart_of_crates("E2")]));
    with_changed_part(&file, "Object 1/content.xml", |text| {
        let start = text.find("<office:automatic-styles>").expect("styles");
        format!("{}{chart}</office:document-content>", &text[..start])
    })
}

fn chart_of_crates(at: &str) -> serde_json::Value {
    chart(at, r#"{"width":200,"height":100,"legend":"none","series":[{"values":"=Data!$B$2:$B$4"}]}"#)
}

/// Documents as the standard allows them, without anything that LibreOffice adds.
#[test]
fn addresses_of_other_programs_are_read() {
    let fields = |contents: &str| {
        let document = format!(
            r#"<office:body><office:chart><chart:chart chart:class="chart:bar"><chart:plot-area>{contents}</chart:chart>
            </office:chart></office:body>"#
        );
        let found = read(&with_document(&document));
        let chart = charts(&found.workbook).pop().unwrap_or_default();
        let series = chart.split_once(r#""series":"#).map_or("", |(_, rest)| rest);
        (
            series.split_once(r#","showsHidden":true"#).map_or("", |(series, _)| series).to_owned(),
            found.warnings,
        )
    };
    for (contents, series) in [
        (
            r#"<chart:axis chart:dimension="x"><chart:categories table:cell-range-address="$Data.$B$1:.$C$1"/></chart:axis>
            <chart:series chart:values-cell-range-address="$Data.$B$3:.$C$3" chart:label-cell-address="$Data.$A$3"/></chart:plot-area>"#,
            r#"[{"categories":"=Data!$B$1:$C$1","name":"=Data!$A$3","values":"=Data!$B$3:$C$3"}]"#,
        ),
        (
            r#"<chart:series chart:values-cell-range-address="Data.B2:Data.B3 Data.B4:Data.B4"/></chart:plot-area>"#,
            r#"[{"values":"=(Data!$B$2:$B$3,Data!$B$4)"}]"#,
        ),
        // The table follows the series that have its cells.
        (
            r#"<chart:series chart:values-cell-range-address="local-table.$B$2:.$B$4" chart:label-cell-address="local-table.$B$1"/>
            </chart:plot-area><table:table table:name="local-table"><table:table-header-rows><table:table-row><table:table-cell/>
            <table:table-cell office:value-type="string"><text:p>Own</text:p></table:table-cell></table:table-row></table:table-header-rows>
            <table:table-rows><table:table-row><table:table-cell/><table:table-cell office:value-type="float" office:value="1.5">
            <text:p>1,5</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell/><table:table-cell
            office:value-type="float" office:value="2"><text:p>2</text:p><draw:g><svg:desc>Data.B2</svg:desc></draw:g>
            </table:table-cell></table:table-row></table:table-rows></table:table>"#,
            r#"[{"name":"=\"Own\"","values":"={1.5,2}"}]"#,
        ),
    ] {
        assert_eq!(fields(contents), (series.to_owned(), Vec::new()), "{contents}");
    }
    for address in ["Data.#REF!", "'file:///tmp/other.ods'#$Data.B2:.B4", "B2:B4", "Data.B2:Other.B4", ""] {
        let contents =
            format!(r#"<chart:series chart:values-cell-range-address="{address}"/></chart:plot-area>"#);
        let warnings = vec!["left out: series of charts without values".to_owned()];
        assert_eq!(fields(&contents), (String::new(), warnings), "{address}");
    }
}

/// Programs also have charts at a place of the sheet instead of a cell.
#[test]
fn charts_at_a_place_of_the_sheet_get_a_cell() {
    let file = written(&workbook(&[chart_of_crates("A1")]));
    let bytes = with_changed_part(&file, "content.xml", |text| {
        let start = text.find("<draw:frame").expect("a frame");
        let end = text.find("</draw:frame>").expect("a frame") + "</draw:frame>".len();
        // Columns of 64 points and rows of 12.81 points: 10 points into column C, 2 into row 4.
        let frame =
            text[start..end].replacen("svg:x=\"0pt\" svg:y=\"0pt\"", "svg:x=\"138pt\" svg:y=\"40.43pt\"", 1);
        let (before, after) = (&text[..start], &text[end..]);
        let (start, rest) = before.split_once("<table:table-column").expect("columns");
        format!("{start}<table:shapes>{frame}</table:shapes><table:table-column{rest}{after}")
    });
    let expected = r#"chart C4 {"height":100.0,"legend":"none","offsetX":13.0,"offsetY":3.0,"series":[{"values":"=Data!$B$2:$B$4"}],"type":"column","width":200.0}"#;
    assert_eq!(charts(&read(&bytes).workbook), [expected]);
}

/// Charts right of, below and far from the cells, in a merged range, and several in one cell.
#[test]
fn charts_are_written_with_any_cell() {
    let places = ["D3", "C1", "C1", "E2", "XFD2", "B9", "XFD1048576", "Z1048570"];
    let mut items: Vec<_> = places.iter().map(|at| chart_of_crates(at)).collect();
    items.push(json!({ "kind": "merge", "anchors": ["D2:D3"], "fields": {} }));
    items.push(json!({ "kind": "validation", "anchors": ["B1:D1048576"], "fields": { "rule": "whole", "formula1": "=1", "formula2": "=9" } }));
    items.push(json!({ "kind": "note", "anchors": ["C1"], "fields": { "text": "a note" } }));
    for (number, item) in items.iter_mut().enumerate() {
        item["id"] = json!(number + 1);
    }
    for count in [places.len(), items.len()] {
        let workbook = workbook(&items[..count]);
        let again = again(&workbook).workbook;
        for kind in ["chart", "merge", "validation", "note"] {
            let places = |workbook: &Workbook| -> Vec<String> {
                let lines = items_of(workbook, 0, &[kind]).into_iter();
                lines.map(|line| line.split(" {").next().unwrap_or_default().to_owned()).collect()
            };
            assert_eq!(places(&again), places(&workbook), "{kind}");
        }
        let cells = |workbook: &Workbook| crate::notation::show(workbook);
        assert_eq!(cells(&again), cells(&workbook));
    }
}

/// What other programs need: the parts, their media types, and the documents in a file of one document.
#[test]
fn charts_are_objects_with_a_media_type() {
    let workbook = workbook(&[chart_of_crates("E2")]);
    let bytes = written(&workbook);
    let manifest = part(&bytes, "META-INF/manifest.xml");
    let media_type = "application/vnd.oasis.opendocument.chart";
    for entry in [
        &format!(
            r#"manifest:full-path="Object 1/" manifest:version="1.3" manifest:media-type="{media_type}""#
        ),
        r#"manifest:full-path="Object 1/content.xml" manifest:media-type="text/xml""#,
    ] {
        assert!(manifest.contains(entry), "{entry} in {manifest}");
    }
    let content = part(&bytes, "content.xml");
    assert!(content.contains(r#"<draw:object xlink:href="./Object 1""#), "{content}");
    let document = part(&bytes, "Object 1/content.xml");
    for text in [
        r#"chart:class="chart:bar""#,
        r#"xlink:href="..""#,
        r#"chart:values-cell-range-address="Data.B2:Data.B4""#,
        r#"<table:table-cell office:value-type="float" office:value="3">"#,
    ] {
        assert!(document.contains(text), "{text} in {document}");
    }
    let flat = write(&workbook, FileFormat::Fods, &WriteOptions::default()).expect("written");
    let flat = String::from_utf8(flat).expect("text");
    assert!(flat.contains(&format!(r#"office:mimetype="{media_type}""#)) && !flat.contains("./Object"));
}

/// Objects other than charts, and damaged ones, are left out and named.
#[test]
fn objects_other_than_charts_are_named() {
    let file = written(&workbook(&[chart_of_crates("E2")]));
    let frame = |replacement: &str| {
        let bytes = with_changed_part(&file, "content.xml", |text| {
            let start = text.find("<draw:frame").expect("a frame");
            let end = text.find("</draw:frame>").expect("a frame") + "</draw:frame>".len();
            format!("{}{replacement}{}", &text[..start], &text[end..])
        });
        let found = read(&bytes);
        assert_eq!(items(&found.workbook, &["chart"]), [] as [String; 0], "{replacement}");
        found.warnings
    };
    for (replacement, warning) in [
        (r#"<draw:frame><draw:object xlink:href="./Object 7"/></draw:frame>"#, "embedded objects"),
        (
            r#"<draw:frame><draw:object-ole xlink:href="./Object 1"/><draw:image/></draw:frame>"#,
            "embedded objects",
        ),
        (r#"<draw:frame><draw:object/></draw:frame>"#, "shapes"),
        (
            r#"<draw:frame><draw:image xlink:href="Pictures/1.png"/></draw:frame>"#,
            "images missing from the file",
        ),
        (r#"<draw:frame><draw:text-box><text:p>A</text:p></draw:text-box></draw:frame>"#, "shapes"),
        (r#"<draw:custom-shape/>"#, "shapes"),
        (r#"<draw:g><draw:frame/></draw:g>"#, "grouped images and shapes"),
    ] {
        assert_eq!(frame(replacement), [format!("left out: {warning}")], "{replacement}");
    }
    let formula = with_document("<math><mrow><mn>1</mn></mrow></math>");
    assert_eq!(read(&formula).warnings, ["left out: embedded objects"]);
    for (class, warning) in [("surface", "surface charts"), ("gantt", "charts of unknown types")] {
        let chart = format!(
            r#"<office:body><office:chart><chart:chart chart:class="chart:{class}"><chart:plot-area><chart:series
            chart:values-cell-range-address="Data.B2:Data.B4"/></chart:plot-area></chart:chart></office:chart></office:body>"#
        );
        assert_eq!(read(&with_document(&chart)).warnings, [format!("left out: {warning}")]);
    }
}

/// A chart sheet becomes a sheet with the chart, and is named; so are types and labels that are lost.
#[test]
fn changed_charts_are_named() {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/chart-sheets.xlsx")).expect("readable");
    let lost_sheets = lost(&read.workbook);
    assert_eq!(
        lost_sheets,
        [
            "chart sheets, which become charts over cells: 'Before'!A1",
            "chart sheets, which become charts over cells: Units ('Sales & more'!A1)",
        ]
    );
    let again = again(&read.workbook);
    assert_eq!(
        items_of(&again.workbook, 0, &["chart"]),
        [
            r#"chart A1 {"height":300.0,"legend":"right","series":[{"categories":"=Data!$A$1:$A$3","name":"=\"Units\"","values":"=Data!$B$1:$B$3"}],"type":"column","width":480.0}"#
        ]
    );
    // Cells that were deleted.
    let deleted = workbook(&[chart("E1", r#"{"title":"Gone","series":[{"values":"=#REF!"}]}"#)]);
    assert_eq!(lost(&deleted), ["charts: Gone ('Data'!E1)"]);
    assert_eq!(charts(&self::again(&deleted).workbook), [] as [String; 0]);
    let commands = r#"[{"type":"setItem","sheet":1,"kind":"chart","anchors":["C2"],"fields":{"type":"treemap","series":[
        {"values":"=Sheet1!$A$1:$A$3","labels":true,"labelCells":"=Sheet1!$B$1:$B$3"}]}}]"#;
    assert_eq!(
        lost(&commanded(commands)),
        [
            "charts, which become charts of another type: 'Sheet1'!C2",
            "data labels from cells, which become the values: 'Sheet1'!C2",
        ]
    );
}
