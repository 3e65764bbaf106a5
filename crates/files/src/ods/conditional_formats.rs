//! Reads conditional formats of OpenDocument files. They are an extension of LibreOffice, whose
//! elements have the prefix `calcext`; version 7.4 writes what is read here.

use quadrille_cell::{CellAddress, Range};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Color, Field, Format, ItemKind};

use super::formulas::{from_openformula, reference_from_openformula};
use super::styles::{Styles, parse_color};
use super::validations::{OPERATORS, two_arguments};
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;
use crate::xlsx::archive::Part;
use crate::xlsx::xml::{Element, Node};

/// Ranges of one conditional format, at most.
const RANGES_MAX: usize = 1_000;
/// Stops of a color scale, data bar or icon set, at most.
const STOPS_MAX: usize = 5;
/// The color of negative bars of an item without one.
pub(super) const NEGATIVE_COLOR: Color = Color(0xd9_4a_3d);
/// Rules without arguments in items, and conditions of the same meaning.
pub(super) const PLAIN_RULES: [(&str, &str); 4] =
    [("error", "is-error"), ("notError", "is-no-error"), ("duplicate", "duplicate"), ("unique", "unique")];
/// Operators of texts in items and in conditions.
pub(super) const TEXT_OPERATORS: [(&str, &str); 4] = [
    ("contains", "contains-text"),
    ("notContains", "not-contains-text"),
    ("beginsWith", "begins-with"),
    ("endsWith", "ends-with"),
];
/// Rules by rank in items, whether the rank is a percentage, and conditions.
pub(super) const RANKED_RULES: [(&str, bool, &str); 4] = [
    ("top", false, "top-elements"),
    ("top", true, "top-percent"),
    ("bottom", false, "bottom-elements"),
    ("bottom", true, "bottom-percent"),
];
/// Rules by average in items, whether the average itself meets them, and conditions.
pub(super) const AVERAGE_RULES: [(&str, bool, &str); 4] = [
    ("aboveAverage", false, "above-average"),
    ("aboveAverage", true, "above-equal-average"),
    ("belowAverage", false, "below-average"),
    ("belowAverage", true, "below-equal-average"),
];
/// Periods in items and in files.
pub(super) const PERIODS: [(&str, &str); 10] = [
    ("yesterday", "yesterday"),
    ("today", "today"),
    ("tomorrow", "tomorrow"),
    ("last7Days", "last-7-days"),
    ("lastWeek", "last-week"),
    ("thisWeek", "this-week"),
    ("nextWeek", "next-week"),
    ("lastMonth", "last-month"),
    ("thisMonth", "this-month"),
    ("nextMonth", "next-month"),
];

/// Reads up to the end of the `conditional-formats` element of the sheet added last.
pub(super) fn read(part: &mut Part, styles: &Styles, contents: &mut Contents) -> Result<(), FileError> {
    let mut priority = 0;
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "conditional-format" => {
                let address = element.attribute("calcext:target-range-address").unwrap_or_default();
                let rules = rules(part, styles)?;
                if rules.has_unknown {
                    contents.warn("left out: conditional formats of unknown types".to_owned());
                }
                let anchors = ranges(&address);
                let last_styled = rules.read.iter().rposition(|rule| rule.is_styled).unwrap_or(0);
                for (index, rule) in rules.read.into_iter().enumerate() {
                    let mut fields = rule.fields;
                    // Of the conditions of one element, the first one that a cell meets gives it its style.
                    fields.flag(Field::Stop, Some(rule.is_styled && index < last_styled), false);
                    priority += 1;
                    fields.number(Field::Priority, Some(f64::from(priority)));
                    let Some(anchors) = with_base_first(&anchors, rule.base) else {
                        contents.warn("left out: conditional formats of unknown types".to_owned());
                        continue;
                    };
                    let kind = ItemKind::ConditionalRule;
                    contents.put_item(ItemContents { kind, anchors, fields, parent: None });
                }
            }
            node if node.ends("conditional-formats") => return Ok(()),
            Node::EndOfPart => return Ok(()),
            _ => {}
        }
    }
}

/// The rules of a `conditional-format` element.
#[derive(Default)]
struct Rules {
    read: Vec<Rule>,
    has_unknown: bool,
}

struct Rule {
    fields: FieldTexts,
    /// Whether it gives cells a style, unlike a color scale, data bar or icon set.
    is_styled: bool,
    /// The cell in which formulas read as written.
    base: Option<CellAddress>,
}

