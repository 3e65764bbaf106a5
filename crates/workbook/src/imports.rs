//! Imported data: cells of other workbooks and tables of the web, which functions such as IMPORTRANGE
//! and references to other workbooks return.
//!
//! Functions must give the same values on every replica, so they fetch nothing. The server fetches,
//! and writes what has come as items of the workbook: an [`ItemKind::Import`] for each different call
//! of a function, and its values in [`ItemKind::ImportPart`]s. Formulas find them by an id that is a
//! hash of the call, so no index is needed. A small change of large data replaces one part only.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use quadrille_cell::{Array, ErrorValue, Range, Value, parse_number};
use quadrille_formula::{Expression, SheetReference, Template, visit, with_sheet_name};

use crate::items::{Field, FieldValue, Item, ItemId, ItemKind, Items};

/// Functions that return imported data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ImportFunction {
    /// Cells of another workbook of the server.
    Range,
    /// The rows of a text file on the web, as Google Sheets reads them.
    Data,
    /// The rows of a text file on the web, as Excel reads them.
    Csv,
    Json,
    /// A table or list of a web page.
    Html,
    /// A response as one text.
    WebService,
}

impl ImportFunction {
    /// Every function.
    pub const ALL: [ImportFunction; 6] = [
        ImportFunction::Range,
        ImportFunction::Data,
        ImportFunction::Csv,
        ImportFunction::Json,
        ImportFunction::Html,
        ImportFunction::WebService,
    ];

    /// Name of the function in formulas.
    pub const fn name(self) -> &'static str {
        match self {
            ImportFunction::Range => "IMPORTRANGE",
            ImportFunction::Data => "IMPORTDATA",
            ImportFunction::Csv => "IMPORTCSV",
            ImportFunction::Json => "IMPORTJSON",
            ImportFunction::Html => "IMPORTHTML",
            ImportFunction::WebService => "WEBSERVICE",
        }
    }

    /// The function with this name, in upper case.
    pub fn from_name(name: &str) -> Option<ImportFunction> {
        ImportFunction::ALL.into_iter().find(|function| function.name() == name)
    }

    /// What a formula returns instead of a failure.
    pub const fn error_of(self, failure: ImportFailure) -> ErrorValue {
        match self {
            // As in Excel, whatever the reason.
            ImportFunction::WebService => ErrorValue::Value,
            _ => failure.error(),
        }
    }

    /// What a formula returns until something has come.
    pub const fn error_before(self) -> ErrorValue {
        match self {
            ImportFunction::WebService => ErrorValue::Value,
            _ => ErrorValue::NotAvailable,
        }
    }
}

/// What a formula imports: a function with the texts of its arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ImportSource {
    pub function: ImportFunction,
    /// Without omitted arguments at the end.
    pub arguments: Vec<Arc<str>>,
}

/// The source as a formula has it, with texts as arguments: `IMPORTRANGE("sales","A1:B2")`.
impl fmt::Display for ImportSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.function.name())?;
        for (index, argument) in self.arguments.iter().enumerate() {
            let opening = if index == 0 { '(' } else { ',' };
            write!(f, "{opening}\"{}\"", argument.replace('"', "\"\""))?;
        }
        f.write_str(if self.arguments.is_empty() { "()" } else { ")" })
    }
}

impl ImportSource {
    /// The source of a reference to another workbook: `IMPORTRANGE("sales","'Q1 sales'!A1")` for
    /// `'[sales]Q1 sales'!A1`. `None` for a reference to a sheet of this one.
    pub fn of_reference(sheet: &SheetReference, range: Range) -> Option<ImportSource> {
        let (workbook, sheet) = sheet.other_workbook()?;
        let range = match sheet.is_empty() {
            true => range.to_string(),
            false => with_sheet_name(sheet, &range.to_string()),
        };
        Some(ImportSource { function: ImportFunction::Range, arguments: vec![workbook.into(), range.into()] })
    }

    /// Bytes of a source as text, at most; that of a longer one is not imported.
    pub const BYTES_MAX: usize = 8_192;

