//! Sparklines: the SPARKLINE formula of a cell as drawing data. The formula's value is a text of
//! block characters for files and screen readers; this module reads its arguments with full
//! precision.

use quadrille_cell::{CellAddress, SheetId, Value, parse_number};
use quadrille_formula::{Expression, Host, Template};
use quadrille_workbook::Color;

use crate::Document;

/// Points per sparkline; further points are ignored.
const POINTS_MAX: usize = 2_000;

/// A small chart in a cell, with the options of Google Sheets.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sparkline {
    pub kind: SparklineKind,
    /// `None` where there is no number.
    pub values: Vec<Option<f64>>,
    /// Values at the bottom and at the top of the cell.
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub color: Option<Color>,
    /// Color of every second part of a bar.
    pub second_color: Option<Color>,
    pub negative_color: Option<Color>,
    pub low_color: Option<Color>,
    pub high_color: Option<Color>,
    pub first_color: Option<Color>,
    pub last_color: Option<Color>,
    pub has_axis: bool,
    pub axis_color: Option<Color>,
    pub line_width: Option<f64>,
    pub is_from_right: bool,
}

/// The type of a sparkline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SparklineKind {
    #[default]
    Line,
    Column,
    WinLoss,
    Bar,
}

/// Whether the formula is a call of SPARKLINE.
pub fn is_sparkline(template: &Template) -> bool {
    arguments_of(template).is_some()
}

fn arguments_of(template: &Template) -> Option<&[Expression]> {
    match template.expression() {
        Expression::Call { function, arguments } if &**function == "SPARKLINE" => Some(arguments),
        _ => None,
    }
}

impl Document {
    /// Returns the sparkline of a cell; `None` when its formula is none. The cell's value tells
    /// whether the arguments are valid.
    pub fn sparkline(&self, sheet: SheetId, cell: CellAddress) -> Option<Sparkline> {
        let template = self.workbook().sheet(sheet)?.formula(cell)?;
        let (data, options) = match arguments_of(template)? {
            [data] => (data, None),
            [data, options] => (data, Some(options)),
            _ => return None,
        };
        let host = Host { sheet, cell };
        let mut drawn = Sparkline::default();
        let (mut blank, mut other) = (None, None);
        let words = options.map_or_else(Vec::new, |options| self.values_of(host, options));
        for pair in words.chunks_exact(2) {
            match &*text(&pair[0]) {
                "empty" => blank = (text(&pair[1]) == "zero").then_some(0.0),
                "nan" => other = (text(&pair[1]) == "convert").then_some(0.0),
                name => set(&mut drawn, name, &pair[1]),
            }
        }
        let number = |value: Value| match value {
            Value::Number(number) => Some(number),
            Value::Blank => blank,
            _ => other,
        };
        drawn.values = self.values_of(host, data).into_iter().map(number).collect();
        Some(drawn)
    }

    /// The values of an argument, row by row, up to [`POINTS_MAX`].
    fn values_of(&self, host: Host, argument: &Expression) -> Vec<Value> {
        let template = Template::new(argument.clone());
        // Ranges are read directly, clipped to the used range.
        let Some((sheet, range)) = self.referenced_range(host, &template) else {
            let mut values = self.evaluate_range_detached(host, &template);
            values.truncate(POINTS_MAX);
            return values;
        };
        let Some(found) = self.workbook().sheet(sheet) else { return Vec::new() };
        let Some(used) = found.used_range().and_then(|used| used.intersection(range)) else {
            return Vec::new();
        };
        used.cells().take(POINTS_MAX).map(|cell| found.value(cell)).collect()
    }
}

fn set(drawn: &mut Sparkline, name: &str, value: &Value) {
    match name {
        "charttype" => {
            drawn.kind = match &*text(value) {
                "column" => SparklineKind::Column,
                "winloss" => SparklineKind::WinLoss,
                "bar" => SparklineKind::Bar,
                _ => SparklineKind::Line,
            }
        }
        "ymin" | "min" => drawn.low = number(value),
        "ymax" | "max" => drawn.high = number(value),
        "color" | "color1" => drawn.color = color(value),
        "color2" => drawn.second_color = color(value),
        "negcolor" => drawn.negative_color = color(value),
        "lowcolor" => drawn.low_color = color(value),
        "highcolor" => drawn.high_color = color(value),
        "firstcolor" => drawn.first_color = color(value),
        "lastcolor" => drawn.last_color = color(value),
        "axis" => drawn.has_axis = is_true(value),
        "axiscolor" => drawn.axis_color = color(value),
        "linewidth" => drawn.line_width = number(value).filter(|width| *width > 0.0 && *width <= 20.0),
        "rtl" => drawn.is_from_right = is_true(value),
        _ => {}
    }
}

/// Names, words and colors ignore case.
fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.trim().to_ascii_lowercase(),
        _ => String::new(),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Text(text) => parse_number(text.trim()).filter(|number| number.is_finite()),
        _ => None,
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Boolean(is_true) => *is_true,
        Value::Number(number) => *number != 0.0,
        other => text(other) == "true",
    }
}

/// A color as `#1f6f5c`, `#abc` or a name.
fn color(value: &Value) -> Option<Color> {
    let text = text(value);
    if let Some(digits) = text.strip_prefix('#') {
        let number = u32::from_str_radix(digits, 16).ok()?;
        return match digits.len() {
            6 => Some(Color(number)),
            3 => Some(Color(
                (number >> 8 & 15) * 0x11_00_00 + (number >> 4 & 15) * 0x11_00 + (number & 15) * 0x11,
            )),
            _ => None,
        };
    }
    COLORS.iter().find(|(name, _)| *name == text).map(|(_, number)| Color(*number))
}

/// Common color names of CSS.
const COLORS: [(&str, u32); 28] = [
    ("aqua", 0x00_ff_ff),
    ("black", 0x00_00_00),
    ("blue", 0x00_00_ff),
    ("brown", 0xa5_2a_2a),
    ("coral", 0xff_7f_50),
    ("crimson", 0xdc_14_3c),
    ("cyan", 0x00_ff_ff),
    ("darkblue", 0x00_00_8b),
    ("darkgreen", 0x00_64_00),
    ("darkred", 0x8b_00_00),
    ("gold", 0xff_d7_00),
    ("gray", 0x80_80_80),
    ("green", 0x00_80_00),
    ("grey", 0x80_80_80),
    ("lightblue", 0xad_d8_e6),
    ("lightgray", 0xd3_d3_d3),
    ("lightgreen", 0x90_ee_90),
    ("lime", 0x00_ff_00),
    ("magenta", 0xff_00_ff),
    ("navy", 0x00_00_80),
    ("orange", 0xff_a5_00),
    ("pink", 0xff_c0_cb),
    ("purple", 0x80_00_80),
    ("red", 0xff_00_00),
    ("silver", 0xc0_c0_c0),
    ("teal", 0x00_80_80),
    ("white", 0xff_ff_ff),
    ("yellow", 0xff_ff_00),
];
