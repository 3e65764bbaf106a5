//! Writes slicers and timelines: their views, their caches, and their frames in drawings ([MS-XLSX],
//! sections on slicers and timelines). Programs before Excel 2010, and LibreOffice, show a text instead.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Cursor, Read};

use quadrille_workbook::{Field, Item, Sheet, Workbook};
use quick_xml::escape::escape;
use rust_xlsxwriter as xlsx;
use zip::ZipArchive;
use zip::result::ZipResult;

use super::added_parts::{AddedParts, DECLARATION};
use super::pivot_fields::{civil, date};
use super::placeholders::{Placeholders, Replacement, replaced, value_of};
use super::slicer_plan::{CacheSource, SlicerCache, SlicerPlan, WrittenSlicer};

const WORKBOOK: &str = "xl/workbook.xml";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const X14: &str = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main";
const X15: &str = "http://schemas.microsoft.com/office/spreadsheetml/2010/11/main";
const COMPATIBILITY: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";
const DRAWING: &str = "http://schemas.microsoft.com/office/drawing";
const RELATIONSHIPS: &str = "http://schemas.microsoft.com/office";

/// Extensions of the workbook with caches: of slicers of pivot tables, of timelines, and of slicers of
/// tables.
const WORKBOOK_EXTENSIONS: [&str; 3] = [
    "{BBE1A952-AA13-448e-AADC-164F8A28A991}",
    "{D0CA8CA8-9F24-4464-BF8E-62219DCF47F9}",
    "{46BE6895-7355-4a93-B00E-2C351335B9C9}",
];
/// Extensions of worksheets, in the same order.
const SHEET_EXTENSIONS: [&str; 3] = [
    "{A8765BA9-456A-4dab-B4F3-ACF838C121DE}",
    "{7E03D99C-DC04-49d9-9315-930204A7B6E9}",
    "{3A4CF648-6AED-40f4-86FF-DC5316D8AED3}",
];
/// The extension of a cache that names its table.
const TABLE_EXTENSION: &str = "{2F2917AC-EB37-4324-AD4E-5DD8C200BD13}";
/// Height of the buttons of a slicer in English Metric Units; that of Excel.
const ROW_HEIGHT: u32 = 247_650;
/// The last year that dates of files have.
const YEAR_MAX: i32 = 9_999;
/// Size in CSS pixels of slicers without one; that of the client.
const SIZE_DEFAULT: (u32, u32) = (190, 230);
/// The texts that programs show which have no slicers and timelines.
const SLICER_TEXT: &str = "This is a slicer. Slicers work in Excel 2010 or later, and those of tables in \
    Excel 2013 or later.";
const TIMELINE_TEXT: &str = "This is a timeline. Timelines work in Excel 2013 or later.";

/// What slicers are connected with, in the order of the extensions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    OfPivots,
    Timeline,
    OfTable,
}

const KINDS: [Kind; 3] = [Kind::OfPivots, Kind::Timeline, Kind::OfTable];

impl Kind {
    fn of(cache: &SlicerCache) -> Kind {
        match cache.source {
            CacheSource::Table { .. } => Kind::OfTable,
            CacheSource::Pivots { is_timeline: true, .. } => Kind::Timeline,
            CacheSource::Pivots { is_timeline: false, .. } => Kind::OfPivots,
        }
    }

    /// The word in names of parts and types of relationships.
    fn word(self) -> &'static str {
        if self == Kind::Timeline { "timeline" } else { "slicer" }
    }

    /// The year of the types of relationships.
    fn year(self) -> u32 {
        if self == Kind::Timeline { 2011 } else { 2007 }
    }
}

/// Writes the frames of the slicers of a sheet as text boxes, which [`add_slicers`] replaces.
pub(super) fn write_frames(
    target: &mut xlsx::Worksheet,
    sheet: &Sheet,
    position: usize,
    plan: &SlicerPlan,
    placeholders: &mut Placeholders,
) {
    for (number, slicer) in plan.slicers.iter().enumerate().filter(|(_, slicer)| slicer.sheet == position) {
        let Some(item) = sheet.item(slicer.item) else { continue };
        let _rejected = write_frame(target, item, number, plan, placeholders);
    }
}

