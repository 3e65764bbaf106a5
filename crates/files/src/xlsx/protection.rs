//! Sheet protection. A file protects a sheet and lists its unlocked cells, as does an item that
//! protects a whole sheet. The hashes of passwords, which protect nothing here, and other attributes without a
//! meaning here stay with the item and return to the next file.

use quadrille_cell::{CellAddress, Range};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, FieldValue, Item, ItemKind, Sheet, Workbook};
use quick_xml::escape::escape;
use rust_xlsxwriter as xlsx;

use super::added_parts::AddedParts;
use super::conditional_formats::ranges;
use super::styled_cells::{StyledCells, joined, without};
use super::write_target::range_list;
use super::xml::Element;
use crate::contents::{Contents, FieldTexts, ItemContents};

/// Unlocked ranges of one sheet, at most; the limit of an item.
const UNLOCKED_RANGES_MAX: usize = 1_000;

/// The hash of a password in `sheetProtection` and `protectedRange` (ECMA-376 part 1, 18.3.1.85 and 18.3.1.71);
/// `password` is that of older programs.
const HASH: [&str; 5] = ["algorithmName", "hashValue", "saltValue", "spinCount", "password"];
/// Attributes of `sheetProtection` without a meaning here, with the values that are written without them.
const OTHERS: [(&str, bool); 6] = [
    ("objects", true),
    ("scenarios", true),
    ("insertHyperlinks", true),
    ("pivotTables", true),
    ("selectLockedCells", false),
    ("selectUnlockedCells", false),
];
/// Characters of the kept attributes of an item, at most.
const ATTRIBUTES_LENGTH_MAX: usize = 1_000;

/// The protection of a sheet, collected while its part is read.
pub struct Protection {
    /// Set once the sheet is known to be protected.
    fields: Option<FieldTexts>,
    unlocked: Vec<Range>,
    unlocked_cells: StyledCells,
    /// Ranges that a password unlocks.
    with_password: Vec<(Vec<Range>, FieldTexts)>,
}

impl Protection {
    /// Starts without protection.
    pub fn new() -> Protection {
        Protection {
            fields: None,
            unlocked: Vec::new(),
            unlocked_cells: StyledCells::new(),
            with_password: Vec::new(),
        }
    }

    /// Adds columns whose style is unlocked.
    pub fn column(&mut self, first: u32, last: u32) {
        self.unlocked_cells.add_columns(first, last);
    }

    /// Adds a cell with an explicit style.
    pub fn cell(&mut self, cell: CellAddress, is_unlocked: bool) {
        self.unlocked_cells.add_cell(cell, is_unlocked);
    }

    /// Reads `sheetProtection`.
    pub fn sheet(&mut self, element: &Element, contents: &mut Contents) {
        if element.flag("sheet") != Some(true) {
            return;
        }
        let mut kept = hash(element);
        for (name, default) in OTHERS {
            // The schema's defaults.
            let in_schema = matches!(name, "insertHyperlinks" | "pivotTables");
            let is_forbidden = element.flag(name).unwrap_or(in_schema);
            if is_forbidden != default {
                kept.push((name, u8::from(is_forbidden).to_string()));
            }
        }
        // The attributes say what is forbidden; defaults are omitted.
        let is_allowed = |name: &str| element.flag(name) == Some(false);
        let allowed = [
            ("format", is_allowed("formatCells")),
            ("insert", is_allowed("insertRows") && is_allowed("insertColumns")),
            ("delete", is_allowed("deleteRows") && is_allowed("deleteColumns")),
            ("sort", is_allowed("sort")),
            ("filter", is_allowed("autoFilter")),
        ];
        let allowed = allowed.into_iter().filter(|(_, is_allowed)| *is_allowed);
        let allowed: Vec<ItemValue> = allowed.map(|(name, _)| ItemValue::Text(name.to_owned())).collect();
        let mut fields = FieldTexts::default();
        fields.flag(Field::WholeSheet, Some(true), false);
        if !allowed.is_empty() {
            fields.put(Field::Allow, ItemValue::List(allowed));
        }
        keep(&kept, &mut fields, contents);
        self.fields = Some(fields);
    }

