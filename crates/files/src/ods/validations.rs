//! Data validation of OpenDocument files (OpenDocument 1.3, part 3, 9.4.4 to 9.4.7 and 19.599): the
//! conditions are listed before the tables, and cells name them.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use quadrille_cell::{CellAddress, Range};
use quadrille_formula::Host;
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, FieldValue, Item, ItemId, ItemKind, Sheet, Workbook};

use super::formulas::{from_openformula, quoted};
use super::names::openformula;
use super::numbers::escaped;
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;
use crate::limits::ITEMS_MAX;
use crate::xlsx::archive::Part;
use crate::xlsx::xml::{Element, Node};

/// Ranges of one validation, at most.
const RANGES_MAX: usize = 1_000;
/// Types in items, and the conditions of the same meaning.
const TYPES: [(&str, &str); 4] = [
    ("whole", "cell-content-is-whole-number()"),
    ("decimal", "cell-content-is-decimal-number()"),
    ("date", "cell-content-is-date()"),
    ("time", "cell-content-is-time()"),
];
/// Operators in items and in conditions, longer ones first.
pub(super) const OPERATORS: [(&str, &str); 6] = [
    ("greaterOrEqual", ">="),
    ("lessOrEqual", "<="),
    ("notEqual", "!="),
    ("equal", "="),
    ("greater", ">"),
    ("less", "<"),
];

/// The validations of a document by name; `None` for those that are not supported.
#[derive(Default)]
pub(super) struct Validations(HashMap<String, Option<Validation>>);

struct Validation {
    fields: FieldTexts,
    /// The cell in which the formulas read as written.
    base: Option<CellAddress>,
}

impl Validations {
    /// Reads up to the end of the `content-validations` element.
    pub fn read(&mut self, part: &mut Part, contents: &mut Contents) -> Result<(), FileError> {
        let mut current: Option<(String, Option<FieldTexts>)> = None;
        // The fields of the message that is being read.
        let mut message: Option<Field> = None;
        let mut text = String::new();
        let mut base = None;
        loop {
            match part.next()? {
                Node::Start(element) => match element.name() {
                    "content-validation" => {
                        let name = element.attribute("table:name").unwrap_or_default();
                        base = element.attribute("table:base-cell-address").and_then(|cell| {
                            let (_, cell) = cell.rsplit_once('.')?;
                            CellAddress::parse_a1(&cell.replace('$', "")).ok()
                        });
                        let fields = condition(&element.attribute("table:condition").unwrap_or_default());
                        if fields.is_none() {
                            contents.warn("left out: data validation".to_owned());
                        }
                        current = Some((name, fields.map(|fields| with_options(fields, &element))));
                    }
                    "help-message" | "error-message" => {
                        let is_help = element.name() == "help-message";
                        let title = if is_help { Field::PromptTitle } else { Field::ErrorTitle };
                        message = Some(if is_help { Field::Prompt } else { Field::ErrorMessage });
                        text.clear();
                        let is_shown = element.flag("table:display") != Some(false);
                        let Some((_, Some(fields))) = &mut current else { continue };
                        if is_help && !is_shown {
                            message = None;
                        } else {
                            fields.text(title, element.attribute("table:title").map(shortened::<255>));
                        }
                        if !is_help {
                            let kind = element.attribute("table:message-type");
                            let strictness = match kind.as_deref().filter(|_| is_shown) {
                                Some("warning") => "warning",
                                Some("information") => "information",
                                _ if is_shown => "stop",
                                _ => "information",
                            };
                            fields.text(Field::Strictness, Some(strictness));
                        }
                    }
                    "p" if !text.is_empty() => text.push('\n'),
                    _ => {}
                },
                Node::Text(more) if message.is_some() => text.push_str(&more),
                node if node.ends("help-message") || node.ends("error-message") => {
                    if let (Some(field), Some((_, Some(fields)))) = (message.take(), &mut current) {
                        fields.text(field, Some(shortened::<1_000>(text.trim().to_owned())));
                    }
                }
                node if node.ends("content-validation") => {
                    if let Some((name, fields)) = current.take()
                        && self.0.len() < ITEMS_MAX
                    {
                        self.0.insert(name, fields.map(|fields| Validation { fields, base }));
                    }
                }
                node if node.ends("content-validations") => return Ok(()),
                Node::EndOfPart => return Ok(()),
                _ => {}
            }
        }
    }

    /// Adds the validations of the sheet added last.
    pub fn put_items(&self, cells: ValidatedCells, contents: &mut Contents) {
        for (name, mut anchors) in cells.ranges {
            let Some(Some(Validation { fields, base })) = self.0.get(&name) else { continue };
            // The formulas of an item read as in its first cell.
            anchors
                .sort_by_key(|range| (Some(range.first()) != *base, range.first().row, range.first().column));
            let fields = fields.clone();
            contents.put_item(ItemContents { kind: ItemKind::Validation, anchors, fields, parent: None });
        }
    }
}

