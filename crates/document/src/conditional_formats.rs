//! Conditional formatting, evaluated for requested cells only.
//!
//! Aggregates over all cells of a rule (extremes, duplicates, averages) are computed once and
//! cached until the document changes.

pub(crate) mod aggregates;

use std::cell::Cell;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId, Value};
use quadrille_formula::{
    Area, BinaryOperator, CellReference, Coordinate, Expression, Host, Reference, SheetReference, Template,
    resolve_area,
};
use quadrille_workbook::{Color, Field, FieldValue, Format, Item, ItemId, ItemKind};

use crate::document::Document;
use crate::icon::Icon;
use aggregates::Aggregate;

/// The style that conditional formats give a cell.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ConditionalStyle {
    /// The cell's own format with the attributes of the rules.
    pub format: Option<Format>,
    pub bar: Option<Bar>,
    pub icon: Option<Icon>,
    /// Whether the bar or icon is displayed without the value.
    pub hides_value: bool,
}

/// A data bar, from the axis to the value, as fractions of the cell's width.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bar {
    pub start: f64,
    pub end: f64,
    pub color: Color,
    pub is_gradient: bool,
}

/// Steps for the formulas of rules per request; further cells get no conditional style.
const STEPS_MAX: u64 = 20_000_000;

/// The conditional formats of a sheet that apply to a range, by priority.
pub struct ConditionalFormats<'a> {
    document: &'a Document,
    sheet: SheetId,
    rules: Vec<Rule<'a>>,
    steps_left: Cell<u64>,
}

struct Rule<'a> {
    item: &'a Item,
    kind: &'a str,
    /// A formula, relative to each cell, that is true where the cell meets the rule.
    test: Option<Template>,
    aggregate: Option<Arc<Aggregate>>,
}

impl Document {
    /// The range of a formula that is a single reference; `None` for other formulas.
    pub fn referenced_range(&self, host: Host, template: &Template) -> Option<(SheetId, Range)> {
        let Expression::Reference(reference) = template.expression() else { return None };
        let sheet = match &reference.sheet {
            None => host.sheet,
            Some(SheetReference::Sheet(sheet)) => *sheet,
            Some(_) => return None,
        };
        Some((sheet, resolve_area(&reference.area, host.cell)?))
    }

    fn aggregate(&self, sheet: SheetId, id: ItemId, item: &Item) -> Arc<Aggregate> {
        let mut cached = self.aggregates.borrow_mut();
        let gather = || match self.workbook().sheet(sheet) {
            Some(sheet) => Arc::new(Aggregate::of(sheet, &item.anchors)),
            None => Arc::default(),
        };
        cached.entry((sheet, id)).or_insert_with(gather).clone()
    }

    /// Returns the conditional formats that apply to cells of `range`.
    pub fn conditional_formats(&self, sheet: SheetId, range: Range) -> ConditionalFormats<'_> {
        let mut rules: Vec<(f64, ItemId, Rule<'_>)> = Vec::new();
        let found = self.workbook().sheet(sheet);
        let items = found.into_iter().flat_map(|sheet| sheet.items().of_kind(ItemKind::ConditionalRule));
        for (id, item) in items {
            if !item.anchors.iter().any(|anchor| anchor.intersects(range)) {
                continue;
            }
            let kind = item.text(Field::Rule).map_or("", |kind| &**kind);
            let aggregate = aggregates::is_needed(kind).then(|| self.aggregate(sheet, id, item));
            let rule = Rule { item, kind, test: test_of(item, kind), aggregate };
            rules.push((item.number(Field::Priority).unwrap_or(0.0), id, rule));
        }
        quadrille_cell::stable_sort_by(&mut rules, &mut |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let rules = rules.into_iter().map(|(_, _, rule)| rule).collect();
        ConditionalFormats { document: self, sheet, rules, steps_left: Cell::new(STEPS_MAX) }
    }
}

impl ConditionalFormats<'_> {
    /// Whether no conditional format applies.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the conditional style of a cell; `None` when no rule applies. `own` is the cell's
    /// format.
    pub fn style_of(&self, cell: CellAddress, value: &Value, own: &Format) -> Option<ConditionalStyle> {
        let mut style = ConditionalStyle::default();
        for rule in &self.rules {
            if !rule.item.anchors.iter().any(|anchor| anchor.contains(cell)) {
                continue;
            }
            let is_met = match rule.kind {
                "colorScale" => self.color_scale(rule, value, own, &mut style),
                "dataBar" => self.data_bar(rule, value, &mut style),
                "iconSet" => self.icon_set(rule, value, &mut style),
                _ => self.is_met(rule, cell, value) && add_format(rule.item, own, &mut style),
            };
            if is_met && rule.item.boolean(Field::Stop) == Some(true) {
                break;
            }
        }
        (style != ConditionalStyle::default()).then_some(style)
    }

