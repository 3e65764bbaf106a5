//! How large an operation may be, in one place. The room checks every transaction against these before it
//! gives it a place in the order.

use std::fmt;

use quadrille_cell::{EditKind, canonical_number};
use quadrille_formula::{Expression, Template, is_within_limits, visit};
use quadrille_workbook::{FontSize, FormatPatch, Input, Literal};

use crate::item::{BadItem, check_item, check_patch};
use crate::rebase::permutation::is_permutation;
use crate::{Operation, Transaction};

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

/// Why a transaction is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OperationError {
    TooManyOperations {
        count: usize,
        max: usize,
    },
    TooManyCells {
        count: u64,
        max: u64,
    },
    /// The contents listed do not fill the range.
    CellsMissing {
        expected: u64,
        found: usize,
    },
    TextTooLong {
        length: usize,
        max: usize,
    },
    FormulaTooLong {
        max: usize,
    },
    FormulaTooDeep,
    /// Infinite, not a number, or negative zero.
    NumberNotCanonical,
    NumberFormatTooLong {
        length: usize,
        max: usize,
    },
    FontFamilyTooLong {
        length: usize,
        max: usize,
    },
    BadFontSize {
        points: String,
    },
    /// A colour above `0xFFFFFF`.
    BadColor {
        color: u32,
    },
    /// No lines, or lines beyond the sheet's end.
    LinesOutsideSheet {
        first: u32,
        count: u32,
    },
    NotAPermutation,
    BadSheetName {
        name: String,
        reason: &'static str,
    },
    BadName {
        name: String,
        reason: &'static str,
    },
    BadItem(BadItem),
}