    /// Id of the import; those of its parts follow it.
    pub fn item(&self) -> ItemId {
        // FNV-1a, 64 bits (draft-eastlake-fnv). Collisions make an import look like another source.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in self.to_string().bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        hash ^= hash >> 32;
        ItemId((hash & ItemId::MAX & !PART_MASK).max(PART_MASK + 1))
    }

    /// What the workbook has of this source; `None` while nothing has been fetched.
    pub fn find(&self, items: &Items) -> Option<Imported> {
        let item = items.get(self.item()).filter(|item| item.kind == ItemKind::Import)?;
        if item.text(Field::Source).is_none_or(|source| **source != *self.to_string()) {
            return None;
        }
        Some(Imported::read(self.item(), item, items))
    }
}

/// Whether a formula imports data, by a function or by a reference to another workbook.
pub fn imports_data(template: &Template) -> bool {
    let mut found = false;
    visit(template.expression(), &mut |node| found |= is_import(node));
    found
}

/// Whether an expression itself, and not one within it, is imported data.
pub fn is_import(expression: &Expression) -> bool {
    match expression {
        Expression::Call { function, .. } => ImportFunction::from_name(function).is_some(),
        Expression::Reference(reference) => {
            reference.sheet.as_ref().is_some_and(|sheet| sheet.other_workbook().is_some())
        }
        _ => false,
    }
}

impl ItemKind {
    /// Whether the server alone writes items of this kind.
    pub const fn is_imported(self) -> bool {
        matches!(self, ItemKind::Import | ItemKind::ImportPart)
    }

    /// Whether items of this kind belong to the room and not to its contents: they are not copied to
    /// another workbook, and stay when the contents are replaced.
    pub const fn stays_in_room(self) -> bool {
        self.is_imported() || matches!(self, ItemKind::NamedVersion)
    }
}

/// Low bits of an id that number the parts of an import, from 1; 0 is the import itself.
const PART_MASK: u64 = 0xFF;

/// The import to which an item belongs, itself or as a part.
pub fn import_of(item: ItemId) -> ItemId {
    ItemId(item.0 & !PART_MASK)
}

/// Why a source has no values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImportFailure {
    /// There is no such workbook, or this one has not been given access to it.
    NoAccess,
    /// The workbook has no such sheet, range or name.
    NotFound,
    /// The other workbook imports from this one.
    Circular,
    /// The source has more cells or bytes than an import may have, or the workbook too many imports.
    TooLarge,
    /// The server's settings do not allow this source.
    NotAllowed,
    /// The source could not be read.
    Failed,
}

impl ImportFailure {
    /// Every failure.
    pub const ALL: [ImportFailure; 6] = [
        ImportFailure::NoAccess,
        ImportFailure::NotFound,
        ImportFailure::Circular,
        ImportFailure::TooLarge,
        ImportFailure::NotAllowed,
        ImportFailure::Failed,
    ];

    /// The name in [`Field::State`].
    pub const fn name(self) -> &'static str {
        match self {
            ImportFailure::NoAccess => "noAccess",
            ImportFailure::NotFound => "notFound",
            ImportFailure::Circular => "circular",
            ImportFailure::TooLarge => "tooLarge",
            ImportFailure::NotAllowed => "notAllowed",
            ImportFailure::Failed => "failed",
        }
    }

    /// What most formulas return.
    const fn error(self) -> ErrorValue {
        match self {
            ImportFailure::NoAccess | ImportFailure::NotFound => ErrorValue::Reference,
            ImportFailure::Circular => ErrorValue::Circular,
            ImportFailure::TooLarge | ImportFailure::NotAllowed | ImportFailure::Failed => {
                ErrorValue::NotAvailable
            }
        }
    }
}

/// What has been fetched of a source.
#[derive(Clone, PartialEq, Debug)]
pub enum Imported {
    Values(Array),
    /// With details for a person, which may be empty.
    Failure(ImportFailure, Arc<str>),
}

/// Values of a part, at most, and bytes after which a part ends. A change of one cell writes one part.
const PART_VALUES: usize = 1_000;
const PART_BYTES: usize = 64 << 10;

