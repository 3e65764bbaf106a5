//! [`Clipboard`]: cells that were copied, as they were at that time.

use std::sync::Arc;

use quadrille_cell::{CellAddress, Dimension, Range, SheetId};
use quadrille_files::{FileFormat, ReadOptions, ShouldContinue, read};
use quadrille_workbook::{Field, FormatPatch, Item, ItemKind, Sheet};

use crate::CELLS_PER_STATEMENT_MAX;

/// Copied cells. Cheap to clone.
#[derive(Clone)]
pub struct Clipboard {
    sheet: Arc<Sheet>,
    range: Range,
}

impl Clipboard {
    /// Copies a range: contents, formats, notes, links and merged cells, the widths of its columns, and
    /// which of its rows and columns are hidden. A range beyond the used cells ends with them.
    ///
    /// # Errors
    /// When the range has too many cells.
    pub fn copy(sheet: &Sheet, range: Range) -> Result<Clipboard, String> {
        if range.cell_count() > CELLS_PER_STATEMENT_MAX {
            return Err(format!("{range} has more than {CELLS_PER_STATEMENT_MAX} cells"));
        }
        let copy = copied(sheet, range, Sheet::new(sheet.id(), "Clipboard"));
        Ok(Clipboard { sheet: Arc::new(copy), range })
    }

    /// Reads the save of `loadclipboard`. Its line `copiedfrom` has the range; without one, all used cells
    /// were copied.
    ///
    /// # Errors
    /// When the text is not a save, or has too many cells.
    pub fn from_save(save: &str) -> Result<Clipboard, String> {
        let go_on = &mut |_| ShouldContinue::Continue;
        let imported = read(FileFormat::SocialCalc, save.as_bytes(), &ReadOptions::default(), go_on);
        let imported = imported.map_err(|error| format!("the clipboard: {error}"))?;
        let sheet = imported.workbook.sheets().first().ok_or("the clipboard has no sheet")?;
        let given = save.lines().find_map(|line| line.trim().strip_prefix("copiedfrom:"));
        let range = match given {
            Some(range) => {
                Range::parse_a1(range).map_err(|_| format!("the clipboard was copied from '{range}'"))?
            }
            None => sheet.used_range().unwrap_or(Range::cell(CellAddress::clamped(0, 0))),
        };
        Clipboard::copy(sheet, range)
    }

    /// The range from which the cells were copied.
    pub fn range(&self) -> Range {
        self.range
    }

    /// The notes that were copied, by the cells that they had.
    pub(crate) fn notes(&self) -> impl Iterator<Item = (CellAddress, String)> {
        self.sheet.items().of_kind(ItemKind::Note).filter_map(|(_, note)| {
            Some((note.anchors.first()?.first(), note.text(Field::Text)?.to_string()))
        })
    }

    /// The cells at the addresses that they had.
    pub(crate) fn cells(&self) -> &Sheet {
        &self.sheet
    }

    /// The same as a sheet with another identity and name.
    pub(crate) fn sheet_named(&self, id: SheetId, name: &str) -> Arc<Sheet> {
        Arc::new(copied(&self.sheet, self.range, Sheet::new(id, name)))
    }
}

/// Copies a range to the same place of `copy`.
fn copied(sheet: &Sheet, range: Range, mut copy: Sheet) -> Sheet {
    for (cell, input) in sheet.inputs_in(range) {
        copy.set_input(cell, &input);
    }
    for (part, format) in sheet.format_runs(range) {
        copy.patch_format(part, &FormatPatch::replacing_with(format));
    }
    for (id, item) in sheet.items().iter() {
        let is_of_cell = matches!(item.kind, ItemKind::Merge | ItemKind::Note | ItemKind::Link);
        if is_of_cell && item.anchors.iter().all(|anchor| range.contains_range(*anchor)) {
            copy.set_item(id, Some(Item::clone(item)));
        }
    }
    for dimension in [Dimension::Rows, Dimension::Columns] {
        let (first, last) = (range.first().index(dimension), range.last().index(dimension));
        for (first, last) in sheet.hidden_in(dimension, first, last) {
            copy.set_hidden(dimension, first, last - first + 1, true);
        }
    }
    for column in range.first().column.get()..=range.last().column.get() {
        copy.set_sizes(Dimension::Columns, column, 1, sheet.size(Dimension::Columns, column));
    }
    copy
}
