//! Expressions and conditions of a query, and their evaluation for a row or a group of rows.

use std::cmp::Ordering;

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::{serial_from_unix_ms, weekday};
use regex_lite::Regex;

use super::table::{ColumnType, Table};
use crate::cancel::Cancel;
use crate::coerce::text;
use crate::compare::compare_numbers;
use crate::context::CallContext;
use crate::date_system::date_system;
use crate::dates::{civil_of, displayed_serial};
use crate::mathematics::summation::sum_all;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Aggregate {
    Average,
    Count,
    Max,
    Min,
    Sum,
}

impl Aggregate {
    pub const ALL: [(&'static str, Aggregate); 5] = [
        ("avg", Aggregate::Average),
        ("count", Aggregate::Count),
        ("max", Aggregate::Max),
        ("min", Aggregate::Min),
        ("sum", Aggregate::Sum),
    ];
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Quarter,
    DayOfWeek,
    Now,
    DateDifference,
    ToDate,
    Upper,
    Lower,
}

impl Scalar {
    /// Names, functions and numbers of arguments.
    pub const ALL: [(&'static str, Scalar, usize); 14] = [
        ("year", Scalar::Year, 1),
        ("month", Scalar::Month, 1),
        ("day", Scalar::Day, 1),
        ("hour", Scalar::Hour, 1),
        ("minute", Scalar::Minute, 1),
        ("second", Scalar::Second, 1),
        ("millisecond", Scalar::Millisecond, 1),
        ("quarter", Scalar::Quarter, 1),
        ("dayofweek", Scalar::DayOfWeek, 1),
        ("now", Scalar::Now, 0),
        ("datediff", Scalar::DateDifference, 2),
        ("todate", Scalar::ToDate, 1),
        ("upper", Scalar::Upper, 1),
        ("lower", Scalar::Lower, 1),
    ];
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Expression {
    Column(u32),
    Literal(Value),
    Aggregate(Aggregate, u32),
    Call(Scalar, Vec<Expression>),
    /// `+`, `-`, `*` or `/`.
    Arithmetic(char, Box<(Expression, Expression)>),
}

pub(super) enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    IsNull(Expression),
    Compare(Comparison, Expression, Expression),
    /// A comparison of two texts.
    Text(TextCondition, Expression, String),
    Matches(Expression, Regex),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TextCondition {
    Contains,
    StartsWith,
    EndsWith,
    /// `%` matches any characters, `_` one character.
    Like,
}

impl Expression {
    /// Whether the expression contains an aggregate.
    pub fn has_aggregate(&self) -> bool {
        match self {
            Expression::Aggregate(..) => true,
            Expression::Column(_) | Expression::Literal(_) => false,
            Expression::Call(_, arguments) => arguments.iter().any(Expression::has_aggregate),
            Expression::Arithmetic(_, sides) => sides.0.has_aggregate() || sides.1.has_aggregate(),
        }
    }

    /// Whether the expression uses columns only inside aggregates or as one of the grouping keys.
    pub fn is_made_of(&self, keys: &[Expression]) -> bool {
        keys.contains(self)
            || match self {
                Expression::Aggregate(..) | Expression::Literal(_) => true,
                Expression::Column(_) => false,
                Expression::Call(_, arguments) => arguments.iter().all(|argument| argument.is_made_of(keys)),
                Expression::Arithmetic(_, sides) => sides.0.is_made_of(keys) && sides.1.is_made_of(keys),
            }
    }

    /// Returns the default label of a result column.
    pub fn label(&self, table: &Table) -> String {
        match self {
            Expression::Column(column) => table.labels[*column as usize].clone(),
            Expression::Literal(value) => text(value).map(|text| text.to_string()).unwrap_or_default(),
            Expression::Aggregate(aggregate, column) => {
                let name =
                    Aggregate::ALL.iter().find(|(_, other)| other == aggregate).map_or("", |found| found.0);
                format!("{name} {}", table.labels[*column as usize])
            }
            Expression::Call(function, arguments) => {
                let name =
                    Scalar::ALL.iter().find(|(_, other, _)| other == function).map_or("", |found| found.0);
                let arguments: Vec<String> = arguments.iter().map(|argument| argument.label(table)).collect();
                format!("{name}({})", arguments.join(", "))
            }
            Expression::Arithmetic(sign, sides) => {
                let name = match sign {
                    '+' => "sum",
                    '-' => "difference",
                    '*' => "product",
                    _ => "quotient",
                };
                format!("{name}({}, {})", sides.0.label(table), sides.1.label(table))
            }
        }
    }

    /// Evaluates the expression for a group of rows. Outside aggregates, columns have the value of
    /// the first row.
    pub fn value(&self, context: &mut CallContext, table: &Table, rows: &[u32]) -> Result<Value, ErrorValue> {
        context.budget.charge(1)?;
        match self {
            Expression::Column(column) => {
                Ok(rows.first().map_or(Value::Blank, |row| table.value(*row, *column)))
            }
            Expression::Literal(value) => Ok(value.clone()),
            Expression::Aggregate(aggregate, column) => {
                context.budget.charge(rows.len() as u64)?;
                aggregate_rows(&context.budget.cancel, *aggregate, table, rows, *column)
            }
            Expression::Call(function, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(argument.value(context, table, rows)?);
                }
                call_scalar(context, *function, &values)
            }
            Expression::Arithmetic(sign, sides) => {
                let (left, right) =
                    (sides.0.value(context, table, rows)?, sides.1.value(context, table, rows)?);
                match (left, right) {
                    (Value::Number(a), Value::Number(b)) => Ok(match sign {
                        '+' => Value::number(a + b),
                        '-' => Value::number(a - b),
                        '*' => Value::number(a * b),
                        _ if b == 0.0 => Value::Blank,
                        _ => Value::number(a / b),
                    }),
                    (Value::Blank, Value::Blank | Value::Number(_)) | (Value::Number(_), Value::Blank) => {
                        Ok(Value::Blank)
                    }
                    _ => Err(ErrorValue::Value),
                }
            }
        }
    }
}

fn aggregate_rows(
    cancel: &Cancel,
    aggregate: Aggregate,
    table: &Table,
    rows: &[u32],
    column: u32,
) -> Result<Value, ErrorValue> {
    let rows = rows.iter().take_while(|_| !cancel.is_requested_within(1));
    let values = rows.map(|row| table.value(*row, column)).filter(|value| !value.is_blank());
    match aggregate {
        Aggregate::Count => Ok(Value::number(values.count() as f64)),
        Aggregate::Max => Ok(extreme(values, Ordering::Greater)),
        Aggregate::Min => Ok(extreme(values, Ordering::Less)),
        Aggregate::Sum | Aggregate::Average => {
            if table.types[column as usize] != ColumnType::Number {
                return Err(ErrorValue::Value);
            }
            let numbers: Vec<f64> = values
                .filter_map(|value| match value {
                    Value::Number(number) => Some(number),
                    _ => None,
                })
                .collect();
            let (sum, count) = (sum_all(numbers.iter().copied()), numbers.len() as f64);
            Ok(match aggregate {
                _ if numbers.is_empty() => Value::Blank,
                Aggregate::Sum => Value::number(sum),
                _ => Value::number(sum / count),
            })
        }
    }
}

fn extreme(values: impl Iterator<Item = Value>, expected: Ordering) -> Value {
    let mut best = Value::Blank;
    for value in values {
        if best.is_blank() || order(&value, &best) == Some(expected) {
            best = value;
        }
    }
    best
}

fn call_scalar(context: &CallContext, function: Scalar, arguments: &[Value]) -> Result<Value, ErrorValue> {
    const DAY_MS: f64 = 86_400_000.0;
    if function == Scalar::Now {
        return Ok(Value::number(displayed_serial(serial_from_unix_ms(context.time_and_seed.time_ms))));
    }
    if arguments.iter().any(Value::is_blank) {
        return Ok(Value::Blank);
    }
    if matches!(function, Scalar::Upper | Scalar::Lower) {
        let Value::Text(text) = &arguments[0] else { return Err(ErrorValue::Value) };
        return Ok(Value::text(match function {
            Scalar::Upper => text.to_uppercase(),
            _ => text.to_lowercase(),
        }));
    }
    let Value::Number(serial) = arguments[0] else { return Err(ErrorValue::Value) };
    let day = serial.floor();
    let time_ms = ((serial - day) * DAY_MS).round();
    let civil = civil_of(day).ok_or(ErrorValue::Value)?;
    let month = f64::from(civil.month);
    Ok(Value::number(match function {
        Scalar::Year => f64::from(civil.year),
        // Months are counted from zero in this language.
        Scalar::Month => month - 1.0,
        Scalar::Quarter => ((month - 1.0) / 3.0).floor() + 1.0,
        Scalar::Day => f64::from(civil.day),
        Scalar::Hour => (time_ms / 3_600_000.0).floor(),
        Scalar::Minute => (time_ms / 60_000.0).floor() % 60.0,
        Scalar::Second => (time_ms / 1_000.0).floor() % 60.0,
        Scalar::Millisecond => time_ms % 1_000.0,
        Scalar::DayOfWeek => f64::from(weekday(day as i64 + date_system().offset_from_1900())) + 1.0,
        Scalar::DateDifference => {
            let Value::Number(other) = arguments[1] else { return Err(ErrorValue::Value) };
            day - other.floor()
        }
        _ => day,
    }))
}

/// Compares two values of the same type; `None` for different types.
fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => Some(compare_numbers(*a, *b)),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

impl Condition {
    /// Whether the condition is true for a row. Fails with the error of an expression.
    pub fn holds(&self, context: &mut CallContext, table: &Table, row: u32) -> Result<bool, ErrorValue> {
        let rows = [row];
        Ok(match self {
            Condition::All(tests) => {
                for test in tests {
                    if !test.holds(context, table, row)? {
                        return Ok(false);
                    }
                }
                true
            }
            Condition::Any(tests) => {
                for test in tests {
                    if test.holds(context, table, row)? {
                        return Ok(true);
                    }
                }
                false
            }
            Condition::Not(test) => !test.holds(context, table, row)?,
            Condition::IsNull(expression) => expression.value(context, table, &rows)?.is_blank(),
            Condition::Compare(comparison, left, right) => {
                let (left, right) = (left.value(context, table, &rows)?, right.value(context, table, &rows)?);
                comparison.holds(&left, &right)
            }
            Condition::Text(test, expression, expected) => match expression.value(context, table, &rows)? {
                Value::Text(text) => {
                    context.budget.charge((text.len() / 16) as u64 * (expected.len() as u64 + 1))?;
                    test.holds(&text, expected)
                }
                _ => false,
            },
            Condition::Matches(expression, pattern) => match expression.value(context, table, &rows)? {
                Value::Text(text) => {
                    context
                        .budget
                        .charge((pattern.as_str().len() as u64 + 1) * (text.len() as u64 / 16 + 1))?;
                    pattern.is_match(&text)
                }
                _ => false,
            },
        })
    }
}

impl Comparison {
    fn holds(self, left: &Value, right: &Value) -> bool {
        // A blank cell equals empty text and is not comparable otherwise.
        let empty = Value::text("");
        let (left, right) = match (left, right) {
            (Value::Blank, Value::Text(text)) if text.is_empty() => (&empty, right),
            _ => (left, right),
        };
        let Some(order) = order(left, right) else { return false };
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }
}

impl TextCondition {
    fn holds(self, text: &str, expected: &str) -> bool {
        match self {
            TextCondition::Contains => text.contains(expected),
            TextCondition::StartsWith => text.starts_with(expected),
            TextCondition::EndsWith => text.ends_with(expected),
            TextCondition::Like => is_like(text, expected),
        }
    }
}

fn is_like(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut pattern_index) = (0, 0);
    // Position of the last %, and of the text after its match.
    let mut star = None;
    while at < text.len() {
        match pattern.get(pattern_index) {
            Some('%') => {
                star = Some((pattern_index, at));
                pattern_index += 1;
            }
            Some(c) if *c == '_' || *c == text[at] => {
                at += 1;
                pattern_index += 1;
            }
            _ => match &mut star {
                Some((position, end)) => {
                    *end += 1;
                    (at, pattern_index) = (*end, *position + 1);
                }
                None => return false,
            },
        }
    }
    pattern[pattern_index..].iter().all(|c| *c == '%')
}
