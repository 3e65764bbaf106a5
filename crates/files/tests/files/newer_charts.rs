//! Charts of the types that are newer than Excel 2007, in parts that were made by hand after [MS-ODRAWXML]
//! 2.24.3.

use quadrille_files::{FileFormat, Images, Imported, LossKind, WriteOptions, losses, write};
use quadrille_workbook::Workbook;

use crate::notation::{commanded, import, items, with_changed_part};
use crate::packages::{check_package, parts};

const DATA: &str = r#"{"type":"setCells","sheet":1,"at":"A1","cells":[
    [{"text":"Step"},{"text":"Amount"}],[{"text":"Start"},{"number":100}],[{"text":"Sales"},{"number":40}],
    [{"text":"Costs"},{"number":-30}],[{"text":"Tax"},{"number":-5}],[{"text":"End"},{"number":105}]]}"#;

/// The file with another chart in the place of one that this crate has written. `names` are the definitions of
/// `_xlchart.v1.0` and so on.
fn file_with(chart_data: &str, chart: &str, names: &[&str]) -> Vec<u8> {
    let commands = format!(
        r#"[{DATA},{{"type":"setItem","sheet":1,"item":50,"kind":"chart","anchors":["D2"],
        "fields":{{"type":"column","series":[{{"values":"=$B$2:$B$6"}}],"width":300,"height":200}}}}]"#
    );
    let file = write(&commanded(&commands), FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let file = with_changed_part(&file, "xl/drawings/_rels/drawing1.xml.rels", |text| {
        let changed = text.replace(
            "http://schemas.openxmlformats.org/officeDocument/2006/relationships/chart",
            "http://schemas.microsoft.com/office/2014/relationships/chartEx",
        );
        assert_ne!(changed, text);
        changed
    });
    let file = with_changed_part(&file, "xl/drawings/drawing1.xml", |text| {
        let (before, frame) = text.split_once("<xdr:graphicFrame").expect("a frame");
        let (frame, after) = frame.split_once("</xdr:graphicFrame>").expect("the end of a frame");
        let frame = frame.replace(
            "http://schemas.openxmlformats.org/drawingml/2006/chart",
            "http://schemas.microsoft.com/office/drawing/2014/chartex",
        );
        format!(
            r#"{before}<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice xmlns:cx1="http://schemas.microsoft.com/office/drawing/2015/9/8/chartex" Requires="cx1"><xdr:graphicFrame{frame}</xdr:graphicFrame></mc:Choice><mc:Fallback><xdr:sp macro="" textlink=""><xdr:nvSpPr><xdr:cNvPr id="0" name=""/><xdr:cNvSpPr/></xdr:nvSpPr><xdr:spPr/></xdr:sp></mc:Fallback></mc:AlternateContent>{after}"#
        )
    });
    let file = with_changed_part(&file, "xl/workbook.xml", |text| {
        let names = names.iter().enumerate().map(|(index, definition)| {
            format!(r#"<definedName name="_xlchart.v1.{index}" hidden="1">{definition}</definedName>"#)
        });
        let names: String = names.collect();
        text.replacen("</sheets>", &format!("</sheets><definedNames>{names}</definedNames>"), 1)
    });
    let chart_space = format!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<cx:chartSpace xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"><cx:chartData>{chart_data}</cx:chartData><cx:chart>{chart}</cx:chart></cx:chartSpace>"#
    );
    with_changed_part(&file, "xl/charts/chart1.xml", |_| chart_space.clone())
}

fn read(file: &[u8]) -> Imported {
    import(FileFormat::Xlsx, file).expect("readable")
}

