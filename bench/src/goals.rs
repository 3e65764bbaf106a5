//! [`Table`]: figures with their goals ("must" and "aim") and those of other products.

use std::fmt::Write;

use serde_json::{Map, Value, json};

/// The result of one row in one column.
#[derive(Clone, Debug)]
pub enum Measured {
    /// All repetitions, in order.
    Values(Vec<f64>),
    /// Stopped after this time in seconds.
    Beyond(f64),
    /// The reason why there is no figure.
    Failed(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
/// Whether lower or higher figures are better.
pub enum Better {
    Lower,
    Higher,
}

/// A row of the table.
pub struct Row {
    /// Key in the JSON file.
    pub key: String,
    pub name: String,
    pub unit: &'static str,
    pub better: Better,
    pub must: Option<f64>,
    pub aim: Option<f64>,
    /// What the figure includes, if the name does not say it.
    pub contains: &'static str,
    /// In the order of [`Table::columns`]; Quadrille first.
    pub measured: Vec<Option<Measured>>,
}

/// A table of figures.
pub struct Table {
    pub title: String,
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
}

impl Measured {
    /// The best repetition: disturbances only make a figure worse.
    pub fn best(&self, better: Better) -> Option<f64> {
        let Measured::Values(values) = self else { return None };
        let values = values.iter().copied();
        match better {
            Better::Lower => values.min_by(f64::total_cmp),
            Better::Higher => values.max_by(f64::total_cmp),
        }
    }

    /// The median of the repetitions.
    pub fn median(&self) -> Option<f64> {
        let Measured::Values(values) = self else { return None };
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len().checked_sub(1)? / 2).copied()
    }
}

impl Row {
    /// The best figure of Quadrille.
    pub fn ours(&self) -> Option<f64> {
        self.measured.first()?.as_ref()?.best(self.better)
    }

    /// Whether the figure meets a goal; `None` without a goal. A missing figure misses the goal.
    fn meets(&self, goal: Option<f64>) -> Option<bool> {
        let goal = goal?;
        Some(self.ours().is_some_and(|ours| match self.better {
            Better::Lower => ours <= goal,
            Better::Higher => ours >= goal,
        }))
    }

    fn cell(&self, column: usize) -> String {
        match self.measured.get(column).and_then(Option::as_ref) {
            None => "–".to_owned(),
            Some(Measured::Beyond(seconds)) => format!("> {seconds} s"),
            Some(Measured::Failed(reason)) if reason == "not supported" => "–".to_owned(),
            Some(Measured::Failed(reason)) => reason.chars().take(24).collect(),
            Some(measured) => measured.best(self.better).map(show).unwrap_or_default(),
        }
    }

    fn verdict(&self) -> &'static str {
        match (self.meets(self.must), self.meets(self.aim)) {
            (None, None) => "",
            (_, Some(true)) => "aim met",
            (Some(true), _) => "must met",
            _ => "missed",
        }
    }

    fn to_json(&self, columns: &[String]) -> Value {
        let mut measured = Map::new();
        for (column, value) in columns.iter().zip(&self.measured) {
            let Some(value) = value else { continue };
            let described = match value {
                Measured::Values(values) => json!({
                    "best": value.best(self.better), "median": value.median(), "all": values,
                }),
                Measured::Beyond(seconds) => json!({ "stopped_after_seconds": seconds }),
                Measured::Failed(reason) => json!({ "trouble": reason }),
            };
            measured.insert(column.clone(), described);
        }
        json!({
            "name": self.name, "unit": self.unit, "must": self.must, "aim": self.aim,
            "must_met": self.meets(self.must), "aim_met": self.meets(self.aim),
            "contains": self.contains, "measured": measured,
        })
    }
}