fn rules(part: &mut Part, styles: &Styles) -> Result<Rules, FileError> {
    let mut rules = Rules::default();
    let mut stops: Vec<FieldTexts> = Vec::new();
    let mut drawn = FieldTexts::default();
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "condition" => {
                    let value = element.attribute("calcext:value").unwrap_or_default();
                    match condition(&value) {
                        Some(mut fields) => {
                            put_format(&mut fields, styles, element.attribute("calcext:apply-style-name"));
                            let base = base_cell(&element).filter(|_| has_formula(&fields));
                            rules.read.push(Rule { fields, is_styled: true, base });
                        }
                        None => rules.has_unknown = true,
                    }
                }
                "date-is" => {
                    let date = element.attribute("calcext:date").unwrap_or_default();
                    match PERIODS.iter().find(|(_, name)| *name == date) {
                        Some((period, _)) => {
                            let mut fields = rule("date");
                            fields.text(Field::Period, Some(*period));
                            put_format(&mut fields, styles, element.attribute("calcext:style"));
                            rules.read.push(Rule { fields, is_styled: true, base: None });
                        }
                        None => rules.has_unknown = true,
                    }
                }
                "color-scale" => drawn = rule("colorScale"),
                "data-bar" => drawn = data_bar(&element),
                "icon-set" => {
                    drawn = rule("iconSet");
                    drawn.text(Field::IconSet, element.attribute("calcext:icon-set-type"));
                    drawn.flag(Field::ShowValue, element.flag("calcext:show-value"), true);
                }
                "color-scale-entry" | "formatting-entry" | "data-bar-entry" => {
                    // An icon set has the attribute at its first entry.
                    drawn.flag(Field::ShowValue, element.flag("calcext:show-value"), true);
                    if stops.len() < STOPS_MAX {
                        stops.push(stop(&element));
                    }
                }
                _ => {}
            },
            node if node.ends("color-scale") || node.ends("data-bar") || node.ends("icon-set") => {
                let mut fields = std::mem::take(&mut drawn);
                if !stops.is_empty() {
                    let stops = stops.drain(..).map(|stop| ItemValue::Record(stop.0)).collect();
                    fields.put(Field::Stops, ItemValue::List(stops));
                }
                rules.read.push(Rule { fields, is_styled: false, base: None });
            }
            node if node.ends("conditional-format") => return Ok(rules),
            Node::EndOfPart => return Ok(rules),
            _ => {}
        }
    }
}

fn rule(name: &str) -> FieldTexts {
    let mut fields = FieldTexts::default();
    fields.text(Field::Rule, Some(name));
    fields
}

/// The fields of a condition such as `between(1,[.B2])`; `None` if it is not supported.
fn condition(text: &str) -> Option<FieldTexts> {
    let text = text.trim();
    let formula = |text: &str| Some(format!("={}", from_openformula(text.trim())));
    if let Some((name, _)) = PLAIN_RULES.iter().find(|(_, name)| *name == text) {
        return Some(rule(name));
    }
    if let Some((name, or_equal, _)) = AVERAGE_RULES.iter().find(|(_, _, name)| *name == text) {
        let mut fields = rule(name);
        fields.flag(Field::OrEqual, Some(*or_equal), false);
        return Some(fields);
    }
    if let Some((operator, rest)) =
        OPERATORS.iter().find_map(|(name, sign)| Some((*name, text.strip_prefix(sign)?)))
    {
        let mut fields = rule("cell");
        fields.text(Field::Operator, Some(operator));
        fields.text(Field::Formula1, formula(rest));
        return Some(fields);
    }
    let (function, arguments) = text.strip_suffix(')')?.split_once('(')?;
    let operator = match function {
        "formula-is" => return Some(formula_rule(arguments)),
        "between" => "between",
        "not-between" => "notBetween",
        _ => {
            if let Some((name, is_percent, _)) = RANKED_RULES.iter().find(|(_, _, name)| *name == function) {
                let mut fields = rule(name);
                fields.number(Field::Rank, Some(arguments.trim().parse().ok()?));
                fields.flag(Field::Percent, Some(*is_percent), false);
                return Some(fields);
            }
            let (operator, _) = TEXT_OPERATORS.iter().find(|(_, name)| *name == function)?;
            let mut fields = rule("text");
            fields.text(Field::Operator, Some(*operator));
            // LibreOffice does not double quotes within the text.
            let text = arguments.trim().strip_prefix('"')?.strip_suffix('"')?;
            fields.text(Field::Text, Some(text.replace("\"\"", "\"")));
            return Some(fields);
        }
    };
    let (first, second) = two_arguments(arguments)?;
    let mut fields = rule("cell");
    fields.text(Field::Operator, Some(operator));
    fields.text(Field::Formula1, formula(first));
    fields.text(Field::Formula2, formula(second));
    Some(fields)
}