/// The cells of a table that name a validation.
#[derive(Default)]
pub(super) struct ValidatedCells {
    ranges: BTreeMap<String, Vec<Range>>,
}

impl ValidatedCells {
    /// Adds cells; rows are added in ascending order.
    pub fn add(&mut self, name: &str, cells: Range) {
        if !self.ranges.contains_key(name) {
            self.ranges.insert(name.to_owned(), Vec::new());
        }
        let Some(ranges) = self.ranges.get_mut(name) else { return };
        let columns = |range: &Range| (range.first().column, range.last().column);
        let above = ranges.iter().rposition(|range| {
            columns(range) == columns(&cells) && range.last().row.get() + 1 == cells.first().row.get()
        });
        match above {
            Some(index) => ranges[index] = ranges[index].union(cells),
            None if ranges.len() < RANGES_MAX => ranges.push(cells),
            None => {}
        }
    }
}

fn shortened<const MAX: usize>(text: String) -> String {
    text.chars().take(MAX).collect()
}

fn with_options(mut fields: FieldTexts, element: &Element) -> FieldTexts {
    fields.flag(Field::AllowBlank, element.flag("table:allow-empty-cell"), true);
    if element.attribute("table:display-list").as_deref() == Some("none") {
        fields.flag(Field::ShowDropdown, Some(false), true);
    }
    fields
}

/// The fields of a condition; `None` if it is not supported.
fn condition(text: &str) -> Option<FieldTexts> {
    let mut fields = FieldTexts::default();
    let prefixed = text.split_once(':').filter(|(prefix, _)| prefix.chars().all(char::is_alphabetic));
    let text = prefixed.map_or(text, |(_, condition)| condition).trim();
    let formula = |text: &str| Some(format!("={}", from_openformula(text.trim())));
    let arguments = |start: &str| text.strip_prefix(start)?.strip_suffix(')');
    if text.is_empty() {
        fields.text(Field::Rule, Some("any"));
        return Some(fields);
    }
    if let Some(listed) = arguments("cell-content-is-in-list(") {
        fields.text(Field::Rule, Some("list"));
        match choices(listed) {
            Some(choices) => fields.put(Field::Choices, ItemValue::List(choices)),
            None => fields.text(Field::Formula1, formula(listed)),
        }
        return Some(fields);
    }
    if let Some(tested) = arguments("is-true-formula(") {
        fields.text(Field::Rule, Some("formula"));
        fields.text(Field::Formula1, formula(tested));
        return Some(fields);
    }
    let of_type = TYPES.iter().find_map(|(rule, test)| Some((*rule, text.strip_prefix(test)?)));
    let (rule, subject, rest) = match of_type {
        Some((rule, rest)) => (rule, "cell-content", rest.trim_start().strip_prefix("and")?.trim_start()),
        None => ("textLength", "cell-content-text-length", text),
    };
    fields.text(Field::Rule, Some(rule));
    let rest = rest.strip_prefix(subject)?;
    for (operator, start) in [("between", "-is-between("), ("notBetween", "-is-not-between(")] {
        if let Some(both) = rest.strip_prefix(start).and_then(|rest| rest.strip_suffix(')')) {
            let (first, second) = two_arguments(both)?;
            fields.text(Field::Operator, Some(operator));
            fields.text(Field::Formula1, formula(first));
            fields.text(Field::Formula2, formula(second));
            return Some(fields);
        }
    }
    let rest = rest.strip_prefix("()")?.trim_start();
    let (operator, value) =
        OPERATORS.iter().find_map(|(name, sign)| Some((*name, rest.strip_prefix(sign)?)))?;
    fields.text(Field::Operator, Some(operator));
    fields.text(Field::Formula1, formula(value));
    Some(fields)
}

/// The texts of a list such as `"yes";"no"`; `None` for anything else.
fn choices(text: &str) -> Option<Vec<ItemValue>> {
    let mut choices = Vec::new();
    let mut rest = text.trim();
    loop {
        let mut choice = String::new();
        rest = rest.strip_prefix('"')?;
        loop {
            let end = rest.find('"')?;
            choice.push_str(&rest[..end]);
            rest = &rest[end + 1..];
            match rest.strip_prefix('"') {
                Some(more) => {
                    choice.push('"');
                    rest = more;
                }
                None => break,
            }
        }
        choices.push(ItemValue::Text(choice));
        rest = rest.trim_start();
        match rest.strip_prefix(';') {
            Some(more) => rest = more.trim_start(),
            None => return rest.is_empty().then_some(choices),
        }
    }
}

/// Two arguments that a comma or semicolon outside of texts, brackets and parentheses separates.
pub(super) fn two_arguments(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_i32;
    let mut is_text = false;
    let at = text.char_indices().find(|(_, character)| {
        match character {
            '"' => is_text = !is_text,
            '(' | '[' | '{' if !is_text => depth += 1,
            ')' | ']' | '}' if !is_text => depth -= 1,
            _ => {}
        }
        matches!(character, ',' | ';') && depth == 0 && !is_text
    });
    at.map(|(at, _)| (&text[..at], &text[at + 1..]))
}

