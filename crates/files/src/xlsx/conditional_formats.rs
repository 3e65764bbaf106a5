//! Reads conditional formats and data validation of a worksheet part.

use std::collections::BTreeMap;

use quadrille_cell::Range;
use quadrille_operation::{ItemValue, print_color};
use quadrille_workbook::{Field, ItemKind};

use super::archive::Part;
use super::colors::Theme;
use super::styles::Styles;
use super::xml::{Element, Node};
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;

/// Ranges of one rule, at most.
const RANGES_MAX: usize = 1_000;

/// Parses a list of ranges: `A1:B2 C3`.
pub fn ranges(text: &str) -> Vec<Range> {
    let ranges = text.split_whitespace().filter_map(|range| Range::parse_a1(range).ok());
    ranges.take(RANGES_MAX).collect()
}

fn item(kind: ItemKind, anchors: Vec<Range>, fields: FieldTexts) -> ItemContents {
    ItemContents { kind, anchors, fields, parent: None }
}

/// The operator of a rule, validation or filter in items.
pub fn operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "equal" => "equal",
        "notEqual" => "notEqual",
        "greaterThan" => "greater",
        "greaterThanOrEqual" => "greaterOrEqual",
        "lessThan" => "less",
        "lessThanOrEqual" => "lessOrEqual",
        "between" => "between",
        "notBetween" => "notBetween",
        "containsText" => "contains",
        "notContains" => "notContains",
        "beginsWith" => "beginsWith",
        "endsWith" => "endsWith",
        _ => return None,
    })
}

/// Reads a `conditionalFormatting` element of the ranges `anchors` up to its end.
pub fn conditional(
    part: &mut Part,
    anchors: &[Range],
    styles: &Styles,
    theme: &Theme,
    contents: &mut Contents,
) -> Result<(), FileError> {
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "cfRule" => {
                let rule = Rule::start(&element, styles);
                match rule.read(part, theme)? {
                    Some(fields) if !anchors.is_empty() => {
                        contents.put_item(item(ItemKind::ConditionalRule, anchors.to_vec(), fields));
                    }
                    Some(_) => {}
                    None => contents.warn("left out: conditional formats of unknown types".to_owned()),
                }
            }
            node if node.ends("conditionalFormatting") => return Ok(()),
            Node::EndOfPart => return Ok(()),
            _ => {}
        }
    }
}

/// A conditional formatting rule.
struct Rule {
    fields: FieldTexts,
    is_supported: bool,
    /// Whether the formulas are operands; for other kinds, the formula only repeats the kind.
    has_operands: bool,
    stops: Vec<BTreeMap<String, ItemValue>>,
    colors: Vec<String>,
}

impl Rule {
    fn start(element: &Element, styles: &Styles) -> Rule {
        let mut fields = FieldTexts::default();
        let kind = element.attribute("type").unwrap_or_default();
        let is_off = |name: &str| element.flag(name) == Some(false);
        let is_on = |name: &str| element.flag(name) == Some(true);
        let rule = match kind.as_str() {
            "cellIs" => "cell",
            "expression" => "formula",
            "containsText" | "notContainsText" | "beginsWith" | "endsWith" => "text",
            "containsBlanks" => "blank",
            "notContainsBlanks" => "notBlank",
            "containsErrors" => "error",
            "notContainsErrors" => "notError",
            "duplicateValues" => "duplicate",
            "uniqueValues" => "unique",
            "top10" if is_on("bottom") => "bottom",
            "top10" => "top",
            "aboveAverage" if is_off("aboveAverage") => "belowAverage",
            "aboveAverage" => "aboveAverage",
            "timePeriod" => "date",
            "colorScale" => "colorScale",
            "dataBar" => "dataBar",
            "iconSet" => "iconSet",
            _ => "",
        };
        fields.text(Field::Rule, Some(rule));
        let name = element.attribute("operator");
        fields.text(Field::Operator, name.as_deref().and_then(operator));
        fields.text(Field::Text, element.attribute("text"));
        fields.text(Field::Period, element.attribute("timePeriod"));
        fields.number(Field::Rank, element.number("rank"));
        fields.flag(Field::Percent, element.flag("percent"), false);
        fields.number(Field::Deviations, element.number("stdDev"));
        fields.flag(Field::OrEqual, element.flag("equalAverage"), false);
        fields.number(Field::Priority, element.number("priority"));
        fields.flag(Field::Stop, element.flag("stopIfTrue"), false);
        if let Some(difference) = element.number("dxfId").and_then(|number| styles.differential(number)) {
            fields.put(Field::Format, ItemValue::Record(difference.0.clone()));
        }
        let has_operands = matches!(rule, "cell" | "formula");
        Rule { fields, is_supported: !rule.is_empty(), has_operands, stops: Vec::new(), colors: Vec::new() }
    }