impl Imported {
    /// Cells of an import, at most.
    pub const CELLS_MAX: u64 = 50_000;
    /// Bytes of the texts of an import, at most.
    pub const BYTES_MAX: usize = 2 << 20;

    /// Bytes of the texts among values, to be compared with [`BYTES_MAX`](Imported::BYTES_MAX).
    pub fn text_bytes(values: &Array) -> usize {
        let texts = values.values().iter().map(|value| match value {
            Value::Text(text) => text.len(),
            _ => 0,
        });
        texts.sum()
    }

    /// The items of a workbook that has this. Values must be within the limits.
    pub fn items(&self, source: &ImportSource) -> Vec<(ItemId, Item)> {
        let id = source.item();
        let mut import = Item::new(ItemKind::Import);
        import.fields.insert(Field::Source, FieldValue::Text(source.to_string().into()));
        let mut parts = Vec::new();
        match self {
            Imported::Failure(failure, details) => {
                import.fields.insert(Field::State, FieldValue::Text(failure.name().into()));
                if !details.is_empty() {
                    let details: String = details.chars().take(DETAILS_MAX).collect();
                    import.fields.insert(Field::ErrorMessage, FieldValue::Text(details.into()));
                }
            }
            Imported::Values(values) => {
                import.fields.insert(Field::State, FieldValue::Text("ready".into()));
                import.fields.insert(Field::Rows, FieldValue::Number(f64::from(values.rows())));
                import.fields.insert(Field::Columns, FieldValue::Number(f64::from(values.columns())));
                parts = part_texts(values.values());
            }
        }
        let mut items = vec![(id, import)];
        for (number, text) in (1..).zip(parts) {
            let mut part = Item::new(ItemKind::ImportPart);
            part.fields.insert(Field::Parent, FieldValue::Number(id.0 as f64));
            part.fields.insert(Field::Text, FieldValue::Text(text.into()));
            items.push((ItemId(id.0 + number), part));
        }
        items
    }

    /// Reads the items of an import. Whatever is missing or broken is blank, on every replica alike.
    fn read(id: ItemId, import: &Item, items: &Items) -> Imported {
        let state = import.text(Field::State).map_or("", |state| &**state);
        if let Some(failure) = ImportFailure::ALL.into_iter().find(|failure| failure.name() == state) {
            let details = import.text(Field::ErrorMessage).cloned().unwrap_or_default();
            return Imported::Failure(failure, details);
        }
        let side = |field| import.number(field).unwrap_or(1.0) as u32;
        let (rows, columns) = (side(Field::Rows), side(Field::Columns));
        let count = u64::from(rows) * u64::from(columns);
        if count > Imported::CELLS_MAX {
            return Imported::Failure(ImportFailure::TooLarge, "".into());
        }
        let mut values = Vec::with_capacity(count as usize);
        for number in 1..=PART_MASK {
            let part = items.get(ItemId(id.0 + number)).filter(|part| part.kind == ItemKind::ImportPart);
            let Some(text) = part.and_then(|part| part.text(Field::Text)) else { break };
            values.extend(text.split('\n').map(read_value));
        }
        values.resize(count as usize, Value::Blank);
        match Array::new(rows, columns, values) {
            Some(values) => Imported::Values(values),
            None => Imported::Failure(ImportFailure::NotFound, "".into()),
        }
    }
}

/// Characters of the details of a failure, at most.
const DETAILS_MAX: usize = 255;

/// Writes values one in a line: a letter for the type, then the value; an empty line is a blank.
fn part_texts(values: &[Value]) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut text, mut count) = (String::new(), 0);
    for value in values {
        if count == PART_VALUES || text.len() > PART_BYTES {
            parts.push(std::mem::take(&mut text));
            count = 0;
        }
        if count > 0 {
            text.push('\n');
        }
        count += 1;
        // Writing to a `String` cannot fail.
        let _ = match value {
            Value::Blank => Ok(()),
            Value::Number(number) if (1e-5..1e15).contains(&number.abs()) => write!(text, "n{number}"),
            Value::Number(number) => write!(text, "n{number:e}"),
            Value::Boolean(boolean) => write!(text, "b{}", u8::from(*boolean)),
            Value::Error(error) => write!(text, "e{}", error.text()),
            Value::Text(value) if value.contains(['\\', '\n']) => {
                write!(text, "t{}", value.replace('\\', "\\\\").replace('\n', "\\n"))
            }
            Value::Text(value) => write!(text, "t{value}"),
        };
    }
    if count > 0 {
        parts.push(text);
    }
    parts
}

