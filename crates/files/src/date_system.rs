//! Conversion of serial dates between the date systems 1900 and 1904.

use std::borrow::Cow;

use quadrille_cell::{DateSystem, Range, canonical_number};
use quadrille_number_format::NumberFormat;
use quadrille_workbook::{Format, Input, Literal, Workbook};

/// The workbook with its dates converted to the date system `dates`. Only number literals whose
/// format displays a date change; formulas, times of day and numbers without a date format remain.
pub(crate) fn with_converted_dates(workbook: &Workbook, dates: DateSystem) -> Cow<'_, Workbook> {
    let offset = day_offset(workbook.date_system(), dates);
    if offset == 0.0 {
        return Cow::Borrowed(workbook);
    }
    let mut converted = workbook.clone();
    for sheet in workbook.sheets() {
        let Some(used) = sheet.used_range() else { continue };
        for (range, format) in sheet.format_runs(Range::whole_sheet()) {
            let Some(range) = range.intersection(used).filter(|_| shows_day(format)) else { continue };
            for (cell, input) in sheet.inputs_in(range) {
                let Input::Value(Literal::Number(number)) = input else { continue };
                // Serial numbers below the first date do not display a date and remain.
                let moved = canonical_number(number + offset).filter(|moved| number >= 0.0 && *moved >= 0.0);
                if let (Some(moved), Some(sheet)) = (moved, converted.sheet_mut(sheet.id())) {
                    sheet.set_input(cell, &Input::Value(Literal::Number(moved)));
                }
            }
        }
    }
    Cow::Owned(converted)
}

/// Number of days to add to a serial date when converting it.
pub(crate) fn day_offset(from: DateSystem, to: DateSystem) -> f64 {
    (from.offset_from_1900() - to.offset_from_1900()) as f64
}

/// Whether the format displays a date.
pub(crate) fn shows_day(format: &Format) -> bool {
    format.number_format.as_deref().is_some_and(|code| NumberFormat::parse(code).shows_day())
}
