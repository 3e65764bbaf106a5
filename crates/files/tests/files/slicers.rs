//! Slicers and timelines in `.xlsx` files: written and read again.

use std::collections::BTreeSet;

use quadrille_document::{Document, EvaluationContext};
use quadrille_files::{FileFormat, Images, Loss, WriteOptions, losses, write};
use quadrille_operation::Transaction;
use quadrille_workbook::Workbook;

use crate::notation::{commanded, import, items_of, values};
use crate::packages::{check_package, part, parts, values_of};

const SALES: &str = r##"{"type":"setCells","sheet":1,"at":"A1","cells":[
    [{"text":"Region"},{"text":"R&D <\"a\">"},{"text":"Day"},{"text":"Amount"}],
    [{"text":"East"},{"text":"Apples"},{"number":45300},{"number":10}],
    [{"text":"East"},{"text":"Pears"},{"number":45331},{"number":20}],
    [{"text":"West"},{"text":"Apples"},{"number":45301},{"number":30}],
    [{"text":"North"},{"text":"Plums"},{"number":45700},{"number":7}],
    [{"text":"West"},{"text":"Apples"},{"number":45332},{"number":5}]]},
  {"type":"format","sheet":1,"range":"C2:C6","format":{"numberFormat":"yyyy-mm-dd"}},
  {"type":"addSheet","name":"Pivot"}"##;

pub const TABLE: &str = r#"{"type":"setItem","sheet":1,"item":4,"kind":"table","anchors":["A1:D6"],"fields":{"name":"Sales"}},
  {"type":"setItem","sheet":1,"item":5,"kind":"autoFilter","anchors":["A1:D6"],"fields":{}}"#;

/// A pivot table of the sales on the second sheet.
pub fn pivot(item: u32, at: &str, fields: &str) -> String {
    format!(
        r#"{{"type":"setItem","sheet":101,"item":{item},"kind":"pivotTable","anchors":["{at}"],"fields":{{
            "source":"=Sheet1!$A$1:$D$6",{fields}}}}}"#
    )
}

pub const BY_REGION: &str =
    r#""rows":[{"column":"=Sheet1!$A:$A"}],"values":[{"column":"=Sheet1!$D:$D","function":"sum"}]"#;
const BY_PRODUCT: &str =
    r#""rows":[{"column":"=Sheet1!$B:$B"}],"values":[{"column":"=Sheet1!$D:$D","function":"count"}]"#;

pub fn slicer(sheet: u32, item: u32, at: &str, fields: &str) -> String {
    format!(
        r#"{{"type":"setItem","sheet":{sheet},"item":{item},"kind":"slicer","anchors":["{at}"],"fields":{{{fields}}}}}"#
    )
}

/// The workbook of commands after [`SALES`].
pub fn workbook(commands: &[&str]) -> Workbook {
    evaluated(commanded(&format!("[{SALES},{}]", commands.join(","))))
}

fn evaluated(workbook: Workbook) -> Workbook {
    let mut document = Document::from_workbook(workbook);
    document.apply(&Transaction { operations: Vec::new() }, EvaluationContext::default());
    while !document.evaluate(u64::MAX).finished {}
    document.snapshot()
}

/// Writes the workbook, checks the package, and reads it.
pub fn written_and_read(workbook: &Workbook) -> (Workbook, Vec<u8>) {
    written_and_read_with(workbook, &[])
}

