//! Figures of the workload, as rows of its table.

use crate::goals::{Better, Measured, Row, Table};

/// The goal of a figure.
#[derive(Clone, Copy, Default)]
pub struct Goal {
    pub must: Option<f64>,
    pub aim: Option<f64>,
}

/// Adds a figure of which lower values are better.
pub fn add(table: &mut Table, key: &str, name: String, unit: &'static str, goal: Goal, values: Vec<f64>) {
    table.rows.push(Row {
        key: key.to_owned(),
        name,
        unit,
        better: Better::Lower,
        must: goal.must,
        aim: goal.aim,
        contains: "",
        measured: vec![Some(Measured::Values(values))],
    });
}

/// The value below which this share of the values is; infinite without any.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let Some(last) = values.len().checked_sub(1) else { return f64::INFINITY };
    values[(last as f64 * share).round() as usize]
}
