//! Sheet protection. A file protects a sheet and lists its unlocked cells, as does an item that
//! protects a whole sheet.

use quadrille_cell::{CellAddress, Range};
use quadrille_operation::ItemValue;
use quadrille_workbook::{Field, FieldValue, ItemKind, Sheet};
use rust_xlsxwriter as xlsx;

use super::conditional_formats::ranges;
use super::styled_cells::{StyledCells, joined, without};
use super::xml::Element;
use crate::contents::{Contents, FieldTexts, ItemContents};

/// Unlocked ranges of one sheet, at most; the limit of an item.
const UNLOCKED_RANGES_MAX: usize = 1_000;

/// The protection of a sheet, collected while its part is read.
pub struct Protection {
    /// Set once the sheet is known to be protected.
    fields: Option<FieldTexts>,
    unlocked: Vec<Range>,
    unlocked_cells: StyledCells,
}

impl Protection {
    /// Starts without protection.
    pub fn new() -> Protection {
        Protection { fields: None, unlocked: Vec::new(), unlocked_cells: StyledCells::new() }
    }

    /// Adds columns whose style is unlocked.
    pub fn column(&mut self, first: u32, last: u32) {
        self.unlocked_cells.add_columns(first, last);
    }

    /// Adds a cell with an explicit style.
    pub fn cell(&mut self, cell: CellAddress, is_unlocked: bool) {
        self.unlocked_cells.add_cell(cell, is_unlocked);
    }

    /// Reads `sheetProtection`. A password is not imported: it would be sent to every client.
    pub fn sheet(&mut self, element: &Element, contents: &mut Contents) {
        if element.flag("sheet") != Some(true) {
            return;
        }
        warn_of_password(element, contents);
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
        self.fields = Some(fields);
    }

    /// Reads `protectedRange`, an unlocked range. A range with a password stays locked.
    pub fn range(&mut self, element: &Element, contents: &mut Contents) {
        if !warn_of_password(element, contents) {
            self.unlocked.extend(ranges(&element.attribute("sqref").unwrap_or_default()));
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
        contents.put_item(ItemContents { kind: ItemKind::ProtectedRange, anchors, fields, parent: None });
    }
}

fn warn_of_password(element: &Element, contents: &mut Contents) -> bool {
    let secrets = ["password", "hashValue", "securityDescriptor"];
    let has_one = secrets.iter().any(|name| element.attribute(name).is_some_and(|secret| !secret.is_empty()));
    if has_one {
        contents.warn("left out: passwords of protected cells".to_owned());
    }
    has_one
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
