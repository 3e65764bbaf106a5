//! [`Limits`]: the upper bounds of a transaction.

/// Upper bounds of one transaction. The default is what the server uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    pub operations_per_transaction: usize,
    /// Cell contents listed one by one, over all operations.
    pub cells_per_transaction: usize,
    /// Cells filled with one value or formula, over all operations. Clearing and formatting do not
    /// count, because their cost does not depend on the size of the range.
    pub cells_filled_per_transaction: u64,
    /// Characters of a text in a cell, as in Excel.
    pub text_length: usize,
    /// Nodes of a formula's tree. A formula of 8,192 characters, the longest that can be typed, has
    /// fewer.
    pub formula_parts: usize,
    /// Characters of a number format code, as in Excel.
    pub number_format_length: usize,
    /// Characters of a font name, as in Excel.
    pub font_family_length: usize,
    /// Parts of a text with fonts of their own.
    pub text_runs: usize,
    /// Characters of a sheet name or defined name in an operation. Files contain names longer than
    /// those that a user may enter.
    pub stored_name_length: usize,
    /// Characters of a sheet name that a command gives.
    pub sheet_name_length: usize,
    /// Characters of a defined name that a command gives.
    pub name_length: usize,
    /// Cells of one command that suggests contents.
    pub suggested_cells: usize,
    /// Sheets of a workbook; checked when a command or an operation adds a sheet.
    pub sheets: usize,
}

impl Limits {
    /// The limits of the server.
    pub const DEFAULT: Limits = Limits {
        operations_per_transaction: 10_000,
        cells_per_transaction: 5_000_000,
        cells_filled_per_transaction: 5_242_880, // five whole columns
        text_length: 32_767,
        formula_parts: 8_192,
        number_format_length: 255,
        font_family_length: 31,
        text_runs: 1_000,
        stored_name_length: 300,
        sheet_name_length: 100,
        name_length: 255,
        suggested_cells: 1_000,
        sheets: 1_000,
    };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
