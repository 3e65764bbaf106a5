//! Data labels of charts: the values of the points, or the texts of cells.
//!
//! Cells are either one range for a series, "Value From Cells" of Excel (\[MS-ODRAWXML\],
//! `c15:datalabelsRange`), or a reference for each point (`dLbl` of ECMA-376 part 1, 21.2.2.47), which is
//! the form that is written.

use quadrille_cell::{CellAddress, Range};
use rust_xlsxwriter as xlsx;

use super::archive::Part;
use super::chart_elements::{children, data, is_on};
use super::chart_ranges::sheet_and_range;
use super::references::absolute;
use super::xml::Node;
use crate::error::FileError;

/// Labels of single points of a series that are read or written, at most; further points show values.
const LABELS_MAX: u64 = 20_000;

/// The labels of a series, or of a group of series.
#[derive(Default)]
pub(super) struct Labels {
    has_values: bool,
    has_range: bool,
    /// Labels of single points, by the numbers of the points: references, and `None` for texts.
    of_points: Vec<(u32, Option<String>)>,
}

impl Labels {
    /// Reads an element `dLbls`.
    pub fn read(part: &mut Part) -> Result<Labels, FileError> {
        let mut labels = Labels::default();
        children(part, |part, name, value| {
            match name {
                "showVal" => labels.has_values = is_on(value.as_deref()),
                "dLbl" => return point_label(part, &mut labels.of_points),
                "extLst" => {
                    labels.has_range = shows_range(part)?;
                    return Ok(());
                }
                _ => {}
            }
            part.skip()
        })?;
        Ok(labels)
    }

    /// Whether points have labels.
    pub fn are_shown(&self) -> bool {
        self.has_values || self.has_range || !self.of_points.is_empty()
    }

    /// The formula of the cells with the labels. `range` is that of the series.
    pub fn cells(&self, range: Option<String>) -> Option<String> {
        match range.filter(|_| self.has_range) {
            Some(range) => Some(format!("={range}")),
            None => joined(&self.of_points),
        }
    }

    /// Whether single points have labels that are no line of cells.
    pub fn have_own_texts(&self) -> bool {
        !self.has_range && !self.of_points.is_empty() && joined(&self.of_points).is_none()
    }
}

fn point_label(part: &mut Part, of_points: &mut Vec<(u32, Option<String>)>) -> Result<(), FileError> {
    let (mut number, mut reference) = (None, None);
    children(part, |part, name, value| {
        match name {
            "idx" => number = value.and_then(|value| value.parse().ok()),
            "tx" => {
                reference = Some(data(part)?.reference());
                return Ok(());
            }
            _ => {}
        }
        part.skip()
    })?;
    if of_points.len() < LABELS_MAX as usize {
        of_points.extend(number.zip(reference));
    }
    Ok(())
}

/// Whether an element `extLst` of labels shows the range of the series.
fn shows_range(part: &mut Part) -> Result<bool, FileError> {
    let (mut depth, mut is_shown) = (1, false);
    while depth > 0 {
        match part.next()? {
            Node::Start(element) => {
                depth += 1;
                if element.name() == "showDataLabelsRange" {
                    is_shown = is_on(element.attribute("val").as_deref());
                }
            }
            Node::End(_) => depth -= 1,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    Ok(is_shown)
}

/// Reads the range with labels from an element `extLst` of a series.
pub(super) fn label_range(part: &mut Part) -> Result<Option<String>, FileError> {
    let (mut depth, mut range) = (1, None);
    while depth > 0 {
        match part.next()? {
            Node::Start(element) if element.name() == "datalabelsRange" => range = data(part)?.reference(),
            Node::Start(_) => depth += 1,
            Node::End(_) => depth -= 1,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    Ok(range)
}

/// The range of the references if they are neighbouring cells in the order of the points from the first
/// one on.
fn joined(references: &[(u32, Option<String>)]) -> Option<String> {
    let mut cells = Vec::new();
    let mut of_sheet = None;
    for (place, (number, reference)) in (0..).zip(references) {
        let (sheet, cell) = reference.as_deref()?.rsplit_once('!')?;
        if *number != place || of_sheet.get_or_insert(sheet) != &sheet {
            return None;
        }
        cells.push(CellAddress::parse_a1(&cell.replace('$', "")).ok()?);
    }
    let area = Range::new(*cells.first()?, *cells.last()?);
    let is_line = area.row_count() == 1 || area.column_count() == 1;
    (is_line && area.cells().eq(cells))
        .then(|| format!("={}!{}", of_sheet.unwrap_or_default(), absolute(area)))
}

/// A label for each of the `values` with the contents of one of the `cells`. Both are references with
/// their sheet and `=`; `None` if they are no ranges.
pub(super) fn labels_from(cells: &str, values: &str) -> Option<Vec<xlsx::ChartDataLabel>> {
    let (sheet, range) = sheet_and_range(cells)?;
    let points = sheet_and_range(values)?.1.cell_count().min(LABELS_MAX);
    let label = |cell: CellAddress| {
        let cell = (sheet.as_str(), cell.row.get(), cell.column.get() as u16);
        xlsx::ChartDataLabel::new().show_value().set_value(cell).to_custom()
    };
    Some(range.cells().take(points as usize).map(label).collect())
}
