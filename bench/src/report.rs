//! [`Figures`]: the results of a workload, printed as a table and written as JSON.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::goals::{Table, show};
use crate::machine;
use crate::setting::{Outcome, Setting};

/// Measured figures in the order of the report.
#[derive(Default)]
pub struct Figures {
    /// Description of the workload.
    pub workload: String,
    rows: Vec<Figure>,
}

struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
}

impl Figures {
    /// No figures yet.
    pub fn new(workload: impl Into<String>) -> Figures {
        Figures { workload: workload.into(), rows: Vec::new() }
    }

    /// Adds a figure.
    pub fn add(&mut self, name: impl Into<String>, value: f64, unit: &'static str) {
        self.rows.push(Figure { name: name.into(), value, unit });
    }

    /// Adds p50, p95, p99 and the maximum.
    pub fn add_distribution(&mut self, name: &str, mut values: Vec<f64>, unit: &'static str) {
        values.sort_by(f64::total_cmp);
        let Some(last) = values.len().checked_sub(1) else { return };
        for (label, share) in [("p50", 0.50), ("p95", 0.95), ("p99", 0.99), ("max", 1.0)] {
            self.add(format!("{name}, {label}"), values[(last as f64 * share).round() as usize], unit);
        }
    }

    /// Prints the figures.
    pub fn print(&self, name: &str) {
        println!("## {name}: {}", self.workload);
        let width = self.rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
        for Figure { name, value, unit } in &self.rows {
            println!("  {name:width$}  {} {unit}", show(*value));
        }
        println!();
    }

    /// The figures as JSON, with the machine.
    pub fn to_json(&self, setting: &Setting) -> Value {
        let figures: Map<String, Value> = self
            .rows
            .iter()
            .map(|row| (row.name.clone(), json!({ "value": row.value, "unit": row.unit })))
            .collect();
        json!({
            "workload": self.workload,
            "machine": machine::describe(setting),
            "quick": setting.is_quick,
            "figures": figures,
        })
    }
}

/// Tables as JSON, with the machine.
pub fn tables_to_json(tables: &[Table], summary: &str, setting: &Setting) -> Value {
    json!({
        "machine": machine::describe(setting),
        "quick": setting.is_quick,
        "peers": setting.with_peers,
        "summary": summary,
        "tables": tables.iter().map(Table::to_json).collect::<Vec<_>>(),
    })
}

/// Writes JSON to a file.
pub fn write(document: Value, file: &Path) -> Outcome<()> {
    let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())? + "\n";
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(file, text))
        .map_err(|error| format!("{}: {error}", file.display()))
}
