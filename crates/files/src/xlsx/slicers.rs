//! Reads slicers and timelines ([MS-XLSX], sections on slicers and timelines). What is selected in them is
//! the filter of their table or pivot table, which has been read before.

use quadrille_cell::Range;
use quadrille_workbook::{Field, ItemKind};

use super::archive::{Archive, Part};
use super::drawing::SlicerFrame;
use super::pivots::ReadPivot;
use super::references::absolute;
use super::sheet_parts::ReadTable;
use super::workbook_part::WorkbookPart;
use super::xml::Node;
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::{FileError, FileErrorCode};
use crate::limits::SLICERS_MAX;

/// Pivot tables that one cache names.
const PIVOTS_MAX: usize = 1_000;
/// Columns of buttons, at most; the schema of items has the same limit.
const COLUMNS_MAX: u32 = 20;
/// Characters of a title; the schema of items has the same limit.
const TITLE_LENGTH_MAX: usize = 255;

/// What the sheets of a file have of slicers.
#[derive(Default)]
pub struct FoundSlicers {
    /// Indexes of sheets with the names of parts.
    parts: Vec<(usize, String)>,
    frames: Vec<(usize, SlicerFrame)>,
    tables: Vec<(usize, ReadTable)>,
}

/// A slicer or timeline as a part of a sheet has it.
struct View {
    name: String,
    cache: String,
    caption: Option<String>,
    /// The periods of a timeline; `None` for a slicer.
    grouping: Option<&'static str>,
    /// Columns of buttons.
    columns: Option<u32>,
}

/// A cache of slicers.
#[derive(Default)]
struct SlicerCache {
    name: String,
    /// The name of the field of pivot tables.
    field: String,
    /// The ids of a table and of its column.
    table: Option<(u32, u32)>,
    /// Pivot tables by the number of their sheet and by name.
    pivots: Vec<(Option<u32>, String)>,
    is_external: bool,
}

/// The column of a slicer.
struct Column {
    /// The name of its sheet, if that is not the slicer's.
    sheet: Option<String>,
    cells: Range,
}

impl FoundSlicers {
    /// Adds the frames of the drawing of a sheet.
    pub fn add_frames(&mut self, sheet: usize, frames: Vec<SlicerFrame>) {
        self.frames.extend(frames.into_iter().map(|frame| (sheet, frame)));
    }

    /// Adds a part with slicers or timelines of a sheet.
    pub fn add_part(&mut self, sheet: usize, name: &str) {
        if self.parts.len() < SLICERS_MAX {
            self.parts.push((sheet, name.to_owned()));
        }
    }

    /// Adds a table of a sheet.
    pub fn add_table(&mut self, sheet: usize, table: Option<ReadTable>) {
        self.tables.extend(table.map(|table| (sheet, table)));
    }

    /// Adds the slicers to their sheets. Those that cannot be expressed are left out with a warning.
    pub fn read(
        &self,
        archive: &mut Archive,
        book: &WorkbookPart,
        pivots: &[ReadPivot],
        contents: &mut Contents,
    ) -> Result<(), FileError> {
        let mut caches: Vec<SlicerCache> = Vec::new();
        let is_cache = |kind: &str| matches!(kind, "slicerCache" | "timelineCache");
        for link in book.links.iter().filter(|link| is_cache(&link.kind)).take(SLICERS_MAX) {
            caches.extend(read_part(archive, &link.target, contents, read_cache)?);
        }
        // A cache is also a defined name without a value.
        contents.names.retain(|(name, definition)| {
            definition.trim() != "#N/A" || !caches.iter().any(|cache| cache.name == *name)
        });
        let mut count = 0;
        for (sheet, part) in &self.parts {
            for view in read_part(archive, part, contents, read_views)?.unwrap_or_default() {
                count += 1;
                if count > SLICERS_MAX {
                    contents.warn(format!("left out: slicers beyond {SLICERS_MAX}"));
                    return Ok(());
                }
                if let Err(reason) = self.put(*sheet, &view, &caches, book, pivots, contents) {
                    let kind = if view.grouping.is_some() { "timeline" } else { "slicer" };
                    let caption = view.caption.as_deref().unwrap_or(&view.name);
                    contents.warn(format!("left out: the {kind} {caption}: {reason}"));
                }
            }
        }
        Ok(())
    }

