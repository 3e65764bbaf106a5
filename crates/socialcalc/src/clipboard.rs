//! [`Clipboard`]: cells that were copied, as they were at that time.

use std::sync::Arc;

use quadrille_cell::{Range, SheetId};
use quadrille_files::{FileFormat, ReadOptions, ShouldContinue, read};
use quadrille_workbook::{FormatPatch, Sheet};

use crate::CELLS_PER_STATEMENT_MAX;

/// Copied cells. Cheap to clone.
#[derive(Clone)]
pub struct Clipboard {
    sheet: Arc<Sheet>,
    range: Range,
}

impl Clipboard {
    /// Copies contents and formats of a range. A range beyond the used cells ends with them.
    ///
    /// # Errors
    /// When the range has too many cells.
    pub fn copy(sheet: &Sheet, range: Range) -> Result<Clipboard, String> {
        if range.cell_count() > CELLS_PER_STATEMENT_MAX {
            return Err(format!("{range} has more than {CELLS_PER_STATEMENT_MAX} cells"));
        }
        let mut copy = Sheet::new(sheet.id(), "Clipboard");
        for (cell, input) in sheet.inputs_in(range) {
            copy.set_input(cell, &input);
        }
        for (part, format) in sheet.format_runs(range) {
            copy.patch_format(part, &FormatPatch::replacing_with(format));
        }
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
            None => sheet.used_range().unwrap_or(Range::cell(quadrille_cell::CellAddress::clamped(0, 0))),
        };
        Clipboard::copy(sheet, range)
    }

    /// The range from which the cells were copied.
    pub fn range(&self) -> Range {
        self.range
    }

    /// The cells at the addresses that they had.
    pub(crate) fn cells(&self) -> &Sheet {
        &self.sheet
    }

    /// The same as a sheet with another identity and name.
    pub(crate) fn sheet_named(&self, id: SheetId, name: &str) -> Arc<Sheet> {
        let mut copy = Sheet::new(id, name);
        for (cell, input) in self.sheet.inputs_in(self.range) {
            copy.set_input(cell, &input);
        }
        for (part, format) in self.sheet.format_runs(self.range) {
            copy.patch_format(part, &FormatPatch::replacing_with(format));
        }
        Arc::new(copy)
    }
}