fn write_frame(
    target: &mut xlsx::Worksheet,
    item: &Item,
    number: usize,
    plan: &SlicerPlan,
    placeholders: &mut Placeholders,
) -> Result<(), xlsx::XlsxError> {
    let Some(anchor) = item.anchors.first() else { return Ok(()) };
    let (row, column) = (anchor.first().row.get(), anchor.first().column.get() as u16);
    let pixels = |field: Field| item.number(field).map(|pixels| pixels as u32);
    let offset = (pixels(Field::OffsetX).unwrap_or(0), pixels(Field::OffsetY).unwrap_or(0));
    let (text, movement) = match Kind::of(&plan.caches[plan.slicers[number].cache]) {
        // Rows that a table hides do not move its slicers.
        Kind::OfTable => (SLICER_TEXT, xlsx::ObjectMovement::DontMoveOrSizeWithCells),
        Kind::OfPivots => (SLICER_TEXT, xlsx::ObjectMovement::MoveButDontSizeWithCells),
        Kind::Timeline => (TIMELINE_TEXT, xlsx::ObjectMovement::MoveButDontSizeWithCells),
    };
    let size = |field: Field, default: u32| pixels(field).filter(|size| *size > 0).unwrap_or(default);
    let shape = xlsx::Shape::textbox()
        .set_text(text)
        .set_width(size(Field::Width, SIZE_DEFAULT.0))
        .set_height(size(Field::Height, SIZE_DEFAULT.1))
        .set_object_movement(movement);
    placeholders.add(target, (row, column), offset, &number.to_string(), shape)
}

