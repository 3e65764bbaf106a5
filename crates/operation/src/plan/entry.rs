//! [`Entry`]: interprets text typed into a cell.

use std::borrow::Cow;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Value};
use quadrille_formula::{
    BinaryOperator, Expression, Host, Separators, Template, a1_from_r1c1, close_parentheses, delocalized,
    parse, visit,
};
use quadrille_number_format::{Locale, parse_input_with};
use quadrille_workbook::{Input, Literal, Sheet, Workbook};

use super::formula_format::{FormulaCell, ImpliedFormats, formula_number_format};
use super::tables::with_own_table;
use crate::plan::planner::Planner;
use crate::{CellContent, CommandError, OperationError};

/// The content of a cell, and the number format that it implies for a cell without one.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Entry {
    pub input: Input,
    pub number_format: Option<Arc<str>>,
}

impl From<Input> for Entry {
    fn from(input: Input) -> Entry {
        Entry { input, number_format: None }
    }
}

impl Planner<'_> {
    /// Interprets typed text as a blank, formula, number, boolean, error or text.
    pub fn typed(&self, sheet: &Sheet, cell: CellAddress, text: &str) -> Result<Entry, CommandError> {
        if text.is_empty() {
            return Ok(Entry::from(Input::Blank));
        }
        // A character has at most four bytes; a text with more bytes is too long without counting.
        if text.len() > 4 * self.limits.text_length {
            let (length, max) = (text.chars().count(), self.limits.text_length);
            return Err(CommandError::Refused(OperationError::TextTooLong { length, max }));
        }
        let code = sheet.format(cell).number_format.as_deref();
        if code == Some("@") {
            let text = text.strip_prefix('\'').unwrap_or(text);
            return Ok(Entry::from(Input::Value(Literal::Text(Arc::from(text)))));
        }
        if let Some(formula) = text.strip_prefix('=').filter(|formula| !formula.trim().is_empty()) {
            return Ok(self.formula(sheet, cell, &self.canonical(formula, cell)));
        }
        let typed = parse_input_with(text, self.typing);
        if text.starts_with(['+', '-']) && matches!(typed.value, Value::Text(_)) {
            let entry = self.formula(sheet, cell, &self.canonical(text, cell));
            if let Input::Formula(template) = &entry.input
                && is_signed_formula(template, self.workbook)
            {
                return Ok(entry);
            }
        }
        let value = match typed.value {
            // In a cell with a percent format, 12 means 12 %, as in Excel.
            Value::Number(number) if code.is_some_and(|code| code.contains('%')) => {
                let is_plain = typed.number_format.is_none() && !text.contains('%');
                Value::number(if is_plain && number.abs() >= 1.0 { number / 100.0 } else { number })
            }
            value => value,
        };
        Ok(Entry { input: Input::from(value), number_format: typed.number_format.map(Arc::from) })
    }

    /// A typed formula in the notation in which formulas are stored.
    fn canonical<'a>(&self, formula: &'a str, cell: CellAddress) -> Cow<'a, str> {
        let stored = delocalized(formula, separators(self.typing.locale), self.names);
        match self.typing.is_r1c1 {
            true => Cow::Owned(a1_from_r1c1(&stored, cell).0),
            false => stored,
        }
    }

    /// Converts the content of a command; `None` leaves the cell unchanged.
    pub fn content(
        &self,
        sheet: &Sheet,
        cell: CellAddress,
        content: &CellContent,
    ) -> Result<Option<Entry>, CommandError> {
        let entry = match content {
            CellContent::Keep => return Ok(None),
            CellContent::Blank => Entry::from(Input::Blank),
            CellContent::Number(number) => match quadrille_cell::canonical_number(*number) {
                Some(number) => Entry::from(Input::Value(Literal::Number(number))),
                None => return Err(CommandError::BadNumber),
            },
            CellContent::Boolean(boolean) => Entry::from(Input::Value(Literal::Boolean(*boolean))),
            CellContent::Text(text) => Entry::from(Input::Value(Literal::Text(Arc::from(text.as_str())))),
            CellContent::Typed(text) => self.typed(sheet, cell, text)?,
            CellContent::Formula(text) => self.formula(sheet, cell, text.strip_prefix('=').unwrap_or(text)),
        };
        Ok(Some(entry))
    }

    /// Parses a formula, without its equals sign.
    fn formula(&self, sheet: &Sheet, cell: CellAddress, text: &str) -> Entry {
        let template = parse(&close_parentheses(text), Host { sheet: sheet.id(), cell }, self.workbook);
        let template = with_own_table(template, sheet, cell);
        let number_format = self.formula_format(sheet, cell, &template, None);
        Entry { input: Input::Formula(template), number_format }
    }

    /// The number format that a formula implies for a cell without one.
    pub fn formula_format(
        &self,
        sheet: &Sheet,
        cell: CellAddress,
        template: &Template,
        implied: Option<&ImpliedFormats>,
    ) -> Option<Arc<str>> {
        let entered =
            FormulaCell { workbook: self.workbook, sheet, cell, locale: self.typing.locale, implied };
        formula_number_format(template, &entered)
    }
}

/// Whether a typed text that begins with a sign and is not a number is a formula, as in Excel: `+A1*2`,
/// `-SUM(B1:B9)`, `-2^2`. Texts such as `- item` are not, nor are digits with signs and slashes between,
/// which may be a telephone number.
pub fn is_signed_formula(template: &Template, workbook: &Workbook) -> bool {
    let (mut is_valid, mut calculates) = (true, false);
    visit(template.expression(), &mut |node| match node {
        Expression::Reference(_) | Expression::Call { .. } => calculates = true,
        Expression::Name(name) if workbook.name(name).is_some() => calculates = true,
        Expression::Binary(BinaryOperator::Multiply | BinaryOperator::Power, ..) => calculates = true,
        Expression::Name(_)
        | Expression::Invalid(_)
        | Expression::Binary(BinaryOperator::Intersection, ..) => is_valid = false,
        _ => {}
    });
    is_valid && calculates
}

/// Returns the separators of formulas in a locale.
pub fn separators(locale: Locale) -> Separators {
    Separators {
        decimal: locale.decimal_separator(),
        list: locale.list_separator(),
        column: locale.column_separator(),
    }
}
