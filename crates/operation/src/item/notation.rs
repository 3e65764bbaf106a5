//! Text notation of items: `note at B2: text "x", width 30`. Values are `true`, `1.5`, `"text"`,
//! `#ffe000`, `="B2*2" in B2`, `[1, 2]`, `{at "number", value 3}`; `none` clears a field.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;
use std::sync::Arc;

use quadrille_cell::{CellAddress, Range, SheetId, parse_number};
use quadrille_formula::{Host, SheetNames, parse, print};
use quadrille_workbook::{Field, FieldValue, ItemKind};

use super::ItemPatch;
use crate::rebase::name_host;
use crate::{print_color, read_color};

/// Formats an item or a patch; `none` stands for a cleared field.
pub(crate) fn write_patch(patch: &ItemPatch, sheet: Option<SheetId>, sheets: &dyn SheetNames) -> String {
    let mut text = patch.kind.name().to_owned();
    if let Some(anchors) = patch.anchors.as_ref().filter(|anchors| !anchors.is_empty()) {
        let anchors: Vec<String> = anchors.iter().map(Range::to_string).collect();
        text += &format!(" at {}", anchors.join(","));
    }
    if !patch.fields.is_empty() {
        let fields = patch.fields.iter().map(|(field, value)| match value {
            Some(value) => format!("{} {}", field.name(), write_value(value, sheet, sheets)),
            None => format!("{} none", field.name()),
        });
        text += &format!(": {}", fields.collect::<Vec<_>>().join(", "));
    }
    text
}

fn write_value(value: &FieldValue, sheet: Option<SheetId>, sheets: &dyn SheetNames) -> String {
    match value {
        FieldValue::Boolean(boolean) => boolean.to_string(),
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Text(text) => quoted(text),
        FieldValue::Color(color) => print_color(*color),
        FieldValue::Formula { at, template } => {
            let host = Host { sheet: sheet.unwrap_or(name_host().sheet), cell: *at };
            format!("={} in {at}", quoted(&print(template, host, sheets)))
        }
        FieldValue::List(values) => {
            let values: Vec<String> = values.iter().map(|value| write_value(value, sheet, sheets)).collect();
            format!("[{}]", values.join(", "))
        }
        FieldValue::Record(fields) => {
            let fields = fields
                .iter()
                .map(|(field, value)| format!("{} {}", field.name(), write_value(value, sheet, sheets)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// Parses the form that [`write_patch`] writes.
pub(crate) fn read_patch(
    text: &str,
    sheet: Option<SheetId>,
    sheets: &dyn SheetNames,
) -> Result<ItemPatch, String> {
    let (head, fields) = text.split_once(": ").map_or((text, None), |(head, rest)| (head, Some(rest)));
    let (kind, anchors) = head.split_once(" at ").map_or((head, None), |(kind, rest)| (kind, Some(rest)));
    let kind = ItemKind::from_name(kind).ok_or_else(|| format!("not a kind of item: {kind}"))?;
    let anchors = match anchors {
        Some(anchors) => {
            let ranges = anchors.split(',').map(Range::parse_a1).collect::<Result<Vec<_>, _>>();
            Some(ranges.map_err(|error| error.to_string())?)
        }
        None => None,
    };
    let mut patch = ItemPatch { anchors, ..ItemPatch::new(kind) };
    if let Some(fields) = fields {
        let mut reader = ValueReader { rest: fields.chars().peekable(), sheet, sheets };
        reader.fields(None, &mut |field, value| {
            patch.fields.insert(field, value);
        })?;
    }
    Ok(patch)
}

struct ValueReader<'a> {
    rest: Peekable<Chars<'a>>,
    sheet: Option<SheetId>,
    sheets: &'a dyn SheetNames,
}

impl ValueReader<'_> {
    /// Parses `name value, name value` up to `end`, or to the end of the text.
    fn fields(
        &mut self,
        end: Option<char>,
        take: &mut dyn FnMut(Field, Option<FieldValue>),
    ) -> Result<(), String> {
        loop {
            let name = self.word();
            let field = Field::from_name(&name).ok_or_else(|| format!("not a field: {name}"))?;
            self.blanks();
            if self.rest.clone().take(4).eq("none".chars()) {
                self.word();
                take(field, None);
            } else {
                let value = self.value()?;
                take(field, Some(value));
            }
            if self.ends(end)? {
                return Ok(());
            }
        }
    }

    fn ends(&mut self, end: Option<char>) -> Result<bool, String> {
        self.blanks();
        match self.rest.next() {
            Some(',') => Ok(false),
            found if found == end => Ok(true),
            found => Err(format!("not a comma or the end of the values: {found:?}")),
        }
    }

    fn value(&mut self) -> Result<FieldValue, String> {
        self.blanks();
        match self.rest.peek() {
            Some('"') => Ok(FieldValue::Text(Arc::from(self.text()?))),
            Some('=') => {
                self.rest.next();
                let formula = self.text()?;
                let keyword = self.word();
                let at = self.word();
                let cell = CellAddress::parse_a1(&at).ok().filter(|_| keyword == "in");
                let at = cell.ok_or_else(|| format!("not the cell of a formula: {keyword} {at}"))?;
                let host = Host { sheet: self.sheet.unwrap_or(name_host().sheet), cell: at };
                Ok(FieldValue::Formula { at, template: parse(&formula, host, self.sheets) })
            }
            Some('[') => {
                self.rest.next();
                let mut values = Vec::new();
                self.blanks();
                if self.rest.next_if_eq(&']').is_some() {
                    return Ok(FieldValue::List(values));
                }
                loop {
                    values.push(self.value()?);
                    if self.ends(Some(']'))? {
                        return Ok(FieldValue::List(values));
                    }
                }
            }
            Some('{') => {
                self.rest.next();
                let mut record = BTreeMap::new();
                self.fields(Some('}'), &mut |field, value| {
                    if let Some(value) = value {
                        record.insert(field, value);
                    }
                })?;
                Ok(FieldValue::Record(record))
            }
            _ => {
                let word = self.word();
                match word.as_str() {
                    "true" => Ok(FieldValue::Boolean(true)),
                    "false" => Ok(FieldValue::Boolean(false)),
                    word if word.starts_with('#') => {
                        read_color(word).map(FieldValue::Color).map_err(|error| error.to_string())
                    }
                    word => parse_number(word)
                        .map(FieldValue::Number)
                        .ok_or_else(|| format!("not a value: {word}")),
                }
            }
        }
    }

    fn blanks(&mut self) {
        while self.rest.next_if_eq(&' ').is_some() {}
    }

    fn word(&mut self) -> String {
        self.blanks();
        std::iter::from_fn(|| self.rest.next_if(|next| !" ,]}".contains(*next))).collect()
    }

    fn text(&mut self) -> Result<String, String> {
        if self.rest.next() != Some('"') {
            return Err("not a text in quotes".to_owned());
        }
        let mut text = String::new();
        loop {
            match self.rest.next() {
                Some('"') => return Ok(text),
                Some('\\') => match self.rest.next() {
                    Some('n') => text.push('\n'),
                    Some(other) => text.push(other),
                    None => return Err("a text without an end".to_owned()),
                },
                Some(other) => text.push(other),
                None => return Err("a text without an end".to_owned()),
            }
        }
    }
}