impl fmt::Display for OperationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperationError::TooManyOperations { count, max } => {
                write!(f, "more operations in one transaction than {max}: {count}")
            }
            OperationError::TooManyCells { count, max } => {
                write!(f, "more cells in one transaction than {max}: {count}")
            }
            OperationError::CellsMissing { expected, found } => {
                write!(f, "contents do not fill the range of {expected} cells: {found}")
            }
            OperationError::TextTooLong { length, max } => {
                write!(f, "text longer than {max} characters: {length}")
            }
            OperationError::FormulaTooLong { max } => write!(f, "formula with more parts than {max}"),
            OperationError::FormulaTooDeep => {
                write!(f, "formula nested deeper than {}", quadrille_formula::DEPTH_MAX)
            }
            OperationError::NumberNotCanonical => f.write_str("number that is infinite or not a number"),
            OperationError::NumberFormatTooLong { length, max } => {
                write!(f, "number format longer than {max} characters: {length}")
            }
            OperationError::FontFamilyTooLong { length, max } => {
                write!(f, "name of a font longer than {max} characters: {length}")
            }
            OperationError::BadFontSize { points } => {
                write!(f, "size of letters must be from 1 to 409 points: {points}")
            }
            OperationError::BadColor { color } => write!(f, "not a 24-bit colour: {color:#x}"),
            OperationError::LinesOutsideSheet { first, count } => {
                write!(f, "rows or columns outside the sheet: {count} from index {first}")
            }
            OperationError::NotAPermutation => {
                f.write_str("new order of rows that does not hold each row once")
            }
            OperationError::BadSheetName { name, reason } => write!(f, "sheet name {reason}: {name}"),
            OperationError::BadName { name, reason } => write!(f, "name {reason}: {name}"),
            OperationError::BadItem(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OperationError {}

impl From<BadItem> for OperationError {
    fn from(error: BadItem) -> OperationError {
        OperationError::BadItem(error)
    }
}

/// Checks everything about a transaction that can be known without the workbook.
pub fn validate(transaction: &Transaction, limits: &Limits) -> Result<(), OperationError> {
    let count = transaction.operations.len();
    if count > limits.operations_per_transaction {
        return Err(OperationError::TooManyOperations { count, max: limits.operations_per_transaction });
    }
    let listed = transaction.operations.iter().map(listed_cells).sum();
    let filled = transaction.operations.iter().map(filled_cells).fold(0, u64::saturating_add);
    for (count, max) in
        [(listed, limits.cells_per_transaction as u64), (filled, limits.cells_filled_per_transaction)]
    {
        if count > max {
            return Err(OperationError::TooManyCells { count, max });
        }
    }
    transaction.operations.iter().try_for_each(|operation| validate_operation(operation, limits))
}

fn filled_cells(operation: &Operation) -> u64 {
    match operation {
        Operation::FillCells { range, input, .. } if *input != Input::Blank => range.cell_count(),
        _ => 0,
    }
}

fn listed_cells(operation: &Operation) -> u64 {
    match operation {
        Operation::SetCells { inputs, .. } => inputs.len() as u64,
        Operation::PermuteRows { order, .. } => order.len() as u64,
        Operation::FillCells { .. }
        | Operation::SetFormat { .. }
        | Operation::Restructure(_)
        | Operation::SetSizes { .. }
        | Operation::AddSheet { .. }
        | Operation::RemoveSheet { .. }
        | Operation::RenameSheet { .. }
        | Operation::MoveSheet { .. }
        | Operation::DefineName { .. }
        | Operation::SetHidden { .. }
        | Operation::PutItem { .. }
        | Operation::PatchItem { .. }
        | Operation::RemoveItem { .. }
        | Operation::Tick => 0,
    }
}

fn validate_operation(operation: &Operation, limits: &Limits) -> Result<(), OperationError> {
    match operation {
        Operation::SetCells { range, inputs, .. } => {
            if range.cell_count() != inputs.len() as u64 {
                return Err(OperationError::CellsMissing {
                    expected: range.cell_count(),
                    found: inputs.len(),
                });
            }
            inputs.iter().try_for_each(|input| validate_input(input, limits))
        }
        Operation::FillCells { input, .. } => validate_input(input, limits),
        Operation::SetFormat { patch, .. } => validate_patch(patch, limits),
        Operation::Restructure(edit) => {
            let end = edit.dimension.len_max();
            validate_lines(edit.at, edit.count, end)?;
            match edit.kind {
                EditKind::Move { to } if to > end => {
                    Err(OperationError::LinesOutsideSheet { first: to, count: edit.count })
                }
                EditKind::Insert | EditKind::Delete | EditKind::Move { .. } => Ok(()),
            }
        }
        Operation::SetSizes { dimension, first, count, .. } => {
            validate_lines(*first, *count, dimension.len_max())
        }
        Operation::SetHidden { dimension, first, count, .. } => {
            validate_lines(*first, *count, dimension.len_max())
        }
        Operation::PutItem { sheet, item, content } => Ok(check_item(*sheet, *item, content)?),
        Operation::PatchItem { sheet, item, patch } => Ok(check_patch(*sheet, *item, patch)?),
        Operation::PermuteRows { range, order, .. } => {
            if order.len() != range.row_count() as usize || !is_permutation(order) {
                return Err(OperationError::NotAPermutation);
            }
            Ok(())
        }
        Operation::AddSheet { name, .. } | Operation::RenameSheet { name, .. } => {
            match reason_against(name, limits.stored_name_length) {
                Some(reason) => Err(OperationError::BadSheetName { name: shortened(name), reason }),
                None => Ok(()),
            }
        }
        Operation::RemoveSheet { .. }
        | Operation::MoveSheet { .. }
        | Operation::RemoveItem { .. }
        | Operation::Tick => Ok(()),
        Operation::DefineName { name, definition } => {
            if let Some(reason) = reason_against(name, limits.stored_name_length) {
                return Err(OperationError::BadName { name: shortened(name), reason });
            }
            definition.as_ref().map_or(Ok(()), |template| validate_template(template, limits))
        }
    }
}

fn validate_input(input: &Input, limits: &Limits) -> Result<(), OperationError> {
    match input {
        Input::Blank | Input::Value(Literal::Boolean(_) | Literal::Error(_)) => Ok(()),
        Input::Value(Literal::Number(number)) => validate_number(*number),
        Input::Value(Literal::Text(text)) => validate_text(text, limits),
        Input::Formula(template) => validate_template(template, limits),
    }
}

fn validate_number(number: f64) -> Result<(), OperationError> {
    match canonical_number(number) {
        Some(canonical) if canonical.to_bits() == number.to_bits() => Ok(()),
        _ => Err(OperationError::NumberNotCanonical),
    }
}

fn validate_text(text: &str, limits: &Limits) -> Result<(), OperationError> {
    // Bytes are at least as many as characters, so that most texts need not be counted.
    if text.len() <= limits.text_length {
        return Ok(());
    }
    let length = text.chars().count();
    if length > limits.text_length {
        return Err(OperationError::TextTooLong { length, max: limits.text_length });
    }
    Ok(())
}

pub(crate) fn validate_template(template: &Template, limits: &Limits) -> Result<(), OperationError> {
    // Checked first and without recursion, so that everything after may recurse.
    if !is_within_limits(template.expression()) {
        return Err(OperationError::FormulaTooDeep);
    }
    let mut parts = 0;
    let mut result = Ok(());
    visit(template.expression(), &mut |expression| {
        parts += 1;
        if result.is_err() {
            return;
        }
        result = match expression {
            Expression::Number(number) => validate_number(*number),
            Expression::Text(text) | Expression::Invalid(text) | Expression::Name(text) => {
                validate_text(text, limits)
            }
            Expression::Boolean(_)
            | Expression::Error(_)
            | Expression::Missing
            | Expression::Reference(_)
            | Expression::Call { .. }
            | Expression::Apply { .. }
            | Expression::Unary(..)
            | Expression::Binary(..)
            | Expression::Parenthesised(_)
            | Expression::Array(_) => Ok(()),
        };
    });
    if parts > limits.formula_parts {
        return Err(OperationError::FormulaTooLong { max: limits.formula_parts });
    }
    result
}

fn validate_patch(patch: &FormatPatch, limits: &Limits) -> Result<(), OperationError> {
    if let Some(Some(code)) = &patch.number_format {
        let length = code.chars().count();
        if length > limits.number_format_length {
            return Err(OperationError::NumberFormatTooLong { length, max: limits.number_format_length });
        }
    }
    let borders = [patch.border_top, patch.border_right, patch.border_bottom, patch.border_left];
    let border_colors = borders.into_iter().flatten().flatten().map(|border| border.color);
    let colors = [patch.text_color, patch.fill_color].into_iter().flatten().chain(border_colors);
    for color in colors.flatten() {
        if color.0 > 0xFF_FFFF {
            return Err(OperationError::BadColor { color: color.0 });
        }
    }
    if let Some(Some(family)) = &patch.font_family {
        let length = family.chars().count();
        if length > limits.font_family_length {
            return Err(OperationError::FontFamilyTooLong { length, max: limits.font_family_length });
        }
    }
    if let Some(size) = patch.font_size.flatten()
        && !(FontSize::MIN..=FontSize::MAX).contains(&size)
    {
        return Err(OperationError::BadFontSize { points: format!("{}", size.points()) });
    }
    Ok(())
}

fn validate_lines(first: u32, count: u32, len_max: u32) -> Result<(), OperationError> {
    let ends = first.checked_add(count);
    if count == 0 || ends.is_none_or(|end| end > len_max) {
        return Err(OperationError::LinesOutsideSheet { first, count });
    }
    Ok(())
}

/// What no name may be, wherever it comes from.
fn reason_against(name: &str, length_max: usize) -> Option<&'static str> {
    if name.trim().is_empty() {
        Some("must not be empty")
    } else if name.chars().count() > length_max {
        Some("is too long")
    } else if name.chars().any(char::is_control) {
        Some("must not contain control characters")
    } else {
        None
    }
}

