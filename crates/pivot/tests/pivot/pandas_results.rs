//! Aggregates agree with those of pandas, whose results `pandas/make.py` has recorded.

use std::collections::BTreeMap;

use crate::support::{evaluate, item, output, workbook};
use quadrille_cell::Value;
use quadrille_pivot::Line;

/// Values by the labels of their row and column.
type Results<'a> = BTreeMap<(&'a str, &'a str), f64>;

/// The field of a column of pandas' data.
fn field(name: &str) -> &str {
    match name {
        "year" => "Date year",
        "quarter" => "Date quarter",
        "step" => "Units step 10",
        other => other,
    }
}

/// The labels of a line as pandas writes them: an interval by its start.
fn labels(line: &Line) -> String {
    let label = |value: &Value| match value {
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.split(" – ").next().unwrap_or_default().to_owned(),
        other => format!("{other:?}"),
    };
    line.labels.iter().map(label).collect::<Vec<_>>().join(",")
}

#[test]
fn aggregates_equal_those_of_pandas() {
    let rows: Vec<Vec<&str>> =
        include_str!("pandas/sales.tsv").lines().map(|line| line.split('\t').collect()).collect();
    let workbook = workbook(&rows);
    let mut expected: BTreeMap<(&str, &str, &str), Results> = BTreeMap::new();
    for line in include_str!("pandas/expected.tsv").lines() {
        let [function, rows, columns, row, column, value] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("six columns: {line}");
        };
        let value = value.parse().expect("a number");
        expected.entry((function, rows, columns)).or_default().insert((row, column), value);
    }
    let mut compared = 0;
    for ((function, row_fields, column_fields), values) in expected {
        let fields = |names: &'static str| {
            names.split(',').filter(|name| !name.is_empty()).map(field).collect::<Vec<_>>()
        };
        let item =
            item(&workbook, &fields(row_fields), &fields(column_fields), &[&format!("Amount {function}")]);
        let pivot = evaluate(&workbook, &item);
        let output = output(&pivot);
        let mut found = 0;
        for (row, line) in (output.header_rows..).zip(&output.row_lines) {
            for (column, column_line) in (output.label_columns..).zip(&output.column_lines) {
                let key = (labels(line), labels(column_line));
                let Some(Value::Number(actual)) = output.cells.get(row, column) else { continue };
                // pandas gives no value for groups without numbers, where 0 is shown here.
                let Some(expected) = values.get(&(&*key.0, &*key.1)) else {
                    assert_eq!(*actual, 0.0, "{function} of {key:?}");
                    continue;
                };
                let difference = (actual - expected).abs() / expected.abs().max(1.0);
                assert!(difference < 1e-12, "{function} of {key:?}: {actual}, pandas {expected}");
                found += 1;
            }
        }
        assert_eq!(found, values.len(), "{function} by {row_fields} and {column_fields}");
        compared += found;
    }
    assert!(compared > 900, "only {compared} values");
}
