//! SPARKLINE of Google Sheets: a chart as text of block characters, which is displayed wherever
//! values are: in files, mails and previews. The grid draws an image instead, which the `document`
//! crate derives from the same arguments; options for colors and widths affect only the image.

use std::sync::Arc;

use quadrille_cell::{ErrorValue, Value};

use crate::arguments::{OperandResult, optional, values_by_row, view};
use crate::coerce::{number, text, text_value};
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

#[rustfmt::skip]
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("SPARKLINE", "data, [options]", "A small chart in the cell: a line, columns, a bar in parts, or wins and losses; elsewhere as text.", sparkline).examples(&[
        ("=SPARKLINE({1,2,3,8})", "▁▂▃█"),
        ("=SPARKLINE({5,0,-5})", "█▅▁"),
        ("=SPARKLINE({2,-1,0,3},{\"charttype\",\"winloss\"})", "▀▄ ▀"),
        ("=SPARKLINE({3,1},{\"charttype\",\"bar\"})", "███████████████▒▒▒▒▒"),
        ("=SPARKLINE({1,2,4},{\"max\",8;\"min\",0})", "▂▃▅"),
        ("=SPARKLINE({1,2},{\"charttype\",\"pie\"})", "#VALUE!"),
    ]),
];

/// Column characters from the lowest to the highest.
const COLUMNS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Characters of consecutive parts of a bar.
const PARTS: [char; 4] = ['█', '▒', '▓', '░'];
/// Length of a bar in characters.
const BAR_LENGTH: f64 = 20.0;

#[derive(Clone, Copy, PartialEq)]
enum Chart {
    Columns,
    Bar,
    WinLoss,
}

struct Options {
    chart: Chart,
    least: Option<f64>,
    most: Option<f64>,
    blanks_are_zero: bool,
    texts_are_zero: bool,
    from_right: bool,
}

fn sparkline(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let options = read_options(arguments)?;
    let mut values = Vec::new();
    for value in values_by_row(context, &arguments[0])? {
        match value {
            Value::Number(number) => values.push(number),
            Value::Blank if options.blanks_are_zero => values.push(0.0),
            Value::Text(_) | Value::Boolean(_) if options.texts_are_zero => values.push(0.0),
            Value::Error(error) => return Err(error),
            _ => {}
        }
    }
    if values.is_empty() {
        return Err(ErrorValue::NotAvailable);
    }
    if options.from_right {
        values.reverse();
    }
    let drawn = match options.chart {
        Chart::Columns => columns(&values, &options),
        Chart::Bar => bar(&values, &options),
        Chart::WinLoss => values
            .iter()
            .map(|value| {
                if *value > 0.0 {
                    '▀'
                } else if *value < 0.0 {
                    '▄'
                } else {
                    ' '
                }
            })
            .collect(),
    };
    text_value(drawn).map(Operand::Value)
}

fn columns(values: &[f64], options: &Options) -> String {
    let least = options.least.unwrap_or_else(|| values.iter().copied().fold(f64::INFINITY, f64::min));
    let most = options.most.unwrap_or_else(|| values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    let height = |value: &f64| {
        let part = if most > least { (value - least) / (most - least) } else { 0.5 };
        COLUMNS[(part.clamp(0.0, 1.0) * 7.0).round() as usize]
    };
    values.iter().map(height).collect()
}

fn bar(values: &[f64], options: &Options) -> String {
    let all: f64 = values.iter().map(|value| value.max(0.0)).sum();
    let most = options.most.unwrap_or(all);
    let (mut drawn, mut sum, mut length) = (String::new(), 0.0, 0);
    for (value, part) in values.iter().zip(PARTS.iter().cycle()) {
        sum += value.max(0.0);
        let end = if most > 0.0 { (sum / most * BAR_LENGTH).round().min(BAR_LENGTH) as usize } else { 0 };
        drawn.extend(std::iter::repeat_n(part, end - length));
        length = end;
    }
    drawn
}

/// Reads the options: a table of names and values.
fn read_options(arguments: &[Operand]) -> Result<Options, ErrorValue> {
    let mut options = Options {
        chart: Chart::Columns,
        least: None,
        most: None,
        blanks_are_zero: false,
        texts_are_zero: false,
        from_right: false,
    };
    let Some(argument) = optional(arguments, 1) else { return Ok(options) };
    let table = view(argument)?;
    if table.columns() != 2 {
        return Err(ErrorValue::Value);
    }
    for row in 0..table.used_rows() {
        let value = table.value(row, 1);
        let word = || -> Result<Arc<str>, ErrorValue> { Ok(text(&value)?.to_lowercase().into()) };
        match text(&table.value(row, 0))?.to_lowercase().as_str() {
            "charttype" => {
                options.chart = match &*word()? {
                    "line" | "column" => Chart::Columns,
                    "bar" => Chart::Bar,
                    "winloss" => Chart::WinLoss,
                    _ => return Err(ErrorValue::Value),
                };
            }
            "min" | "ymin" => options.least = Some(number(&value)?),
            "max" | "ymax" => options.most = Some(number(&value)?),
            "empty" => options.blanks_are_zero = &*word()? == "zero",
            "nan" => options.texts_are_zero = &*word()? == "convert",
            "rtl" => options.from_right = crate::coerce::boolean(&value)?,
            // Colors, widths and axes affect only the image.
            _ => {}
        }
    }
    Ok(options)
}