/// What a sheet may be called: not empty, no `[ ] : * ? / \`, no quote at either end, as in Excel, but longer.
pub fn validate_sheet_name(name: &str, limits: &Limits) -> Result<(), OperationError> {
    let bad = |reason| Err(OperationError::BadSheetName { name: shortened(name), reason });
    if let Some(reason) = reason_against(name, limits.sheet_name_length) {
        return bad(reason);
    }
    if name.chars().any(|character| "[]:*?/\\".contains(character)) {
        return bad("must not contain any of [ ] : * ? / \\");
    }
    if name.starts_with('\'') || name.ends_with('\'') {
        return bad("must not begin or end with an apostrophe");
    }
    Ok(())
}

/// What a defined name may be: letters, digits, `_` and `.`, beginning with a letter or `_`, and nothing that
/// reads as a cell.
pub fn validate_name(name: &str, limits: &Limits) -> Result<(), OperationError> {
    let bad = |reason| Err(OperationError::BadName { name: shortened(name), reason });
    let Some(first) = name.chars().next() else {
        return bad("must not be empty");
    };
    if name.chars().count() > limits.name_length {
        return bad("is too long");
    }
    if !(first.is_alphabetic() || first == '_' || first == '\\') {
        return bad("must begin with a letter or _");
    }
    if !name.chars().all(|character| character.is_alphanumeric() || "_.\\".contains(character)) {
        return bad("may hold letters, digits, _ and . only");
    }
    let upper = quadrille_cell::uppercase(name);
    let reads_as_r1c1 = matches!(upper.as_str(), "R" | "C")
        || quadrille_cell::parse_r1c1(name, quadrille_cell::CellAddress::default()).is_ok();
    if quadrille_cell::CellAddress::parse_a1(name).is_ok() || reads_as_r1c1 {
        return bad("reads as a cell");
    }
    if matches!(upper.as_str(), "TRUE" | "FALSE") {
        return bad("is a value");
    }
    Ok(())
}