/// Adds the parts of slicers to the file that `rust_xlsxwriter` wrote.
pub(super) fn add_slicers(
    workbook: &Workbook,
    plan: &SlicerPlan,
    file: &[u8],
    added: &mut AddedParts,
) -> ZipResult<()> {
    if plan.slicers.is_empty() {
        return Ok(());
    }
    let tables = tables(file)?;
    let mut references: BTreeMap<Kind, String> = BTreeMap::new();
    let mut names = String::new();
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut is_written = vec![false; plan.caches.len()];
    for (position, cache) in plan.caches.iter().enumerate() {
        // A table that `rust_xlsxwriter` rejected.
        let Some(text) = cache_definition(plan, cache, &tables) else { continue };
        is_written[position] = true;
        let kind = Kind::of(cache);
        let word = kind.word();
        let number = numbers.entry(word).or_default();
        *number += 1;
        let id = format!("rIdCacheOf{word}{number}");
        let target = format!("{word}Caches/{word}Cache{number}.xml");
        added.link(WORKBOOK, &id, &relationship(kind, "Cache"), &target);
        added.add(&format!("xl/{target}"), &format!("application/vnd.ms-excel.{word}Cache+xml"), text);
        let element = if kind == Kind::Timeline { "x15:timelineCacheRef" } else { "x14:slicerCache" };
        let _infallible = write!(references.entry(kind).or_default(), r#"<{element} r:id="{id}"/>"#);
        let name = escape(&*cache.name);
        let _infallible = write!(names, r#"<definedName name="{name}">#N/A</definedName>"#);
    }
    let slicers = plan.slicers.iter().enumerate().filter(|(_, slicer)| is_written[slicer.cache]);
    let slicers: BTreeMap<usize, &WrittenSlicer> = slicers.collect();
    add_views(workbook, plan, &slicers, added);
    let frames: BTreeMap<usize, (Kind, String)> = slicers
        .iter()
        .map(|(number, slicer)| {
            (*number, (Kind::of(&plan.caches[slicer.cache]), escape(&*slicer.name).into_owned()))
        })
        .collect();
    added.change_below("xl/drawings/drawing", move |text| {
        replaced(text, |name, placeholder| match name.parse::<usize>() {
            Ok(number) => match frames.get(&number) {
                Some((kind, name)) => Replacement::Object(frame(*kind, name, placeholder)),
                // The slicer is not written.
                None => Replacement::Remove,
            },
            Err(_) => Replacement::Keep,
        })
    });
    let extensions: String = references
        .iter()
        .map(|(kind, references)| {
            let (start, end) = match kind {
                Kind::OfPivots => (format!(r#"x14="{X14}"><x14:slicerCaches>"#), "</x14:slicerCaches>"),
                Kind::Timeline => {
                    (format!(r#"x15="{X15}"><x15:timelineCacheRefs>"#), "</x15:timelineCacheRefs>")
                }
                Kind::OfTable => {
                    (format!(r#"x15="{X15}"><x15:slicerCaches xmlns:x14="{X14}">"#), "</x15:slicerCaches>")
                }
            };
            let uri = WORKBOOK_EXTENSIONS[*kind as usize];
            format!(r#"<ext uri="{uri}" xmlns:{start}{references}{end}</ext>"#)
        })
        .collect();
    added.change(WORKBOOK, move |text| {
        let text = with_names(text, &names);
        text.replacen("</workbook>", &format!("<extLst>{extensions}</extLst></workbook>"), 1)
    });
    Ok(())
}

fn relationship(kind: Kind, what: &str) -> String {
    format!("{RELATIONSHIPS}/{}/relationships/{}{what}", kind.year(), kind.word())
}

/// Adds a part with the slicers of each kind and sheet.
fn add_views(
    workbook: &Workbook,
    plan: &SlicerPlan,
    slicers: &BTreeMap<usize, &WrittenSlicer>,
    added: &mut AddedParts,
) {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for (position, sheet) in workbook.sheets().iter().enumerate() {
        let mut extensions = String::new();
        for kind in KINDS {
            let of_kind = slicers
                .values()
                .filter(|slicer| slicer.sheet == position && Kind::of(&plan.caches[slicer.cache]) == kind);
            let views: String =
                of_kind.map(|slicer| view(slicer, &plan.caches[slicer.cache], sheet)).collect();
            if views.is_empty() {
                continue;
            }
            let word = kind.word();
            let number = numbers.entry(word).or_default();
            *number += 1;
            let (id, namespace) =
                (format!("rIdOf{word}s{number}"), if kind == Kind::Timeline { X15 } else { X14 });
            let target = format!("{word}s/{word}{number}.xml");
            let part = added.sheet_part(position);
            added.link(&part, &id, &relationship(kind, ""), &format!("../{target}"));
            let text = format!(r#"{DECLARATION}<{word}s xmlns="{namespace}">{views}</{word}s>"#);
            added.add(&format!("xl/{target}"), &format!("application/vnd.ms-excel.{word}+xml"), text);
            let list = match kind {
                Kind::OfPivots => {
                    format!(r#"xmlns:x14="{X14}"><x14:slicerList><x14:slicer r:id="{id}"/></x14:slicerList>"#)
                }
                Kind::OfTable => format!(
                    r#"xmlns:x15="{X15}"><x14:slicerList xmlns:x14="{X14}"><x14:slicer r:id="{id}"/></x14:slicerList>"#
                ),
                Kind::Timeline => format!(
                    r#"xmlns:x15="{X15}"><x15:timelineRefs><x15:timelineRef r:id="{id}"/></x15:timelineRefs>"#
                ),
            };
            let uri = SHEET_EXTENSIONS[kind as usize];
            let _infallible = write!(extensions, r#"<ext uri="{uri}" {list}</ext>"#);
        }
        if !extensions.is_empty() {
            let part = added.sheet_part(position);
            added.change(part, move |text| with_extensions(text, &extensions));
        }
    }
}

/// The element of a slicer or timeline.
fn view(slicer: &WrittenSlicer, cache: &SlicerCache, sheet: &Sheet) -> String {
    let [name, cache_name, caption] =
        [&slicer.name, &cache.name, &slicer.caption].map(|text| escape(&**text));
    if !cache.source.is_timeline() {
        let columns = sheet.item(slicer.item).and_then(|item| item.number(Field::Columns));
        let columns = columns.map_or(String::new(), |columns| format!(r#" columnCount="{columns}""#));
        return format!(
            r#"<slicer name="{name}" cache="{cache_name}" caption="{caption}"{columns} rowHeight="{ROW_HEIGHT}"/>"#
        );
    }
    let level =
        match sheet.item(slicer.item).and_then(|item| item.text(Field::Grouping)).map(|level| &**level) {
            Some("year") => 0,
            Some("quarter") => 1,
            Some("date") => 3,
            // The default of the client.
            _ => 2,
        };
    format!(
        r#"<timeline name="{name}" cache="{cache_name}" caption="{caption}" level="{level}" selectionLevel="{level}"/>"#
    )
}

/// The definition of a cache; `None` if the file does not have its table.
fn cache_definition(plan: &SlicerPlan, cache: &SlicerCache, tables: &[TablePart]) -> Option<String> {
    let name = escape(&*cache.name);
    match &cache.source {
        CacheSource::Table { name: table, column } => {
            let table = tables.iter().find(|part| part.name == escape(table.as_str()))?;
            let source = table.columns.get((column - 1) as usize)?;
            let id = &table.id;
            Some(format!(
                r#"{DECLARATION}<slicerCacheDefinition xmlns="{X14}" xmlns:mc="{COMPATIBILITY}" mc:Ignorable="x" xmlns:x="{MAIN}" name="{name}" sourceName="{source}"><extLst><x:ext uri="{TABLE_EXTENSION}" xmlns:x15="{X15}"><x15:tableSlicerCache tableId="{id}" column="{column}"/></x:ext></extLst></slicerCacheDefinition>"#
            ))
        }
        CacheSource::Pivots { pivots, field, is_timeline } => {
            let first = &plan.pivots[*pivots.first()?];
            let own = first.fields.get(*field)?;
            let source = escape(&*own.name);
            let mut connected = String::new();
            for pivot in pivots.iter().map(|pivot| &plan.pivots[*pivot]) {
                let (tab, name) = (pivot.sheet + 1, pivot.name());
                let _infallible = write!(connected, r#"<pivotTable tabId="{tab}" name="{name}"/>"#);
            }
            let id = first.cache;
            if *is_timeline {
                let state = timeline_state(plan, *pivots.first()?, *field)?;
                return Some(format!(
                    r#"{DECLARATION}<timelineCacheDefinition xmlns="{X15}" name="{name}" sourceName="{source}"><pivotTables>{connected}</pivotTables><state minimalRefreshVersion="6" lastRefreshVersion="6" pivotCacheId="{id}" {state}</state></timelineCacheDefinition>"#
                ));
            }
            let shown = own.shown_items();
            let count = shown.len();
            let mut items = String::new();
            for (item, is_shown) in shown.into_iter().enumerate() {
                let selected = if is_shown { r#" s="1""# } else { "" };
                let _infallible = write!(items, r#"<i x="{item}"{selected}/>"#);
            }
            Some(format!(
                r#"{DECLARATION}<slicerCacheDefinition xmlns="{X14}" name="{name}" sourceName="{source}"><pivotTables>{connected}</pivotTables><data><tabular pivotCacheId="{id}"><items count="{count}">{items}</items></tabular></data></slicerCacheDefinition>"#
            ))
        }
    }
}

/// The end of the start of the element `state`, with the selected period, and the whole years of the
/// dates and of the period.
fn timeline_state(plan: &SlicerPlan, pivot: usize, field: usize) -> Option<String> {
    let pivot = &plan.pivots[pivot];
    let (own, dates) = (pivot.fields.get(field)?, pivot.filled.definition.dates);
    let (mut first, mut last) = own.date_limits()?;
    let selection = own.period.map(|period| {
        (first, last) = (first.min(period.first), last.max(period.last));
        let (from, to) = (date(period.first, dates), date(period.last, dates));
        format!(r#"<selection startDate="{from}" endDate="{to}"/>"#)
    });
    let kind = if selection.is_some() { "dateBetween" } else { "unknown" };
    let (start, end) = (civil(first, dates)?.year, (civil(last, dates)?.year + 1).min(YEAR_MAX));
    let selection = selection.unwrap_or_default();
    Some(format!(
        r#"filterType="{kind}">{selection}<bounds startDate="{start:04}-01-01T00:00:00" endDate="{end:04}-01-01T00:00:00"/>"#
    ))
}

/// What a slicer needs of the part of a table. All texts are as in the XML.
struct TablePart {
    name: String,
    id: String,
    /// The names of the columns, whose ids are 1, 2, 3, ….
    columns: Vec<String>,
}

fn tables(file: &[u8]) -> ZipResult<Vec<TablePart>> {
    let mut archive = ZipArchive::new(Cursor::new(file))?;
    let mut tables = Vec::new();
    for index in 0..archive.len() {
        let mut part = archive.by_index(index)?;
        if !part.name()?.starts_with("xl/tables/") {
            continue;
        }
        let mut text = String::new();
        part.read_to_string(&mut text)?;
        let columns = text.split("<tableColumn ").skip(1).filter_map(|column| value_of(column, "name"));
        let columns = columns.map(str::to_owned).collect();
        if let (Some(name), Some(id)) = (value_of(&text, "displayName"), value_of(&text, "id")) {
            tables.push(TablePart { name: name.to_owned(), id: id.to_owned(), columns });
        }
    }
    Ok(tables)
}

/// The workbook part with further defined names, which follow the sheets.
fn with_names(text: &str, names: &str) -> String {
    match text.contains("</definedNames>") {
        true => text.replacen("</definedNames>", &format!("{names}</definedNames>"), 1),
        false => text.replacen("</sheets>", &format!("</sheets><definedNames>{names}</definedNames>"), 1),
    }
}

/// The worksheet part with further extensions, which are its last element.
fn with_extensions(text: &str, extensions: &str) -> String {
    const END: &str = "</worksheet>";
    const LIST_END: &str = "</extLst></worksheet>";
    match text.strip_suffix(LIST_END) {
        Some(start) => format!("{start}{extensions}{LIST_END}"),
        None => text.replacen(END, &format!("<extLst>{extensions}</extLst>{END}"), 1),
    }
}

/// The frame of a slicer, with a shape for programs that do not know it.
fn frame(kind: Kind, name: &str, shape: &str) -> String {
    let id = value_of(shape, "id").unwrap_or("1");
    let (prefix, namespace) = match kind {
        Kind::OfPivots => ("a14", format!("{DRAWING}/2010/main")),
        Kind::Timeline => ("tsle", format!("{DRAWING}/2012/timeslicer")),
        Kind::OfTable => ("sle15", format!("{DRAWING}/2012/slicer")),
    };
    let (element, uri) = match kind {
        Kind::Timeline => ("tsle:timeslicer", namespace.clone()),
        Kind::OfPivots | Kind::OfTable => ("sle:slicer", format!("{DRAWING}/2010/slicer")),
    };
    let own_prefix = element.split_once(':').map_or("", |(own_prefix, _)| own_prefix);
    let properties = shape.split_once("<xdr:cNvPr ").and_then(|(before, rest)| {
        let (_, after) = rest.split_once("/>")?;
        Some(format!("{before}<xdr:cNvPr id=\"0\" name=\"\"/>{after}"))
    });
    let shape = properties.unwrap_or_else(|| shape.to_owned());
    format!(
        r#"<mc:AlternateContent xmlns:mc="{COMPATIBILITY}"><mc:Choice xmlns:{prefix}="{namespace}" Requires="{prefix}"><xdr:graphicFrame macro=""><xdr:nvGraphicFramePr><xdr:cNvPr id="{id}" name="{name}"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="{uri}"><{element} xmlns:{own_prefix}="{uri}" name="{name}"/></a:graphicData></a:graphic></xdr:graphicFrame></mc:Choice><mc:Fallback>{shape}</mc:Fallback></mc:AlternateContent>"#
    )
}
