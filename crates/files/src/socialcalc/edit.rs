//! The part `edit` of a save: panes, the graph and the active cell.

use std::collections::BTreeMap;

use quadrille_workbook::{Field, ItemId, Sheet};

use super::graph::{self, Graph};
use crate::contents::FieldTexts;

/// Rows or columns of a pane below the frozen ones, which SocialCalc adjusts to its window.
const PANE_LENGTH: u32 = 20;
/// Frozen rows or columns, at most; the limit of the settings of a sheet.
const FROZEN_MAX: u32 = 1_000;

/// Reads the frozen rows and columns, `rowpane:0:1:2` and `rowpane:1:3:20`, and EtherCalc's graph. Returns
/// the names of what is left out.
pub fn read(state: &str, settings: &mut FieldTexts) -> (Option<Graph>, Vec<&'static str>) {
    let (mut found, mut left_out) = (None, Vec::new());
    let mut starts = BTreeMap::new();
    for line in state.lines() {
        let fields: Vec<&str> = line.trim().split(':').collect();
        match fields[..] {
            [kind @ ("rowpane" | "colpane"), pane, first, _last] => {
                starts.insert((kind, pane), first.parse::<u32>().unwrap_or(1));
            }
            ["graph", ..] => match graph::read(line.trim()) {
                Ok(graph) => found = graph,
                Err(name) => left_out.push(name),
            },
            // The position of the window and the selected cells belong to a person.
            _ => {}
        }
    }
    for (kind, field) in [("rowpane", Field::FrozenRows), ("colpane", Field::FrozenColumns)] {
        let Some(first) = starts.get(&(kind, "1")) else { continue };
        let is_at_edge = starts.get(&(kind, "0")).is_none_or(|first| *first == 1);
        match is_at_edge && (2..=FROZEN_MAX + 1).contains(first) {
            true => settings.number(field, Some(f64::from(first - 1))),
            false => left_out.push("panes that do not start at the edge of the sheet"),
        }
    }
    (found, left_out)
}

/// The state of an editor that shows the frozen rows and columns, and a graph.
pub fn write(sheet: &Sheet) -> String {
    let mut state = "version:1.0\n".to_owned();
    let settings = sheet.item(ItemId::SETTINGS);
    for (kind, field) in [("rowpane", Field::FrozenRows), ("colpane", Field::FrozenColumns)] {
        let frozen = settings.and_then(|settings| settings.number(field)).unwrap_or(0.0) as u32;
        if frozen > 0 {
            // The first pane has the frozen rows or columns.
            state += &format!("{kind}:0:1:{frozen}\n{kind}:1:{}:{}\n", frozen + 1, frozen + PANE_LENGTH);
        }
    }
    state += "ecell:A1\n";
    state + &graph::write(sheet).map_or(String::new(), |(_, line)| line)
}
