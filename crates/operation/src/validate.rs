//! [`validate`]: checks a transaction against the [`Limits`]. The room validates every transaction
//! before it assigns a revision.

use crate::limits::Limits;
use crate::operation_error::OperationError;
use std::sync::Arc;

use crate::validate_template::{validate_number, validate_template, validate_text};

use quadrille_cell::EditKind;
use quadrille_workbook::{FontSize, FormatPatch, Input, Literal};

use crate::item::{check_item, check_patch};
use crate::rebase::permutation::is_permutation;
use crate::{Operation, Transaction};

/// Checks everything about a transaction that does not depend on the workbook.
///
/// # Errors
///
/// Returns the first violation of `limits` or of an operation's own rules.
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
            validate_span(edit.at, edit.count, end)?;
            match edit.kind {
                EditKind::Move { to } if to > end => {
                    Err(OperationError::SpanOutsideSheet { first: to, count: edit.count })
                }
                EditKind::Insert | EditKind::Delete | EditKind::Move { .. } => Ok(()),
            }
        }
        Operation::SetSizes { dimension, first, count, .. } => {
            validate_span(*first, *count, dimension.len_max())
        }
        Operation::SetHidden { dimension, first, count, .. } => {
            validate_span(*first, *count, dimension.len_max())
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
            match invalid_name_reason(name, limits.stored_name_length) {
                Some(reason) => Err(OperationError::BadSheetName { name: shortened(name), reason }),
                None => Ok(()),
            }
        }
        Operation::RemoveSheet { .. }
        | Operation::MoveSheet { .. }
        | Operation::RemoveItem { .. }
        | Operation::Tick => Ok(()),
        Operation::DefineName { name, definition } => {
            if let Some(reason) = invalid_name_reason(name, limits.stored_name_length) {
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

fn validate_patch(patch: &FormatPatch, limits: &Limits) -> Result<(), OperationError> {
    if let Some(Some(code)) = &patch.number_format {
        let length = code.chars().count();
        if length > limits.number_format_length {
            return Err(OperationError::NumberFormatTooLong { length, max: limits.number_format_length });
        }
    }
    let sides = [patch.border_top, patch.border_right, patch.border_bottom, patch.border_left];
    let borders = sides.into_iter().chain([patch.border_diagonal_up, patch.border_diagonal_down]);
    let border_colors = borders.flatten().flatten().map(|border| border.color);
    let colors = [patch.text_color, patch.fill_color, patch.fill_pattern_color];
    let colors = colors.into_iter().flatten().chain(border_colors);
    for color in colors.flatten() {
        if color.0 > 0xFF_FFFF {
            return Err(OperationError::BadColor { color: color.0 });
        }
    }
    validate_family(patch.font_family.as_ref().and_then(Option::as_ref), limits)?;
    if let Some(size) = patch.font_size.flatten()
        && !(FontSize::MIN..=FontSize::MAX).contains(&size)
    {
        return Err(OperationError::BadFontSize { points: format!("{}", size.points()) });
    }
    if let Some(Some(text_runs)) = &patch.text_runs {
        let (count, max) = (text_runs.runs().len(), limits.text_runs);
        if count > max {
            return Err(OperationError::TooManyTextRuns { count, max });
        }
        let length: u64 = text_runs.runs().iter().map(|run| u64::from(run.length)).sum();
        let max = 2 * limits.text_length; // at most two code units for a character
        if length > max as u64 {
            return Err(OperationError::TextTooLong { length: length as usize, max });
        }
        text_runs.runs().iter().try_for_each(|run| validate_family(run.font.stored().3, limits))?;
    }
    Ok(())
}

fn validate_family(family: Option<&Arc<str>>, limits: &Limits) -> Result<(), OperationError> {
    let length = family.map_or(0, |family| family.chars().count());
    if length > limits.font_family_length {
        return Err(OperationError::FontFamilyTooLong { length, max: limits.font_family_length });
    }
    Ok(())
}

fn validate_span(first: u32, count: u32, len_max: u32) -> Result<(), OperationError> {
    let ends = first.checked_add(count);
    if count == 0 || ends.is_none_or(|end| end > len_max) {
        return Err(OperationError::SpanOutsideSheet { first, count });
    }
    Ok(())
}

/// Returns why no sheet or defined name may be `name`, whatever its source.
fn invalid_name_reason(name: &str, length_max: usize) -> Option<&'static str> {
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

/// Checks a sheet name given by a command: not empty, none of `[ ] : * ? / \`, no apostrophe at
/// either end. These are Excel's rules with a larger maximum length.
///
/// # Errors
///
/// Fails with [`OperationError::BadSheetName`].
pub fn validate_sheet_name(name: &str, limits: &Limits) -> Result<(), OperationError> {
    let bad = |reason| Err(OperationError::BadSheetName { name: shortened(name), reason });
    if let Some(reason) = invalid_name_reason(name, limits.sheet_name_length) {
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

/// Checks a defined name given by a command: letters, digits, `_`, `.` and `\`, beginning with a
/// letter, `_` or `\`, and not readable as a cell reference or a boolean.
///
/// # Errors
///
/// Fails with [`OperationError::BadName`].
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
    let upper = name.to_uppercase();
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

/// Returns the first 100 characters of a name, for a message.
fn shortened(name: &str) -> String {
    name.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use quadrille_cell::{Dimension, EditKind, Range, SheetId, StructuralEdit};
    use quadrille_workbook::{Color, TextFont, TextRun, TextRuns};

    use quadrille_formula::{Expression, Template};

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

    /// The fonts of a text of equal parts, every second one bold.
    fn text_runs(count: u32, length: u32) -> FormatPatch {
        let font = |at: u32| {
            TextFont::of(&FormatPatch { bold: Some(at.is_multiple_of(2)), ..FormatPatch::default() })
        };
        let runs = (0..count).map(|at| TextRun { length, font: font(at) }).collect();
        let runs = TextRuns::from_stored(0, runs).map(Arc::new);
        FormatPatch { text_runs: Some(runs), ..FormatPatch::default() }
    }

    #[test]
    fn transactions_beyond_the_limits_are_refused() {
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
            (patch(text_runs(1_000, 1)), ""),
            (patch(text_runs(1_001, 1)), "text with more parts than 1000: 1001"),
            (patch(text_runs(2, 32_768)), "text longer than 65534 characters: 65536"),
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
    fn defined_names_must_be_readable_in_formulas() {
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
