//! Writes conditional formats of OpenDocument files, as LibreOffice 7.4 does.

use std::fmt::Write as _;
use std::sync::Arc;

use quadrille_cell::Range;
use quadrille_formula::Host;
use quadrille_workbook::{Color, Field, FieldValue, Format, Item, ItemKind, Sheet, Workbook};

use super::conditional_formats::{
    AVERAGE_RULES, NEGATIVE_COLOR, PERIODS, PLAIN_RULES, RANKED_RULES, TEXT_OPERATORS,
};
use super::formulas::quoted;
use super::names::openformula;
use super::numbers::escaped;
use super::validations::OPERATORS;
use crate::alternating_colors::rules_of_alternating_colors;
use crate::rule_stops::{Stop, stops};

/// Icon sets of LibreOffice. Those of Excel are among them; the first character is the number of icons.
const ICON_SETS: [&str; 22] = [
    "3Arrows",
    "3ArrowsGray",
    "3Flags",
    "3TrafficLights1",
    "3TrafficLights2",
    "3Signs",
    "3Symbols",
    "3Symbols2",
    "3Smilies",
    "3ColorSmilies",
    "3Stars",
    "3Triangles",
    "4Arrows",
    "4ArrowsGray",
    "4RedToBlack",
    "4Rating",
    "4TrafficLights",
    "5Arrows",
    "5ArrowsGray",
    "5Rating",
    "5Quarters",
    "5Boxes",
];

/// The `conditional-formats` element of a sheet; empty if there are none. `style` returns the name of a
/// style with a format.
pub(super) fn conditional_formats(
    workbook: &Workbook,
    sheet: &Sheet,
    mut style: impl FnMut(&Format) -> String,
) -> String {
    let mut items: Vec<(f64, &Item)> = sheet
        .items()
        .of_kind(ItemKind::ConditionalRule)
        .map(|(_, item)| (item.number(Field::Priority).unwrap_or(0.0), &**item))
        .collect();
    items.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let mut text = String::new();
    // The ranges of the open element.
    let mut open: Option<&[Range]> = None;
    let alternating = rules_of_alternating_colors(workbook, sheet);
    for item in items.into_iter().map(|(_, item)| item).chain(&alternating) {
        let Some(rule) = written_rule(workbook, sheet, item) else { continue };
        if open != Some(&item.anchors) {
            if open.is_some() {
                text += "</calcext:conditional-format>";
            }
            let address = address(sheet, &item.anchors);
            let _infallible =
                write!(text, "<calcext:conditional-format calcext:target-range-address=\"{address}\">");
        }
        let base = || escaped(&format!("{}.{}", quoted(sheet.name()), host(sheet, item).cell));
        match &rule {
            Rule::Condition(condition) => {
                let (style, value) = (style(&format_of(item)), escaped(condition));
                let _infallible = write!(
                    text,
                    "<calcext:condition calcext:apply-style-name=\"{style}\" calcext:value=\"{value}\" \
                     calcext:base-cell-address=\"{}\"/>",
                    base()
                );
            }
            Rule::Date(period) => {
                let style = style(&format_of(item));
                let _infallible =
                    write!(text, "<calcext:date-is calcext:style=\"{style}\" calcext:date=\"{period}\"/>");
            }
            Rule::Drawn(element) => text += element,
        }
        // Of the conditions of one element, only the first one that a cell meets has an effect.
        let is_stop = item.boolean(Field::Stop) == Some(true) && !matches!(rule, Rule::Drawn(_));
        open = Some(&item.anchors).filter(|_| is_stop).map(Vec::as_slice);
        if !is_stop {
            text += "</calcext:conditional-format>";
        }
    }
    if open.is_some() {
        text += "</calcext:conditional-format>";
    }
    match text.is_empty() {
        true => text,
        false => format!("<calcext:conditional-formats>{text}</calcext:conditional-formats>"),
    }
}

/// Whether files have a rule of this kind.
pub(crate) fn is_rule_written(workbook: &Workbook, sheet: &Sheet, item: &Item) -> bool {
    written_rule(workbook, sheet, item).is_some()
}

/// Whether a file has every threshold of an icon set, which must be one for each icon, and include the
/// number itself.
pub(crate) fn has_written_thresholds(item: &Item) -> bool {
    let stops = stops(item);
    let is_strict = |stop: &&Stop| matches!(stop.get(&Field::OrEqual), Some(FieldValue::Boolean(false)));
    stops.is_empty() || Some(stops.len()) == icons(item) && !stops.iter().any(is_strict)
}

