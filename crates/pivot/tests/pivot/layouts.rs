//! The cells of pivot tables: layout, order, totals, percentages and filters.

use std::collections::BTreeMap;

use crate::support::{evaluate, field, item, output, text, workbook};
use quadrille_workbook::{Field, FieldValue, Item, Workbook};

fn sales() -> Workbook {
    let row = |line: &'static str| line.split(' ').map(|cell| if cell == "-" { "" } else { cell }).collect();
    workbook(
        &[
            "Region Product Quarter Amount",
            "East Apples 1 10",
            "East Pears 2 20",
            "West Apples 1 30",
            "west Apples 2 5",
            "East Apples 1 1.5",
        ]
        .map(row),
    )
}

/// Checks all cells of a pivot table; cells are separated by ` | `.
fn check(rows: &[&str], columns: &[&str], values: &[&str], expected: &[&str]) {
    let workbook = sales();
    check_item(&workbook, &item(&workbook, rows, columns, values), expected);
}

fn check_item(workbook: &Workbook, item: &Item, expected: &[&str]) {
    let actual = text(output(&evaluate(workbook, item)));
    assert_eq!(actual.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn rows_alone_have_values_beside_them() {
    check(
        &["Region"],
        &[],
        &["Amount sum", "Product count"],
        &[
            "Region | SUM of Amount | COUNTA of Product",
            "East | 31.5 | 3",
            "West | 35 | 2",
            "Grand total | 66.5 | 5",
        ],
    );
}

#[test]
fn rows_and_columns_have_totals_on_both_axes() {
    check(
        &["Region"],
        &["Quarter"],
        &["Amount"],
        &[
            "SUM of Amount | Quarter |  |",
            "Region | 1 | 2 | Grand total",
            "East | 11.5 | 20 | 31.5",
            "West | 30 | 5 | 35",
            "Grand total | 41.5 | 25 | 66.5",
        ],
    );
}

#[test]
fn outer_groups_have_subtotals() {
    check(
        &["Region", "Product"],
        &["Quarter"],
        &["Amount"],
        &[
            "SUM of Amount |  | Quarter |  |",
            "Region | Product | 1 | 2 | Grand total",
            "East | Apples | 11.5 |  | 11.5",
            " | Pears |  | 20 | 20",
            "East total |  | 11.5 | 20 | 31.5",
            "West | Apples | 30 | 5 | 35",
            "West total |  | 30 | 5 | 35",
            "Grand total |  | 41.5 | 25 | 66.5",
        ],
    );
}

#[test]
fn several_values_share_the_labels_of_their_column() {
    check(
        &["Product"],
        &["Quarter"],
        &["Amount sum", "Amount maximum"],
        &[
            " | Quarter |  |  |  |  |",
            " | 1 |  | 2 |  | Grand total |",
            "Product | SUM of Amount | MAX of Amount | SUM of Amount | MAX of Amount | SUM of Amount | MAX of Amount",
            "Apples | 41.5 | 30 | 5 | 5 | 46.5 | 30",
            "Pears |  |  | 20 | 20 | 20 | 20",
            "Grand total | 41.5 | 30 | 25 | 20 | 66.5 | 30",
        ],
    );
}

#[test]
fn columns_alone_have_one_row() {
    check(
        &[],
        &["Region"],
        &["Amount"],
        &["SUM of Amount | Region |  |", " | East | West | Grand total", "Grand total | 31.5 | 35 | 66.5"],
    );
}

#[test]
fn fields_without_values_list_their_labels() {
    check(
        &["Region", "Product"],
        &[],
        &[],
        &["Region | Product", "East | Apples", " | Pears", "East total |", "West | Apples", "West total |"],
    );
    check(&[], &[], &["Amount"], &["SUM of Amount", "66.5"]);
    check(&[], &[], &[], &["Pivot table"]);
}

#[test]
fn groups_are_ordered_by_label_or_by_value() {
    check(
        &["Region descending"],
        &[],
        &["Amount"],
        &["Region | SUM of Amount", "West | 35", "East | 31.5", "Grand total | 66.5"],
    );
    check(
        &["Product by 0"],
        &[],
        &["Amount"],
        &["Product | SUM of Amount", "Pears | 20", "Apples | 46.5", "Grand total | 66.5"],
    );
    check(
        &["Product descending by 0"],
        &[],
        &["Amount"],
        &["Product | SUM of Amount", "Apples | 46.5", "Pears | 20", "Grand total | 66.5"],
    );
}

#[test]
fn totals_contain_only_the_top_groups() {
    check(&["Region top 1"], &[], &["Amount"], &["Region | SUM of Amount", "West | 35", "Grand total | 35"]);
    check(
        &["Product bottom 1"],
        &["Region"],
        &["Amount"],
        &[
            "SUM of Amount | Region |  |",
            "Product | East | West | Grand total",
            "Pears | 20 |  | 20",
            "Grand total | 20 |  | 20",
        ],
    );
}

#[test]
fn values_are_shown_as_percentages() {
    check(
        &["Region"],
        &["Quarter"],
        &["Amount as percentOfRow"],
        &[
            "SUM of Amount | Quarter |  |",
            "Region | 1 | 2 | Grand total",
            "East | 0.36507936507936506 | 0.6349206349206349 | 1",
            "West | 0.8571428571428571 | 0.14285714285714285 | 1",
            "Grand total | 0.6240601503759399 | 0.37593984962406013 | 1",
        ],
    );
    // Of the region, whose share is of the grand total.
    check(
        &["Region", "Product"],
        &[],
        &["Amount as percentOfParentRow"],
        &[
            "Region | Product | SUM of Amount",
            "East | Apples | 0.36507936507936506",
            " | Pears | 0.6349206349206349",
            "East total |  | 0.47368421052631576",
            "West | Apples | 1",
            "West total |  | 0.5263157894736842",
            "Grand total |  | 1",
        ],
    );
}

#[test]
fn values_are_shown_relative_to_the_groups_before() {
    let values =
        ["Amount as runningTotal", "Amount as difference", "Amount as percentDifference", "Amount as rank"];
    let workbook = sales();
    let mut item = item(&workbook, &["Quarter", "Region"], &[], &values);
    let name = |records: &mut FieldValue, index: usize, name: &str| {
        let FieldValue::List(records) = records else { unreachable!("a list") };
        let FieldValue::Record(record) = &mut records[index] else { unreachable!("a record") };
        record.insert(Field::Name, FieldValue::Text(name.into()));
    };
    for (index, text) in ["run", "difference", "percent", "rank"].into_iter().enumerate() {
        name(item.fields.get_mut(&Field::Values).expect("values"), index, text);
    }
    check_item(
        &workbook,
        &item,
        &[
            "Quarter | Region | run | difference | percent | rank",
            "1 | East | 11.5 |  |  | 2",
            " | West | 41.5 | 18.5 | 1.608695652173913 | 1",
            "1 total |  | 41.5 |  |  | 1",
            "2 | East | 20 |  |  | 1",
            " | West | 25 | -15 | -0.75 | 2",
            "2 total |  | 66.5 | -16.5 | -0.39759036144578314 | 2",
            "Grand total |  |  |  |  |",
        ],
    );
}

fn filtered(header: &str, fields: &[(Field, FieldValue)]) -> (Workbook, Item) {
    let workbook = sales();
    let mut item = item(&workbook, &["Region"], &[], &["Amount"]);
    let mut filter: BTreeMap<Field, FieldValue> = field(&workbook, header);
    filter.extend(fields.iter().cloned());
    item.fields.insert(Field::Filters, FieldValue::List(vec![FieldValue::Record(filter)]));
    (workbook, item)
}

#[test]
fn filters_choose_rows_by_value_or_condition() {
    let text = |text: &str| FieldValue::Text(text.into());
    let (workbook, item) = filtered("Product", &[(Field::Shown, FieldValue::List(vec![text("apples")]))]);
    check_item(
        &workbook,
        &item,
        &["Region | SUM of Amount", "East | 11.5", "West | 35", "Grand total | 46.5"],
    );
    let at_least_10 = [(Field::Operator, text("greaterOrEqual")), (Field::Value1, text("10"))];
    let (workbook, item) = filtered("Amount", &at_least_10);
    check_item(&workbook, &item, &["Region | SUM of Amount", "East | 30", "West | 30", "Grand total | 60"]);
    let (workbook, item) =
        filtered("Product", &[(Field::Operator, text("contains")), (Field::Value1, text("EAR"))]);
    check_item(&workbook, &item, &["Region | SUM of Amount", "East | 20", "Grand total | 20"]);
}

#[test]
fn blank_rows_are_left_out_and_blank_labels_named() {
    let workbook =
        workbook(&[vec!["Kind", "Size"], vec!["", "1"], vec!["", ""], vec!["a", "#N/A"], vec!["a", "x"]]);
    let item = item(&workbook, &["Kind"], &[], &["Size sum", "Size count", "Size countUnique"]);
    check_item(
        &workbook,
        &item,
        &[
            "Kind | SUM of Size | COUNTA of Size | COUNTUNIQUE of Size",
            "a | #N/A | 2 | 2",
            "(blank) | 1 | 1 | 1",
            "Grand total | #N/A | 3 | 3",
        ],
    );
}

#[test]
fn labels_are_repeated_and_totals_hidden_on_request() {
    let workbook = sales();
    let mut item = item(&workbook, &["Region flat", "Product"], &[], &["Amount"]);
    item.fields.insert(Field::RepeatLabels, FieldValue::Boolean(true));
    item.fields.insert(Field::ShowTotalRow, FieldValue::Boolean(false));
    check_item(
        &workbook,
        &item,
        &[
            "Region | Product | SUM of Amount",
            "East | Apples | 11.5",
            "East | Pears | 20",
            "West | Apples | 35",
        ],
    );
}

#[test]
fn outer_groups_of_the_outline_and_the_compact_layout_are_above_their_inner_groups() {
    let workbook = sales();
    let in_layout = |layout: &str, rows: &[&str], expected: &[&str]| {
        let mut item = item(&workbook, rows, &[], &["Amount"]);
        item.fields.insert(Field::Layout, FieldValue::Text(layout.into()));
        check_item(&workbook, &item, expected);
    };
    in_layout(
        "outline",
        &["Region", "Product"],
        &[
            "Region | Product | SUM of Amount",
            "East |  | 31.5",
            " | Apples | 11.5",
            " | Pears | 20",
            "West |  | 35",
            " | Apples | 35",
            "Grand total |  | 66.5",
        ],
    );
    in_layout(
        "compact",
        &["Region", "Product"],
        &[
            "Region / Product | SUM of Amount",
            "East | 31.5",
            "Apples | 11.5",
            "Pears | 20",
            "West | 35",
            "Apples | 35",
            "Grand total | 66.5",
        ],
    );
    // Without subtotals, the line of an outer group has no values.
    in_layout(
        "compact",
        &["Region flat", "Product"],
        &[
            "Region / Product | SUM of Amount",
            "East |",
            "Apples | 11.5",
            "Pears | 20",
            "West |",
            "Apples | 35",
            "Grand total | 66.5",
        ],
    );
}

#[test]
fn labels_of_the_compact_layout_are_indented() {
    let workbook = sales();
    let mut item = item(&workbook, &["Region", "Product"], &[], &["Amount"]);
    item.fields.insert(Field::Layout, FieldValue::Text("compact".into()));
    let pivot = evaluate(&workbook, &item);
    let role = |row: u32| output(&pivot).role(row, 0);
    assert_eq!([role(1).indent, role(2).indent, role(6).indent], [0, 1, 0]);
    assert_eq!([role(1).is_total, role(2).is_total, role(6).is_total], [true, false, true]);
}