/// Enough of a name to recognise it in a message.
fn shortened(name: &str) -> String {
    name.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quadrille_cell::{Dimension, EditKind, Range, SheetId, StructuralEdit};
    use quadrille_workbook::Color;

    use super::*;

    const SHEET: SheetId = SheetId(1);

    fn fill(range: &str, input: Input) -> Operation {
        Operation::FillCells { sheet: SHEET, range: Range::parse_a1(range).expect("valid"), input }
    }

    fn text(length: usize) -> Input {
        Input::Value(Literal::Text("é".repeat(length).into()))
    }

    fn formula(levels: usize) -> Input {
        let mut expression = Expression::Number(1.0);
        for _ in 0..levels {
            expression = Expression::Parenthesised(Box::new(expression));
        }
        Input::Formula(Template::new(expression))
    }

    #[test]
    fn transactions_beyond_the_limits_are_refused_in_words() {
        let range = Range::parse_a1("A1:A3").expect("valid");
        let patch = |patch: FormatPatch| Operation::SetFormat { sheet: SHEET, range, patch };
        let edit = |at: u32, count: u32| {
            let (dimension, kind) = (Dimension::Rows, EditKind::Delete);
            Operation::Restructure(StructuralEdit { sheet: SHEET, dimension, kind, at, count })
        };
        let beyond = Operation::Restructure(StructuralEdit {
            sheet: SHEET,
            dimension: Dimension::Columns,
            kind: EditKind::Move { to: 16_385 },
            at: 0,
            count: 1,
        });
        let sort = |order: &[u32]| Operation::PermuteRows { sheet: SHEET, range, order: Arc::from(order) };
        let rename = |name: &str| Operation::RenameSheet { sheet: SHEET, name: name.into() };
        for (operation, message) in [
            (fill("A1", text(32_767)), ""),
            (fill("A1", text(32_768)), "text longer than 32767 characters: 32768"),
            (fill("A:E", Input::from(quadrille_cell::Value::Number(1.0))), ""),
            (
                fill("A:F", Input::from(quadrille_cell::Value::Number(1.0))),
                "more cells in one transaction than 5242880: 6291456",
            ),
            (fill("A:XFD", Input::Blank), ""),
            (fill("A1", formula(200)), ""),
            (fill("A1", formula(300)), "formula nested deeper than 256"),
            (
                fill("A1", Input::Value(Literal::Number(f64::INFINITY))),
                "number that is infinite or not a number",
            ),
            (
                Operation::SetCells { sheet: SHEET, range, inputs: vec![Input::Blank] },
                "contents do not fill the range of 3 cells: 1",
            ),
            (
                patch(FormatPatch { fill_color: Some(Some(Color(0x100_0000))), ..FormatPatch::default() }),
                "not a 24-bit colour: 0x1000000",
            ),
            (
                patch(FormatPatch {
                    number_format: Some(Some("0".repeat(256).into())),
                    ..FormatPatch::default()
                }),
                "number format longer than 255 characters: 256",
            ),
            (edit(0, 1_048_576), ""),
            (edit(1, 1_048_576), "rows or columns outside the sheet: 1048576 from index 1"),
            (edit(1, 0), "rows or columns outside the sheet: 0 from index 1"),
            (edit(1, u32::MAX), "rows or columns outside the sheet: 4294967295 from index 1"),
            (beyond, "rows or columns outside the sheet: 1 from index 16385"),
            (sort(&[2, 0, 1]), ""),
            (sort(&[2, 0]), "new order of rows that does not hold each row once"),
            (sort(&[2, 0, 2]), "new order of rows that does not hold each row once"),
            (sort(&[2, 0, 3]), "new order of rows that does not hold each row once"),
            (rename(" "), "sheet name must not be empty:  "),
            (rename("a\nb"), "sheet name must not contain control characters: a\nb"),
        ] {
            let result = validate(&Transaction::from(operation.clone()), &Limits::DEFAULT);
            let found = result.map_or_else(|error| error.to_string(), |()| String::new());
            assert_eq!(found, message, "{operation:?}");
        }
    }

    #[test]
    fn names_are_what_formulas_can_say() {
        for (name, reason) in [
            ("rate", ""),
            ("_x.1", ""),
            ("Größe", ""),
            ("B7", "reads as a cell"),
            ("r1c1", "reads as a cell"),
            ("R", "reads as a cell"),
            ("TRUE", "is a value"),
            ("1st", "must begin with a letter or _"),
            ("a b", "may hold letters, digits, _ and . only"),
            ("", "must not be empty"),
        ] {
            let result = validate_name(name, &Limits::DEFAULT);
            let expected = if reason.is_empty() { String::new() } else { format!("name {reason}: {name}") };
            assert_eq!(result.map_or_else(|error| error.to_string(), |()| String::new()), expected);
        }
    }
}