enum Rule {
    Condition(String),
    Date(&'static str),
    Drawn(String),
}

fn host(sheet: &Sheet, item: &Item) -> Host {
    let cell = item.anchors.first().map(|anchor| anchor.first()).unwrap_or_default();
    Host { sheet: sheet.id(), cell }
}

/// The rule in the syntax of the file; `None` if files have none of this kind.
fn written_rule(workbook: &Workbook, sheet: &Sheet, item: &Item) -> Option<Rule> {
    let host = host(sheet, item);
    let formula = |field: Field| formula_of(item.fields.get(&field)?, host, workbook);
    let text = |field: Field| item.text(field).map_or("", |text| text);
    let is_set = |field: Field| item.boolean(field) == Some(true);
    let rule = text(Field::Rule);
    Some(Rule::Condition(match rule {
        "cell" => {
            let first = formula(Field::Formula1)?;
            match text(Field::Operator) {
                "between" => format!("between({first},{})", formula(Field::Formula2)?),
                "notBetween" => format!("not-between({first},{})", formula(Field::Formula2)?),
                operator => {
                    let (_, sign) = OPERATORS.iter().find(|(name, _)| *name == operator)?;
                    format!("{sign}{first}")
                }
            }
        }
        "formula" => format!("formula-is({})", formula(Field::Formula1)?),
        "blank" => format!("formula-is(LEN(TRIM([.{}]))=0)", host.cell),
        "notBlank" => format!("formula-is(LEN(TRIM([.{}]))>0)", host.cell),
        "text" => {
            let operator = item.text(Field::Operator).map_or("contains", |operator| operator);
            let (_, name) = TEXT_OPERATORS.iter().find(|(own, _)| *own == operator)?;
            format!("{name}(\"{}\")", text(Field::Text).replace('"', "\"\""))
        }
        "top" | "bottom" => {
            let found = |(own, is_percent, _): &&(&str, bool, &str)| {
                *own == rule && *is_percent == is_set(Field::Percent)
            };
            let (_, _, name) = RANKED_RULES.iter().find(found)?;
            format!("{name}({})", item.number(Field::Rank).unwrap_or(10.0))
        }
        "aboveAverage" | "belowAverage" if item.number(Field::Deviations).unwrap_or(0.0) == 0.0 => {
            let found = |(own, or_equal, _): &&(&str, bool, &str)| {
                *own == rule && *or_equal == is_set(Field::OrEqual)
            };
            AVERAGE_RULES.iter().find(found)?.2.to_owned()
        }
        "date" => {
            let period = item.text(Field::Period).map_or("today", |period| period);
            return Some(Rule::Date(PERIODS.iter().find(|(own, _)| *own == period)?.1));
        }
        "colorScale" => {
            let entries = entries(workbook, host, item, "color-scale-entry")?;
            return (2..=3).contains(&stops(item).len()).then(|| {
                Rule::Drawn(format!("<calcext:color-scale>{}</calcext:color-scale>", entries.concat()))
            });
        }
        "dataBar" => return data_bar(workbook, host, item).map(Rule::Drawn),
        "iconSet" => return icon_set(workbook, host, item).map(Rule::Drawn),
        _ => PLAIN_RULES.iter().find(|(own, _)| *own == rule)?.1.to_owned(),
    }))
}

fn formula_of(value: &FieldValue, host: Host, workbook: &Workbook) -> Option<String> {
    let FieldValue::Formula { template, .. } = value else { return None };
    openformula(template, host, workbook)
}

fn data_bar(workbook: &Workbook, host: Host, item: &Item) -> Option<String> {
    let entries = match stops(item).len() {
        2 => entries(workbook, host, item, "formatting-entry")?.concat(),
        _ => "<calcext:formatting-entry calcext:value=\"0\" calcext:type=\"auto-minimum\"/>\
              <calcext:formatting-entry calcext:value=\"0\" calcext:type=\"auto-maximum\"/>"
            .to_owned(),
    };
    let mut attributes = String::new();
    if let Some(Color(color)) = item.color(Field::Color) {
        attributes += &format!(" calcext:positive-color=\"#{color:06x}\"");
    }
    let Color(negative) = item.color(Field::NegativeColor).unwrap_or(NEGATIVE_COLOR);
    attributes += &format!(" calcext:negative-color=\"#{negative:06x}\"");
    if item.boolean(Field::Gradient) != Some(true) {
        attributes += " calcext:gradient=\"false\"";
    }
    if item.boolean(Field::ShowValue) == Some(false) {
        attributes += " calcext:show-value=\"false\"";
    }
    Some(format!("<calcext:data-bar{attributes}>{entries}</calcext:data-bar>"))
}

/// The number of icons of an icon set; `None` for an unknown one.
fn icons(item: &Item) -> Option<usize> {
    let set = item.text(Field::IconSet).map_or("3TrafficLights1", |set| set);
    let count = set.chars().next()?.to_digit(10)?;
    ICON_SETS.contains(&set).then_some(count as usize)
}

/// `None` for reversed icons as well, which LibreOffice 7.4 does not have.
fn icon_set(workbook: &Workbook, host: Host, item: &Item) -> Option<String> {
    let count = icons(item).filter(|_| item.boolean(Field::Reverse) != Some(true))?;
    let mut entries = match stops(item).len() == count {
        true => entries(workbook, host, item, "formatting-entry")?,
        // Equal parts, as in Excel.
        false => (0..count)
            .map(|icon| {
                let percent = (100.0 * icon as f64 / count as f64).round();
                format!("<calcext:formatting-entry calcext:value=\"{percent}\" calcext:type=\"percent\"/>")
            })
            .collect(),
    };
    if item.boolean(Field::ShowValue) == Some(false) {
        entries[0] = entries[0].replacen("-entry ", "-entry calcext:show-value=\"false\" ", 1);
    }
    let set = item.text(Field::IconSet).map_or("3TrafficLights1", |set| set);
    Some(format!("<calcext:icon-set calcext:icon-set-type=\"{set}\">{}</calcext:icon-set>", entries.concat()))
}

/// The elements of the stops; `None` if a formula cannot be expressed.
fn entries(workbook: &Workbook, host: Host, item: &Item, element: &str) -> Option<Vec<String>> {
    let stops = stops(item);
    let last = stops.len().saturating_sub(1);
    let entry = |(index, stop): (usize, &Stop)| {
        let number = match stop.get(&Field::Value) {
            Some(FieldValue::Number(number)) => *number,
            _ => 0.0,
        };
        let at = match stop.get(&Field::At) {
            Some(FieldValue::Text(at)) => &**at,
            _ => "number",
        };
        let (value, at) = match at {
            "minimum" | "maximum" => ("0".to_owned(), at),
            "automatic" if index == last => ("0".to_owned(), "auto-maximum"),
            "automatic" => ("0".to_owned(), "auto-minimum"),
            "formula" => (format!("={}", formula_of(stop.get(&Field::Formula)?, host, workbook)?), at),
            _ => (number.to_string(), at),
        };
        let color = match stop.get(&Field::Color) {
            Some(FieldValue::Color(Color(color))) => format!(" calcext:color=\"#{color:06x}\""),
            _ => String::new(),
        };
        let value = escaped(&value);
        Some(format!("<calcext:{element} calcext:value=\"{value}\" calcext:type=\"{at}\"{color}/>"))
    };
    stops.into_iter().enumerate().map(entry).collect()
}

/// The format of cells that meet a rule.
fn format_of(item: &Item) -> Format {
    let mut format = Format::default();
    let Some(FieldValue::Record(fields)) = item.fields.get(&Field::Format) else { return format };
    for (field, value) in fields {
        match (field, value) {
            (Field::Bold, FieldValue::Boolean(is_set)) => format.bold = *is_set,
            (Field::Italic, FieldValue::Boolean(is_set)) => format.italic = *is_set,
            (Field::Underline, FieldValue::Boolean(is_set)) => format.underline = *is_set,
            (Field::Strikethrough, FieldValue::Boolean(is_set)) => format.strikethrough = *is_set,
            (Field::TextColor, FieldValue::Color(color)) => format.text_color = Some(*color),
            (Field::FillColor, FieldValue::Color(color)) => format.fill_color = Some(*color),
            (Field::NumberFormat, FieldValue::Text(code)) => format.number_format = Some(Arc::clone(code)),
            _ => {}
        }
    }
    format
}

fn address(sheet: &Sheet, anchors: &[Range]) -> String {
    let name = quoted(sheet.name());
    let ranges = anchors.iter().map(|range| format!("{name}.{}:{name}.{}", range.first(), range.last()));
    escaped(&ranges.collect::<Vec<_>>().join(" "))
}