    fn is_met(&self, rule: &Rule<'_>, cell: CellAddress, value: &Value) -> bool {
        if let Some(test) = &rule.test {
            return match self.evaluate(cell, test) {
                Value::Boolean(is_true) => is_true,
                Value::Number(number) => number != 0.0,
                _ => false,
            };
        }
        let text = || match value {
            Value::Blank => String::new(),
            Value::Text(text) => text.to_lowercase(),
            _ => self.document.display_value(value, &Format::default()).text.to_lowercase(),
        };
        let given = || rule.item.text(Field::Text).map_or_else(String::new, |text| text.to_lowercase());
        let aggregate = rule.aggregate.as_deref();
        match rule.kind {
            "text" => match rule.item.text(Field::Operator).map(|operator| &**operator) {
                Some("notContains") => !text().contains(&given()),
                Some("beginsWith") => text().starts_with(&given()),
                Some("endsWith") => text().ends_with(&given()),
                Some("equal") => text() == given(),
                Some("notEqual") => text() != given(),
                _ => text().contains(&given()),
            },
            "blank" => is_blank(value),
            "notBlank" => !is_blank(value),
            "error" => matches!(value, Value::Error(_)),
            "notError" => !matches!(value, Value::Error(_)),
            "duplicate" => aggregate.is_some_and(|all| all.count_of(value) > 1),
            "unique" => aggregate.is_some_and(|all| all.count_of(value) == 1),
            "top" | "bottom" => {
                let (Value::Number(number), Some(all)) = (value, aggregate) else { return false };
                let rank = rule.item.number(Field::Rank).unwrap_or(10.0);
                let is_percent = rule.item.boolean(Field::Percent) == Some(true);
                all.is_among(*number, rank, is_percent, rule.kind == "top")
            }
            "aboveAverage" | "belowAverage" => {
                let (Value::Number(number), Some(all)) = (value, aggregate) else { return false };
                let deviations = rule.item.number(Field::Deviations).unwrap_or(0.0);
                let or_equal = rule.item.boolean(Field::OrEqual) == Some(true);
                all.is_beyond_average(*number, deviations, or_equal, rule.kind == "aboveAverage")
            }
            "date" => {
                let Value::Number(day) = value else { return false };
                let period = rule.item.text(Field::Period).map_or("", |period| &**period);
                let from_1900 = *day + self.document.workbook().date_system().offset_from_1900() as f64;
                *day >= 0.0 && aggregates::is_in_period(from_1900, self.document.today(), period)
            }
            _ => false,
        }
    }

    fn evaluate(&self, cell: CellAddress, template: &Template) -> Value {
        if self.steps_left.get() == 0 {
            return Value::Blank;
        }
        let host = Host { sheet: self.sheet, cell };
        let (value, steps) = self.document.evaluate_detached(host, template);
        self.steps_left.set(self.steps_left.get().saturating_sub(steps));
        value
    }

    fn color_scale(
        &self,
        rule: &Rule<'_>,
        value: &Value,
        own: &Format,
        style: &mut ConditionalStyle,
    ) -> bool {
        let (Value::Number(number), Some(all)) = (value, rule.aggregate.as_deref()) else { return false };
        let stops: Vec<(f64, Color)> = stops_of(rule.item)
            .filter_map(|stop| Some((self.stop_value(rule.item, &stop, all)?, color_of(&stop)?)))
            .collect();
        let Some(color) = aggregates::color_at(&stops, *number) else { return false };
        let format = style.format.get_or_insert_with(|| own.clone());
        // The first rule that sets an attribute wins.
        if format.fill_color == own.fill_color {
            format.fill_color = Some(color);
        }
        true
    }