impl Table {
    /// An empty table.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Table {
        let columns = columns.iter().map(|column| column.to_string()).collect();
        Table { title: title.into(), columns, rows: Vec::new() }
    }

    /// The table as JSON.
    pub fn to_json(&self) -> Value {
        let rows: Map<String, Value> =
            self.rows.iter().map(|row| (row.key.clone(), row.to_json(&self.columns))).collect();
        json!({ "title": self.title, "rows": rows })
    }

    /// The table as Markdown.
    pub fn to_text(&self) -> String {
        let has_goals = self.rows.iter().any(|row| row.must.or(row.aim).is_some());
        let mut header = vec!["work".to_owned(), self.columns[0].clone()];
        if has_goals {
            header.extend(["must", "aim", ""].map(str::to_owned));
        }
        header.extend(self.columns[1..].iter().cloned());
        let mut lines = vec![header];
        for row in &self.rows {
            let unit = if row.unit.is_empty() { String::new() } else { format!(", {}", row.unit) };
            let mut line = vec![format!("{}{unit}", row.name), row.cell(0)];
            if has_goals {
                let goal = |goal: Option<f64>| goal.map_or("–".to_owned(), show);
                line.extend([goal(row.must), goal(row.aim), row.verdict().to_owned()]);
            }
            line.extend((1..self.columns.len()).map(|column| row.cell(column)));
            lines.push(line);
        }
        let widths: Vec<usize> = (0..lines[0].len())
            .map(|column| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0))
            .collect();
        let mut text = format!("## {}\n\n", self.title);
        for (index, line) in lines.iter().enumerate() {
            let cells: Vec<String> =
                line.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            let _infallible = writeln!(text, "| {} |", cells.join(" | "));
            if index == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
                let _infallible = writeln!(text, "|-{}-|", rules.join("-|-"));
            }
        }
        text
    }
}

/// The machine-readable last line: `must: N of M met; aim: N of M met`.
pub fn summary(tables: &[Table]) -> String {
    let rows = || tables.iter().flat_map(|table| &table.rows);
    let count = |goal: fn(&Row) -> Option<f64>| {
        let verdicts: Vec<bool> = rows().filter_map(|row| row.meets(goal(row))).collect();
        (verdicts.iter().filter(|met| **met).count(), verdicts.len())
    };
    let (must, must_all) = count(|row| row.must);
    let (aim, aim_all) = count(|row| row.aim);
    format!("must: {must} of {must_all} met; aim: {aim} of {aim_all} met")
}

/// A number with three significant digits and separated thousands.
pub fn show(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => {
            let digits = format!("{value:.0}");
            let mut shown = String::new();
            for (index, digit) in digits.chars().enumerate() {
                if index > 0 && digit.is_ascii_digit() && (digits.len() - index).is_multiple_of(3) {
                    shown.push(',');
                }
                shown.push(digit);
            }
            shown.replace("-,", "-")
        }
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        0.0 => "0".to_owned(),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(better: Better, ours: Option<Measured>) -> Row {
        Row {
            key: "row".to_owned(),
            name: "row".to_owned(),
            unit: "ms",
            better,
            must: Some(10.0),
            aim: Some(5.0),
            contains: "",
            measured: vec![ours],
        }
    }

    #[test]
    fn the_best_repetition_counts_and_missing_figures_miss_their_goal() {
        let mut table = Table::new("figures", &["ours"]);
        table.rows.push(row(Better::Lower, Some(Measured::Values(vec![12.0, 9.0, 11.0]))));
        table.rows.push(row(Better::Lower, Some(Measured::Values(vec![4.0]))));
        table.rows.push(row(Better::Lower, Some(Measured::Beyond(60.0))));
        table.rows.push(row(Better::Higher, None));
        table.rows.push(Row { must: None, aim: None, ..row(Better::Lower, None) });
        assert_eq!(summary(&[table]), "must: 2 of 4 met; aim: 1 of 4 met");
    }

    #[test]
    fn higher_figures_meet_goals_of_rates() {
        let mut table = Table::new("figures", &["ours"]);
        let mut rate = row(Better::Higher, Some(Measured::Values(vec![9.0, 11.0])));
        rate.aim = Some(12.0);
        table.rows.push(rate);
        assert_eq!(summary(&[table]), "must: 1 of 1 met; aim: 0 of 1 met");
    }

    #[test]
    fn numbers_have_three_significant_digits() {
        let shown: Vec<String> = [0.0, 0.01234, 1.2345, 12.345, 123.45, 1234567.0].map(show).to_vec();
        assert_eq!(shown, ["0", "0.012", "1.23", "12.3", "123", "1,234,567"]);
    }
}