    /// Reads `protectedRange`, an unlocked range. A range with a password stays locked.
    pub fn range(&mut self, element: &Element, contents: &mut Contents) {
        let cells = ranges(&element.attribute("sqref").unwrap_or_default());
        let kept = hash(element);
        let is_of_people = element.attribute("securityDescriptor").is_some_and(|people| !people.is_empty());
        if kept.is_empty() && !is_of_people {
            self.unlocked.extend(cells);
        } else if !cells.is_empty() && cells.len() <= UNLOCKED_RANGES_MAX {
            let mut fields = FieldTexts::default();
            let name = element.attribute("name").map(|name| name.chars().take(255).collect::<String>());
            fields.text(Field::Description, name);
            keep(&kept, &mut fields, contents);
            self.with_password.push((cells, fields));
        }
    }

    /// Adds the protection as an item, or a warning if there are too many unlocked ranges.
    pub fn finish(self, contents: &mut Contents) {
        let Some(fields) = self.fields else { return };
        let mut unlocked = self.unlocked;
        unlocked.extend(self.unlocked_cells.into_ranges(UNLOCKED_RANGES_MAX));
        let anchors = joined(unlocked);
        if anchors.len() > UNLOCKED_RANGES_MAX {
            contents.warn(format!(
                "left out: protection of a sheet with more than {UNLOCKED_RANGES_MAX} unprotected ranges"
            ));
            return;
        }
        let items = std::iter::once((anchors, fields)).chain(self.with_password);
        for (anchors, fields) in items.take(UNLOCKED_RANGES_MAX) {
            contents.put_item(ItemContents { kind: ItemKind::ProtectedRange, anchors, fields, parent: None });
        }
    }
}

/// The attributes of the hash of a password; none without a password.
fn hash(element: &Element) -> Vec<(&'static str, String)> {
    let attributes = HASH.into_iter().filter_map(|name| Some((name, element.attribute(name)?)));
    let attributes: Vec<(&str, String)> = attributes.filter(|(_, value)| !value.is_empty()).collect();
    let has_hash = attributes.iter().any(|(name, _)| matches!(*name, "hashValue" | "password"));
    if has_hash { attributes } else { Vec::new() }
}

/// Adds attributes to the fields of an item, or a warning if they are no hashes.
fn keep(attributes: &[(&str, String)], fields: &mut FieldTexts, contents: &mut Contents) {
    let texts: Vec<String> = attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let is_word = |(_, value): &(&str, String)| !value.chars().any(char::is_whitespace);
    let text = texts.join(" ");
    if !attributes.iter().all(is_word) || text.len() > ATTRIBUTES_LENGTH_MAX {
        contents.warn("left out: passwords of protected cells".to_owned());
    } else if !text.is_empty() {
        fields.text(Field::FileAttributes, Some(text));
    }
}

