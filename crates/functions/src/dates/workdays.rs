//! Workday functions: NETWORKDAYS, WORKDAY and their .INTL variants. Described in ECMA-376 part 1,
//! 18.17.7, and Excel's help.

use quadrille_cell::radix_sort::sort_keys;
use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::{SERIAL_MAX, weekday};

use super::{day, serial_value};
use crate::arguments::{OperandResult, optional, optional_number, single, values_by_row};
use crate::coerce::integer;
use crate::context::CallContext;
use crate::function::Function;
use crate::operands::Operand;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole(
        "NETWORKDAYS",
        "start_date, end_date, [holidays]",
        "The working days from one date to another, both included.",
        net_workdays,
    )
    .lifts(&[0, 1])
    .examples(&[
        ("=NETWORKDAYS(DATE(2012,10,1),DATE(2013,3,1))", "110"),
        ("=NETWORKDAYS(DATE(2012,10,1),DATE(2013,3,1),DATE(2012,11,22))", "109"),
    ]),
    Function::whole(
        "NETWORKDAYS.INTL",
        "start_date, end_date, [weekend], [holidays]",
        "The working days from one date to another, with a custom weekend.",
        net_workdays_international,
    )
    .lifts(&[0, 1])
    .examples(&[
        ("=NETWORKDAYS.INTL(DATE(2006,1,1),DATE(2006,1,31))", "22"),
        ("=NETWORKDAYS.INTL(DATE(2006,1,1),DATE(2006,2,1),7,{38719,38732})", "22"),
        ("=NETWORKDAYS.INTL(1,2,\"1111111\")", "0"),
    ]),
    Function::whole("WORKDAY", "start_date, days, [holidays]", "The date some working days later.", workday)
        .lifts(&[0, 1])
        .examples(&[
            ("=WORKDAY(DATE(2008,10,1),151)", "39933"),
            ("=WORKDAY(DATE(2024,5,3),1)", "45418"),
            ("=WORKDAY(DATE(2024,5,6),-1)", "45415"),
        ]),
    Function::whole(
        "WORKDAY.INTL",
        "start_date, days, [weekend], [holidays]",
        "The date some working days later, with a custom weekend.",
        workday_international,
    )
    .lifts(&[0, 1])
    .examples(&[
        ("=WORKDAY.INTL(DATE(2012,1,1),90,11)", "41013"),
        ("=WORKDAY.INTL(1,1,\"1111111\")", "#VALUE!"),
    ]),
];

/// Weekends and holidays.
struct Calendar {
    /// By weekday, 0 for Sunday.
    is_weekend: [bool; 7],
    /// Sorted serial numbers, without holidays on weekends.
    holidays: Vec<i64>,
}

/// Steps charged for each holiday of a calendar.
const HOLIDAY_STEPS: u64 = 4;
/// Days that WORKDAY passes in the time of one step.
const DAYS_PER_STEP: u64 = 4;

impl Calendar {
    fn new(
        context: &mut CallContext,
        weekend: Option<&Operand>,
        holidays: Option<&Operand>,
    ) -> Result<Calendar, ErrorValue> {
        let is_weekend = match weekend {
            Some(weekend) => parse_weekend(&single(weekend)?)?,
            None => weekend_by_number(1)?,
        };
        let mut days = Vec::new();
        if let Some(holidays) = holidays {
            for value in values_by_row(context, holidays)? {
                context.work(8)?;
                if !value.is_blank() {
                    days.push(day(&value)?);
                }
            }
        }
        // Each holiday is read, sorted and compared.
        context.budget.charge(days.len() as u64 * HOLIDAY_STEPS)?;
        days.retain(|serial| !is_weekend[weekday(*serial) as usize]);
        let mut serials: Vec<u64> = days.iter().map(|serial| *serial as u64).collect();
        let cancel = &context.budget.cancel;
        sort_keys(&mut serials, &mut |rows| cancel.work(rows as u64).is_ok())
            .ok_or(ErrorValue::Calculation)?;
        serials.dedup();
        let days = serials.into_iter().map(|serial| serial as i64).collect();
        Ok(Calendar { is_weekend, holidays: days })
    }

