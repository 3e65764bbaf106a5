//! Rows that filters hide. They follow from conditions and values, which this crate does not compare.

use std::collections::BTreeMap;

use quadrille_cell::SheetId;
use quadrille_workbook::{ItemKind, Workbook};

use crate::file_format::FileFormat;

/// The rows that the filters of each sheet hide, as first row and count.
pub type FilteredRows = BTreeMap<SheetId, Vec<(u32, u32)>>;

/// Whether a file has to say which rows its filters hide: Excel applies the conditions again only when
/// a person asks for it.
pub fn has_filtered_rows(workbook: &Workbook, format: FileFormat) -> bool {
    let mut sheets = workbook.sheets().iter();
    format == FileFormat::Xlsx
        && sheets.any(|sheet| sheet.items().of_kind(ItemKind::FilterColumn).next().is_some())
}
