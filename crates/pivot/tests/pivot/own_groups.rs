//! Groups of one's own: their cells, order, labels and updates. All expected values are added up by
//! hand.

use quadrille_pivot::Label;
use quadrille_workbook::Workbook;

use crate::support::{evaluate, item, output, refresh, set, text, workbook};

/// Sales of four regions; one region is blank and one is spelled in two ways.
fn sales() -> Workbook {
    let row = |line: &'static str| line.split(' ').map(|cell| if cell == "-" { "" } else { cell }).collect();
    workbook(
        &["Region Month Amount", "East 1 10", "West 2 20", "North 3 5", "east 4 1", "South 1 3", "- 2 100"]
            .map(row),
    )
}

fn check(rows: &[&str], columns: &[&str], expected: &[&str]) {
    let workbook = sales();
    let item = item(&workbook, rows, columns, &["Amount sum"]);
    assert_eq!(text(output(&evaluate(&workbook, &item))).lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_group_stands_for_its_values_and_others_stand_for_themselves() {
    check(
        &["Region groups Coast=East,West"],
        &[],
        &[
            "Region | SUM of Amount",
            "Coast | 31",
            "North | 5",
            "South | 3",
            "(blank) | 100",
            "Grand total | 139",
        ],
    );
}

#[test]
fn an_inner_field_shows_the_values_of_each_group() {
    check(
        &["Region named Area groups Coast=EAST,West;Hills=North,South,", "Region"],
        &[],
        &[
            "Area | Region | SUM of Amount",
            "Coast | East | 11",
            " | West | 20",
            "Coast total |  | 31",
            "Hills | North | 5",
            " | South | 3",
            " | (blank) | 100",
            "Hills total |  | 108",
            "Grand total |  | 139",
        ],
    );
}

#[test]
fn groups_of_numbers_are_ordered_by_name_after_numbers() {
    check(
        &["Month groups Winter=1,2"],
        &[],
        &["Month | SUM of Amount", "3 | 5", "4 | 1", "Winter | 133", "Grand total | 139"],
    );
    check(
        &["Month descending groups Winter=1,2;Spring=3,4"],
        &[],
        &["Month | SUM of Amount", "Winter | 133", "Spring | 6", "Grand total | 139"],
    );
    check(
        &[],
        &["Month by 0 groups Winter=1,2;Spring=3,4"],
        &["SUM of Amount | Month |  |", " | Spring | Winter | Grand total", "Grand total | 6 | 133 | 139"],
    );
}

#[test]
fn a_value_belongs_to_the_first_of_its_groups_and_to_the_group_with_its_name() {
    check(
        &["Region groups Coast=East,West;South=West,North"],
        &[],
        &["Region | SUM of Amount", "Coast | 31", "South | 8", "(blank) | 100", "Grand total | 139"],
    );
}

#[test]
fn groups_follow_edits_as_a_new_evaluation_does() {
    let mut workbook = sales();
    let rows = ["Region named Area groups Coast=East,West,7", "Region"];
    let item = item(&workbook, &rows, &["Month groups Winter=1,2"], &["Amount sum"]);
    let mut pivot = evaluate(&workbook, &item);
    for (cell, input) in
        [("A4", "WEST"), ("C2", "11"), ("A2", "7"), ("B3", "3"), ("A7", "Coast"), ("A5", "coast"), ("A3", "")]
    {
        set(&mut workbook, cell, input);
        pivot = refresh(Some(pivot), &workbook, &item);
        assert_eq!(text(output(&pivot)), text(output(&evaluate(&workbook, &item))), "{cell}: {input}");
    }
    assert!(text(output(&pivot)).contains("Coast"));
}

#[test]
fn labels_are_values_or_names_of_groups() {
    let workbook = sales();
    let rows = ["Region named Area groups Coast=East,West", "Month"];
    let pivot = evaluate(&workbook, &item(&workbook, &rows, &["Region"], &["Amount sum"]));
    // The header rows are 0 and 1; Coast has three months and a total, the other regions one month each.
    assert_eq!(text(output(&pivot)).lines().nth(2), Some("Coast | 1 | 10 |  |  |  |  | 10"));
    let label = |row, column| pivot.label(row, column);
    let expect = |is_column, field, text: &str| Some(Label { is_column, field, text: text.to_owned() });
    assert_eq!(label(2, 0), expect(false, 0, "Coast"));
    assert_eq!(label(3, 0), expect(false, 0, "Coast"));
    assert_eq!(label(3, 1), expect(false, 1, "2"));
    assert_eq!(label(1, 3), expect(true, 0, "North"));
    assert_eq!(label(1, 6), expect(true, 0, ""));
    // A header, a value, a subtotal's empty cell, the grand totals and a cell outside.
    for (row, column) in [(0, 0), (1, 0), (2, 2), (5, 1), (12, 0), (1, 7), (99, 0), (2, 99)] {
        assert_eq!(label(row, column), None, "{row}, {column}");
    }
    let years = evaluate(&workbook, &item(&workbook, &["Month step 2"], &[], &["Amount sum"]));
    assert_eq!(years.label(1, 0), None);
}
