//! Charts in `.xlsx` files of other programs, and round trips.

use crate::notation::{commanded, import, items, items_of, with_changed_part};
use crate::packages::check_package;
use crate::page_setup::part;
use quadrille_files::{FileFormat, Imported, Loss, WriteOptions, losses, write};
use quadrille_workbook::Workbook;

/// Positions and fields of the charts. The sheet's name, the common categories and the default
/// position of the legend are removed to keep lines short.
pub fn charts(workbook: &Workbook) -> Vec<String> {
    let shortened = items(workbook, &["chart"]).into_iter().map(|line| {
        line.replace("'Sales 2026'!", "")
            .replace(r#""categories":"=$A$2:$A$5","#, "")
            .replace(r#""legend":"right","#, "")
    });
    shortened.collect()
}

/// The workbook after writing and reading it.
fn again(workbook: &Workbook) -> Imported {
    let bytes = write(workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    import(FileFormat::Xlsx, &bytes).expect("readable")
}

/// XlsxWriter 3.2 wrote the file. Its charts have 480 × 288 pixels unless scaled.
#[test]
fn charts_of_every_type_round_trip() {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/charts.xlsx")).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    let expected = [
        r##"chart AJ2 {"height":288.0,"series":[{"name":"=$B$1","values":"=$B$2:$B$5"},{"name":"=$C$1","values":"=$C$2:$C$5"},{"name":"=$D$1","values":"=$D$2:$D$5"}],"type":"stock","width":480.0}"##,
        r##"chart F2 {"gridlines":false,"height":288.0,"offsetX":10.0,"offsetY":5.0,"series":[{"color":"#1f6f5c","labels":true,"name":"=$B$1","values":"=$B$2:$B$5"},{"name":"=$C$1","values":"=$C$2:$C$5"}],"title":"Sales & more","type":"column","width":480.0,"xTitle":"Month","yMax":60.0,"yMin":0.0,"yTitle":"Pieces"}"##,
        r##"chart F20 {"altText":"Shares as bars","height":288.0,"legend":"none","series":[{"name":"=$B$1","values":"=$B$2:$B$5"},{"name":"=$C$1","values":"=$C$2:$C$5"}],"stacking":"percent","type":"bar","width":480.0,"xTitle":"Share","yTitle":"Month"}"##,
        r##"chart F40 {"height":288.0,"legend":"top","series":[{"markers":true,"name":"=$B$1","smooth":true,"trendline":"linear","values":"=$B$2:$B$5"}],"type":"line","width":480.0}"##,
        r##"chart P2 {"height":288.0,"series":[{"name":"=$B$1","type":"column","values":"=$B$2:$B$5"},{"axis":"secondary","color":"#d9822b","name":"=$D$1","type":"line","values":"=$D$2:$D$5"}],"title":"Two kinds","type":"combo","width":480.0,"y2Title":"Share"}"##,
        r##"chart P20 {"height":288.0,"legend":"left","series":[{"name":"=$B$1","values":"=$B$2:$B$5"}],"title":"Pie","type":"pie","width":480.0}"##,
        r##"chart P40 {"height":288.0,"series":[{"name":"=$C$1","values":"=$C$2:$C$5"}],"type":"doughnut","width":480.0}"##,
        r##"chart Z2 {"height":144.0,"series":[{"categories":"=$B$2:$B$5","name":"=\"Named here\"","values":"=$C$2:$C$5"}],"type":"scatter","width":960.0,"xMax":100.0,"xMin":0.0,"yLogarithmic":true}"##,
        r##"chart Z20 {"height":288.0,"series":[{"name":"=$B$1","values":"=$B$2:$B$5"},{"name":"=$C$1","values":"=$C$2:$C$5"}],"stacking":"stacked","type":"area","width":480.0}"##,
        r##"chart Z40 {"height":288.0,"series":[{"name":"=$B$1","values":"=$B$2:$B$5"},{"name":"=$C$1","values":"=$C$2:$C$5"}],"type":"radar","width":480.0}"##,
    ];
    assert_eq!(charts(&read.workbook), expected);
    let again = again(&read.workbook);
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(charts(&again.workbook), expected);
}

#[test]
fn both_axes_of_a_scatter_chart_can_be_logarithmic() {
    let made = commanded(
        r#"[{"type":"setItem","sheet":1,"kind":"chart","anchors":["C2"],"fields":{"type":"scatter",
        "series":[{"categories":"=$A$1:$A$3","values":"=$B$1:$B$3"}],"xMin":1,"xMax":1000,"xLogarithmic":true,
        "yLogarithmic":true}}]"#,
    );
    for format in [FileFormat::Xlsx, FileFormat::Ods] {
        let bytes = write(&made, format, &WriteOptions::default()).expect("written");
        let chart = &charts(&import(format, &bytes).expect("readable").workbook)[0];
        for field in ["\"xLogarithmic\":true", "\"yLogarithmic\":true", "\"xMin\":1.0", "\"xMax\":1000.0"] {
            assert!(chart.contains(field), "{format:?}: {field} is missing: {chart}");
        }
    }
}