    /// Adds a slicer to its sheet, or says why that is not possible.
    fn put(
        &self,
        sheet: usize,
        view: &View,
        caches: &[SlicerCache],
        book: &WorkbookPart,
        pivots: &[ReadPivot],
        contents: &mut Contents,
    ) -> Result<(), &'static str> {
        let cache = caches.iter().find(|cache| cache.name == view.cache).ok_or("its cache is missing")?;
        let frame = self.frames.iter().find(|(of, frame)| *of == sheet && frame.name == view.name);
        let (_, found) = frame.ok_or("it has no place")?;
        let column = match cache.table {
            Some(table) => self.column_of_table(sheet, table, contents)?,
            None => column_of_pivots(sheet, cache, book, pivots, contents)?,
        };
        let mut fields = FieldTexts::default();
        let name = column.sheet.map(|name| format!("'{}'!", name.replace('\'', "''")));
        let column = format!("={}{}", name.unwrap_or_default(), absolute(column.cells));
        fields.text(Field::Column, Some(column));
        // Without a title, a slicer shows the header of its column.
        let title = view.caption.as_deref().map(str::trim).filter(|title| *title != cache.field);
        let title = title.map(|title| title.chars().take(TITLE_LENGTH_MAX).collect::<String>());
        fields.text(Field::Title, title);
        fields.text(Field::Type, Some(if view.grouping.is_some() { "dates" } else { "values" }));
        fields.text(Field::Grouping, view.grouping);
        let columns = view.columns.filter(|columns| *columns > 1);
        fields.number(Field::Columns, columns.map(|columns| f64::from(columns.min(COLUMNS_MAX))));
        contents.put_item_of(sheet, found.frame.clone().item(ItemKind::Slicer, fields));
        Ok(())
    }

    /// The column of a table, which gets a filter if it has none.
    fn column_of_table(
        &self,
        sheet: usize,
        (id, column): (u32, u32),
        contents: &mut Contents,
    ) -> Result<Column, &'static str> {
        let table = self.tables.iter().find(|(_, table)| table.id == id);
        let (of, table) = table.ok_or("its table is missing")?;
        if *of != sheet {
            return Err("its table is on another sheet");
        }
        let position = table.columns.iter().position(|id| *id == column);
        let position = position.ok_or("its table does not have its column")? as u32;
        let filtered = table.filtered.ok_or("its table has no header")?;
        let first = filtered.first();
        let column = first.column.get() + position;
        let cells = Range::from_indices(first.row.get(), column, filtered.last().row.get(), column);
        let is_filter = |item: &ItemContents| {
            item.kind == ItemKind::AutoFilter
                && item.anchors.first().is_some_and(|range| range.intersects(filtered))
        };
        if !contents.sheets[sheet].items.iter().any(is_filter) {
            let (kind, fields) = (ItemKind::AutoFilter, FieldTexts::default());
            contents.put_item_of(sheet, ItemContents { kind, anchors: vec![filtered], fields, parent: None });
        }
        Ok(Column { sheet: None, cells: cells.ok_or("its table does not have its column")? })
    }
}

