//! Functions of Google Sheets for validation (ISDATE, ISEMAIL, ISURL), conversion (TO_DATE, TO_TEXT
//! etc.), complex numbers, MARGINOFERROR, PERCENTIF and SORTN. Described in Google's help.

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{
    CountMode, OperandResult, ValueResult, collect_numbers, numbers, optional, optional_integer,
    optional_number, single, view,
};
use crate::array::columns::{CodePurpose, ColumnCopy, SortCode, first_equal_rows, order_by, rows_of};
use crate::coerce::{boolean, integer, parse_input, text};
use crate::context::CallContext;
use crate::engineering::complex::Complex;
use crate::function::Function;
use crate::mathematics::summation::sum_all;
use crate::operands::Operand;
use crate::statistics::conditional;
use crate::statistics::student_t::student_inverse_two_tailed;

#[rustfmt::skip]
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar("TO_DATE", "number", "The number itself: in Google Sheets shown as a date.", identity)
        .examples(&[("=TO_DATE(45000)", "45000")]),
    Function::scalar("TO_DOLLARS", "number", "The number itself: in Google Sheets shown as dollars.", identity)
        .examples(&[("=TO_DOLLARS(4)", "4")]),
    Function::scalar("TO_PERCENT", "number", "The number itself: in Google Sheets shown in percent.", identity)
        .examples(&[("=TO_PERCENT(0.5)", "0.5")]),
    Function::scalar("TO_PURE_NUMBER", "number", "The number itself: in Google Sheets shown without a format.", identity)
        .examples(&[("=TO_PURE_NUMBER(50%)", "0.5"), ("=TO_PURE_NUMBER(\"a\")", "a")]),
    Function::scalar("TO_TEXT", "value", "The value as text.", |_, arguments| text(&arguments[0]).map(Value::Text))
        .examples(&[("=TO_TEXT(1.5)&\"\"", "1.5"), ("=ISTEXT(TO_TEXT(24))", "TRUE")]),
    Function::scalar("ISDATE", "value", "Whether a text reads as a date.", is_date)
        .examples(&[("=ISDATE(\"2024-05-01\")", "TRUE"), ("=ISDATE(\"13:30\")", "FALSE"), ("=ISDATE(5)", "FALSE")]),
    Function::scalar("ISEMAIL", "value", "Whether a text has the form of a mail address.", |_, arguments| test(arguments, is_mail_address))
        .examples(&[("=ISEMAIL(\"a.b@example.org\")", "TRUE"), ("=ISEMAIL(\"a@b\")", "FALSE"), ("=ISEMAIL(5)", "FALSE")]),
    Function::scalar("ISURL", "value", "Whether a text has the form of a web address.", |_, arguments| test(arguments, is_web_address))
        .examples(&[("=ISURL(\"https://example.org/a?b\")", "TRUE"), ("=ISURL(\"example.org\")", "TRUE"), ("=ISURL(\"no such\")", "FALSE")]),
    Function::scalar("IMTANH", "number", "The hyperbolic tangent of a complex number.", |_, arguments| hyperbolic(arguments, false))
        .examples(&[("=ROUND(IMREAL(IMTANH(\"4+3i\")),8)", "0.99935599")]),
    Function::scalar("IMCOTH", "number", "The hyperbolic cotangent of a complex number.", |_, arguments| hyperbolic(arguments, true))
        .examples(&[("=ROUND(IMREAL(IMCOTH(\"4+3i\")),8)", "1.00064439"), ("=IMCOTH(0)", "#NUM!")]),
    Function::scalar("IMLOG", "number, base", "The logarithm of a complex number to a base.", complex_logarithm)
        .examples(&[("=ROUND(IMREAL(IMLOG(\"3+4i\",2)),8)", "2.32192809"), ("=IMLOG(1,1)", "#NUM!")]),
    Function::whole("MARGINOFERROR", "range, confidence", "How far the mean of a sample may be off with a confidence.", margin_of_error)
        .examples(&[("=ROUND(MARGINOFERROR({8,4,3,6},0.95),3)", "3.528"), ("=MARGINOFERROR({1},0.9)", "#DIV/0!")]),
    Function::whole("PERCENTIF", "range, criterion", "The part of the cells that match a criterion.", percent_if)
        .examples(&[("=PERCENTIF(A1:A4,\"\")", "1"), ("=PERCENTIF(B1:B2,\">0\")", "0")]),
    Function::whole("SORTN", "range, [n], [ties], [column1], [ascending1], …", "The first rows in order; ties: 0 cuts them off, 1 shows them too, 2 leaves doubles out, 3 shows all doubles of the first different ones.", sort_n)
        .examples(&[
            ("=TEXTJOIN(\",\",TRUE,SORTN({3;1;2;1},2))", "1,1"),
            ("=TEXTJOIN(\",\",TRUE,SORTN({3;1;2;1},1,1))", "1,1"),
            ("=TEXTJOIN(\",\",TRUE,SORTN({3;1;2;1},2,2))", "1,2"),
            ("=TEXTJOIN(\",\",TRUE,SORTN({3;1;2;1},2,3,1,FALSE))", "3,2"),
        ]),
];

fn identity(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    Ok(arguments[0].clone())
}

fn is_date(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let Value::Text(text) = &arguments[0] else { return Ok(Value::Boolean(false)) };
    let format = parse_input(text).number_format.unwrap_or_default();
    Ok(Value::Boolean(format.contains(['y', 'd'])))
}

fn test(arguments: &[Value], test: fn(&str) -> bool) -> ValueResult {
    match &arguments[0] {
        Value::Error(error) => Err(*error),
        Value::Text(text) => Ok(Value::Boolean(test(text))),
        _ => Ok(Value::Boolean(false)),
    }
}

