//! TEXTBEFORE, TEXTAFTER and TEXTSPLIT. Described in Excel's help.

use std::sync::Arc;

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{
    OperandResult, array_operand, optional, optional_boolean, optional_number, optional_text, single,
    values_by_row,
};
use crate::coerce::{text, text_value};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;
use crate::wildcard::fold_char;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "TEXTBEFORE",
        "text, delimiter, [instance], [ignore_case], [match_end], [if_not_found]",
        "What stands before a delimiter.",
        text_before,
    )
    .lifts(&[0])
    .excel_only()
    .examples(&[
        ("=TEXTBEFORE(\"a-b-c\",\"-\")", "a"),
        ("=TEXTBEFORE(\"a-b-c\",\"-\",-1)", "a-b"),
        ("=TEXTBEFORE(\"abc\",\"-\")", "#N/A"),
    ]),
    Function::whole(
        "TEXTAFTER",
        "text, delimiter, [instance], [ignore_case], [match_end], [if_not_found]",
        "What stands behind a delimiter.",
        text_after,
    )
    .lifts(&[0])
    .excel_only()
    .examples(&[
        ("=TEXTAFTER(\"a-b-c\",\"-\")", "b-c"),
        ("=TEXTAFTER(\"a-b-c\",\"-\",2)", "c"),
        ("=TEXTAFTER(\"abc\",\"-\",1,0,0,\"none\")", "none"),
    ]),
    Function::whole(
        "TEXTSPLIT",
        "text, column_delimiter, [row_delimiter], [ignore_empty], [ignore_case], [pad_with]",
        "The text split into columns and rows.",
        text_split,
    )
    .excel_only()
    .examples(&[
        ("=TEXTJOIN(\"|\",FALSE,TEXTSPLIT(\"a,b,c\",\",\"))", "a|b|c"),
        ("=ROWS(TEXTSPLIT(\"a,b;c\",\",\",\";\"))", "2"),
    ]),
];

/// Start and exclusive end of a delimiter, in characters.
type Span = (usize, usize);

/// Delimiters, case-folded if case is ignored.
struct Delimiters {
    delimiters: Vec<Vec<char>>,
    ignores_case: bool,
}

impl Delimiters {
    fn new(
        context: &mut CallContext,
        argument: &Operand,
        ignores_case: bool,
    ) -> Result<Delimiters, ErrorValue> {
        let mut delimiters = Vec::new();
        for value in values_by_row(context, argument)? {
            delimiters
                .push(text(&value)?.chars().map(|c| if ignores_case { fold_char(c) } else { c }).collect());
        }
        Ok(Delimiters { delimiters, ignores_case })
    }

    /// Returns all occurrences from left to right. Of several delimiters at one position the
    /// longest matches.
    fn find_all(&self, characters: &[char]) -> Vec<Span> {
        let same = |expected: char, found: char| {
            expected == if self.ignores_case { fold_char(found) } else { found }
        };
        let mut found = Vec::new();
        let mut at = 0;
        while at < characters.len() {
            let rest = &characters[at..];
            let fits = |delimiter: &&Vec<char>| {
                !delimiter.is_empty()
                    && delimiter.len() <= rest.len()
                    && delimiter.iter().zip(rest).all(|(expected, found)| same(*expected, *found))
            };
            match self.delimiters.iter().filter(fits).map(Vec::len).max() {
                Some(length) => {
                    found.push((at, at + length));
                    at += length;
                }
                None => at += 1,
            }
        }
        found
    }
}

