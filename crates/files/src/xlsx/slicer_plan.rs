//! Which slicers and timelines a file has, and which tables and pivot tables they are connected with.
//!
//! A slicer here filters everything of its sheet that has its column. In a file, a slicer is connected
//! with one table or with pivot tables that share a cache, and a timeline with such pivot tables.

use std::collections::BTreeSet;

use quadrille_cell::{CellAddress, Value};
use quadrille_operation::{SlicerTargets, header_cell, slicer_targets};
use quadrille_workbook::{Field, Item, ItemId, ItemKind, Sheet, Workbook};

use super::pivot_fields::SlicedColumn;
use super::write_filters::{FilterPlace, place_of_filter};
use super::write_pivots::{WrittenPivot, written_pivots};
use crate::limits::SLICERS_MAX;
use crate::pivot_source::FilledPivot;

/// Characters of the name of a cache, which is a defined name as well; Excel accepts 255.
const CACHE_NAME_LENGTH_MAX: usize = 200;
/// Characters of the caption of a slicer.
const CAPTION_LENGTH_MAX: usize = 255;
/// Characters of its name without the number that makes it unique.
const NAME_LENGTH_MAX: usize = 240;

/// The slicers and the pivot tables of a file.
pub(crate) struct SlicerPlan {
    pub(super) pivots: Vec<WrittenPivot>,
    pub(super) caches: Vec<SlicerCache>,
    pub(super) slicers: Vec<WrittenSlicer>,
}

/// A slicer or a timeline of a file.
pub(super) struct WrittenSlicer {
    /// The position of its sheet.
    pub sheet: usize,
    pub item: ItemId,
    /// Its name, which no other slicer of the file has.
    pub name: String,
    pub caption: String,
    /// The position of its cache.
    pub cache: usize,
    /// Whether it filters less in the file than here.
    is_partial: bool,
}

/// What slicers of one column share.
pub(super) struct SlicerCache {
    /// A defined name that no other name of the file equals.
    pub name: String,
    pub source: CacheSource,
}

#[derive(PartialEq)]
pub(super) enum CacheSource {
    /// A table by its name, and the number of the column from 1 on.
    Table { name: String, column: u32 },
    Pivots {
        /// Positions in [`SlicerPlan::pivots`]; the first one's filter is the selection.
        pivots: Vec<usize>,
        /// The number of the field.
        field: usize,
        is_timeline: bool,
    },
}

impl CacheSource {
    /// Whether the slicers are timelines.
    pub fn is_timeline(&self) -> bool {
        matches!(self, CacheSource::Pivots { is_timeline: true, .. })
    }
}

/// A slicer of the workbook.
struct Request<'a> {
    sheet: usize,
    id: ItemId,
    item: &'a Item,
    targets: SlicerTargets,
    is_timeline: bool,
    /// The table whose filter the slicer controls, and the number of the column from 1 on.
    table: Option<(String, u32)>,
    header: String,
}

impl Request<'_> {
    /// The column of the source of a pivot table that the slicer filters in the file.
    fn column_of(&self, sheet: usize, pivot: &FilledPivot) -> Option<SlicedColumn> {
        let has_pivot = self.targets.pivot_tables.iter().any(|(id, _)| *id == pivot.item);
        if sheet != self.sheet || !has_pivot || self.table.is_some() {
            return None;
        }
        let first = pivot.definition.source.first().column.get();
        let column = self.targets.column.checked_sub(first)?;
        (column < pivot.definition.source.column_count())
            .then_some(SlicedColumn { column, is_timeline: self.is_timeline })
    }
}