/// The column that the pivot tables of a slicer have in common.
fn column_of_pivots(
    sheet: usize,
    cache: &SlicerCache,
    book: &WorkbookPart,
    pivots: &[ReadPivot],
    contents: &mut Contents,
) -> Result<Column, &'static str> {
    if cache.is_external {
        return Err("its data is not in this file");
    }
    if cache.pivots.is_empty() {
        return Err("it is connected with nothing");
    }
    let index_of = |id: Option<u32>| book.sheets.iter().position(|sheet| sheet.id == id);
    let is_connected = |pivot: &&ReadPivot| {
        let is_same = |(id, name): &(Option<u32>, String)| {
            *name == pivot.name && id.is_none_or(|id| index_of(Some(id)) == Some(pivot.sheet))
        };
        cache.pivots.iter().any(is_same)
    };
    let mut connected = pivots.iter().filter(is_connected).peekable();
    if connected.peek().is_none() {
        return Err("its pivot tables are left as values, or missing");
    }
    let pivot = connected.find(|pivot| pivot.sheet == sheet);
    let pivot = pivot.ok_or("its pivot tables are on another sheet")?;
    let position = pivot.fields.iter().position(|name| name.as_ref() == Some(&cache.field));
    let position = position.ok_or("its pivot table does not have its field, or groups it")? as u32;
    let (first, last) = (pivot.source.first(), pivot.source.last());
    let column = first.column.get() + position;
    let cells = Range::from_indices(first.row.get(), column, last.row.get(), column);
    let cells = cells.ok_or("its pivot table does not have its field, or groups it")?;
    let is_of_column = |other: &ReadPivot| {
        other.sheet == sheet && other.source_sheet == pivot.source_sheet && other.source.intersects(cells)
    };
    if pivots.iter().any(|other| is_of_column(other) && !is_connected(&other)) {
        contents.warn("changed: slicers filter all pivot tables of their sheet with their column".into());
    }
    let is_own = contents.sheets[sheet].name == pivot.source_sheet;
    Ok(Column { sheet: (!is_own).then(|| pivot.source_sheet.clone()), cells })
}

/// Reads a part by `read`. `None` if it is missing, or damaged, which is a warning: no cell depends on it.
fn read_part<T>(
    archive: &mut Archive,
    name: &str,
    contents: &mut Contents,
    read: impl Fn(Part) -> Result<T, FileError>,
) -> Result<Option<T>, FileError> {
    let Some(part) = archive.part(name)? else { return Ok(None) };
    match read(part) {
        Err(error) if error.code == FileErrorCode::BadXml => {
            contents.warn(format!("left out: slicers of a damaged part: {}", error.reason));
            Ok(None)
        }
        read => read.map(Some),
    }
}

fn read_views(mut part: Part) -> Result<Vec<View>, FileError> {
    let mut views = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) if matches!(element.name(), "slicer" | "timeline") => {
                let grouping = (element.name() == "timeline").then(|| {
                    let level = element.number::<u32>("level");
                    match level {
                        Some(0) => "year",
                        Some(1) => "quarter",
                        Some(3) => "date",
                        _ => "month",
                    }
                });
                if views.len() <= SLICERS_MAX {
                    views.push(View {
                        name: element.attribute("name").unwrap_or_default(),
                        cache: element.attribute("cache").unwrap_or_default(),
                        caption: element.attribute("caption").filter(|caption| !caption.trim().is_empty()),
                        grouping,
                        columns: element.number("columnCount"),
                    });
                }
            }
            Node::EndOfPart => return Ok(views),
            _ => {}
        }
    }
}

fn read_cache(mut part: Part) -> Result<SlicerCache, FileError> {
    let mut cache = SlicerCache::default();
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "slicerCacheDefinition" | "timelineCacheDefinition" => {
                    cache.name = element.attribute("name").unwrap_or_default();
                    cache.field = element.attribute("sourceName").unwrap_or_default();
                }
                "pivotTable" if cache.pivots.len() < PIVOTS_MAX => {
                    let name = element.attribute("name").unwrap_or_default();
                    cache.pivots.push((element.number("tabId"), name));
                }
                "tableSlicerCache" => {
                    cache.table = element.number("tableId").zip(element.number("column"));
                }
                "olap" => cache.is_external = true,
                _ => {}
            },
            Node::EndOfPart => return Ok(cache),
            _ => {}
        }
    }
}