/// The `content-validations` element of all sheets; empty if there are none.
pub(super) fn content_validations(workbook: &Workbook) -> String {
    let mut text = String::new();
    for sheet in workbook.sheets() {
        for (id, item) in sheet.items().of_kind(ItemKind::Validation) {
            let _ = write_validation(workbook, sheet, id, item, &mut text);
        }
    }
    match text.is_empty() {
        true => text,
        false => format!("<table:content-validations>{text}</table:content-validations>"),
    }
}

/// The name of a validation of a sheet; `None` if the format cannot express it.
pub(crate) fn validation_name(workbook: &Workbook, sheet: &Sheet, id: ItemId, item: &Item) -> Option<String> {
    written_condition(workbook, sheet, item)?;
    Some(format!("val{}-{}", sheet.id().0, id.0))
}

fn write_validation(
    workbook: &Workbook,
    sheet: &Sheet,
    id: ItemId,
    item: &Item,
    text: &mut String,
) -> Option<()> {
    let name = validation_name(workbook, sheet, id, item)?;
    let condition = written_condition(workbook, sheet, item)?;
    let condition = match condition.is_empty() {
        true => condition,
        false => format!(" table:condition=\"of:{}\"", escaped(&condition)),
    };
    let blank = item.boolean(Field::AllowBlank).unwrap_or(true);
    let list = if item.boolean(Field::ShowDropdown) == Some(false) { "none" } else { "unsorted" };
    let base = escaped(&format!("{}.{}", quoted(sheet.name()), first_cell(item)));
    let _infallible = write!(
        text,
        "<table:content-validation table:name=\"{name}\"{condition} table:allow-empty-cell=\"{blank}\" \
         table:display-list=\"{list}\" table:base-cell-address=\"{base}\">"
    );
    let of = |field| escaped(item.text(field).map_or("", |text| text));
    if item.text(Field::Prompt).or(item.text(Field::PromptTitle)).is_some() {
        let (title, prompt) = (of(Field::PromptTitle), paragraphs(&of(Field::Prompt)));
        let _infallible = write!(
            text,
            "<table:help-message table:title=\"{title}\" table:display=\"true\">{prompt}</table:help-message>"
        );
    }
    let (title, message) = (of(Field::ErrorTitle), paragraphs(&of(Field::ErrorMessage)));
    let strictness = item.text(Field::Strictness).map_or("stop", |strictness| strictness);
    let _infallible = write!(
        text,
        "<table:error-message table:message-type=\"{strictness}\" table:title=\"{title}\" \
         table:display=\"true\">{message}</table:error-message></table:content-validation>"
    );
    Some(())
}

fn first_cell(item: &Item) -> CellAddress {
    item.anchors.first().map(|anchor| anchor.first()).unwrap_or_default()
}

fn paragraphs(text: &str) -> String {
    text.split('\n').map(|line| format!("<text:p>{line}</text:p>")).collect()
}

/// The condition without its namespace; empty if every value meets it, `None` if the format has none of
/// this kind.
fn written_condition(workbook: &Workbook, sheet: &Sheet, item: &Item) -> Option<String> {
    let host = Host { sheet: sheet.id(), cell: first_cell(item) };
    let formula = |field: Field| {
        let FieldValue::Formula { template, .. } = item.fields.get(&field)? else { return None };
        openformula(template, host, workbook)
    };
    let rule = item.text(Field::Rule).map_or("any", |rule| rule);
    let (test, subject) = match rule {
        "any" => return Some(String::new()),
        "formula" => return Some(format!("is-true-formula({})", formula(Field::Formula1)?)),
        "list" => {
            let listed = match item.fields.get(&Field::Choices) {
                Some(FieldValue::List(choices)) => {
                    let texts = choices.iter().filter_map(|choice| match choice {
                        FieldValue::Text(text) => Some(format!("\"{}\"", text.replace('"', "\"\""))),
                        _ => None,
                    });
                    texts.collect::<Vec<_>>().join(";")
                }
                _ => formula(Field::Formula1)?,
            };
            return Some(format!("cell-content-is-in-list({listed})"));
        }
        "textLength" => (String::new(), "cell-content-text-length"),
        _ => {
            let (_, test) = TYPES.iter().find(|(name, _)| *name == rule)?;
            (format!("{test} and "), "cell-content")
        }
    };
    let first = formula(Field::Formula1)?;
    let operator = item.text(Field::Operator).map_or("between", |operator| operator);
    Some(match operator {
        "between" => format!("{test}{subject}-is-between({first},{})", formula(Field::Formula2)?),
        "notBetween" => format!("{test}{subject}-is-not-between({first},{})", formula(Field::Formula2)?),
        _ => {
            let (_, sign) = OPERATORS.iter().find(|(name, _)| *name == operator)?;
            format!("{test}{subject}(){sign}{first}")
        }
    })
}