/// XlsxWriter 3.3 wrote the file.
#[test]
fn trendline_labels_and_error_bars_round_trip() {
    let read =
        import(FileFormat::Xlsx, include_bytes!("../fixtures/chart-statistics.xlsx")).expect("readable");
    let warnings = [
        "left out: horizontal error bars of scatter charts",
        "left out: error bars with values of their own",
    ];
    assert_eq!(read.warnings, warnings);
    let series = |workbook: &Workbook| -> Vec<String> {
        let all = charts(workbook).into_iter().map(|line| {
            let line =
                line.replace(r#","name":"=Data!$B$1""#, "").replace(r#","values":"=Data!$B$2:$B$7""#, "");
            let place = line.split(' ').nth(1).expect("a chart has a place").to_owned();
            let fields = line.split_once(r#""series":[{"#).and_then(|(_, rest)| rest.split_once("}]"));
            format!("{place} {}", fields.expect("a chart has series").0)
        });
        all.map(|line| line.replace(r#""categories":"=Data!$A$2:$A$7","#, "")).collect()
    };
    let expected = [
        r#"D2 "errorAmount":2.5,"errorBars":"fixed","trendline":"linear","trendlineEquation":true,"trendlineRSquared":true"#,
        r#"D20 "errorAmount":12.0,"errorBars":"percent","errorDirection":"plus","trendline":"exponential","trendlineEquation":true"#,
        r#"D40 "errorAmount":2.0,"errorBars":"standardDeviation","errorDirection":"minus","trendline":"logarithmic","trendlineRSquared":true"#,
        r#"M2 "errorBars":"standardError","trendline":"polynomial","trendlineEquation":true,"trendlineOrder":4.0"#,
        r#"M20 "trendline":"movingAverage","trendlinePeriod":3.0"#,
        r#"M40 "categories":"=Data!$A$2:$A$7""#,
    ];
    assert_eq!(series(&read.workbook), expected);
    let again = again(&read.workbook);
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(series(&again.workbook), expected);
}

/// XlsxWriter 3.3 wrote the file.
#[test]
fn forecasts_and_intercepts_of_trendlines_round_trip() {
    let read =
        import(FileFormat::Xlsx, include_bytes!("../fixtures/chart-forecasts.xlsx")).expect("readable");
    let trends = |workbook: &Workbook| -> Vec<String> {
        let all = charts(workbook).into_iter().map(|line| {
            let (_, rest) = line.split_once(r#""trendline":"#).expect("a series has a trendline");
            rest.split_once(r#","values""#).expect("a series has values").0.to_owned()
        });
        all.collect()
    };
    let expected = [
        r#""linear","trendlineBackward":0.5,"trendlineForward":2.0"#,
        r#""polynomial","trendlineBackward":1.0,"trendlineForward":1.5,"trendlineIntercept":0.0,"trendlineOrder":3.0"#,
        r#""exponential","trendlineEquation":true,"trendlineIntercept":2.5"#,
    ];
    assert_eq!(trends(&read.workbook), expected);
    assert_eq!(trends(&again(&read.workbook).workbook), expected);
}

/// The stock charts of the file have four, three and three series, and the last one also has columns.
/// XlsxWriter 3.3 wrote the file.
#[test]
fn stock_charts_round_trip() {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/stock-charts.xlsx")).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    let series = |workbook: &Workbook| -> Vec<String> {
        let shortened = charts(workbook).into_iter().map(|line| {
            let line = line.replace(r#""categories":"=Prices!$A$2:$A$5","#, "").replace("Prices!", "");
            let (_, rest) = line.split_once(r#""series":["#).expect("a chart has series");
            rest.replace(r#","width":480.0"#, "")
        });
        shortened.collect()
    };
    let expected = [
        r##"{"name":"=$B$1","values":"=$B$2:$B$5"},{"name":"=$C$1","values":"=$C$2:$C$5"},{"name":"=$D$1","values":"=$D$2:$D$5"},{"name":"=$E$1","values":"=$E$2:$E$5"}],"title":"Four","type":"stock"}"##,
        r##"{"name":"=$C$1","values":"=$C$2:$C$5"},{"name":"=$D$1","values":"=$D$2:$D$5"},{"name":"=$E$1","values":"=$E$2:$E$5"}],"title":"Three","type":"stock"}"##,
        r##"{"name":"=$F$1","type":"column","values":"=$F$2:$F$5"},{"name":"=$C$1","values":"=$C$2:$C$5"},{"name":"=$D$1","values":"=$D$2:$D$5"},{"name":"=$E$1","values":"=$E$2:$E$5"}],"title":"Volumes","type":"stock"}"##,
    ];
    assert_eq!(series(&read.workbook), expected);
    let again = again(&read.workbook);
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(series(&again.workbook), expected);
}

/// The parts of stock charts that ECMA-376 part 1, 21.2.2.198 requires or that draw the prices.
#[test]
fn stock_charts_have_lines_and_bodies() {
    let commands = |count: usize, first_type: &str| {
        let mut series = vec![r#"{"values":"=Sheet1!$A$1:$A$3"}"#.to_owned(); count];
        series[0] = format!(r#"{{"type":"{first_type}","values":"=Sheet1!$A$1:$A$3"}}"#);
        let series = series.join(",");
        format!(
            r#"[{{"type":"setItem","sheet":1,"kind":"chart","anchors":["C2"],"fields":{{"type":"stock","series":[{series}]}}}}]"#
        )
    };
    let parts = |count: usize, first_type: &str| -> Vec<&str> {
        let workbook = commanded(&commands(count, first_type));
        let bytes = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
        let chart = part(&bytes, "xl/charts/chart1.xml");
        let names = [
            "<c:barChart>",
            "<c:stockChart>",
            "<c:lineChart>",
            "<c:hiLowLines",
            "<c:upDownBars>",
            "val=\"dash\"",
        ];
        names.into_iter().filter(|name| chart.contains(name)).collect()
    };
    assert_eq!(parts(4, "line"), ["<c:stockChart>", "<c:hiLowLines", "<c:upDownBars>"]);
    assert_eq!(parts(3, "line"), ["<c:stockChart>", "<c:hiLowLines", "val=\"dash\""]);
    assert_eq!(parts(2, "line"), ["<c:lineChart>"]);
    // With volumes.
    assert_eq!(parts(5, "column"), ["<c:barChart>", "<c:stockChart>", "<c:hiLowLines", "<c:upDownBars>"]);
    assert_eq!(parts(4, "column"), ["<c:barChart>", "<c:stockChart>", "<c:hiLowLines", "val=\"dash\""]);
    assert_eq!(parts(3, "column"), ["<c:lineChart>"]);
}

/// The axis of the prices is the first one here, and the second one in files, whatever the series say.
#[test]
fn axes_of_prices_and_volumes_round_trip() {
    let commands = r#"[{"type":"setItem","sheet":1,"kind":"chart","anchors":["C2"],"fields":{"type":"stock",
        "xTitle":"Day","yTitle":"Price","y2Title":"Shares","yMin":5,"yMax":20,"gridlines":false,"series":[
        {"type":"column","axis":"secondary","values":"=Sheet1!$A$1:$A$3"},{"values":"=Sheet1!$B$1:$B$3"},
        {"values":"=Sheet1!$C$1:$C$3"},{"values":"=Sheet1!$D$1:$D$3"}]}}]"#;
    let again = again(&commanded(commands));
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(
        charts(&again.workbook),
        [
            r##"chart C2 {"gridlines":false,"height":300.0,"legend":"none","series":[{"type":"column","values":"=Sheet1!$A$1:$A$3"},{"values":"=Sheet1!$B$1:$B$3"},{"values":"=Sheet1!$C$1:$C$3"},{"values":"=Sheet1!$D$1:$D$3"}],"type":"stock","width":480.0,"xTitle":"Day","y2Title":"Shares","yMax":20.0,"yMin":5.0,"yTitle":"Price"}"##
        ]
    );
}

/// LibreOffice 7.4 read the same file and wrote it, with the colors of its theme and with titles
/// that otherwise come from the series.
#[test]
fn charts_of_libreoffice_are_read() {
    let read =
        import(FileFormat::Xlsx, include_bytes!("../fixtures/charts-libreoffice.xlsx")).expect("readable");
    let lines = charts(&read.workbook);
    assert_eq!(lines.len(), 10);
    for part in [
        r##""stacking":"percent","type":"bar""##,
        r##""xTitle":"Share","yTitle":"Month"}"##,
        r##"{"axis":"secondary","color":"#d9822b","name":"=$D$1","type":"line","values":"=$D$2:$D$5"}"##,
        r##""markers":true,"name":"=$B$1","smooth":true,"trendline":"linear""##,
        r##""title":"Named here","type":"scatter""##,
        r##""xMax":100.0,"xMin":0.0,"yLogarithmic":true"##,
    ] {
        assert!(lines.iter().any(|line| line.contains(part)), "{part} in {lines:#?}");
    }
}

/// openpyxl 3.1 wrote the file.
#[test]
fn unsupported_charts_are_simplified_or_reported() {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/rare-charts.xlsx")).expect("readable");
    let warnings = [
        "3-D charts are drawn in 2-D",
        "left out: surface charts",
        "pie-of-pie charts are drawn as pie charts",
    ];
    assert_eq!(read.warnings, warnings);
    let expected = [
        r##"chart F2 {"height":283.0,"series":[{"categories":"=Data!$B$2:$B$5","name":"=\"Bubbles\"","sizes":"=Data!$D$2:$D$5","values":"=Data!$C$2:$C$5"}],"type":"bubble","width":567.0}"##,
        r##"chart F20 {"height":283.0,"series":[{"categories":"=Data!$A$2:$A$5","name":"=Data!B1","values":"=Data!$B$2:$B$5"}],"title":"Deep","type":"column","width":567.0}"##,
        r##"chart P2 {"height":283.0,"series":[{"name":"=Data!B1","values":"=Data!$B$2:$B$5"}],"type":"pie","width":567.0}"##,
    ];
    assert_eq!(charts(&read.workbook), expected);
}

/// openpyxl 3.1 read the written file as a bubble chart with these references, and LibreOffice 7.4 showed it.
#[test]
fn bubble_charts_come_back_with_the_sizes_of_their_bubbles() {
    let commands = r##"[
        {"type":"setCells","sheet":1,"at":"A1","cells":[[{"number":1},{"number":2},{"number":3}],[{"number":4},{"number":5},{"number":6}]]},
        {"type":"setItem","sheet":1,"kind":"chart","anchors":["E2"],"fields":{"type":"bubble","xMin":0,"series":[
            {"categories":"=$A$1:$A$2","values":"=$B$1:$B$2","sizes":"=$C$1:$C$2","name":"=\"Towns\"","color":"#112233","labels":true},
            {"categories":"=$A$1:$A$2","values":"=$C$1:$C$2","sizes":"=$B$1:$B$2"}]}}]"##;
    let workbook = commanded(commands);
    let file = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    check_package(&file);
    let chart = part(&file, "xl/charts/chart1.xml");
    assert!(
        !chart.contains("scatter") && !chart.contains("errBars") && !chart.contains("<c:smooth"),
        "{chart}"
    );
    // The order of the elements is that of the schema.
    let mut at = 0;
    for element in [
        "bubbleChart",
        "varyColors",
        "ser",
        "spPr",
        "dLbls",
        "xVal",
        "yVal",
        "bubbleSize",
        "bubble3D",
        "bubbleScale",
        "showNegBubbles",
        "axId",
    ] {
        at += chart[at..].find(&format!("<c:{element}")).unwrap_or_else(|| panic!("{element}: {chart}"));
    }
    assert_eq!(
        chart.matches("<c:bubbleSize><c:numRef><c:f>Sheet1!$C$1:$C$2</c:f><c:numCache>").count(),
        1,
        "{chart}"
    );
    let again = import(FileFormat::Xlsx, &file).expect("readable");
    let read = charts(&again.workbook);
    for piece in [
        r#""type":"bubble""#,
        r#""sizes":"=$C$1:$C$2""#,
        r#""sizes":"=$B$1:$B$2""#,
        r##""color":"#112233""##,
        r#""xMin":0"#,
    ] {
        assert!(
            read[0].contains(piece) || read[0].replace("=Sheet1!", "=").contains(piece),
            "{piece}: {read:?}"
        );
    }
    assert!(losses(&workbook, FileFormat::Xlsx, &WriteOptions::default(), &Default::default()).is_empty());
}

/// The frame of the chart in an anchor has a size of its own, which programs leave at 0.
#[test]
fn charts_at_absolute_positions_keep_their_size() {
    let file = include_bytes!("../fixtures/rare-charts.xlsx");
    let bytes = with_changed_part(file, "xl/drawings/drawing1.xml", |text| {
        let (before, rest) = text.split_once("<oneCellAnchor>").expect("an anchor");
        let (_, rest) = rest.split_once("</from>").expect("a corner");
        let (anchor, after) = rest.split_once("</oneCellAnchor>").expect("the end of the anchor");
        let (size, frame) = anchor.split_once(" />").expect("a size");
        assert!(size.starts_with("<ext cx="), "{size}");
        let frame =
            frame.replacen("<xfrm />", r#"<xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xfrm>"#, 1);
        assert!(frame.contains("a:ext cx"), "{frame}");
        // 100 and 20 pixels of 9,525 units.
        format!(
            r#"{before}<absoluteAnchor><pos x="952500" y="190500"/>{size} />{frame}</absoluteAnchor>{after}"#
        )
    });
    let read = import(FileFormat::Xlsx, &bytes).expect("readable");
    let moved = charts(&read.workbook).remove(0);
    for part in ["chart A1 ", r#""width":567.0"#, r#""height":283.0"#, r#""offsetX":100.0,"offsetY":20.0"#] {
        assert!(moved.contains(part), "{part} in {moved}");
    }
}

/// Files cannot contain series without values or points without categories; the rest of such charts
/// is written.
#[test]
fn incomplete_charts_are_written_without_the_incomplete_parts() {
    let workbook = commanded(
        r##"[{"type":"setItem","sheet":1,"kind":"chart","anchors":["C2"],"fields":{"type":"column","series":[{"name":"=\"Later\""},{"values":"=Sheet1!$A$1:$A$3"}]}},
        {"type":"setItem","sheet":1,"kind":"chart","anchors":["C20"],"fields":{"type":"scatter","series":[{"values":"=Sheet1!$A$1:$A$3"}]}},
        {"type":"setItem","sheet":1,"kind":"chart","anchors":["C40"],"fields":{"type":"pie"}}]"##,
    );
    let expected = [
        r##"chart C2 {"height":300.0,"legend":"none","series":[{"values":"=Sheet1!$A$1:$A$3"}],"type":"column","width":480.0}"##,
        r##"chart C20 {"height":300.0,"legend":"none","series":[{"values":"=Sheet1!$A$1:$A$3"}],"type":"line","width":480.0}"##,
    ];
    assert_eq!(charts(&again(&workbook).workbook), expected);
}

/// The place of each chart of `chart-labels.xlsx` with the labels of its series.
fn labels(workbook: &Workbook) -> Vec<String> {
    let all = charts(workbook).into_iter().map(|line| {
        let place = line.split(' ').nth(1).expect("a chart has a place").to_owned();
        let (_, rest) =
            line.split_once(r#""categories":"=Towns!$A$2:$A$4","#).expect("a series has categories");
        format!("{place} {}", rest.split_once(r#","name""#).expect("a series has a name").0)
    });
    all.collect()
}

/// XlsxWriter 3.2 wrote the file: cells in their order, in another order, and a text.
#[test]
fn labels_from_cells_round_trip() {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/chart-labels.xlsx")).expect("readable");
    assert_eq!(read.warnings, ["left out: data labels with texts of their own"]);
    let expected = [
        r#"E1 "labelCells":"=Towns!$C$2:$C$4","labels":true"#,
        r#"E20 "labels":true"#,
        r#"E40 "labels":true"#,
    ];
    assert_eq!(labels(&read.workbook), expected);
    let again = again(&read.workbook);
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(labels(&again.workbook), expected);
}

/// "Value From Cells" of Excel (`showDataLabelsRange` and `datalabelsRange` of \[MS-ODRAWXML\]), in the
/// place of the labels of the first chart.
#[test]
fn labels_from_a_range_are_read() {
    for (shown, expected) in [
        ("1", r#"E1 "labelCells":"=Towns!$C$2:$C$4","labels":true"#),
        ("0", r#"E1 "name":"=Towns!$B$1","values":"=Towns!$B$2:$B$4""#),
    ] {
        let range = format!(
            r#"<c:dLbls><c:showVal val="0"/><c:extLst><c:ext uri="{{CE6537A1-D6FC-4f65-9D91-7224C49458BB}}"
            xmlns:c15="http://schemas.microsoft.com/office/drawing/2012/chart"><c15:showDataLabelsRange
            val="{shown}"/></c:ext></c:extLst></c:dLbls>"#
        );
        let cells = r#"<c:extLst><c:ext uri="{02D57815-91ED-43cb-92C2-25804820EDAC}"
            xmlns:c15="http://schemas.microsoft.com/office/drawing/2012/chart"><c15:datalabelsRange>
            <c15:f>Towns!$C$2:$C$4</c15:f><c15:dlblRangeCache><c:ptCount val="1"/><c:pt idx="0"><c:v>small</c:v>
            </c:pt></c15:dlblRangeCache></c15:datalabelsRange></c:ext></c:extLst></c:ser>"#;
        let file = include_bytes!("../fixtures/chart-labels.xlsx");
        let bytes = with_changed_part(file, "xl/charts/chart1.xml", |text| {
            let (before, rest) = text.split_once("<c:dLbls>").expect("labels");
            let (_, after) = rest.split_once("</c:dLbls>").expect("labels");
            format!("{before}{range}{}", after.replace("</c:ser>", cells))
        });
        let read = import(FileFormat::Xlsx, &bytes).expect("readable");
        let first = charts(&read.workbook).remove(0);
        let expected = expected.strip_prefix("E1 ").expect("a place");
        assert!(first.contains(expected), "{first}");
    }
}

/// The sheets with their charts, notes and settings without margins.
fn sheets(workbook: &Workbook) -> Vec<String> {
    let described = workbook.sheets().iter().enumerate().flat_map(|(index, sheet)| {
        let items = items_of(workbook, index, &["chart", "note", "sheetSettings"]);
        let name = [sheet.name().to_string()];
        let lines = items.into_iter().map(|line| match line.split_once(r#""marginBottom""#) {
            Some((start, rest)) => {
                let rest = rest.split_once(r#""marginTop":0.75"#).expect("margins are read together").1;
                format!("{start}…{rest}")
            }
            None => line,
        });
        name.into_iter().chain(lines).collect::<Vec<_>>()
    });
    described.collect()
}

/// XlsxWriter 3.3 wrote the file: chart sheets before and between worksheets.
#[test]
fn chart_sheets_round_trip() {
    let read = import(FileFormat::Xlsx, include_bytes!("../fixtures/chart-sheets.xlsx")).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    let expected = [
        "Before",
        r#"chart A1 {"legend":"right","ownSheet":true,"series":[{"categories":"=Data!$A$1:$A$3","name":"=\"Units\"","values":"=Data!$B$1:$B$3"}],"type":"column"}"#,
        "sheetSettings  {…}",
        "Data",
        r#"chart D2 {"height":288.0,"legend":"right","series":[{"values":"=Data!$B$1:$B$3"}],"type":"pie","width":480.0}"#,
        "sheetSettings  {…}",
        "Sales & more",
        r#"chart A1 {"legend":"right","ownSheet":true,"series":[{"categories":"=Data!$A$1:$A$3","values":"=Data!$B$1:$B$3"},{"values":"=Targets!$A$1:$A$3"}],"title":"Units","type":"line"}"#,
        r##"sheetSettings  {"headerCenter":"Units of &A",…,"orientation":"portrait","tabColor":"#1f6f5c"}"##,
        "Targets",
        r#"note A2 {"text":"a note"}"#,
        r#"sheetSettings  {"headerLeft":"&F",…}"#,
    ];
    assert_eq!(sheets(&read.workbook), expected);
    let bytes = write(&read.workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    // Excel numbers the parts of chart sheets and of worksheets separately.
    let second = part(&bytes, "xl/chartsheets/sheet2.xml");
    assert!(second.contains("<tabColor") && second.contains(r#"orientation="portrait""#), "{second}");
    assert!(second.contains("&amp;CUnits of &amp;A") && second.contains(r#"zoomToFit="1""#), "{second}");
    assert!(part(&bytes, "xl/worksheets/sheet2.xml").contains("<legacyDrawing "), "the sheet with a note");
    assert!(part(&bytes, "xl/workbook.xml").contains(r#"<definedName name="goal" localSheetId="3">"#));
    let again = import(FileFormat::Xlsx, &bytes).expect("readable");
    assert_eq!(again.warnings, [] as [String; 0]);
    // The file has the author of notes, and the orientation of every sheet.
    let explicit = sheets(&again.workbook).into_iter().map(|line| {
        let line = line.replace(r#""author":"Author","#, "");
        line.replace(r#"{…,"orientation":"portrait"}"#, "{…}")
            .replace(r#"{…,"orientation":"landscape"}"#, "{…}")
    });
    let explicit: Vec<String> =
        explicit.map(|line| line.replace(r#""&F",…,"orientation":"portrait""#, r#""&F",…"#)).collect();
    assert_eq!(explicit, expected);
    assert_eq!(losses(&read.workbook, FileFormat::Xlsx, &WriteOptions::default(), &Default::default()), []);
}

/// What a chart sheet cannot have in a file makes it a worksheet with the chart.
#[test]
fn chart_sheets_with_cells_become_worksheets() {
    let chart = r#"{"type":"setItem","sheet":1,"item":5,"kind":"chart","anchors":["D2"],"fields":{"ownSheet":true,"title":"Units","series":[{"values":"=Data!A1:A3"}]}}"#;
    let data = r#"{"type":"addSheet","name":"Data"},{"type":"typeText","sheet":101,"cell":"A1","text":"7"}"#;
    let file = |more: &str| {
        let workbook = commanded(&format!("[{data},{chart}{more}]"));
        let lost = losses(&workbook, FileFormat::Xlsx, &WriteOptions::default(), &Default::default());
        let again = again(&workbook);
        let is_kept = again.workbook.sheets()[0].items().own_sheet_chart().is_some();
        (is_kept, lost.iter().map(Loss::text).collect::<Vec<_>>(), again)
    };
    assert_eq!(file("").1, [] as [String; 0]);
    assert!(file("").0);
    let lost = ["chart sheets, which become charts over cells: Units ('Sheet1'!D2)"];
    let (is_kept, of_cells, again) = file(r#",{"type":"typeText","sheet":1,"cell":"A1","text":"hidden"}"#);
    assert!(!is_kept);
    assert_eq!(of_cells, lost);
    assert_eq!(again.workbook.sheets()[0].used_range().map(|used| used.to_string()).as_deref(), Some("A1"));
    let note =
        r#",{"type":"setItem","sheet":1,"item":6,"kind":"note","anchors":["A1"],"fields":{"text":"a"}}"#;
    assert_eq!(file(note).1, lost);
    // A reference to cells of the chart sheet itself.
    let own = r#",{"type":"setItem","sheet":1,"item":5,"fields":{"series":[{"values":"=A1:A3"}]}}"#;
    assert_eq!(file(own).1, lost);
    // Without values, no program draws the chart.
    let empty = r#",{"type":"setItem","sheet":1,"item":5,"fields":{"series":[]}}"#;
    assert_eq!(file(empty).1, ["charts: Units ('Sheet1'!D2)"]);
}