/// Returns the characters of the text and the requested occurrence of the delimiter, if any.
fn locate(context: &mut CallContext, arguments: &[Operand]) -> Result<(Vec<char>, Option<Span>), ErrorValue> {
    let characters: Vec<char> = text(&single(&arguments[0])?)?.chars().collect();
    let instance = optional_number(arguments, 2, 1.0)?.floor() as i64;
    let ignores_case = optional_boolean(arguments, 3, false)?;
    let end_matches = optional_boolean(arguments, 4, false)?;
    if instance == 0 || instance.unsigned_abs() as usize > characters.len().max(1) {
        return Err(ErrorValue::Value);
    }
    let delimiters = Delimiters::new(context, &arguments[1], ignores_case)?;
    context.budget.charge(characters.len() as u64 * delimiters.delimiters.len() as u64)?;
    let length = characters.len();
    if delimiters.delimiters.iter().any(Vec::is_empty) {
        // An empty delimiter matches at the start, or for negative instances at the end.
        let at = if instance > 0 { 0 } else { length };
        return Ok((characters, Some((at, at))));
    }
    let mut found = delimiters.find_all(&characters);
    if end_matches {
        if instance > 0 {
            found.push((length, length));
        } else {
            found.insert(0, (0, 0));
        }
    }
    let index = if instance > 0 {
        instance as usize - 1
    } else {
        found.len().wrapping_sub(instance.unsigned_abs() as usize)
    };
    let span = found.get(index).copied();
    Ok((characters, span))
}

fn if_not_found(arguments: &[Operand]) -> OperandResult {
    match optional(arguments, 5) {
        Some(argument) => match single(argument)? {
            Value::Blank => Ok(Operand::Value(Value::text(""))),
            value => Ok(Operand::Value(value)),
        },
        None => Err(ErrorValue::NotAvailable),
    }
}

fn text_before(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    match locate(context, arguments)? {
        (characters, Some((start, _))) => {
            text_value(characters[..start].iter().collect()).map(Operand::Value)
        }
        _ => if_not_found(arguments),
    }
}

fn text_after(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    match locate(context, arguments)? {
        (characters, Some((_, end))) => text_value(characters[end..].iter().collect()).map(Operand::Value),
        _ => if_not_found(arguments),
    }
}

fn text_split(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let characters: Vec<char> = optional_text(arguments, 0, "")?.chars().collect();
    let ignores_empty = optional_boolean(arguments, 3, false)?;
    let ignores_case = optional_boolean(arguments, 4, false)?;
    let pad_with = optional(arguments, 5).map_or(Ok(Value::Error(ErrorValue::NotAvailable)), single)?;
    let delimiters = |context: &mut CallContext, index: usize| -> Result<Option<Delimiters>, ErrorValue> {
        let Some(argument) = optional(arguments, index) else { return Ok(None) };
        let delimiters = Delimiters::new(context, argument, ignores_case)?;
        context.budget.charge(characters.len() as u64 * delimiters.delimiters.len() as u64)?;
        // Empty delimiters are invalid.
        if delimiters.delimiters.is_empty() || delimiters.delimiters.iter().any(Vec::is_empty) {
            Err(ErrorValue::Value)
        } else {
            Ok(Some(delimiters))
        }
    };
    let (columns, rows) = (delimiters(context, 1)?, delimiters(context, 2)?);
    if columns.is_none() && rows.is_none() {
        return Err(ErrorValue::Value);
    }
    let mut table: Vec<Vec<Value>> = Vec::new();
    for line in split(&characters, rows.as_ref(), ignores_empty) {
        let cells = split(line, columns.as_ref(), ignores_empty);
        table.push(
            cells.into_iter().map(|cell| Value::Text(Arc::from(cell.iter().collect::<String>()))).collect(),
        );
    }
    let width = table.iter().map(Vec::len).max().unwrap_or(0);
    context.budget.charge_cells(width as u64 * table.len() as u64)?;
    let mut values = Vec::with_capacity(width * table.len());
    for mut line in table.clone() {
        line.resize(width, pad_with.clone());
        values.extend(line);
    }
    array_operand(table.len() as u32, width as u32, values)
}

fn split<'a>(
    characters: &'a [char],
    delimiters: Option<&Delimiters>,
    ignores_empty: bool,
) -> Vec<&'a [char]> {
    let found = delimiters.map(|delimiters| delimiters.find_all(characters)).unwrap_or_default();
    let mut parts = Vec::with_capacity(found.len() + 1);
    let mut from = 0;
    for (start, end) in found {
        parts.push(&characters[from..start]);
        from = end;
    }
    parts.push(&characters[from..]);
    if ignores_empty && delimiters.is_some() {
        parts.retain(|part| !part.is_empty());
    }
    parts
}
