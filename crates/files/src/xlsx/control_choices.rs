//! Shows the values of input ranges in the images of lists and drop-downs, as they are in the file.

use std::collections::BTreeSet;
use std::sync::Arc;

use quadrille_cell::{Range, Value};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, ItemKind};

use crate::contents::{Contents, ItemContents, RunValues};
use crate::images::image_name;
use crate::limits::IMAGES_BYTES_MAX;
use crate::shapes::KeptShape;

/// Choices of a list that are shown, and characters of a choice, at most.
const CHOICES_MAX: usize = 100;
const CHOICE_LENGTH_MAX: usize = 100;

/// Draws the lists and drop-downs of all sheets anew, which are known now.
pub(super) fn fill(contents: &mut Contents) {
    let mut total: usize = contents.images.values().map(|bytes| bytes.len()).sum();
    let mut replaced = BTreeSet::new();
    for sheet in 0..contents.sheets.len() {
        for index in 0..contents.sheets[sheet].items.len() {
            let item = &contents.sheets[sheet].items[index];
            let (Some(reference), Some(source)) = (text(item, Field::Formula2), text(item, Field::Source))
            else {
                continue;
            };
            let choices = choices(contents, sheet, reference.trim_start_matches('='));
            let source = source.to_owned();
            let Some(image) = contents.images.get(&source).and_then(|image| with_choices(image, choices))
            else {
                continue;
            };
            if total + image.len() > IMAGES_BYTES_MAX {
                return;
            }
            total += image.len();
            let name = image_name(&image);
            contents.images.insert(name.clone(), Arc::from(image));
            contents.sheets[sheet].items[index].fields.text(Field::Source, Some(name));
            replaced.insert(source);
        }
    }
    let items = contents.sheets.iter().flat_map(|sheet| &sheet.items);
    for used in items.filter_map(|item| text(item, Field::Source)) {
        replaced.remove(used);
    }
    contents.images.retain(|name, _| !replaced.contains(name));
}

/// The text of a field of an image.
fn text(item: &ItemContents, field: Field) -> Option<&str> {
    match item.fields.0.get(field.name()) {
        Some(ItemValue::Text(text)) if item.kind == ItemKind::Image => Some(text),
        _ => None,
    }
}

fn with_choices(image: &[u8], choices: Vec<String>) -> Option<Vec<u8>> {
    let mut kept = KeptShape::decode(image).filter(|_| !choices.is_empty())?;
    let mut control = kept.control.take()?;
    control.choices = choices;
    kept.control = Some(control.clone());
    kept.encode_control(&control)
}

/// The values of the cells to which a reference in a sheet leads, or a name with such a reference.
fn choices(contents: &Contents, sheet: usize, reference: &str) -> Vec<String> {
    let is_it = |(name, _): &&(String, String)| name.eq_ignore_ascii_case(reference);
    let named = contents.names.iter().find(is_it).map(|(_, definition)| definition.as_str());
    let reference = named.unwrap_or(reference);
    let (title, cells) = match reference.rsplit_once('!') {
        Some((title, cells)) => (Some(title), cells),
        None => (None, reference),
    };
    let title = title.map(|title| title.trim_matches('\'').replace("''", "'").to_lowercase());
    let sheet = match title {
        Some(title) => contents.sheets.iter().find(|sheet| sheet.name.to_lowercase() == title),
        None => contents.sheets.get(sheet),
    };
    let range = Range::parse_a1(&cells.replace('$', "")).ok();
    let Some((sheet, range)) = sheet.zip(range) else { return Vec::new() };
    let (first, last) = (range.first().row.get(), range.last().row.get());
    let count = ((last - first) as usize + 1).min(CHOICES_MAX);
    let mut choices = vec![String::new(); count];
    let column = sheet.columns.get(range.first().column.get() as usize);
    for run in column.into_iter().flat_map(|column| &column.runs) {
        // The later of several runs wins.
        let start = run.first_row.max(first);
        for (index, choice) in choices.iter_mut().enumerate().skip((start - first) as usize) {
            let in_run = index + first as usize - run.first_row as usize;
            let value = match &run.values {
                RunValues::Numbers(numbers) => numbers.get(in_run).copied().map(Value::Number),
                RunValues::Mixed(values) => values.get(in_run).cloned(),
            };
            let Some(value) = value else { break };
            *choice = shown(value);
        }
    }
    while choices.last().is_some_and(String::is_empty) {
        choices.pop();
    }
    choices
}

fn shown(value: Value) -> String {
    match value {
        Value::Blank => String::new(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.chars().take(CHOICE_LENGTH_MAX).collect(),
        Value::Boolean(boolean) => boolean.to_string().to_uppercase(),
        Value::Error(error) => error.text().to_owned(),
    }
}