/// The kept attributes of an item with these names.
fn kept(item: &Item, names: &[&str]) -> Vec<(String, String)> {
    let text = item.text(Field::FileAttributes).map_or("", |text| text);
    let attributes = text.split_whitespace().filter_map(|attribute| attribute.split_once('='));
    let known = attributes.filter(|(name, _)| names.contains(name));
    known.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Adds the kept attributes to the protection that [`write`] gives the sheets.
pub(super) fn add_file_attributes(workbook: &Workbook, added: &mut AddedParts) {
    let of_sheet: Vec<&str> = HASH.into_iter().chain(OTHERS.map(|(name, _)| name)).collect();
    for (position, sheet) in workbook.sheets().iter().enumerate() {
        let (mut attributes, mut ranges) = (Vec::new(), String::new());
        for (_, item) in sheet.items().of_kind(ItemKind::ProtectedRange) {
            let is_whole = item.boolean(Field::WholeSheet) == Some(true);
            let hash = kept(item, &HASH);
            if is_whole && attributes.is_empty() {
                attributes = kept(item, &of_sheet);
            } else if !is_whole && !hash.is_empty() && item.boolean(Field::WarningOnly) != Some(true) {
                ranges.push_str(&range_element(item, &hash, ranges.matches("<protectedRange").count() + 1));
            }
        }
        if !attributes.is_empty() || !ranges.is_empty() {
            let part = added.sheet_part(position);
            added.change(part, move |text| with_attributes(text, &attributes, &ranges));
        }
    }
}

/// A `protectedRange` that a password unlocks. `number` makes its name one of its own, which Excel requires.
fn range_element(item: &Item, hash: &[(String, String)], number: usize) -> String {
    let name = item.text(Field::Description).map_or("", |name| name.trim());
    let name = if name.is_empty() { format!("Password{number}") } else { name.to_owned() };
    let (hash, cells) = (written(hash), range_list(&item.anchors));
    format!(r#"<protectedRange{hash} sqref="{cells}" name="{}"/>"#, escape(&name))
}

fn written(attributes: &[(String, String)]) -> String {
    attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", escape(value))).collect()
}

/// The part of a sheet with attributes of its protection, in the place of those with the same names, and with
/// protected ranges.
fn with_attributes(text: &str, attributes: &[(String, String)], ranges: &str) -> String {
    const START: &str = "<sheetProtection";
    let Some((before, rest)) = text.split_once(START) else { return text.to_owned() };
    let Some((element, after)) = rest.split_once("/>") else { return text.to_owned() };
    let mut element = element.to_owned();
    for (name, _) in attributes {
        let start = format!(" {name}=\"");
        if let Some((head, tail)) = element.split_once(&start)
            && let Some((_, tail)) = tail.split_once('"')
        {
            element = format!("{head}{tail}");
        }
    }
    let after = match after.strip_prefix("<protectedRanges>") {
        Some(others) if !ranges.is_empty() => format!("<protectedRanges>{ranges}{others}"),
        None if !ranges.is_empty() => format!("<protectedRanges>{ranges}</protectedRanges>{after}"),
        _ => after.to_owned(),
    };
    format!("{before}{START}{element}{}/>{after}", written(attributes))
}

/// Protects a sheet except for the cells that no item protects. Protection that only warns cannot
/// be expressed in a file.
pub fn write(sheet: &Sheet, target: &mut xlsx::Worksheet) -> Result<(), xlsx::XlsxError> {
    let mut unlocked = vec![Range::whole_sheet()];
    let mut options: Option<xlsx::ProtectionOptions> = None;
    for (_, item) in sheet.items().of_kind(ItemKind::ProtectedRange) {
        if item.boolean(Field::WarningOnly) == Some(true) {
            continue;
        }
        let is_whole = item.boolean(Field::WholeSheet) == Some(true);
        if is_whole {
            let parts = |piece: &Range| {
                let piece = *piece;
                item.anchors.iter().filter_map(move |anchor| piece.intersection(*anchor))
            };
            unlocked = unlocked.iter().flat_map(parts).collect();
        } else {
            unlocked = item.anchors.iter().fold(unlocked, |unlocked, anchor| without(unlocked, *anchor));
        }
        if unlocked.len() > UNLOCKED_RANGES_MAX {
            return Ok(());
        }
        let is_allowed = |name: &str| match item.fields.get(&Field::Allow) {
            Some(FieldValue::List(allowed)) => allowed
                .iter()
                .any(|allowed| matches!(allowed, FieldValue::Text(allowed) if **allowed == *name)),
            _ => false,
        };
        // Protected ranges permit everything; items that protect the whole sheet must all permit an
        // operation.
        let allow = |before: bool, name: &str| before && (!is_whole || is_allowed(name));
        let before = options.unwrap_or(xlsx::ProtectionOptions {
            format_cells: true,
            insert_rows: true,
            delete_rows: true,
            sort: true,
            use_autofilter: true,
            ..xlsx::ProtectionOptions::default()
        });
        let (formats, inserts) = (allow(before.format_cells, "format"), allow(before.insert_rows, "insert"));
        let deletes = allow(before.delete_rows, "delete");
        options = Some(xlsx::ProtectionOptions {
            format_cells: formats,
            format_columns: formats,
            format_rows: formats,
            insert_rows: inserts,
            insert_columns: inserts,
            delete_rows: deletes,
            delete_columns: deletes,
            sort: allow(before.sort, "sort"),
            use_autofilter: allow(before.use_autofilter, "filter"),
            ..before
        });
    }
    let Some(options) = options else { return Ok(()) };
    target.protect_with_options(&options);
    for range in unlocked {
        let (first, last) = (range.first(), range.last());
        let (left, right) = (first.column.get() as u16, last.column.get() as u16);
        target.unprotect_range(first.row.get(), left, last.row.get(), right)?;
    }
    Ok(())
}