    /// Reads up to the end of the rule. Returns `None` for an unsupported kind.
    fn read(mut self, part: &mut Part, theme: &Theme) -> Result<Option<FieldTexts>, FileError> {
        let mut formulas = 0;
        loop {
            match part.next()? {
                Node::Start(element) => match element.name() {
                    "formula" => {
                        let text = part.text()?;
                        formulas += 1;
                        let field = if formulas == 1 { Field::Formula1 } else { Field::Formula2 };
                        if self.has_operands && formulas <= 2 {
                            self.fields.text(field, Some(format!("={text}")));
                        }
                    }
                    "cfvo" => self.stops.push(stop(&element)),
                    "color" => self.colors.extend(theme.color(&element).map(print_color)),
                    "dataBar" => self.fields.flag(Field::ShowValue, element.flag("showValue"), true),
                    "iconSet" => {
                        let set = element.attribute("iconSet");
                        self.fields.text(Field::IconSet, Some(set.unwrap_or("3TrafficLights1".to_owned())));
                        self.fields.flag(Field::Reverse, element.flag("reverse"), false);
                        self.fields.flag(Field::ShowValue, element.flag("showValue"), true);
                    }
                    "extLst" => part.skip()?,
                    _ => {}
                },
                node if node.ends("cfRule") => break,
                Node::EndOfPart => break,
                _ => {}
            }
        }
        // A color scale has a color for each stop; a data bar has one color.
        if self.stops.len() == self.colors.len() {
            for (stop, color) in self.stops.iter_mut().zip(&self.colors) {
                stop.insert(Field::Color.name().to_owned(), ItemValue::Text(color.clone()));
            }
        } else {
            self.fields.text(Field::Color, self.colors.pop());
        }
        if !self.stops.is_empty() {
            let stops = self.stops.into_iter().map(ItemValue::Record).collect();
            self.fields.put(Field::Stops, ItemValue::List(stops));
        }
        Ok(self.is_supported.then_some(self.fields))
    }
}

fn stop(element: &Element) -> BTreeMap<String, ItemValue> {
    let mut stop = FieldTexts::default();
    let value = element.attribute("val");
    let at = match element.attribute("type").as_deref() {
        Some("min") => "minimum",
        Some("max") => "maximum",
        Some("percent") => "percent",
        Some("percentile") => "percentile",
        Some("formula") => "formula",
        Some("autoMin" | "autoMax") => "automatic",
        _ => "number",
    };
    let number: Option<f64> = value.as_deref().and_then(|value| value.parse().ok());
    match (at, number, value) {
        ("minimum" | "maximum" | "automatic", _, _) => stop.text(Field::At, Some(at)),
        ("formula", _, Some(formula)) | ("number", None, Some(formula)) => {
            stop.text(Field::At, Some("formula"));
            stop.text(Field::Formula, Some(format!("={formula}")));
        }
        (at, number, _) => {
            stop.text(Field::At, Some(at));
            stop.number(Field::Value, number);
        }
    }
    stop.flag(Field::OrEqual, element.flag("gte"), true);
    stop.0
}

/// Reads a `dataValidation` element up to its end.
pub fn validation(part: &mut Part, start: ValidationStart, contents: &mut Contents) -> Result<(), FileError> {
    let ValidationStart { anchors, mut fields, is_list } = start;
    loop {
        match part.next()? {
            Node::Start(element) => {
                let field = match element.name() {
                    "formula1" => Field::Formula1,
                    "formula2" => Field::Formula2,
                    _ => continue,
                };
                let text = part.text()?;
                match listed(&text).filter(|_| is_list) {
                    Some(choices) => fields.put(Field::Choices, ItemValue::List(choices)),
                    None => fields.text(field, Some(format!("={text}"))),
                }
            }
            node if node.ends("dataValidation") => break,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    if !anchors.is_empty() {
        contents.put_item(item(ItemKind::Validation, anchors, fields));
    }
    Ok(())
}

/// The attributes of a `dataValidation` element.
pub struct ValidationStart {
    anchors: Vec<Range>,
    fields: FieldTexts,
    is_list: bool,
}

impl ValidationStart {
    /// Reads the attributes.
    pub fn read(element: &Element) -> ValidationStart {
        let mut fields = FieldTexts::default();
        let kind = element.attribute("type").unwrap_or_default();
        let rule = match kind.as_str() {
            "custom" => "formula",
            "list" | "whole" | "decimal" | "date" | "time" | "textLength" => kind.as_str(),
            _ => "any",
        };
        fields.text(Field::Rule, Some(rule));
        if !matches!(rule, "any" | "list" | "formula") {
            // `between` is the default.
            let name = element.attribute("operator");
            fields.text(Field::Operator, operator(name.as_deref().unwrap_or("between")));
        }
        fields.flag(Field::AllowBlank, Some(element.flag("allowBlank").unwrap_or(false)), true);
        // Despite its name, the attribute hides the dropdown arrow.
        fields.flag(Field::ShowDropdown, element.flag("showDropDown").map(|hides| !hides), true);
        let style = element.attribute("errorStyle");
        let strictness = match (element.flag("showErrorMessage"), style.as_deref()) {
            (Some(true), Some("warning")) => "warning",
            (Some(true), Some("information")) => "information",
            (Some(true), _) => "stop",
            _ => "information",
        };
        fields.text(Field::Strictness, Some(strictness));
        if element.flag("showInputMessage").unwrap_or(false) {
            fields.text(Field::PromptTitle, element.attribute("promptTitle"));
            fields.text(Field::Prompt, element.attribute("prompt"));
        }
        fields.text(Field::ErrorTitle, element.attribute("errorTitle"));
        fields.text(Field::ErrorMessage, element.attribute("error"));
        ValidationStart {
            anchors: ranges(&element.attribute("sqref").unwrap_or_default()),
            fields,
            is_list: rule == "list",
        }
    }
}

/// The choices of a literal list such as `"yes,no"`; `None` for a reference.
fn listed(text: &str) -> Option<Vec<ItemValue>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    Some(inner.split(',').map(|choice| ItemValue::Text(choice.trim().replace("\"\"", "\""))).collect())
}
