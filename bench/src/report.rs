//! Figures as a table and as JSON.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::{Outcome, Setting, machine};

/// What was measured, in the order in which it is told.
#[derive(Default)]
pub struct Figures {
    /// What was done, in a sentence.
    pub workload: String,
    rows: Vec<Figure>,
}

struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
}

impl Figures {
    pub fn new(workload: impl Into<String>) -> Figures {
        Figures { workload: workload.into(), rows: Vec::new() }
    }

    pub fn add(&mut self, name: impl Into<String>, value: f64, unit: &'static str) {
        self.rows.push(Figure { name: name.into(), value, unit });
    }

    /// p50, p95, p99 and the largest.
    pub fn add_distribution(&mut self, name: &str, mut values: Vec<f64>, unit: &'static str) {
        values.sort_by(f64::total_cmp);
        let Some(last) = values.len().checked_sub(1) else { return };
        for (label, share) in [("p50", 0.50), ("p95", 0.95), ("p99", 0.99), ("max", 1.0)] {
            self.add(format!("{name}, {label}"), values[(last as f64 * share).round() as usize], unit);
        }
    }

    pub fn print(&self, name: &str) {
        println!("## {name}: {}", self.workload);
        let width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        for Figure { name, value, unit } in &self.rows {
            println!("  {name:width$}  {} {unit}", round(*value));
        }
        println!();
    }

    pub fn write(&self, name: &str, folder: &Path, setting: &Setting) -> Outcome<()> {
        let figures: Map<String, Value> = self
            .rows
            .iter()
            .map(|row| (row.name.clone(), json!({ "value": row.value, "unit": row.unit })))
            .collect();
        let document = json!({
            "workload": self.workload,
            "machine": machine::describe(setting),
            "quick": setting.is_quick,
            "figures": figures,
        });
        let file = folder.join(format!("{name}.json"));
        let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())? + "\n";
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&file, text))
            .map_err(|error| format!("{}: {error}", file.display()))
    }
}

/// Three figures that mean something.
fn round(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