/// The chart without its size and the name of the sheet.
fn chart(imported: &Imported) -> String {
    let charts = items(&imported.workbook, &["chart"]);
    assert_eq!(charts.len(), 1, "{charts:?}");
    charts[0].replace("=Sheet1!", "=").replace(r#""height":200.0,"#, "").replace(r#","width":300.0"#, "")
}

/// Data with categories and numbers of this type and two hidden names, and the names.
fn data(kind: &str) -> String {
    format!(
        r#"<cx:data id="0"><cx:strDim type="cat"><cx:f>_xlchart.v1.0</cx:f><cx:lvl ptCount="5"><cx:pt idx="0">Start</cx:pt></cx:lvl></cx:strDim><cx:numDim type="{kind}"><cx:f>_xlchart.v1.1</cx:f><cx:lvl ptCount="5" formatCode="General"><cx:pt idx="0">100</cx:pt></cx:lvl></cx:numDim></cx:data>"#
    )
}

const NAMES: [&str; 2] = ["Sheet1!$A$2:$A$6", "Sheet1!$B$2:$B$6"];

fn series(layout: &str, contents: &str) -> String {
    format!(
        r#"<cx:plotArea><cx:plotAreaRegion><cx:series layoutId="{layout}" uniqueId="{{1D8F9C4E-1C1B-4A5F-9C6B-2E7A0F3B5D11}}"><cx:tx><cx:txData><cx:f>Sheet1!$B$1</cx:f><cx:v>Amount</cx:v></cx:txData></cx:tx>{contents}</cx:series></cx:plotAreaRegion>"#
    )
}

#[test]
fn a_waterfall_is_read_without_the_cell_of_its_total() {
    let contents = r##"<cx:spPr><a:solidFill><a:srgbClr val="336699"/></a:solidFill></cx:spPr><cx:dataLabels pos="outEnd"><cx:visibility seriesName="0" categoryName="0" value="1"/></cx:dataLabels><cx:dataId val="0"/><cx:layoutPr><cx:subtotals><cx:idx val="4"/></cx:subtotals></cx:layoutPr>"##;
    let rest = r#"<cx:axis id="0"><cx:catScaling gapWidth="0.5"/><cx:title><cx:tx><cx:txData><cx:v>Steps</cx:v></cx:txData></cx:tx></cx:title><cx:tickLabels/></cx:axis><cx:axis id="1"><cx:valScaling min="0" max="auto"/><cx:majorGridlines/><cx:tickLabels/></cx:axis></cx:plotArea><cx:legend pos="t" align="ctr" overlay="0"/>"#;
    let title = r#"<cx:title pos="t" align="ctr" overlay="0"><cx:tx><cx:rich><a:bodyPr/><a:p><a:r><a:t>Year </a:t></a:r><a:r><a:t>2026</a:t></a:r></a:p></cx:rich></cx:tx></cx:title>"#;
    let plot = format!("{title}{}{rest}", series("waterfall", contents));
    let imported = read(&file_with(&data("val"), &plot, &NAMES));
    assert_eq!(imported.warnings, Vec::<String>::new());
    let expected = r##"chart D2 {"legend":"top","series":[{"categories":"=$A$2:$A$5","color":"#336699","labels":true,"name":"=$B$1","values":"=$B$2:$B$5"}],"title":"Year 2026","type":"waterfall","xTitle":"Steps","yMin":0.0}"##;
    assert_eq!(chart(&imported), expected);
    // Excel's names of the ranges are of no use here.
    assert_eq!(imported.workbook.names().count(), 0);
}

#[test]
fn each_type_has_its_equivalent() {
    for (layout, kind, contents, expected, warnings) in [
        (
            "waterfall",
            "val",
            "<cx:layoutPr><cx:subtotals><cx:idx val=\"2\"/></cx:subtotals></cx:layoutPr>",
            "waterfall",
            &["subtotals of waterfall charts are drawn as steps"][..],
        ),
        (
            "treemap",
            "size",
            "<cx:layoutPr><cx:parentLabelLayout val=\"banner\"/></cx:layoutPr>",
            "treemap",
            &[],
        ),
        ("sunburst", "size", "", "treemap", &["sunburst charts are drawn as treemaps"]),
        ("funnel", "val", "", "funnel", &[]),
        (
            "boxWhisker",
            "val",
            "<cx:layoutPr><cx:statistics quartileMethod=\"exclusive\"/></cx:layoutPr>",
            "boxPlot",
            &[],
        ),
        (
            "clusteredColumn",
            "val",
            "<cx:layoutPr><cx:binning intervalClosed=\"r\"/></cx:layoutPr>",
            "histogram",
            &[],
        ),
        ("regionMap", "colorVal", "", "map", &[]),
    ] {
        let contents = format!("<cx:dataId val=\"0\"/>{contents}");
        let plot = format!("<cx:title/>{}</cx:plotArea>", series(layout, &contents));
        let imported = read(&file_with(&data(kind), &plot, &NAMES));
        assert_eq!(imported.warnings, warnings, "{layout}");
        // The title is that of the only series.
        let expected = format!(
            r#"chart D2 {{"legend":"none","series":[{{"categories":"=$A$2:$A$6","name":"=$B$1","values":"=$B$2:$B$6"}}],"title":"Amount","type":"{expected}"}}"#
        );
        assert_eq!(chart(&imported), expected, "{layout}");
    }
}

#[test]
fn a_pareto_chart_has_the_columns_without_the_line() {
    let plot = format!(
        "{}</cx:plotArea>",
        series("clusteredColumn", "<cx:dataId val=\"0\"/><cx:layoutPr><cx:aggregation/></cx:layoutPr>")
            .replace(
                "</cx:plotAreaRegion>",
                "<cx:series layoutId=\"paretoLine\" ownerIdx=\"0\"/></cx:plotAreaRegion>"
            )
    );
    let imported = read(&file_with(&data("val"), &plot, &NAMES));
    assert_eq!(imported.warnings, ["Pareto charts are drawn without their line"]);
    assert!(chart(&imported).contains(r#""type":"column""#));
}

#[test]
fn a_chart_without_cells_has_its_values_and_unknown_ones_are_left_out() {
    let constant = r#"<cx:data id="0"><cx:strDim type="cat"><cx:lvl ptCount="2"><cx:pt idx="0">a</cx:pt><cx:pt idx="1">b "c"</cx:pt></cx:lvl></cx:strDim><cx:numDim type="val"><cx:f>[1]Sheet1!$B$2:$B$3</cx:f><cx:lvl ptCount="2"><cx:pt idx="0">7</cx:pt><cx:pt idx="1">8.5</cx:pt></cx:lvl></cx:numDim></cx:data>"#;
    let plot = |layout: &str| format!("{}</cx:plotArea>", series(layout, "<cx:dataId val=\"0\"/>"));
    let imported = read(&file_with(constant, &plot("funnel"), &[]));
    let shown = chart(&imported);
    assert!(shown.contains(r#""categories":"={\"a\",\"b \"\"c\"\"\"}","#), "{shown}");
    assert!(shown.contains(r#""values":"={7,8.5}""#), "{shown}");
    for plot in [plot("hexagons"), String::new(), "<cx:plotArea/>".to_owned()] {
        let imported = read(&file_with(constant, &plot, &[]));
        assert_eq!(items(&imported.workbook, &["chart"]), Vec::<String>::new());
    }
    assert_eq!(
        read(&file_with(constant, &plot("hexagons"), &[])).warnings,
        ["left out: charts of unknown types"]
    );
    assert!(parts(&file_with(constant, &plot("funnel"), &[])).contains_key("xl/charts/chart1.xml"));
}

/// A workbook with the data and charts of these fields, below one another.
fn with_charts(charts: &[&str]) -> Workbook {
    let items = charts.iter().enumerate().map(|(index, fields)| {
        let (item, row) = (50 + index, 2 + 20 * index);
        format!(r#",{{"type":"setItem","sheet":1,"item":{item},"kind":"chart","anchors":["D{row}"],"fields":{fields}}}"#)
    });
    commanded(&format!("[{DATA}{}]", items.collect::<String>()))
}

#[test]
fn charts_of_newer_types_are_written_as_excel_has_them() {
    let series = r#"{"name":"=$B$1","categories":"=$A$2:$A$5","values":"=$B$2:$B$5"}"#;
    let charts = [
        r#"{"type":"histogram","series":[{"values":"=$B$2:$B$5"}],"title":"Bins & more","yMax":3}"#
            .to_owned(),
        format!(
            r##"{{"type":"waterfall","series":[{}],"legend":"top","xTitle":"Steps","yMin":0}}"##,
            series.replace("{", r##"{"color":"#336699","labels":true,"##)
        ),
        format!(r#"{{"type":"funnel","series":[{series}],"altText":"Steps"}}"#),
        format!(
            r#"{{"type":"boxPlot","series":[{series},{{"name":"=\"Other\"","values":"=$B$3:$B$6"}}],"gridlines":false}}"#
        ),
        format!(r#"{{"type":"treemap","series":[{series}]}}"#),
        format!(r#"{{"type":"map","series":[{series}]}}"#),
    ];
    let workbook = with_charts(&charts.each_ref().map(String::as_str));
    assert_eq!(losses(&workbook, FileFormat::Xlsx, &WriteOptions::default(), &Images::default()), []);
    let file = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    check_package(&file);
    let parts = parts(&file);
    let drawing = &parts["xl/drawings/drawing1.xml"];
    for (number, layout, requires) in [
        (1, "clusteredColumn", "cx1"),
        (2, "waterfall", "cx1"),
        (3, "funnel", "cx2"),
        (4, "boxWhisker", "cx1"),
        (5, "treemap", "cx1"),
        (6, "regionMap", "cx4"),
    ] {
        let chart = &parts[&format!("xl/charts/chartEx{number}.xml")];
        assert!(chart.contains(&format!(r#"layoutId="{layout}""#)), "{chart}");
        let frame = drawing.split("<mc:AlternateContent").nth(number).expect("a frame");
        assert!(frame.contains(&format!(r#"Requires="{requires}""#)), "{frame}");
        // Other programs show columns or bars.
        let (newer, older) = frame.split_once("<mc:Fallback>").expect("a fallback");
        assert!(newer.contains(&format!(r#"r:id="rIdOfNewerChart{number}""#)), "{newer}");
        assert!(older.contains(r#"uri="http://schemas.openxmlformats.org/drawingml/2006/chart""#), "{older}");
    }
    // The last cell has the sum of the others, and is the total of the waterfall.
    let waterfall = &parts["xl/charts/chartEx2.xml"];
    for expected in [
        "<cx:f>'Sheet1'!$A$2:$A$6</cx:f><cx:lvl ptCount=\"5\"><cx:pt idx=\"0\">Start</cx:pt>",
        "<cx:f>'Sheet1'!$B$2:$B$6</cx:f><cx:lvl ptCount=\"5\" formatCode=\"General\"><cx:pt idx=\"0\">100</cx:pt>",
        "<cx:subtotals><cx:idx val=\"4\"/></cx:subtotals>",
        "<cx:tx><cx:txData><cx:f>'Sheet1'!$B$1</cx:f><cx:v>Amount</cx:v></cx:txData></cx:tx>",
    ] {
        assert!(waterfall.contains(expected), "{expected}: {waterfall}");
    }
    let again = read(&file);
    assert_eq!(again.warnings, Vec::<String>::new());
    let shown = |workbook: &Workbook| -> Vec<String> {
        let charts = items(workbook, &["chart"]).into_iter();
        // A file names the sheet, the size and where a legend is not.
        charts
            .map(|chart| {
                ["=Sheet1!", "='Sheet1'!"]
                    .iter()
                    .fold(chart, |chart, sheet| chart.replace(sheet, "="))
                    .replace(r#""height":300.0,"#, "")
                    .replace(r#","width":480.0"#, "")
                    .replace(r#""legend":"none","#, "")
                    .replace(r#""legend":"bottom","#, "")
            })
            .collect()
    };
    assert_eq!(shown(&again.workbook), shown(&workbook));
}

#[test]
fn charts_of_constants_and_chart_sheets_have_columns() {
    for fields in [
        r#"{"type":"funnel","series":[{"values":"={1,2,3}"}]}"#,
        r#"{"type":"waterfall","series":[{"values":"=$B$2:$B$5"}],"ownSheet":true}"#,
        r#"{"type":"heatMap","series":[{"values":"=$B$2:$B$5"}]}"#,
    ] {
        let workbook = with_charts(&[fields]);
        let found = losses(&workbook, FileFormat::Xlsx, &WriteOptions::default(), &Images::default());
        assert!(found.iter().any(|loss| loss.kind == LossKind::ChartTypes), "{fields}: {found:?}");
        let file = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
        assert!(!parts(&file).contains_key("xl/charts/chartEx1.xml"), "{fields}");
    }
}

#[test]
fn a_waterfall_has_a_total_only_of_a_cell_with_the_sum() {
    for (values, is_total) in [("=$B$2:$B$5", true), ("=$B$2:$B$4", false), ("=$B$3:$B$5", false)] {
        let fields = format!(r#"{{"type":"waterfall","series":[{{"values":"{values}"}}]}}"#);
        let file =
            write(&with_charts(&[&fields]), FileFormat::Xlsx, &WriteOptions::default()).expect("written");
        let chart = &parts(&file)["xl/charts/chartEx1.xml"];
        assert_eq!(chart.contains("<cx:idx "), is_total, "{values}: {chart}");
    }
}