impl SlicerPlan {
    /// The plan of a workbook whose formulas have been calculated.
    pub fn of(workbook: &Workbook) -> SlicerPlan {
        let requests = requests(workbook);
        let mut pivots = written_pivots(workbook, &|sheet, pivot| {
            requests.iter().filter_map(|request| request.column_of(sheet, pivot)).collect()
        });
        let (mut caches, mut slicers): (Vec<SlicerCache>, Vec<WrittenSlicer>) = (Vec::new(), Vec::new());
        let (mut slicer_names, mut cache_names) = (BTreeSet::new(), names_in_use(workbook));
        for request in &requests {
            let Some(source) = source_of(request, &mut pivots) else { continue };
            let connected = match &source {
                CacheSource::Table { .. } => 1,
                CacheSource::Pivots { pivots, .. } => pivots.len(),
            };
            let wanted = usize::from(request.targets.filter.is_some()) + request.targets.pivot_tables.len();
            let cache = caches.iter().position(|cache| cache.source == source).unwrap_or_else(|| {
                let name = cache_name(&request.header, source.is_timeline(), &mut cache_names);
                caches.push(SlicerCache { name, source });
                caches.len() - 1
            });
            let title = request.item.text(Field::Title).map(|title| printable(title));
            let caption = title.filter(|title| !title.is_empty()).unwrap_or_else(|| request.header.clone());
            slicers.push(WrittenSlicer {
                sheet: request.sheet,
                item: request.id,
                name: unused(&first_characters(&caption, NAME_LENGTH_MAX), " ", &mut slicer_names),
                caption,
                cache,
                is_partial: connected < wanted,
            });
        }
        SlicerPlan { pivots, caches, slicers }
    }

    /// The cells of a sheet in which pivot tables begin that the file has as such.
    pub fn pivot_cells(&self, sheet: usize) -> Vec<CellAddress> {
        let of_sheet = self.pivots.iter().filter(|pivot| pivot.sheet == sheet);
        of_sheet.map(|pivot| pivot.filled.area.first()).collect()
    }

    /// Whether the slicer of a sheet filters less in the file than here; `None` if the file does not have
    /// it.
    pub fn is_partial(&self, sheet: usize, item: ItemId) -> Option<bool> {
        let slicer = self.slicers.iter().find(|slicer| (slicer.sheet, slicer.item) == (sheet, item));
        slicer.map(|slicer| slicer.is_partial)
    }

    /// The numbers of the caches of pivot tables that have slicers.
    pub(super) fn sliced_caches(&self) -> BTreeSet<usize> {
        let pivots = self.caches.iter().filter_map(|cache| match &cache.source {
            CacheSource::Pivots { pivots, .. } => pivots.first(),
            CacheSource::Table { .. } => None,
        });
        pivots.map(|pivot| self.pivots[*pivot].cache).collect()
    }
}

/// The first slicers of a workbook. Work and names grow with the square of their number.
fn requests(workbook: &Workbook) -> Vec<Request<'_>> {
    let mut requests = Vec::new();
    let mut left = SLICERS_MAX;
    for (position, sheet) in workbook.sheets().iter().enumerate() {
        for (id, item) in sheet.items().of_kind(ItemKind::Slicer).take(left) {
            left -= 1;
            let Some(targets) = slicer_targets(workbook, sheet.id(), item, None) else { continue };
            let is_timeline = item.text(Field::Type).is_some_and(|kind| &**kind == "dates");
            let table = table_of(sheet, &targets).filter(|_| !is_timeline);
            let header = header_of(workbook, &targets);
            requests.push(Request { sheet: position, id, item, targets, is_timeline, table, header });
        }
    }
    requests
}

/// The table whose filter the slicer controls.
fn table_of(sheet: &Sheet, targets: &SlicerTargets) -> Option<(String, u32)> {
    let filter = targets.filter.as_ref()?;
    let Some(FilterPlace::Table(table)) = place_of_filter(sheet, filter.filter) else { return None };
    let first = table.anchors.first()?.first().column.get();
    Some((table.text(Field::Name)?.to_string(), targets.column.checked_sub(first)? + 1))
}