/// [`written_and_read`] with warnings of the reader.
fn written_and_read_with(workbook: &Workbook, warnings: &[&str]) -> (Workbook, Vec<u8>) {
    let bytes = write(workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    check_package(&bytes);
    let read = import(FileFormat::Xlsx, &bytes).expect("readable");
    assert_eq!(read.warnings, warnings);
    (evaluated(read.workbook), bytes)
}

pub fn slicers(workbook: &Workbook, sheet: usize) -> Vec<String> {
    items_of(workbook, sheet, &["slicer"])
}

fn lost(workbook: &Workbook) -> Vec<String> {
    let found = losses(workbook, FileFormat::Xlsx, &WriteOptions::default(), &Images::new());
    found.iter().map(Loss::text).collect()
}

#[test]
fn a_slicer_of_a_table_is_written_and_read() {
    let place = r#""offsetX":7,"offsetY":3,"width":200,"height":180"#;
    let of_region = slicer(
        1,
        6,
        "F2",
        &format!(r#""column":"=$A$1:$A$6","title":"<R&D> \"1\"","type":"values",{place}"#),
    );
    // At the same place, and for the same column.
    let of_product = slicer(1, 7, "F2", &format!(r#""column":"=$B$1:$B$6","type":"values",{place}"#));
    let again = slicer(
        1,
        8,
        "I2",
        r#""column":"=$B$1:$B$6","title":"<R&D> \"1\"","type":"values","width":190,"height":230"#,
    );
    let condition = r#"{"type":"filterBySlicer","sheet":1,"item":6,"shown":["East"]}"#;
    let before = workbook(&[TABLE, &of_region, &of_product, &again, condition]);
    assert_eq!(lost(&before), Vec::<String>::new());
    let (after, bytes) = written_and_read(&before);
    let moved = slicers(&before, 0)
        .iter()
        .map(|slicer| match slicer.contains("$B$1:$B$6\",\"height\":180") {
            // A file has one of them beside the other.
            true => slicer.replace("\"offsetX\":7.0", "\"offsetX\":8.0"),
            false => slicer.clone(),
        })
        .collect::<Vec<_>>();
    assert_eq!(slicers(&after, 0), moved);
    let condition = r#"filterColumn A1 {"rule":"values","shown":["East"]}"#;
    assert_eq!(items_of(&after, 0, &["filterColumn"]), [condition]);
    assert_eq!(items_of(&after, 0, &["autoFilter"]), items_of(&before, 0, &["autoFilter"]));

    let table = part(&bytes, "xl/tables/table1.xml");
    assert_eq!(values_of(&table, "id")[0], "1");
    let cache = part(&bytes, "xl/slicerCaches/slicerCache1.xml");
    assert!(cache.contains(r#"name="Slicer_Region" sourceName="Region""#), "{cache}");
    assert!(cache.contains(r#"<x15:tableSlicerCache tableId="1" column="1"/>"#), "{cache}");
    let cache = part(&bytes, "xl/slicerCaches/slicerCache2.xml");
    assert!(
        cache.contains(r#"name="Slicer_R_D___a__" sourceName="R&amp;D &lt;&quot;a&quot;&gt;""#),
        "{cache}"
    );
    assert!(!parts(&bytes).contains_key("xl/slicerCaches/slicerCache3.xml"));
    let views = part(&bytes, "xl/slicers/slicer1.xml");
    assert_eq!(values_of(&views, "cache"), ["Slicer_Region", "Slicer_R_D___a__", "Slicer_R_D___a__"]);
    assert_eq!(values_of(&views, "name")[2], "&lt;R&amp;D&gt; &quot;1&quot; 1");
    let book = part(&bytes, "xl/workbook.xml");
    assert!(book.contains(r#"<definedName name="Slicer_Region">#N/A</definedName>"#), "{book}");
    assert!(book.contains("{46BE6895-7355-4a93-B00E-2C351335B9C9}"), "{book}");
    assert!(part(&bytes, "xl/worksheets/sheet1.xml").contains("{3A4CF648-6AED-40f4-86FF-DC5316D8AED3}"));
    let drawing = part(&bytes, "xl/drawings/drawing1.xml");
    assert_eq!(drawing.matches(r#"Requires="sle15""#).count(), 3, "{drawing}");
    assert!(drawing.contains(r#"<xdr:twoCellAnchor editAs="absolute">"#), "{drawing}");
    // What has been read is written as it was.
    let (twice, _) = written_and_read(&after);
    assert_eq!(slicers(&twice, 0), slicers(&after, 0));
}

#[test]
fn a_table_without_conditions_keeps_the_filter_that_its_slicer_needs() {
    let table = r#"{"type":"setItem","sheet":1,"item":4,"kind":"table","anchors":["A1:D7"],"fields":{"name":"Sales","totalRow":true}},
        {"type":"setItem","sheet":1,"item":5,"kind":"autoFilter","anchors":["A1:D6"],"fields":{}}"#;
    let (after, _) = written_and_read(&workbook(&[table, &slicer(1, 6, "F2", r#""column":"=$A$1:$A$6""#)]));
    assert_eq!(items_of(&after, 0, &["autoFilter"]), ["autoFilter A1:D6 {}"]);
    let expected = r#"slicer F2 {"column":"=$A$1:$A$6","height":230.0,"type":"values","width":190.0}"#;
    assert_eq!(slicers(&after, 0), [expected]);
}

#[test]
fn a_slicer_filters_the_pivot_tables_of_its_sheet_in_the_file_too() {
    let before = workbook(&[
        &pivot(4, "B5", BY_REGION),
        &pivot(5, "F5", BY_PRODUCT),
        &slicer(
            101,
            6,
            "J2",
            r#""column":"=Sheet1!$A$1:$A$6","title":"Where","type":"values","width":200,"height":150"#,
        ),
        r#"{"type":"filterBySlicer","sheet":101,"item":6,"shown":["East","North"]}"#,
    ]);
    assert_eq!(lost(&before), Vec::<String>::new());
    let (after, bytes) = written_and_read(&before);
    assert_eq!(slicers(&after, 1), slicers(&before, 1));
    let filters = |workbook: &Workbook| {
        items_of(workbook, 1, &["pivotTable"]).join(" ").matches(r#""shown":["East","North"]"#).count()
    };
    assert_eq!((filters(&before), filters(&after)), (2, 2));
    assert_eq!(values(&after, 1, "B5:G9"), values(&before, 1, "B5:G9"));
    assert_eq!(values(&after, 1, "B6:C7"), ["East | 30", "North | 7"]);

    // Excel connects slicers with pivot tables that have one cache.
    let cache = part(&bytes, "xl/slicerCaches/slicerCache1.xml");
    let connected = r#"<pivotTables><pivotTable tabId="2" name="PivotTable1"/><pivotTable tabId="2" name="PivotTable2"/></pivotTables>"#;
    assert!(cache.contains(connected), "{cache}");
    let items = r#"<tabular pivotCacheId="1"><items count="3"><i x="0" s="1"/><i x="1" s="1"/><i x="2"/></items></tabular>"#;
    assert!(cache.contains(items), "{cache}");
    let book = part(&bytes, "xl/workbook.xml");
    assert!(
        book.contains(r#"<pivotCaches><pivotCache cacheId="1" r:id="rIdPivot1"/></pivotCaches><extLst>"#),
        "{book}"
    );
    assert!(book.contains("{BBE1A952-AA13-448e-AADC-164F8A28A991}"), "{book}");
    assert!(!parts(&bytes).contains_key("xl/pivotCache/pivotCacheDefinition2.xml"));
    let cache = part(&bytes, "xl/pivotCache/pivotCacheDefinition1.xml");
    assert!(cache.contains(r#"<x14:pivotCacheDefinition pivotCacheId="1"/>"#), "{cache}");
    assert!(cache.contains(r#"<s v="East"/><s v="North"/><s v="West"/>"#), "{cache}");
    assert!(cache.contains(r#"<s v="Apples"/>"#), "{cache}");
    let table = part(&bytes, "xl/pivotTables/pivotTable2.xml");
    assert!(table.contains(r#"name="PivotTable2" cacheId="1""#), "{table}");
    assert!(part(&bytes, "xl/worksheets/sheet2.xml").contains("{A8765BA9-456A-4dab-B4F3-ACF838C121DE}"));
    assert!(part(&bytes, "xl/drawings/drawing1.xml").contains(r#"Requires="a14""#));
    let (twice, _) = written_and_read(&after);
    assert_eq!(slicers(&twice, 1), slicers(&after, 1));
}

#[test]
fn a_slicer_of_a_column_that_is_not_in_the_report_needs_no_room_above_it() {
    // Without a slicer, the filter would be shown in two rows above the pivot table.
    let filters = r#""filters":[{"column":"=Sheet1!$B:$B","shown":["Apples"],"showBlanks":false}]"#;
    let report = pivot(4, "B1", &format!("{BY_REGION},{filters}"));
    let of_product =
        slicer(101, 6, "J2", r#""column":"=Sheet1!$B$1:$B$6","type":"values","width":190,"height":230"#);
    let before = workbook(&[&report, &of_product]);
    assert_eq!(lost(&workbook(&[&report])), ["pivot tables, of which the file has the values: 'Pivot'!B1"]);
    assert_eq!(lost(&before), Vec::<String>::new());
    let (after, bytes) = written_and_read(&before);
    let table = part(&bytes, "xl/pivotTables/pivotTable1.xml");
    let field =
        r#"<items count="4"><item x="0"/><item h="1" x="1"/><item h="1" x="2"/><item t="default"/></items>"#;
    assert!(table.contains(field) && !table.contains("axisPage"), "{table}");
    assert_eq!(slicers(&after, 1), slicers(&before, 1));
    assert_eq!(
        values(&after, 1, "B1:C5"),
        ["Region | SUM of Amount", "East | 10", "West | 35", "Grand total | 45", " | "]
    );
}

#[test]
fn a_timeline_and_its_period_are_written_and_read() {
    let timeline = slicer(
        101,
        6,
        "J2",
        r#""column":"=Sheet1!$C$1:$C$6","title":"When","type":"dates","grouping":"quarter","width":380,"height":144"#,
    );
    let report = pivot(4, "B1", BY_REGION);
    let all = workbook(&[&report, &timeline]);
    assert_eq!(lost(&all), Vec::<String>::new());
    let (after, bytes) = written_and_read(&all);
    assert_eq!(slicers(&after, 1), slicers(&all, 1));
    let cache = part(&bytes, "xl/timelineCaches/timelineCache1.xml");
    // The days are from 2024-01-09 to 2025-02-12.
    let state = r#"<state minimalRefreshVersion="6" lastRefreshVersion="6" pivotCacheId="1" filterType="unknown"><bounds startDate="2024-01-01T00:00:00" endDate="2026-01-01T00:00:00"/></state>"#;
    assert!(cache.contains(state), "{cache}");

    let selection = r#"{"type":"filterBySlicer","sheet":101,"item":6,"from":"2024-02-01","to":"2024-03-31"}"#;
    let before = workbook(&[&report, &timeline, selection]);
    assert_eq!(lost(&before), Vec::<String>::new());
    assert_eq!(
        values(&before, 1, "B1:C4"),
        ["Region | SUM of Amount", "East | 20", "West | 5", "Grand total | 25"]
    );
    let (after, bytes) = written_and_read(&before);
    assert_eq!(slicers(&after, 1), slicers(&before, 1));
    assert_eq!(values(&after, 1, "B1:C4"), values(&before, 1, "B1:C4"));
    let period = r#""operator":"between","value1":"45323","value2":"45382.999999""#;
    assert!(items_of(&after, 1, &["pivotTable"])[0].contains(period));
    let cache = part(&bytes, "xl/timelineCaches/timelineCache1.xml");
    let state = r#"filterType="dateBetween"><selection startDate="2024-02-01T00:00:00" endDate="2024-03-31T00:00:00"/><bounds"#;
    assert!(cache.contains(state), "{cache}");
    let view = part(&bytes, "xl/timelines/timeline1.xml");
    assert!(
        view.contains(
            r#"name="When" cache="NativeTimeline_Day" caption="When" level="1" selectionLevel="1""#
        ),
        "{view}"
    );
    let table = part(&bytes, "xl/pivotTables/pivotTable1.xml");
    let filter = r#"<filters count="1"><filter fld="2" type="dateBetween" evalOrder="-1" id="1" name="Day"><autoFilter ref="A1"><filterColumn colId="0"><customFilters and="1"><customFilter operator="greaterThanOrEqual" val="45323"/><customFilter operator="lessThanOrEqual" val="45382"/></customFilters></filterColumn></autoFilter>"#;
    assert!(table.contains(filter), "{table}");
    let cache = part(&bytes, "xl/pivotCache/pivotCacheDefinition1.xml");
    let dates = r#"<cacheField name="Day" numFmtId="14"><sharedItems containsSemiMixedTypes="0" containsString="0" containsNonDate="0" containsDate="1" minDate="2024-01-09T00:00:00" maxDate="2025-02-12T00:00:00" count="5"><d v="2024-01-09T00:00:00"/>"#;
    assert!(cache.contains(dates), "{cache}");
    let drawing = part(&bytes, "xl/drawings/drawing1.xml");
    assert!(drawing.contains(r#"<tsle:timeslicer xmlns:tsle="http://schemas.microsoft.com/office/drawing/2012/timeslicer" name="When"/>"#), "{drawing}");
    let book = part(&bytes, "xl/workbook.xml");
    assert!(book.contains("{D0CA8CA8-9F24-4464-BF8E-62219DCF47F9}"), "{book}");
    assert!(part(&bytes, "xl/worksheets/sheet2.xml").contains("{7E03D99C-DC04-49d9-9315-930204A7B6E9}"));
    let (twice, _) = written_and_read(&after);
    assert_eq!(slicers(&twice, 1), slicers(&after, 1));
}

#[test]
fn a_period_of_a_field_of_the_report_needs_no_timeline() {
    let rows =
        r#""rows":[{"column":"=Sheet1!$C:$C"}],"values":[{"column":"=Sheet1!$D:$D","function":"sum"}]"#;
    let filter = r#""filters":[{"column":"=Sheet1!$C:$C","operator":"between","value1":"45301","value2":"45332.999999"}]"#;
    let before = workbook(&[&pivot(4, "B1", &format!("{rows},{filter}"))]);
    let (after, _) = written_and_read(&before);
    assert_eq!(values(&after, 1, "B1:C5"), values(&before, 1, "B1:C5"));
    assert_eq!(values(&after, 1, "B2:C5"), ["45301 | 30", "45331 | 20", "45332 | 5", "Grand total | 55"]);
    // Limits within a day are not days.
    let within = filter.replace("45332.999999", "45331.5");
    let before = workbook(&[&pivot(4, "B1", &format!("{rows},{within}"))]);
    assert_eq!(lost(&before), ["pivot tables, of which the file has the values: 'Pivot'!B1"]);
}

#[test]
fn what_excel_has_no_slicer_for_is_named() {
    let filter =
        r#"{"type":"setItem","sheet":1,"item":5,"kind":"autoFilter","anchors":["A1:D6"],"fields":{}}"#;
    let region = r#""column":"=$A$1:$A$6","title":"Where""#;
    let lost_of = |commands: &[&str]| lost(&workbook(commands)).join("; ");
    // A filter outside of a table.
    let expected = "slicers, whose conditions remain: Where ('Sheet1'!F2)";
    assert_eq!(lost_of(&[filter, &slicer(1, 6, "F2", region)]), expected);
    // A timeline of a table.
    let of_days = r#""column":"=$C$1:$C$6","type":"dates","title":"When""#;
    assert_eq!(
        lost_of(&[TABLE, &slicer(1, 6, "F2", of_days)]),
        "slicers, whose conditions remain: When ('Sheet1'!F2)"
    );
    // Neither a filter nor a pivot table, or no column.
    assert_eq!(lost_of(&[&slicer(1, 6, "F2", region)]), expected);
    assert_eq!(lost_of(&[TABLE, &slicer(1, 6, "F2", r#""title":"Where""#)]), expected);
    // A pivot table that is written as values.
    let median =
        r#""rows":[{"column":"=Sheet1!$A:$A"}],"values":[{"column":"=Sheet1!$D:$D","function":"median"}]"#;
    let of_pivot = slicer(101, 6, "J2", r#""column":"=Sheet1!$A$1:$A$6","title":"Where""#);
    assert_eq!(
        lost_of(&[&pivot(4, "B5", median), &of_pivot]),
        "pivot tables, of which the file has the values: 'Pivot'!B5; slicers, whose conditions remain: Where ('Pivot'!J2)"
    );
    // Groups of dates are other values than the dates.
    let by_year = r#""rows":[{"column":"=Sheet1!$C:$C","grouping":"year"}],"values":[{"column":"=Sheet1!$D:$D","function":"sum"}]"#;
    let of_days = slicer(101, 6, "J2", r#""column":"=Sheet1!$C$1:$C$6","title":"When","type":"dates""#);
    assert_eq!(
        lost_of(&[&pivot(4, "B5", by_year), &of_days]),
        "slicers, whose conditions remain: When ('Pivot'!J2)"
    );
    // Texts have no timeline.
    let of_texts = slicer(101, 6, "J2", r#""column":"=Sheet1!$A$1:$A$6","title":"Where","type":"dates""#);
    assert_eq!(
        lost_of(&[&pivot(4, "B5", BY_REGION), &of_texts]),
        "slicers, whose conditions remain: Where ('Pivot'!J2)"
    );
    for commands in [
        [filter, &slicer(1, 6, "F2", region)],
        [&pivot(4, "B5", by_year), &of_days],
        [&pivot(4, "B5", BY_REGION), &of_texts],
    ] {
        let (after, bytes) = written_and_read(&workbook(&commands));
        assert_eq!((slicers(&after, 0), slicers(&after, 1)), (Vec::new(), Vec::new()));
        assert!(!parts(&bytes).keys().any(|name| name.contains("licer") || name.contains("imeline")));
    }
}

#[test]
fn a_slicer_that_filters_less_in_the_file_is_named() {
    let expected = "slicers, which filter only some of their tables: Where ('Pivot'!J2)";
    let of_region = slicer(
        101,
        6,
        "J2",
        r#""column":"=Sheet1!$A$1:$A$6","title":"Where","type":"values","width":190,"height":230"#,
    );
    // Groups need a cache of their own.
    let groups = r#""rows":[{"column":"=Sheet1!$B:$B","name":"Kind","groups":[{"name":"Pome","values":["Apples","Pears"]}]}],"values":[{"column":"=Sheet1!$D:$D","function":"sum"}]"#;
    let grouped = workbook(&[&pivot(4, "B5", BY_REGION), &pivot(5, "F5", groups), &of_region]);
    assert_eq!(lost(&grouped), [expected]);
    let warning = ["changed: slicers filter all pivot tables of their sheet with their column"];
    let (after, bytes) = written_and_read_with(&grouped, &warning);
    assert_eq!(slicers(&after, 1), slicers(&grouped, 1));
    assert_eq!(part(&bytes, "xl/slicerCaches/slicerCache1.xml").matches("<pivotTable ").count(), 1);
    // Somebody has changed the filter of one of them.
    let other = format!(
        r#"{BY_PRODUCT},"filters":[{{"column":"=Sheet1!$A:$A","shown":["West"],"showBlanks":false}}]"#
    );
    let differing = workbook(&[&pivot(4, "B5", BY_REGION), &pivot(5, "F5", &other), &of_region]);
    assert_eq!(lost(&differing), [expected]);
    let (_, bytes) = written_and_read_with(&differing, &warning);
    let cache = part(&bytes, "xl/slicerCaches/slicerCache1.xml");
    assert!(
        cache.contains(r#"<pivotTables><pivotTable tabId="2" name="PivotTable1"/></pivotTables>"#),
        "{cache}"
    );
    assert!(part(&bytes, "xl/pivotCache/pivotCacheDefinition2.xml").contains("<cacheField"));
}

#[test]
fn a_slicer_of_a_table_and_of_a_pivot_table_is_connected_with_the_table() {
    let report = pivot(7, "F10", BY_REGION).replace("\"sheet\":101", "\"sheet\":1");
    let of_region = slicer(
        1,
        6,
        "F2",
        r#""column":"=$A$1:$A$6","title":"Where","type":"values","width":190,"height":150"#,
    );
    let condition = r#"{"type":"filterBySlicer","sheet":1,"item":6,"shown":["East"]}"#;
    let before = workbook(&[TABLE, &report, &of_region, condition]);
    assert_eq!(lost(&before), ["slicers, which filter only some of their tables: Where ('Sheet1'!F2)"]);
    let (after, bytes) = written_and_read(&before);
    assert_eq!(slicers(&after, 0), slicers(&before, 0));
    assert_eq!(values(&after, 0, "F10:G12"), ["Region | SUM of Amount", "East | 30", "Grand total | 30"]);
    assert!(part(&bytes, "xl/slicerCaches/slicerCache1.xml").contains("tableSlicerCache"));
    assert!(!parts(&bytes).contains_key("xl/slicerCaches/slicerCache2.xml"));
}

#[test]
fn caches_have_names_that_no_other_name_equals() {
    let name = r#"{"type":"defineName","sheet":1,"name":"Slicer_region","definition":"=Sheet1!$A$1"}"#;
    let of_region = |item: u32, at: &str, sheet: u32, column: &str| {
        slicer(sheet, item, at, &format!(r#""column":"{column}","type":"values","width":190,"height":230"#))
    };
    let before = workbook(&[
        TABLE,
        name,
        &pivot(4, "B5", BY_REGION),
        &of_region(6, "F2", 1, "=$A$1:$A$6"),
        &of_region(6, "F2", 101, "=Sheet1!$A$1:$A$6"),
    ]);
    let (after, bytes) = written_and_read(&before);
    let names: BTreeSet<String> = values_of(&part(&bytes, "xl/workbook.xml"), "name")
        .into_iter()
        .filter(|name| name.starts_with("Slicer"))
        .collect();
    assert_eq!(names, ["Slicer_Region1", "Slicer_Region2", "Slicer_region"].map(str::to_owned).into());
    assert_eq!(after.names().map(|(name, _)| name.to_lowercase()).collect::<Vec<_>>(), ["slicer_region"]);
    let drawings: Vec<String> = ["xl/drawings/drawing1.xml", "xl/drawings/drawing2.xml"]
        .iter()
        .flat_map(|drawing| values_of(&part(&bytes, drawing), "name"))
        .filter(|name| name.starts_with("Region"))
        .collect();
    assert_eq!(drawings, ["Region", "Region", "Region 1", "Region 1"]);
}

#[test]
fn a_file_has_the_first_slicers_of_many() {
    let column = |item: u32| slicer(1, item, "F2", r#""column":"=$A$1:$A$6","title":"Where""#);
    let many: Vec<String> = (10..1_012).map(column).collect();
    let commands: Vec<&str> = std::iter::once(TABLE).chain(many.iter().map(String::as_str)).collect();
    let before = workbook(&commands);
    let expected = "slicers, whose conditions remain: Where ('Sheet1'!F2), Where ('Sheet1'!F2)";
    assert_eq!(lost(&before), [expected]);
    let (after, _) = written_and_read(&before);
    assert_eq!(slicers(&after, 0).len(), 1_000);
}

#[test]
fn slicers_are_beside_charts_images_and_sparklines() {
    let chart = r#"{"type":"setItem","sheet":1,"item":7,"kind":"chart","anchors":["F12"],"fields":{"type":"column","series":[{"values":"=Sheet1!$D$2:$D$6"}]}}"#;
    let sparkline = r#"{"type":"setItem","sheet":1,"item":8,"kind":"sparkline","anchors":["E2"],"fields":{"source":"=D2:D6"}}"#;
    let note =
        r#"{"type":"setItem","sheet":1,"item":9,"kind":"note","anchors":["A2"],"fields":{"text":"counted"}}"#;
    let of_region = slicer(1, 6, "F2", r#""column":"=$A$1:$A$6","type":"values","width":190,"height":230"#);
    let before = workbook(&[TABLE, chart, sparkline, note, &of_region]);
    let (after, bytes) = written_and_read(&before);
    assert_eq!(slicers(&after, 0), slicers(&before, 0));
    assert_eq!(items_of(&after, 0, &["chart", "note", "sparkline"]).len(), 3);
    let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
    assert_eq!(sheet.matches("<extLst>").count(), 1, "{sheet}");
}
