//! The reverse of `plan`: the commands by which a client of EtherCalc follows an operation.
//!
//! Cells are sent with the state that they have after the operation, so a command can be repeated
//! and does not depend on what the client showed before. Inserted and deleted rows and columns are
//! SocialCalc's own commands, followed by what SocialCalc does differently. What has no command, or
//! takes more commands than a save has lines, is left to a save of the sheet.

mod command_text;
mod content;
mod items;
mod structure;
mod styles;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_files::socialcalc_dialect::to_socialcalc;
use quadrille_formula::{Host, name_scope};
use quadrille_operation::{Operation, Touch, apply_operation};
use quadrille_workbook::{Sheet, Workbook};

pub use command_text::FOLLOWED_CELLS_MAX;
use command_text::{hidden, one_line, size};
use items::AttachedItems;

/// How a client follows an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Follow {
    /// By these commands; none when the client's sheet is not changed.
    Commands {
        commands: Vec<String>,
        /// Cells have moved: the addresses in commands that the client sent before it has seen these
        /// mean other cells.
        moves_cells: bool,
    },
    /// By a save of the sheet.
    Save,
}

/// Applies an operation to `workbook`, and returns the commands for a client that shows `sheet`. A sheet
/// that was removed has none.
pub fn follow(workbook: &mut Workbook, sheet: SheetId, operation: &Operation) -> Follow {
    let before = workbook.sheet(sheet).cloned();
    let used_before = before.as_ref().and_then(Sheet::used_range);
    let touched = apply_operation(workbook, operation).touched;
    let (Some(before), Some(after)) = (before, workbook.sheet(sheet)) else {
        return Follow::Commands { commands: Vec::new(), moves_cells: false };
    };
    let mut commands = Vec::new();
    let mut moves_cells = false;
    for touch in touched.changes {
        let more = match touch {
            Touch::Contents(id, range) if id == sheet => {
                content::contents(workbook, after, range, used_before)
            }
            Touch::Rewritten(id, range) if id == sheet => content::formulas(workbook, after, range),
            Touch::Formats(id, range) if id == sheet => match operation {
                Operation::SetFormat { patch, .. } => styles::changed(after, range, patch),
                _ => styles::all(after, range),
            },
            Touch::Restructured(edit) if edit.sheet == sheet => {
                moves_cells = true;
                structure::restructured(&before, after, &edit)
            }
            Touch::Items(Some(id)) if id == sheet => {
                AttachedItems::of(&before).changes(&AttachedItems::of(after))
            }
            Touch::Items(_)
            | Touch::Import(_)
            | Touch::Sizes(..)
            | Touch::Hidden(..)
            | Touch::Sheets
            | Touch::Names => Some(Vec::new()),
            Touch::Contents(..) | Touch::Rewritten(..) | Touch::Formats(..) | Touch::Restructured(_) => {
                Some(Vec::new())
            }
        };
        let Some(more) = more else { return Follow::Save };
        commands.extend(more);
    }
    let more = match operation {
        Operation::SetSizes { sheet: id, dimension, first, count, .. } if *id == sheet => {
            lines(after, *dimension, *first, *count, size)
        }
        Operation::SetHidden { sheet: id, dimension, first, count, .. } if *id == sheet => {
            lines(after, *dimension, *first, *count, hidden)
        }
        Operation::DefineName { name, .. } => Some(name_command(workbook, sheet, name).into_iter().collect()),
        _ => Some(Vec::new()),
    };
    match more {
        Some(more) => commands.extend(more),
        None => return Follow::Save,
    }
    Follow::Commands { commands, moves_cells }
}

/// Commands for rows or columns, one each.
fn lines(
    sheet: &Sheet,
    dimension: Dimension,
    first: u32,
    count: u32,
    command: impl Fn(&Sheet, Dimension, u32) -> String,
) -> Option<Vec<String>> {
    let count = count.min(dimension.len_max().saturating_sub(first));
    let is_few = u64::from(count) <= FOLLOWED_CELLS_MAX;
    is_few.then(|| (first..first + count).map(|index| command(sheet, dimension, index)).collect())
}

/// A name that is valid in the sheet, as a save has it.
fn name_command(workbook: &Workbook, sheet: SheetId, name: &str) -> Option<String> {
    let local = match name_scope(name) {
        Some((own, local)) if own == sheet => local,
        Some(_) => return None,
        None => name,
    };
    let shown = local.to_uppercase();
    let Some(definition) = workbook.name(name) else { return Some(format!("name delete {shown}")) };
    let definition = to_socialcalc(definition, Host { sheet, cell: CellAddress::default() }, workbook);
    let own_sheet =
        format!("{}!", workbook.sheet(sheet).map(|sheet| sheet.name().to_string()).unwrap_or_default());
    let definition = match definition.strip_prefix(&own_sheet).map(|area| (Range::parse_a1(area), area)) {
        Some((Ok(_), area)) => area.to_owned(),
        _ => format!("={definition}"),
    };
    Some(format!("name define {shown} {}", one_line(&definition)))
}

#[cfg(test)]
mod tests;