fn read_value(line: &str) -> Value {
    let mut characters = line.chars();
    let kind = characters.next();
    let rest = characters.as_str();
    match kind {
        Some('n') => parse_number(rest).map_or(Value::Blank, Value::number),
        Some('b') => Value::Boolean(rest == "1"),
        Some('e') => ErrorValue::parse(rest).map_or(Value::Blank, Value::Error),
        Some('t') if rest.contains('\\') => Value::text(unescaped(rest)),
        Some('t') => Value::text(rest),
        _ => Value::Blank,
    }
}

fn unescaped(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        unescaped.push(match character {
            '\\' => match characters.next() {
                Some('n') => '\n',
                other => other.unwrap_or('\\'),
            },
            character => character,
        });
    }
    unescaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(range: &str) -> ImportSource {
        ImportSource { function: ImportFunction::Range, arguments: vec!["sales".into(), range.into()] }
    }

    fn stored(imported: &Imported, source: &ImportSource) -> Items {
        let mut items = Items::default();
        for (id, item) in imported.items(source) {
            items.set(id, Some(item));
        }
        items
    }

    #[test]
    fn a_source_reads_as_a_formula() {
        assert_eq!(source("A1:B2").to_string(), r#"IMPORTRANGE("sales","A1:B2")"#);
        assert_eq!(source(r#"'a"b'!A1"#).to_string(), r#"IMPORTRANGE("sales","'a""b'!A1")"#);
    }

    #[test]
    fn values_survive_their_items() {
        let values = vec![
            Value::Number(0.1 + 0.2),
            Value::Number(-1e300),
            Value::text(""),
            Value::text("a\nb\\n\\"),
            Value::text("n1"),
            Value::Blank,
            Value::Boolean(true),
            Value::Error(ErrorValue::NotAvailable),
        ];
        let values = Array::new(2, 4, values).expect("eight values");
        let imported = Imported::Values(values);
        assert_eq!(source("A1:D2").find(&stored(&imported, &source("A1:D2"))), Some(imported));
    }

    #[test]
    fn a_changed_cell_of_many_changes_one_part() {
        let array = |changed: f64| {
            let mut values: Vec<Value> = (0..50_000).map(|row| Value::Number(f64::from(row))).collect();
            values[25_000] = Value::Number(changed);
            Imported::Values(Array::new(50_000, 1, values).expect("a column"))
        };
        let (before, after) = (array(1.0).items(&source("A:A")), array(2.0).items(&source("A:A")));
        assert_eq!(before.len(), 51);
        assert_eq!(before.iter().zip(&after).filter(|(before, after)| before != after).count(), 1);
        assert_eq!(source("A:A").find(&stored(&array(1.0), &source("A:A"))), Some(array(1.0)));
    }

    #[test]
    fn long_texts_fit_into_the_parts() {
        let text = Value::text("\\".repeat(32_767));
        let array = Array::new(1, 64, vec![text; 64]).expect("a row");
        assert!(Imported::text_bytes(&array) <= Imported::BYTES_MAX);
        let imported = Imported::Values(array);
        let items = imported.items(&source("1:1"));
        assert!(items.len() as u64 <= PART_MASK);
        assert_eq!(source("1:1").find(&stored(&imported, &source("1:1"))), Some(imported));
    }

    #[test]
    fn failures_have_their_details() {
        for failure in ImportFailure::ALL {
            let imported = Imported::Failure(failure, "status 404".into());
            assert_eq!(source("A1").find(&stored(&imported, &source("A1"))), Some(imported));
        }
        let other = stored(&Imported::Failure(ImportFailure::Failed, "".into()), &source("A1"));
        assert_eq!(source("A2").find(&other), None);
    }
}