/// The rule of a formula. Blank and other cells are found by the formulas that Excel has for them.
fn formula_rule(open: &str) -> FieldTexts {
    let formula = from_openformula(open.trim());
    let tested = |end: &str| {
        let cell = formula.strip_prefix("LEN(TRIM(")?.strip_suffix(end)?;
        CellAddress::parse_a1(cell).ok()
    };
    let mut fields = match (tested("))=0"), tested("))>0")) {
        (Some(_), _) => rule("blank"),
        (_, Some(_)) => rule("notBlank"),
        _ => rule("formula"),
    };
    if matches!(fields.0.get(Field::Rule.name()), Some(ItemValue::Text(name)) if name == "formula") {
        fields.text(Field::Formula1, Some(format!("={formula}")));
    }
    fields
}

fn has_formula(fields: &FieldTexts) -> bool {
    fields.0.contains_key(Field::Formula1.name())
}

fn put_format(fields: &mut FieldTexts, styles: &Styles, name: Option<String>) {
    let default = styles.format("Default");
    let format = name.map(|name| styles.displayed(&name)).unwrap_or_default();
    let Format { bold, italic, underline, strikethrough, .. } = format;
    let mut given = FieldTexts::default();
    given.flag(Field::Bold, Some(bold), default.bold);
    given.flag(Field::Italic, Some(italic), default.italic);
    given.flag(Field::Underline, Some(underline), default.underline);
    given.flag(Field::Strikethrough, Some(strikethrough), default.strikethrough);
    given.color(Field::TextColor, format.text_color.filter(|_| format.text_color != default.text_color));
    given.color(Field::FillColor, format.fill_color.filter(|_| format.fill_color != default.fill_color));
    let code = format.number_format.filter(|code| Some(code) != default.number_format.as_ref());
    given.text(Field::NumberFormat, code.filter(|code| &**code != "General").as_deref());
    if !given.0.is_empty() {
        fields.put(Field::Format, ItemValue::Record(given.0));
    }
}

fn data_bar(element: &Element) -> FieldTexts {
    let mut fields = rule("dataBar");
    let color = |name: &str| element.attribute(name).and_then(|color| parse_color(&color));
    fields.color(Field::Color, color("calcext:positive-color"));
    let negative = color("calcext:negative-color").filter(|color| *color != NEGATIVE_COLOR);
    fields.color(Field::NegativeColor, negative);
    fields.flag(Field::Gradient, Some(element.flag("calcext:gradient").unwrap_or(true)), false);
    fields.flag(Field::ShowValue, element.flag("calcext:show-value"), true);
    fields
}

fn stop(element: &Element) -> FieldTexts {
    let mut stop = FieldTexts::default();
    let value = element.attribute("calcext:value").unwrap_or_default();
    let at = match element.attribute("calcext:type").as_deref() {
        Some("minimum") => "minimum",
        Some("maximum") => "maximum",
        Some("auto-minimum" | "auto-maximum") => "automatic",
        Some("percent") => "percent",
        Some("percentile") => "percentile",
        Some("formula") => "formula",
        _ => "number",
    };
    stop.text(Field::At, Some(at));
    match at {
        "minimum" | "maximum" | "automatic" => {}
        "formula" => stop.text(Field::Formula, Some(format!("={}", from_openformula(&value)))),
        _ => stop.number(Field::Value, value.parse().ok()),
    }
    stop.color(Field::Color, element.attribute("calcext:color").and_then(|color| parse_color(&color)));
    stop
}

fn base_cell(element: &Element) -> Option<CellAddress> {
    let cell = element.attribute("calcext:base-cell-address")?;
    let (_, cell) = cell.rsplit_once('.')?;
    CellAddress::parse_a1(&cell.replace('$', "")).ok()
}

/// The ranges with the one first that begins at the base: the formulas of an item read as in its first
/// cell. `None` without ranges, and if no range begins there.
fn with_base_first(anchors: &[Range], base: Option<CellAddress>) -> Option<Vec<Range>> {
    let mut anchors = anchors.to_vec();
    if let Some(base) = base {
        let first = anchors.iter().position(|range| range.first() == base)?;
        anchors[..=first].rotate_right(1);
    }
    (!anchors.is_empty()).then_some(anchors)
}

/// Parses a list of ranges: `Sheet1.A1:Sheet1.B2 'My sheet'.C3:'My sheet'.C3`.
fn ranges(text: &str) -> Vec<Range> {
    let mut is_quoted = false;
    let words = text.split(|character| {
        is_quoted ^= character == '\'';
        character == ' ' && !is_quoted
    });
    let ranges = words.filter_map(|word| {
        let reference = reference_from_openformula(word);
        let (_, cells) = reference.rsplit_once('!')?;
        Range::parse_a1(cells).ok()
    });
    ranges.take(RANGES_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_sheets_with_spaces_are_parsed() {
        let parsed = |text: &str| ranges(text).iter().map(Range::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(parsed("Data.AA1:Data.AA10 Data.AC2:Data.AC5"), "AA1:AA10 AC2:AC5");
        assert_eq!(parsed("'It''s 2'.A1:'It''s 2'.A1048576 'It''s 2'.C3"), "A:A C3");
    }
}
