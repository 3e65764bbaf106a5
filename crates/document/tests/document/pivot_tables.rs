//! Pivot tables in cells: what they fill, what blocks them, and how they follow edits.

use quadrille_cell::SheetId;
use quadrille_workbook::ItemId;

use crate::support::Sheet;

const SALES: &str = r#"[
  {"type":"typeTexts","sheet":1,"at":"A1","texts":[["Region","Day","Amount"],
    ["East","2024-01-05","$10"],["West","2024-02-01","$20"],["East","2024-02-11","$5"]]},
  {"type":"setItem","sheet":1,"item":7,"kind":"pivotTable","anchors":["E1"],"fields":{
    "source":"=$A$1:$C$4","rows":[{"column":"=$A:$A"}],"values":[{"column":"=$C:$C","function":"sum"}]}}]"#;

/// All cells of the pivot table of [`SALES`].
const CELLS: &str = "E1 F1 E2 F2 E3 F3 E4 F4";

fn patch(fields: &str) -> String {
    format!(r#"{{"type":"setItem","sheet":1,"item":7,"fields":{fields}}}"#)
}

#[test]
fn a_pivot_table_fills_cells_and_follows_its_source() {
    let mut sheet = Sheet::new(SALES);
    assert_eq!(sheet.show(CELLS), "Region SUM of Amount East $15 West $20 Grand total $35");
    sheet.set("G1", "=F4*2");
    sheet.set("G2", "=SUM(E1#)");
    assert_eq!(sheet.show("G1 G2"), "70 70");
    sheet.set("C2", "100");
    assert_eq!(sheet.show("F2 F4 G1 G2"), "$105 $125 250 250");
    // A header names its field.
    sheet.set("A1", "Area");
    assert_eq!(sheet.show("E1"), "Area");
    sheet.undo();
    sheet.undo();
    assert_eq!(sheet.show(CELLS), "Region SUM of Amount East $15 West $20 Grand total $35");
}

#[test]
fn a_pivot_table_grows_shrinks_and_disappears() {
    let mut sheet = Sheet::new(SALES);
    sheet.set("A4", "North");
    assert_eq!(sheet.show("E2 E3 E4 E5 F5"), "East North West Grand total $35");
    sheet.undo();
    assert_eq!(sheet.show("E4 E5 F5"), "Grand total  ");
    sheet.run(&patch(r#"{"columns":[{"column":"=$B:$B","grouping":"month"}]}"#));
    assert_eq!(
        sheet.show("E1 F1 E2 F2 G2 H2 E3 F3 G3 H3"),
        "SUM of Amount Day Region January February Grand total East $10 $5 $15"
    );
    sheet.run(r#"{"type":"removeItem","sheet":1,"item":7}"#);
    assert_eq!(sheet.show("E1 F1 G2 H2 E3"), "    ");
    sheet.undo();
    assert_eq!(sheet.show("H3"), "$15");
}

#[test]
fn an_error_stays_when_other_rows_are_inserted_or_deleted() {
    let mut sheet = Sheet::new(SALES);
    // The field is not a column of the source.
    sheet.run(&patch(r#"{"rows":[{"column":"=$H:$H"}]}"#));
    sheet.set("F1", "=IFERROR(SUM(E:E),\"error\")");
    assert_eq!(sheet.show("E1 F1"), "#REF! error");
    sheet.run(r#"{"type":"deleteRows","sheet":1,"at":11,"count":1}"#);
    assert_eq!(sheet.show("E1 F1"), "#REF! error");
    sheet.run(r#"{"type":"insertRows","sheet":1,"at":7,"count":2}"#);
    assert_eq!(sheet.show("E1 F1"), "#REF! error");
}

#[test]
fn inputs_in_its_way_block_a_pivot_table() {
    let mut sheet = Sheet::new(SALES);
    sheet.set("F3", "mine");
    assert_eq!(sheet.show("E1 F1 E2 F2 F3 F4"), "#SPILL!    mine ");
    sheet.set("F3", "");
    assert_eq!(sheet.show("F3 F4"), "$20 $35");
    // An input in the first cell leaves no place for an error.
    sheet.set("E1", "mine");
    assert_eq!(sheet.show("E1 F1 E2 F4"), "mine   ");
    sheet.set("E1", "=1+1");
    assert_eq!(sheet.show("E1 F1 E2 F4"), "2   ");
    sheet.set("E1", "");
    assert_eq!(sheet.show(CELLS), "Region SUM of Amount East $15 West $20 Grand total $35");
    // Clearing some of its cells changes nothing.
    sheet.run(r#"{"type":"clear","sheet":1,"range":"E2:F9","what":"contents"}"#);
    assert_eq!(sheet.show(CELLS), "Region SUM of Amount East $15 West $20 Grand total $35");
}

#[test]
fn arrays_and_pivot_tables_do_not_overlap() {
    let mut sheet = Sheet::new(SALES);
    // The array begins in a row below, so the pivot table has the cell.
    sheet.set("D3", "=SEQUENCE(1,3)");
    assert_eq!(sheet.show("D3 E3 F4"), "#SPILL! West $35");
    sheet.set("D3", "");
    // This one comes first.
    sheet.set("D1", "=SEQUENCE(2,2)");
    assert_eq!(sheet.show("D1 E1 D2 E2 F2 E4"), "1 2 3 4  ");
    sheet.set("D1", "");
    assert_eq!(sheet.show("E1 F4"), "Region $35");
}

#[test]
fn a_pivot_table_moves_with_rows_and_columns() {
    let mut sheet = Sheet::new(SALES);
    sheet.run(r#"{"type":"insertColumns","sheet":1,"at":1,"count":2}"#);
    assert_eq!(sheet.show("G1 H1 G2 H2 H4"), "Region SUM of Amount East $15 $35");
    sheet.run(r#"{"type":"insertRows","sheet":1,"at":0,"count":3}"#);
    assert_eq!(sheet.show("G4 H7"), "Region $35");
    sheet.run(r#"{"type":"deleteColumns","sheet":1,"at":0,"count":1}"#);
    // The column of its row field is gone.
    assert_eq!(sheet.show("F4 G4 F5"), "#REF!  ");
    sheet.undo();
    sheet.undo();
    sheet.undo();
    assert_eq!(sheet.show(CELLS), "Region SUM of Amount East $15 West $20 Grand total $35");
}

#[test]
fn a_source_may_be_a_name_a_table_or_on_another_sheet() {
    let mut sheet = Sheet::new(SALES);
    sheet.run(r#"{"type":"defineName","sheet":1,"name":"sales","definition":"=Sheet1!$A$1:$C$3"}"#);
    sheet.run(&patch(r#"{"source":"=sales"}"#));
    assert_eq!(sheet.show("E2 F2 E3 F3 E4 F4"), "East $10 West $20 Grand total $30");
    sheet.run(r#"{"type":"defineName","sheet":1,"name":"sales","definition":"=Sheet1!$A$1:$C$2"}"#);
    assert_eq!(sheet.show("E2 F2 E3 F3"), "East $10 Grand total $10");
    sheet.run(r#"{"type":"setItem","sheet":1,"item":8,"kind":"table","anchors":["A1:C4"],"fields":{"name":"Orders"}}"#);
    sheet.run(&patch(r##"{"source":"=Orders[#All]"}"##));
    assert_eq!(sheet.show("F4"), "$35");
    sheet.run(r#"{"type":"addSheet","name":"Report"}"#);
    sheet.run(
        r#"{"type":"setItem","sheet":101,"item":7,"kind":"pivotTable","anchors":["B2"],"fields":{
          "source":"=Sheet1!$A$1:$C$4","columns":[{"column":"=Sheet1!$A:$A"}],
          "values":[{"column":"=Sheet1!$C:$C","function":"average"}]}}"#,
    );
    assert_eq!(
        sheet.show_in(101, "B2 C2 C3 D3 E3 B4 C4 E4"),
        "AVERAGE of Amount Region East West Grand total Grand total $8 $12"
    );
}

#[test]
fn a_pivot_table_over_its_own_cells_is_circular() {
    let mut sheet = Sheet::new(SALES);
    sheet.run(&patch(r#"{"source":"=$A$1:$G$9"}"#));
    assert_eq!(sheet.show("E1 F1 E2"), "#CIRC!  ");
    sheet.run(&patch(r#"{"source":"=$A$1:$C$4"}"#));
    assert_eq!(sheet.show("E1 F4"), "Region $35");
}

#[test]
fn a_circular_pivot_table_keeps_the_input_in_its_cell_with_iterative_calculation() {
    let mut sheet = Sheet::new(SALES);
    sheet.run(r#"{"type":"setItem","sheet":null,"item":0,"fields":{"iterative":true}}"#);
    sheet.set("E1", "kept");
    sheet.run(&patch(r#"{"source":"=$A$1:$G$9"}"#));
    assert_eq!(sheet.show("E1 F1 E2"), "kept  ");
    sheet.set("E1", "");
    sheet.run(&patch(r#"{"source":"=$A$1:$C$4"}"#));
    assert_eq!(sheet.show("E1 F4"), "Region $35");
}

#[test]
fn getpivotdata_finds_values_by_their_labels() {
    let mut sheet = Sheet::new(SALES);
    sheet.run(&patch(r#"{"columns":[{"column":"=$B:$B","grouping":"year"}]}"#));
    for (formula, value) in [
        (r#"=GETPIVOTDATA("SUM of Amount",E1,"Region","East","Day",2024)"#, "15"),
        (r#"=GETPIVOTDATA("Amount",F3,"region","west")"#, "20"),
        (r#"=GETPIVOTDATA("Amount",E1)"#, "35"),
        (r#"=GETPIVOTDATA("Amount",E1,"Region","South")"#, "#REF!"),
        (r#"=GETPIVOTDATA("Units",E1)"#, "#REF!"),
        (r#"=GETPIVOTDATA("Amount",A1)"#, "#REF!"),
        (r#"=GETPIVOTDATA("Amount",E1,"Region")"#, "#VALUE!"),
    ] {
        sheet.set("J1", formula);
        assert_eq!(sheet.show("J1"), value, "{formula}");
    }
    sheet.set("J1", r#"=GETPIVOTDATA("Amount",F3,"Region","West")"#);
    sheet.set("C3", "50");
    assert_eq!(sheet.show("J1"), "50");
}

#[test]
fn values_lead_to_the_rows_behind_them() {
    use quadrille_cell::{CellAddress, SheetId};
    let sheet = Sheet::new(SALES);
    let rows = |cell: &str| {
        let cell = CellAddress::parse_a1(cell).expect("an address");
        sheet.document.pivot_source_rows(SheetId(1), cell).map(|(_, _, rows)| rows)
    };
    assert_eq!(rows("F2"), Some(vec![1, 3]));
    assert_eq!(rows("F4"), Some(vec![1, 2, 3]));
    assert_eq!((rows("E2"), rows("F1"), rows("A1")), (None, None, None));
}

#[test]
fn a_new_document_has_the_same_pivot_tables() {
    use quadrille_document::{Document, EvaluationContext};
    use quadrille_operation::Transaction;
    let mut sheet = Sheet::new(SALES);
    sheet.set("A3", "East");
    let mut anew = Document::from_workbook(sheet.document.snapshot());
    anew.apply(&Transaction { operations: Vec::new() }, EvaluationContext::default());
    while !anew.evaluate(u64::MAX).finished {}
    let (one, other) = (&sheet.document.workbook().sheets()[0], &anew.workbook().sheets()[0]);
    let used = one.used_range().expect("it has cells");
    assert!(used.cells().all(|cell| one.value(cell) == other.value(cell)));
}

/// Groups the regions of [`SALES`] and one more, in a field beside the regions.
const GROUPED: &str = r#"{"rows":[{"column":"=$A:$A","name":"Area","groups":[{"name":"Coast","values":["East","West"]}]},
  {"column":"=$A:$A"}]}"#;

#[test]
fn own_groups_are_found_traced_and_undone() {
    use quadrille_cell::{CellAddress, SheetId};
    let mut sheet = Sheet::new(SALES);
    sheet.set("A3", "North");
    sheet.set("A4", "West");
    sheet.run(&patch(GROUPED));
    // Coast: East 10 and West 5; North: 20.
    assert_eq!(sheet.show("E2 F2 G2 E3 F3 G3 E4 G4"), "Coast East $10  West $5 Coast total $15");
    assert_eq!(sheet.show("E5 F5 G5 E6 G6 G7"), "North North $20 North total $20 $35");
    for (formula, value) in [
        (r#"=GETPIVOTDATA("Amount",E1,"Area","coast")"#, "15"),
        (r#"=GETPIVOTDATA("Amount",E1,"Area","Coast","Region","West")"#, "5"),
        (r#"=GETPIVOTDATA("Amount",E1,"Area","East")"#, "#REF!"),
    ] {
        sheet.set("J1", formula);
        assert_eq!(sheet.show("J1"), value, "{formula}");
    }
    let cell = |cell: &str| CellAddress::parse_a1(cell).expect("an address");
    // The total of Coast comes from the first and the third row.
    let rows = sheet.document.pivot_source_rows(SheetId(1), cell("G4")).map(|(_, _, rows)| rows);
    assert_eq!(rows, Some(vec![1, 3]));
    let labels = |active: &str, ranges: &[&str]| {
        let ranges: Vec<_> =
            ranges.iter().map(|range| quadrille_cell::Range::parse_a1(range).expect("a range")).collect();
        let (_, label, texts) = sheet.document.pivot_labels(SheetId(1), cell(active), &ranges)?;
        Some((label.field, texts.join(" ")))
    };
    assert_eq!(labels("F2", &["A1:F3", "F5"]), Some((1, "East West North".to_owned())));
    assert_eq!(labels("E2", &["E2:E999"]), Some((0, "Coast North".to_owned())));
    assert_eq!((labels("G2", &["F2"]), labels("A2", &["A2"])), (None, None));
    // The three formulas, then the groups.
    for _ in 0..4 {
        sheet.undo();
    }
    assert_eq!(sheet.show("E2 F2 E3 E4"), "East $10 North West");
}

/// Revenue and units of two regions; the price of a unit is not a sum of prices.
const PRICES: &str = r#"[
  {"type":"typeTexts","sheet":1,"at":"A1","texts":[["Region","Revenue","Units"],
    ["East","100","10"],["West","90","30"],["East","50","5"]]},
  {"type":"setItem","sheet":1,"item":7,"kind":"pivotTable","anchors":["E1"],"fields":{
    "source":"=$A$1:$C$4","rows":[{"column":"=$A:$A"}],
    "values":[{"name":"Price","formula":"=$B:$B/$C:$C"}]}}]"#;

#[test]
fn a_calculated_field_is_a_formula_over_the_sums_of_each_group() {
    let mut sheet = Sheet::new(PRICES);
    // 150 / 15, 90 / 30 and 240 / 45.
    assert_eq!(sheet.show("E1 F1 E2 F2 E3 F3 E4"), "Region Price East 10 West 3 Grand total");
    sheet.set("G1", "=ROUND(F4,4)");
    assert_eq!(sheet.show("G1"), "5.3333");
    sheet.set("B4", "200");
    assert_eq!(sheet.show("F2 F3"), "20 3");
    sheet.undo();
    assert_eq!(sheet.show("F2 F3"), "10 3");
    // References follow their columns, and a renamed header changes nothing.
    sheet.run(r#"{"type":"insertColumns","sheet":1,"at":2,"count":1}"#);
    sheet.set("D1", "Pieces");
    assert_eq!(sheet.show("G2 G3"), "10 3");
}

#[test]
fn calculated_fields_are_evaluated_by_the_functions_of_cells() {
    let mut sheet = Sheet::new(PRICES);
    let mut shown = |formula: &str| {
        sheet.run(&patch(&format!(r#"{{"values":[{{"formula":"{formula}"}}]}}"#)));
        sheet.show("F1 F2 F3 F4")
    };
    assert_eq!(shown("=IF($B:$B>100,ROUND($B:$B*0.19,1),0)"), "Calculated field 28.5 0 45.6");
    assert_eq!(shown("=LET(x,$C:$C,x*x)"), "Calculated field 225 900 2025");
    assert_eq!(shown("=7"), "Calculated field 7 7 7");
    assert_eq!(shown("=$B:$B/($C:$C-15)"), "Calculated field #DIV/0! 6 8");
    // Only whole columns of the source have sums.
    assert_eq!(shown("=$B$2+1"), "Calculated field #REF! #REF! #REF!");
    assert_eq!(shown("=$H:$H"), "Calculated field #REF! #REF! #REF!");
    assert_eq!(shown("=Unknown+1"), "Calculated field #NAME? #NAME? #NAME?");
    assert_eq!(shown("=NOW()"), "Calculated field #VALUE! #VALUE! #VALUE!");
}

#[test]
fn groups_are_ordered_and_limited_by_a_calculated_field() {
    let mut sheet = Sheet::new(PRICES);
    sheet.run(&patch(r#"{"rows":[{"column":"=$A:$A","sortBy":0}]}"#));
    assert_eq!(sheet.show("E2 F2 E3 F3"), "West 3 East 10");
    sheet.run(&patch(r#"{"rows":[{"column":"=$A:$A","rank":1,"rule":"top"}]}"#));
    assert_eq!(sheet.show("E2 F2 E3 F3 E4"), "East 10 Grand total 10 ");
    sheet.run(&patch(
        r#"{"rows":[{"column":"=$A:$A"}],"values":[{"formula":"=$B:$B-$C:$C","shownAs":"percentOfTotal"}]}"#,
    ));
    // (150 - 15) / 195 and (90 - 30) / 195.
    assert_eq!(sheet.show("F2 F3 F4"), "69.23% 30.77% 100.00%");
}

#[test]
fn a_chart_of_a_pivot_table_leaves_out_totals_and_follows_its_rows() {
    let mut sheet = Sheet::new(SALES);
    sheet.run(
        r#"{"type":"setItem","sheet":1,"item":8,"kind":"chart","anchors":["H1"],"fields":{"type":"column","series":[
        {"name":"=$F$1","categories":"=$E$2:$E$4","values":"=$F$2:$F$4"}]}}"#,
    );
    let drawn = |sheet: &Sheet| {
        let series = sheet.document.chart_series(SheetId(1), ItemId(8), &|_| None).expect("a chart");
        let points =
            series.iter().map(|one| format!("{}: {}", one.categories.join(" "), one.texts.join(" ")));
        points.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(drawn(&sheet), "East West: 15 20");
    sheet.set("A4", "North");
    assert_eq!(drawn(&sheet), "East North West: 10 5 20");
    sheet.set("A3", "East");
    assert_eq!(drawn(&sheet), "East North: 30 5");
    sheet.undo();
    sheet.undo();
    assert_eq!(drawn(&sheet), "East West: 15 20");
    // The column of totals is left out beside others.
    sheet.run(&patch(r#"{"columns":[{"column":"=$B:$B","grouping":"month"}]}"#));
    sheet.run(
        r#"{"type":"setItem","sheet":1,"item":8,"fields":{"series":[{"categories":"=$E$3:$E$5","values":"=$F$3:$F$5"},
        {"categories":"=$E$3:$E$5","values":"=$G$3:$G$5"},{"categories":"=$E$3:$E$5","values":"=$H$3:$H$5"}]}}"#,
    );
    assert_eq!(drawn(&sheet), "East West: 10 ; East West: 5 20");
    sheet.run(
        r#"{"type":"setItem","sheet":1,"item":8,"fields":{"series":[{"categories":"=$E$3:$E$5","values":"=$H$3:$H$5"}]}}"#,
    );
    assert_eq!(drawn(&sheet), "East West: 15 20");
}