    fn data_bar(&self, rule: &Rule<'_>, value: &Value, style: &mut ConditionalStyle) -> bool {
        let (Value::Number(number), Some(all)) = (value, rule.aggregate.as_deref()) else { return false };
        let mut stops = stops_of(rule.item).map(|stop| self.stop_value(rule.item, &stop, all));
        // Without stops, a bar starts at zero or at a lower minimum.
        let low = stops.next().flatten().unwrap_or_else(|| all.minimum().min(0.0));
        let high = stops.next().flatten().unwrap_or_else(|| all.maximum().max(0.0));
        if high <= low || style.bar.is_some() {
            return false;
        }
        let share = |at: f64| ((at - low) / (high - low)).clamp(0.0, 1.0);
        let color = rule.item.color(Field::Color).unwrap_or(Color(0x63_8e_c6));
        let negative = rule.item.color(Field::NegativeColor).unwrap_or(Color(0xd9_4a_3d));
        style.bar = Some(Bar {
            start: share(0.0),
            end: share(*number),
            color: if *number < 0.0 { negative } else { color },
            is_gradient: rule.item.boolean(Field::Gradient) == Some(true),
        });
        style.hides_value |= rule.item.boolean(Field::ShowValue) == Some(false);
        true
    }

    fn icon_set(&self, rule: &Rule<'_>, value: &Value, style: &mut ConditionalStyle) -> bool {
        let (Value::Number(number), Some(all)) = (value, rule.aggregate.as_deref()) else { return false };
        let set = rule.item.text(Field::IconSet).cloned().unwrap_or_else(|| Arc::from("3TrafficLights1"));
        let count = set.chars().next().and_then(|digit| digit.to_digit(10)).unwrap_or(3).clamp(2, 5);
        let given: Vec<_> = stops_of(rule.item).collect();
        let index = (1..count).filter(|at| {
            // The first stop has no lower limit.
            let stop = given.get(*at as usize);
            let from = stop.and_then(|stop| self.stop_value(rule.item, stop, all));
            let from = from.unwrap_or_else(|| all.between(f64::from(*at) / f64::from(count)));
            let or_equal = stop.and_then(|stop| boolean_in(stop, Field::OrEqual)) != Some(false);
            if or_equal { *number >= from } else { *number > from }
        });
        let index = index.count() as u32; // at most 4
        let is_reversed = rule.item.boolean(Field::Reverse) == Some(true);
        if style.icon.is_none() {
            style.icon = Some(Icon { set, index: if is_reversed { count - 1 - index } else { index } });
        }
        style.hides_value |= rule.item.boolean(Field::ShowValue) == Some(false);
        true
    }

    /// The value of a stop of a color scale, data bar or icon set.
    fn stop_value(&self, item: &Item, stop: &Fields, all: &Aggregate) -> Option<f64> {
        let number = || match stop.get(&Field::Value) {
            Some(FieldValue::Number(number)) => Some(*number),
            _ => self.stop_formula(item, stop),
        };
        match text_in(stop, Field::At).unwrap_or("number") {
            "minimum" => Some(all.minimum()),
            "maximum" => Some(all.maximum()),
            "percent" => number().map(|percent| all.between(percent / 100.0)),
            "percentile" => number().map(|percent| all.percentile(percent / 100.0)),
            "automatic" => None,
            _ => number(),
        }
    }