/// Whether a text is a host name: labels of letters, digits and hyphens, separated by dots, the
/// last one of letters only.
fn is_host(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    match host.rsplit_once('.') {
        Some((rest, last)) => {
            rest.split('.').all(is_label) && last.chars().count() > 1 && last.chars().all(char::is_alphabetic)
        }
        None => false,
    }
}

fn is_mail_address(text: &str) -> bool {
    let Some((name, host)) = text.split_once('@') else { return false };
    let is_named = !name.is_empty() && !name.starts_with('.') && !name.ends_with('.') && !name.contains("..");
    is_named
        && name.chars().all(|c| c.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c))
        && is_host(host)
}

fn is_web_address(text: &str) -> bool {
    let rest = match text.split_once("://") {
        Some(("http" | "https" | "ftp", rest)) => rest,
        Some(_) => return false,
        None => {
            text.strip_prefix("mailto:").map_or(text, |address| address.split('@').nth(1).unwrap_or_default())
        }
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    is_host(host) && !text.contains(char::is_whitespace)
}

fn hyperbolic(arguments: &[Value], inverted: bool) -> ValueResult {
    let z = Complex::read(&arguments[0])?;
    let (sine, cosine) = (z.sinh(), z.cosh());
    let (above, below) = if inverted { (cosine, sine) } else { (sine, cosine) };
    if below.is_zero() { Err(ErrorValue::Number) } else { above.over(below).write() }
}

fn complex_logarithm(_: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let z = Complex::read(&arguments[0])?;
    let [base] = numbers(&arguments[1..])?;
    if z.is_zero() || base <= 0.0 || base == 1.0 {
        return Err(ErrorValue::Number);
    }
    z.ln().scaled(1.0 / libm::log(base)).write()
}

fn margin_of_error(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let numbers = collect_numbers(context, &arguments[..1], CountMode::Numbers)?;
    let confidence = optional_number(arguments, 1, 0.95)?;
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(ErrorValue::Number);
    }
    let count = numbers.len() as f64;
    if count < 2.0 {
        return Err(ErrorValue::DivideByZero);
    }
    let mean = sum_all(numbers.iter().copied()) / count;
    let variance = sum_all(numbers.iter().map(|number| (number - mean) * (number - mean))) / (count - 1.0);
    let quantile = student_inverse_two_tailed(1.0 - confidence, count - 1.0).ok_or(ErrorValue::Number)?;
    Ok(Operand::Value(Value::number(quantile * (variance / count).sqrt())))
}

fn percent_if(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let range = view(&arguments[0])?;
    let cells = f64::from(range.rows()) * f64::from(range.columns());
    let count = conditional::count_if().call(context, arguments);
    match count {
        Operand::Value(Value::Number(count)) => Ok((count / cells).into()),
        other => Ok(other),
    }
}

fn sort_n(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let source = view(&arguments[0])?;
    crate::arguments::charge_view(context, source)?;
    let (limit, ties) = (optional_integer(arguments, 1, 1)?, optional_integer(arguments, 2, 0)?);
    if limit < 1 || !(0..=3).contains(&ties) {
        return Err(ErrorValue::Number);
    }
    let rows = source.rows();
    let mut columns = Vec::new();
    let pairs = arguments.get(3..).unwrap_or_default();
    // Every key column is copied, with its blank cells.
    let keys = if pairs.is_empty() { source.columns() } else { pairs.len().div_ceil(2) as u32 };
    context.budget.charge_cells(u64::from(rows) * u64::from(keys))?;
    for pair in pairs.chunks(2) {
        let codes_of = |view: &dyn crate::operands::RangeView, column| {
            let cancel = &context.budget.cancel;
            ColumnCopy::new(cancel, view, column)?.codes(cancel, CodePurpose::Sorting)
        };
        let by = view(&pair[0])?;
        let codes = if by.rows() == rows && by.columns() == 1 && rows > 1 {
            codes_of(by, 0)?
        } else {
            let column = integer(&single(&pair[0])?)?;
            if !(1..=i64::from(source.columns())).contains(&column) {
                return Err(ErrorValue::Value);
            }
            codes_of(source, column as u32 - 1)?
        };
        let is_ascending = optional(pair, 1).map_or(Ok(true), |argument| boolean(&single(argument)?))?;
        columns.push(if is_ascending { codes } else { codes.into_iter().map(SortCode::reversed).collect() });
    }
    if columns.is_empty() {
        for column in 0..source.columns() {
            let cancel = &context.budget.cancel;
            columns.push(ColumnCopy::new(cancel, source, column)?.codes(cancel, CodePurpose::Sorting)?);
        }
    }
    context.budget.charge(u64::from(rows) * 16)?;
    let order = order_by(&context.budget.cancel, &columns, rows)?;
    let firsts = first_equal_rows(&context.budget.cancel, columns.into_iter().map(Ok), rows)?;
    let (mut selected, mut distinct, mut last) = (Vec::new(), 0, None);
    for (position, row) in (1..).zip(order) {
        let is_new = last != Some(firsts[row as usize]);
        last = Some(firsts[row as usize]);
        distinct += i64::from(is_new);
        let is_selected = match ties {
            0 => position <= limit,
            1 => position <= limit || !is_new,
            2 => is_new && distinct <= limit,
            _ => distinct <= limit,
        };
        if is_selected {
            selected.push(row);
        } else if ties != 2 {
            break;
        }
    }
    rows_of(context, source, selected.into_iter())
}