    fn is_workday(&self, serial: i64) -> bool {
        !self.is_weekend[weekday(serial) as usize] && self.holidays.binary_search(&serial).is_err()
    }

    /// Returns the number of workdays from `first` to `last`, both included.
    fn workdays(&self, first: i64, last: i64) -> i64 {
        let per_week = self.is_weekend.iter().filter(|is_free| !**is_free).count() as i64;
        let weeks = (last - first + 1) / 7;
        let rest =
            (first + weeks * 7..=last).filter(|serial| !self.is_weekend[weekday(*serial) as usize]).count();
        let up_to = |limit: i64| self.holidays.partition_point(|serial| *serial < limit);
        let holidays = up_to(last + 1) - up_to(first);
        weeks * per_week + rest as i64 - holidays as i64
    }
}

/// Parses a weekend argument: a number of Excel's list, or seven digits from Monday on, `1` for
/// weekend days.
fn parse_weekend(value: &Value) -> Result<[bool; 7], ErrorValue> {
    let Value::Text(text) = value else { return weekend_by_number(integer(value)?) };
    let marks = text.as_bytes();
    if marks.len() != 7 || marks.iter().any(|mark| !matches!(mark, b'0' | b'1')) {
        return Err(ErrorValue::Value);
    }
    let mut is_weekend = [false; 7];
    for (from_monday, mark) in marks.iter().enumerate() {
        is_weekend[(from_monday + 1) % 7] = *mark == b'1';
    }
    Ok(is_weekend)
}

fn weekend_by_number(number: i64) -> Result<[bool; 7], ErrorValue> {
    let mut is_weekend = [false; 7];
    match number {
        // Two days: 1 is Saturday and Sunday, 2 is Sunday and Monday, etc.
        1..=7 => {
            is_weekend[(number as usize + 5) % 7] = true;
            is_weekend[(number as usize + 6) % 7] = true;
        }
        // One day: 11 is Sunday, 12 is Monday, etc.
        11..=17 => is_weekend[number as usize - 11] = true,
        _ => return Err(ErrorValue::Number),
    }
    Ok(is_weekend)
}

fn count(calendar: &Calendar, arguments: &[Operand]) -> OperandResult {
    let (first, last) = (day(&single(&arguments[0])?)?, day(&single(&arguments[1])?)?);
    let count = if first <= last { calendar.workdays(first, last) } else { -calendar.workdays(last, first) };
    Ok((count as f64).into())
}

fn net_workdays(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    count(&Calendar::new(context, None, optional(arguments, 2))?, arguments)
}

fn net_workdays_international(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    count(&Calendar::new(context, optional(arguments, 2), optional(arguments, 3))?, arguments)
}

fn step(context: &mut CallContext, calendar: &Calendar, arguments: &[Operand]) -> OperandResult {
    let mut serial = day(&single(&arguments[0])?)?;
    let days = optional_number(arguments, 1, 0.0)?.floor().clamp(-1e7, 1e7) as i64;
    if calendar.is_weekend == [true; 7] {
        return Err(ErrorValue::Value);
    }
    let direction = days.signum();
    let mut left = days.abs();
    context.budget.charge(left.min(SERIAL_MAX) as u64 / DAYS_PER_STEP)?;
    while left > 0 {
        context.work(1)?;
        serial += direction;
        if !(0..=SERIAL_MAX).contains(&serial) {
            return Err(ErrorValue::Number);
        }
        left -= i64::from(calendar.is_workday(serial));
    }
    serial_value(Some(serial)).map(Operand::Value)
}

fn workday(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let calendar = Calendar::new(context, None, optional(arguments, 2))?;
    step(context, &calendar, arguments)
}

fn workday_international(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let calendar = Calendar::new(context, optional(arguments, 2), optional(arguments, 3))?;
    step(context, &calendar, arguments)
}
