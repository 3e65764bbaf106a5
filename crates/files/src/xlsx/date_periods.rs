//! Periods by which pivot tables filter dates: filters of the type `dateBetween` (ECMA-376 part 1,
//! ST_PivotFilterType), which timelines set.

use std::fmt::Write as _;

use quadrille_cell::Value;
use quadrille_pivot::{FilterField, Operator};
use quick_xml::escape::escape;

use super::xml::Element;

/// The type of the filter in a file.
pub(super) const DATE_BETWEEN: &str = "dateBetween";
/// The extension by which a filter contains its last day as a whole ([MS-XLSX], CT_PivotFilter).
const EXTENSION: &str = "{0605FD5F-26C8-4aeb-8148-2DB25E43C511}";
const EXTENSION_SPACE: &str = "http://schemas.microsoft.com/office/spreadsheetml/2010/11/main";
/// Filters of pivot tables contain their limits: less than a second before midnight ends a day. The
/// same fraction as that of slicers.
const END_OF_DAY: f64 = 0.999_999;
/// The serial number of 31 December 9999.
const LAST_DAY: f64 = 2_958_465.0;

/// A period of days.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Period {
    /// The first and the last day, as serial numbers.
    pub first: f64,
    pub last: f64,
    /// Whether times of the last day belong to the period.
    has_whole_last_day: bool,
}

impl Period {
    /// The period of a filter; `None` for other conditions, and for limits within a day.
    pub fn of(filter: &FilterField) -> Option<Period> {
        let condition = filter.condition.as_ref().filter(|_| filter.shown.is_none())?;
        let (Operator::Between, Value::Number(first), Value::Number(end)) =
            (condition.operator, &condition.value1, &condition.value2)
        else {
            return None;
        };
        let (last, time) = (end.floor(), end - end.floor());
        let has_whole_last_day = time >= END_OF_DAY - 1e-6;
        let is_of_days = first.fract() == 0.0 && (has_whole_last_day || time == 0.0);
        let is_in_order = (0.0..=last).contains(first) && last <= LAST_DAY;
        (is_of_days && is_in_order).then_some(Period { first: *first, last, has_whole_last_day })
    }

    /// The upper limit in the filter of a pivot table.
    pub fn end(&self) -> f64 {
        if self.has_whole_last_day { self.last + END_OF_DAY } else { self.last }
    }

    /// Writes the filter of a field.
    pub fn write(&self, field: usize, number: usize, name: &str, text: &mut String) {
        let (first, last, name) = (self.first, self.last, escape(name));
        let is_whole = u8::from(self.has_whole_last_day);
        let _infallible = write!(
            text,
            r#"<filter fld="{field}" type="{DATE_BETWEEN}" evalOrder="-1" id="{number}" name="{name}"><autoFilter ref="A1"><filterColumn colId="0"><customFilters and="1"><customFilter operator="greaterThanOrEqual" val="{first}"/><customFilter operator="lessThanOrEqual" val="{last}"/></customFilters></filterColumn></autoFilter><extLst><ext uri="{EXTENSION}" xmlns:x15="{EXTENSION_SPACE}"><x15:pivotFilter useWholeDay="{is_whole}"/></ext></extLst></filter>"#
        );
    }
}

/// A `filter` element of a pivot table while it is read.
#[derive(Default)]
pub(super) struct ReadFilter {
    /// The number of the field, if the filter can be a period.
    pub field: Option<usize>,
    first: Option<f64>,
    last: Option<f64>,
    conditions: u32,
    has_whole_last_day: bool,
}

impl ReadFilter {
    /// Begins with the start of the element.
    pub fn start(element: &Element) -> ReadFilter {
        let is_period = element.attribute("type").is_some_and(|kind| kind == DATE_BETWEEN);
        ReadFilter { field: element.number("fld").filter(|_| is_period), ..ReadFilter::default() }
    }

    /// Reads an element within the filter.
    pub fn read(&mut self, element: &Element) {
        match element.name() {
            "customFilter" => {
                self.conditions += 1;
                let limit = element.number::<f64>("val").filter(|limit| limit.is_finite());
                match element.attribute("operator").as_deref() {
                    Some("greaterThanOrEqual") => self.first = limit,
                    Some("lessThanOrEqual") => self.last = limit,
                    _ => {}
                }
            }
            "pivotFilter" => self.has_whole_last_day = element.flag("useWholeDay").unwrap_or(false),
            _ => {}
        }
    }

    /// The field with its period; `None` for another filter.
    pub fn finish(self) -> Option<(usize, Period)> {
        let (first, last) = self.first.zip(self.last).filter(|_| self.conditions == 2)?;
        let has_whole_last_day = self.has_whole_last_day;
        Some((self.field?, Period { first, last, has_whole_last_day }))
    }
}