    fn stop_formula(&self, item: &Item, stop: &Fields) -> Option<f64> {
        let Some(FieldValue::Formula { template, .. }) = stop.get(&Field::Formula) else { return None };
        let first = item.anchors.first()?.first();
        match self.evaluate(first, template) {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }
}

type Fields = std::collections::BTreeMap<Field, FieldValue>;

fn stops_of(item: &Item) -> impl Iterator<Item = Fields> {
    let stops = match item.fields.get(&Field::Stops) {
        Some(FieldValue::List(stops)) => stops.as_slice(),
        _ => &[],
    };
    stops.iter().filter_map(|stop| match stop {
        FieldValue::Record(fields) => Some(fields.clone()),
        _ => None,
    })
}

fn color_of(stop: &Fields) -> Option<Color> {
    match stop.get(&Field::Color) {
        Some(FieldValue::Color(color)) => Some(*color),
        _ => None,
    }
}

fn text_in(fields: &Fields, field: Field) -> Option<&str> {
    match fields.get(&field) {
        Some(FieldValue::Text(text)) => Some(text),
        _ => None,
    }
}

fn boolean_in(fields: &Fields, field: Field) -> Option<bool> {
    match fields.get(&field) {
        Some(FieldValue::Boolean(boolean)) => Some(*boolean),
        _ => None,
    }
}

/// Whether the value is blank or a text of spaces only, as in Excel.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Blank => true,
        Value::Text(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// The formula that tests a rule. Comparisons become formulas that compare the cell with the
/// operand.
fn test_of(item: &Item, kind: &str) -> Option<Template> {
    let formula = |field| item.formula(field).map(|(_, template)| template.expression().clone());
    if kind == "formula" {
        return Some(Template::new(formula(Field::Formula1)?));
    }
    if kind != "cell" {
        return None;
    }
    let here = CellReference { row: Coordinate::Relative(0), column: Coordinate::Relative(0) };
    let own = || Box::new(Expression::Reference(Reference { sheet: None, area: Area::Cell(here) }));
    let compare = |operator, field| {
        let given = Box::new(Expression::Parenthesised(Box::new(formula(field)?)));
        Some(Expression::Binary(operator, own(), given))
    };
    let call = |name: &str, arguments| Expression::Call { function: name.into(), arguments };
    let first = Field::Formula1;
    let between = || {
        let low = compare(BinaryOperator::GreaterOrEqual, first)?;
        let high = compare(BinaryOperator::LessOrEqual, Field::Formula2)?;
        Some(call("AND", vec![low, high]))
    };
    let test = match item.text(Field::Operator).map_or("equal", |operator| &**operator) {
        "notEqual" => compare(BinaryOperator::NotEqual, first)?,
        "greater" => compare(BinaryOperator::Greater, first)?,
        "greaterOrEqual" => compare(BinaryOperator::GreaterOrEqual, first)?,
        "less" => compare(BinaryOperator::Less, first)?,
        "lessOrEqual" => compare(BinaryOperator::LessOrEqual, first)?,
        "between" => between()?,
        "notBetween" => call("NOT", vec![between()?]),
        _ => compare(BinaryOperator::Equal, first)?,
    };
    Some(Template::new(test))
}

/// Adds the format of a rule for attributes that no earlier rule has set.
fn add_format(item: &Item, own: &Format, style: &mut ConditionalStyle) -> bool {
    let Some(FieldValue::Record(given)) = item.fields.get(&Field::Format) else { return true };
    let format = style.format.get_or_insert_with(|| own.clone());
    let set = |field, own: bool, attribute: &mut bool| {
        if let (Some(value), true) = (boolean_in(given, field), *attribute == own) {
            *attribute = value;
        }
    };
    set(Field::Bold, own.bold, &mut format.bold);
    set(Field::Italic, own.italic, &mut format.italic);
    set(Field::Underline, own.underline, &mut format.underline);
    set(Field::Strikethrough, own.strikethrough, &mut format.strikethrough);
    let color = |field| match given.get(&field) {
        Some(FieldValue::Color(color)) => Some(*color),
        _ => None,
    };
    if format.text_color == own.text_color {
        format.text_color = color(Field::TextColor).or(format.text_color);
    }
    if format.fill_color == own.fill_color {
        format.fill_color = color(Field::FillColor).or(format.fill_color);
    }
    if format.number_format == own.number_format {
        let code = text_in(given, Field::NumberFormat).map(Arc::from);
        format.number_format = code.or_else(|| format.number_format.clone());
    }
    true
}
