//! The limits that every transaction has to keep to.

/// Bounds of one transaction. The default is what the server uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    pub operations_per_transaction: usize,
    /// Contents listed one by one, over all operations.
    pub cells_per_transaction: usize,
    /// Cells filled with one value or formula, over all operations. Clearing and formatting are not counted:
    /// they cost the same for any range.
    pub cells_filled_per_transaction: u64,
    /// Characters, as in Excel.
    pub text_length: usize,
    /// Parts of a formula's tree; a formula of 8,192 characters, the longest that can be typed, has fewer.
    pub formula_parts: usize,
    /// Characters of a number format's code, as in Excel.
    pub number_format_length: usize,
    /// Characters of a font's name, as in Excel.
    pub font_family_length: usize,
    /// Characters of any name; files bring names that nobody may type.
    pub stored_name_length: usize,
    pub sheet_name_length: usize,
    pub name_length: usize,
    /// Sheets of a workbook; checked where a sheet is added by a command.
    pub sheets: usize,
}

impl Limits {
    pub const DEFAULT: Limits = Limits {
        operations_per_transaction: 10_000,
        cells_per_transaction: 5_000_000,
        cells_filled_per_transaction: 5_242_880, // five whole columns
        text_length: 32_767,
        formula_parts: 8_192,
        number_format_length: 255,
        font_family_length: 31,
        stored_name_length: 300,
        sheet_name_length: 100,
        name_length: 255,
        sheets: 1_000,
    };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}