/// The text of the header, as a caption.
fn header_of(workbook: &Workbook, targets: &SlicerTargets) -> String {
    let value = workbook.sheet(targets.sheet).map(|sheet| sheet.value(header_cell(targets)));
    let header = match value {
        Some(Value::Text(text)) => printable(&text),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    if header.is_empty() { format!("Column{}", targets.column + 1) } else { header }
}

/// What a slicer is connected with in the file; `None` if the file cannot have it. Gives the pivot tables
/// of a slicer one cache.
fn source_of(request: &Request, pivots: &mut [WrittenPivot]) -> Option<CacheSource> {
    if let Some((name, column)) = &request.table {
        return Some(CacheSource::Table { name: name.clone(), column: *column });
    }
    let is_timeline = request.is_timeline;
    let field_of = |pivot: &WrittenPivot| {
        let column = request.column_of(pivot.sheet, &pivot.filled)?.column as usize;
        pivot.fields.get(column).filter(|field| field.can_have(is_timeline)).map(|_| column)
    };
    let first = pivots.iter().position(|pivot| field_of(pivot).is_some())?;
    let field = field_of(&pivots[first])?;
    let filter_of = |pivot: &WrittenPivot| {
        let own = pivot.filled.definition.filters.iter().find(|filter| filter.column as usize == field);
        own.cloned()
    };
    // Slicers and filters that contradict one another are damage for other programs.
    let selection = filter_of(&pivots[first]);
    let is_connected = |(position, pivot): &(usize, &WrittenPivot)| {
        *position == first
            || field_of(pivot) == Some(field)
                && pivots[first].can_share_cache(pivot)
                && filter_of(pivot) == selection
    };
    let connected: Vec<usize> =
        pivots.iter().enumerate().filter(is_connected).map(|(position, _)| position).collect();
    for position in &connected {
        let (old, new) = (pivots[*position].cache, pivots[first].cache);
        let (old, new) = (old.max(new), old.min(new));
        pivots.iter_mut().filter(|pivot| pivot.cache == old).for_each(|pivot| pivot.cache = new);
    }
    Some(CacheSource::Pivots { pivots: connected, field, is_timeline })
}

/// Defined names and names of tables, in lower case: a cache must have another one.
fn names_in_use(workbook: &Workbook) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = workbook.names().map(|(name, _)| name.to_lowercase()).collect();
    for sheet in workbook.sheets() {
        let tables = sheet.items().of_kind(ItemKind::Table);
        names.extend(tables.filter_map(|(_, table)| Some(table.text(Field::Name)?.to_lowercase())));
    }
    names
}

/// The name of a cache, such as `Slicer_Region`, as Excel makes it from the name of the column.
fn cache_name(header: &str, is_timeline: bool, in_use: &mut BTreeSet<String>) -> String {
    let prefix = if is_timeline { "NativeTimeline_" } else { "Slicer_" };
    let is_allowed = |character: char| character.is_alphabetic() || character.is_ascii_digit();
    let allowed = |character: char| if is_allowed(character) { character } else { '_' };
    let column: String = header.chars().map(allowed).collect();
    unused(&format!("{prefix}{}", first_characters(&column, CACHE_NAME_LENGTH_MAX)), "", in_use)
}

/// The wanted name, or the first one with a number that is not in use.
fn unused(wanted: &str, separator: &str, in_use: &mut BTreeSet<String>) -> String {
    let numbered = (1..).map(|number| format!("{wanted}{separator}{number}"));
    let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
    let name = names.find(|name| in_use.insert(name.to_lowercase()));
    name.expect("there are more numbers than names")
}

/// The text without characters that XML does not have, in one line.
fn printable(text: &str) -> String {
    let is_noncharacter = |character: char| matches!(character, '\u{fffe}' | '\u{ffff}');
    let shown = text.chars().filter(|character| !is_noncharacter(*character));
    let shown = shown.map(|character| if character.is_control() { ' ' } else { character });
    first_characters(shown.collect::<String>().trim(), CAPTION_LENGTH_MAX)
}

fn first_characters(text: &str, count: usize) -> String {
    text.chars().take(count).collect()
}
