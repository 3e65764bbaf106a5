//! Regular expressions: REGEXTEST, REGEXEXTRACT, REGEXREPLACE (Excel's help), REGEXMATCH (Google
//! Sheets).
//!
//! The engine, `regex-lite`, takes linear time and so supports neither backreferences nor
//! lookaround; character classes and case folding are ASCII only. Unsupported patterns are
//! `#VALUE!`.

use quadrille_cell::{ErrorValue, Value};
use regex_lite::{Captures, Regex, RegexBuilder};

use crate::arguments::{
    OperandResult, ValueResult, array_operand, boolean_or, integer_or, optional_boolean, optional_integer,
    optional_text,
};
use crate::coerce::{text, text_value};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "REGEXTEST",
        "text, pattern, [ignore_case]",
        "Whether a part of the text matches a regular expression.",
        test,
    )
    .excel_only()
    .examples(&[
        ("=REGEXTEST(\"Sonia Rees\",\"[0-9]\")", "FALSE"),
        ("=REGEXTEST(\"Sonia\",\"s\",1)", "TRUE"),
        ("=REGEXTEST(\"a\",\"(\")", "#VALUE!"),
    ]),
    Function::scalar(
        "REGEXMATCH",
        "text, pattern",
        "Whether a part of the text matches a regular expression.",
        test,
    )
    .described_in("Google Sheets")
    .examples(&[
        ("=REGEXMATCH(\"Spreadsheets\",\"S.r\")", "TRUE"),
        ("=REGEXMATCH(\"Sonia\",\"^o\")", "FALSE"),
    ]),
    Function::whole(
        "REGEXEXTRACT",
        "text, pattern, [what], [ignore_case]",
        "The first match (0), all matches (1) or the groups of the first match (2).",
        extract,
    )
    .lifts(&[0])
    .excel_only()
    .examples(&[
        ("=REGEXEXTRACT(\"DylanWilliams\",\"[A-Z][a-z]+\")", "Dylan"),
        ("=TEXTJOIN(\",\",TRUE,REGEXEXTRACT(\"DylanWilliams\",\"[A-Z][a-z]+\",1))", "Dylan,Williams"),
        ("=TEXTJOIN(\",\",TRUE,REGEXEXTRACT(\"x=12\",\"(\\w)=(\\d+)\",2))", "x,12"),
        ("=REGEXEXTRACT(\"a\",\"b\")", "#N/A"),
    ]),
    Function::scalar(
        "REGEXREPLACE",
        "text, pattern, replacement, [occurrence], [ignore_case]",
        "The text with all matches replaced, or one, counted from the end when negative.",
        replace,
    )
    .excel_only()
    .examples(&[
        ("=REGEXREPLACE(\"Sonia Rees\",\"([A-Z])[a-z]+ ([A-Z][a-z]+)\",\"$1. $2\")", "S. Rees"),
        ("=REGEXREPLACE(\"a1b22c3\",\"[0-9]+\",\"#\",-1)", "a1b22c#"),
        ("=REGEXREPLACE(\"a1b22c3\",\"[0-9]+\",\"#\",2)", "a1b#c3"),
    ]),
];

/// Compiles a pattern, and charges compilation and search. Fails with `#VALUE!` for invalid
/// patterns.
pub(crate) fn compile(
    context: &mut CallContext,
    pattern: &str,
    ignore_case: bool,
    text: &str,
) -> Result<Regex, ErrorValue> {
    // Bounds the program of counted repetitions, which would take seconds on long text.
    const SIZE_MAX_BYTES: usize = 1 << 16;
    context.budget.charge((pattern.len() as u64 + 1) * (text.len() as u64 / 16 + 1))?;
    let mut builder = RegexBuilder::new(pattern);
    builder.case_insensitive(ignore_case).size_limit(SIZE_MAX_BYTES);
    builder.build().map_err(|_| ErrorValue::Value)
}

fn test(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (text, pattern) = (text(&arguments[0])?, text(&arguments[1])?);
    let pattern = compile(context, &pattern, boolean_or(arguments, 2, false)?, &text)?;
    Ok(Value::Boolean(pattern.is_match(&text)))
}

fn extract(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let (text, pattern) = (optional_text(arguments, 0, "")?, optional_text(arguments, 1, "")?);
    let pattern = compile(context, &pattern, optional_boolean(arguments, 3, false)?, &text)?;
    let found: Vec<Value> = match optional_integer(arguments, 2, 0)? {
        0 => pattern.find(&text).into_iter().map(|found| Value::text(found.as_str())).collect(),
        1 => pattern.find_iter(&text).map(|found| Value::text(found.as_str())).collect(),
        2 => match pattern.captures(&text) {
            Some(groups) => {
                let group = |index| Value::text(groups.get(index).map_or("", |found| found.as_str()));
                (1..groups.len()).map(group).collect()
            }
            None => Vec::new(),
        },
        _ => return Err(ErrorValue::Value),
    };
    let count = found.len() as u32;
    context.budget.charge_cells(u64::from(count))?;
    match (count, optional_integer(arguments, 2, 0)?) {
        (0, _) => Err(ErrorValue::NotAvailable),
        (_, 2) => array_operand(1, count, found),
        (1, _) => Ok(Operand::Value(found.into_iter().next().unwrap_or_default())),
        _ => array_operand(count, 1, found),
    }
}

fn replace(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let (text, pattern) = (text(&arguments[0])?, text(&arguments[1])?);
    let replacement = crate::coerce::text(&arguments[2])?;
    let occurrence = integer_or(arguments, 3, 0)?;
    let pattern = compile(context, &pattern, boolean_or(arguments, 4, false)?, &text)?;
    let chosen = match occurrence {
        0 => None,
        1.. => Some(occurrence - 1),
        // Can be negative, in which case no match is replaced.
        _ => Some(pattern.find_iter(&text).count() as i64 + occurrence),
    };
    let mut replaced = String::new();
    let mut end = 0;
    for (index, groups) in pattern.captures_iter(&text).enumerate() {
        let Some(whole) = groups.get(0) else { continue };
        if chosen.is_some_and(|chosen| chosen != index as i64) {
            continue;
        }
        context.budget.charge(replacement.len() as u64 + 1)?;
        replaced.push_str(&text[end..whole.start()]);
        expand(&replacement, &groups, &mut replaced);
        end = whole.end();
    }
    replaced.push_str(&text[end..]);
    text_value(replaced)
}

/// Expands `$1` to the first group; a dollar sign before other characters is literal.
fn expand(replacement: &str, groups: &Captures, target: &mut String) {
    let mut rest = replacement;
    while let Some(dollar) = rest.find('$') {
        target.push_str(&rest[..dollar]);
        rest = &rest[dollar + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count().min(2);
        match rest[..digits].parse::<usize>() {
            Ok(index) => {
                target.push_str(groups.get(index).map_or("", |found| found.as_str()));
                rest = &rest[digits..];
            }
            Err(_) => target.push('$'),
        }
    }
    target.push_str(rest);
}
