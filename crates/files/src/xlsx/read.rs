//! Reads a workbook from its parts.

use quadrille_workbook::{Field, ItemKind};

use super::archive::Archive;
use super::colors::Theme;
use super::controls::{SheetControls, SheetObjects};
use super::pivots::{self, FoundPivot};
use super::read_package_parts::read as package_parts;
use super::rich_values::CellImages;
use super::sheet::{self, Shared};
use super::slicers::FoundSlicers;
use super::strings::{FontContext, Strings};
use super::styles::Styles;
use super::workbook_part::SheetPart;
use super::{
    chart_sheets, checkboxes, control_choices, drawing, newer_charts, sheet_parts, strings,
    threaded_comments, workbook_part,
};
use crate::contents::{Contents, FieldTexts, ItemContents, OtherSheets};
use crate::document_title;
use crate::error::{FileError, FileErrorCode};
use crate::progress::ProgressWatch;

/// Reads an `.xlsx` file. Fails with `NotAWorkbook`, `BadXml`, `BadArchive`, `Encrypted` or a limit
/// that is exceeded.
pub(crate) fn read(bytes: &[u8], watch: &mut ProgressWatch) -> Result<Contents, FileError> {
    let mut archive = Archive::open(bytes)?;
    let book = workbook_part::read(&mut archive)?;
    let mut bytes_before = 0;
    let theme = match book.theme.as_deref().map(|part| archive.part(part)).transpose()?.flatten() {
        Some(part) => Theme::read(part)?,
        None => Theme::default(),
    };
    let mut styles = match book.styles.as_deref().map(|part| archive.part(part)).transpose()?.flatten() {
        Some(part) => Styles::read(part, &theme)?,
        None => Styles::default(),
    };
    if let Some(bags) = book.links.iter().find(|link| link.kind == "FeaturePropertyBag")
        && let Some(part) = archive.part(&bags.target)?
    {
        styles.set_checkboxes(checkboxes::complements(part)?);
    }
    let strings = match book.strings.as_deref().map(|part| archive.part(part)).transpose()?.flatten() {
        Some(part) => {
            bytes_before += part.packed();
            strings::read(part, FontContext { theme: &theme, default_font: styles.default_font() })?
        }
        None => Strings::default(),
    };
    let mut contents = Contents::default();
    contents.names.clone_from(&book.names);
    contents.name_comments.clone_from(&book.name_comments);
    contents.settings = book.settings.clone();
    contents.other_sheets = OtherSheets::OfWorkbooks(book.other_workbooks.clone());
    contents.warnings.clone_from(&book.warnings);
    for what in styles.left_out() {
        contents.warn(format!("left out: {what}"));
    }
    contents.cell_styles = styles.cell_styles().to_vec();
    package_parts(&mut archive, &book, styles.default_font().cloned(), &mut contents)?;
    if let Some(properties) = &book.properties {
        document_title::read(&mut archive, properties, &mut contents);
    }
    let persons = threaded_comments::persons(&mut archive, &book.links)?;
    let cell_images = CellImages::read(&mut archive, &book.links, &mut contents)?;
    let shared = Shared {
        strings: &strings,
        styles: &styles,
        theme: &theme,
        dates: book.dates,
        cell_images: &cell_images,
    };
    let mut found_pivots: Vec<FoundPivot> = Vec::new();
    let mut found_slicers = FoundSlicers::default();
    for (index, listed) in book.sheets.iter().enumerate() {
        contents.add_sheet(&*listed.name)?.rows_of_one_line = Some(Vec::new());
        let missing = || {
            let reason = format!("the sheet {} is listed, but its part is missing", listed.name);
            FileError::new(FileErrorCode::NotAWorkbook, reason)
        };
        let in_sheet = |error: FileError| FileError {
            reason: format!("sheet {}: {}", listed.name, error.reason),
            ..error
        };
        let links = workbook_part::links_of(&mut archive, &listed.part)?;
        let part = archive.part(&listed.part)?.ok_or_else(missing)?;
        let packed = part.packed();
        let mut objects = SheetObjects::default();
        let with_images =
            sheet::read(part, &shared, &mut contents, watch, bytes_before, &links, &mut objects)
                .map_err(in_sheet)?;
        cell_images.put(&mut archive, &with_images, &mut contents).map_err(in_sheet)?;
        bytes_before += packed;
        let mut controls =
            SheetControls::read(&mut archive, objects, &links, &mut contents).map_err(in_sheet)?;
        for link in &links {
            if link.kind == "pivotTable" {
                found_pivots.push(FoundPivot { sheet: index, part: link.target.clone() });
                continue;
            }
            if link.kind == "drawing" {
                let frames =
                    drawing::read(&mut archive, &link.target, &theme, &links, &mut controls, &mut contents);
                found_slicers.add_frames(index, frames.map_err(in_sheet)?);
                continue;
            }
            if matches!(link.kind.as_str(), "slicer" | "timeline") {
                found_slicers.add_part(index, &link.target);
                continue;
            }
            let Some(part) = (match link.kind.as_str() {
                "comments" | "table" | "threadedComment" => archive.part(&link.target)?,
                _ => None,
            }) else {
                continue;
            };
            let read = match link.kind.as_str() {
                "comments" => {
                    let has_threads = links.iter().any(|link| link.kind == "threadedComment");
                    sheet_parts::notes(part, has_threads, &mut contents)
                }
                "threadedComment" => threaded_comments::read(part, &persons, &mut contents),
                _ => sheet_parts::table(part, &styles, &mut contents)
                    .map(|table| found_slicers.add_table(index, table)),
            };
            read.map_err(in_sheet)?;
        }
        drawing::read_controls(&mut archive, &links, &mut controls, &mut contents).map_err(in_sheet)?;
        if listed.is_chart {
            chart_sheets::mark(&mut contents);
        }
        put_workbook_properties(&mut contents, listed);
    }
    control_choices::fill(&mut contents);
    let read_pivots = pivots::read_all(&mut archive, &found_pivots, &mut contents)?;
    found_slicers.read(&mut archive, &book, &read_pivots, &mut contents)?;
    // Excel's own names for the ranges of newer charts, which the charts have themselves here.
    contents.names.retain(|(name, _)| !name.starts_with(newer_charts::NAMES));
    Ok(contents)
}

/// Adds the properties of a sheet that the workbook part contains.
fn put_workbook_properties(contents: &mut Contents, listed: &SheetPart) {
    for (kind, ranges) in
        [(ItemKind::PrintArea, &listed.print_area), (ItemKind::PrintTitles, &listed.print_titles)]
    {
        if !ranges.is_empty() {
            let (anchors, fields) = (ranges.clone(), FieldTexts::default());
            contents.put_item(ItemContents { kind, anchors, fields, parent: None });
        }
    }
    if let Some(sheet) = contents.sheets.last_mut() {
        sheet::unhide_filtered_rows(sheet);
        sheet.settings.flag(Field::Hidden, Some(listed.is_hidden), false);
    }
}
