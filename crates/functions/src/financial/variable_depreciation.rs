//! Depreciation with a switch to a straight line (VDB), and by the French accounting system
//! (AMORLINC, AMORDEGRC). Described in ECMA-376 part 1, 18.17.7, and Excel's help.

use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::is_leap_year;

use crate::arguments::{ValueResult, boolean_or, integer_or, number_or, numbers};
use crate::cancel::Cancel;
use crate::coerce::number;
use crate::context::CallContext;
use crate::dates::date_differences::{Basis, years_between};
use crate::dates::{civil, day};
use crate::function::Function;

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::scalar(
        "VDB",
        "cost, salvage, life, start, end, [factor], [no_switch]",
        "The loss of value between two times, declining, and even where that is more.",
        variable_declining,
    )
    .examples(&[
        ("=ROUND(VDB(2400,300,3650,0,1),2)", "1.32"),
        ("=ROUND(VDB(2400,300,10,0,0.875,1.5),2)", "315"),
        ("=ROUND(VDB(2400,300,120,6,18),2)", "396.31"),
        ("=VDB(2400,300,10,5,11)", "#NUM!"),
    ]),
    Function::scalar(
        "AMORLINC",
        "cost, purchased, first_period_end, salvage, period, rate, [basis]",
        "The even loss of value in a period by the French rules.",
        amortization_even,
    )
    .examples(&[("=AMORLINC(2400,39679,39813,300,1,0.15,1)", "360")]),
    Function::scalar(
        "AMORDEGRC",
        "cost, purchased, first_period_end, salvage, period, rate, [basis]",
        "The declining loss of value in a period by the French rules.",
        amortization_declining,
    )
    .examples(&[("=AMORDEGRC(2400,39679,39813,300,1,0.15,1)", "776")]),
];

/// A depreciated asset.
#[derive(Clone, Copy)]
struct Asset {
    cost: f64,
    salvage: f64,
    life: f64,
    factor: f64,
}

impl Asset {
    /// Returns the declining-balance depreciation of a period counted from one.
    fn declining(&self, period: f64) -> f64 {
        let rate = (self.factor / self.life).min(1.0);
        let before = self.cost * libm::pow(1.0 - rate, period - 1.0);
        let after = (self.cost * libm::pow(1.0 - rate, period)).max(self.salvage);
        (before - after).max(0.0)
    }

    /// Returns the depreciation in the first `periods` of the remaining life, switching to
    /// straight-line depreciation when it is greater.
    fn switching(&self, cancel: &Cancel, life_left: f64, periods: f64) -> f64 {
        let last = periods.ceil();
        let mut rest = self.cost - self.salvage;
        let (mut lost, mut even) = (0.0, None);
        let mut period = 1.0;
        while period <= last && !cancel.is_requested_within(8) {
            let declining = self.declining(period);
            let steady = rest / (life_left - (period - 1.0));
            let mut part = match even {
                Some(even) => even,
                None if steady > declining => {
                    even = Some(steady);
                    steady
                }
                None => {
                    rest -= declining;
                    declining
                }
            };
            if period == last {
                part *= periods + 1.0 - last;
            }
            lost += part;
            period += 1.0;
        }
        lost
    }
}

fn variable_declining(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let [cost, salvage, life, start, end] = numbers(arguments)?;
    let factor = match arguments.get(5) {
        Some(factor) if !factor.is_blank() => number_or(arguments, 5, 2.0)?,
        _ => 2.0,
    };
    let no_switch = boolean_or(arguments, 6, false)?;
    let are_times = 0.0 <= start && start <= end && end <= life && life > 0.0;
    if !are_times || cost < 0.0 || salvage < 0.0 || factor <= 0.0 {
        return Err(ErrorValue::Number);
    }
    if salvage > cost {
        return Ok(Value::number(0.0));
    }
    context.budget.charge((16.0 * end) as u64)?;
    let asset = Asset { cost, salvage, life, factor };
    let (first, last) = (start.floor(), end.ceil());
    if no_switch {
        let mut lost = 0.0;
        let mut period = first + 1.0;
        while period <= last {
            context.work(8)?;
            let share = end.min(period) - start.max(period - 1.0);
            lost += asset.declining(period) * share;
            period += 1.0;
        }
        return Ok(Value::number(lost));
    }
    // The depreciation between two whole periods, with the book value and remaining life at its
    // start.
    let cancel = &context.budget.cancel;
    let between = |from: f64, to: f64| {
        let worth = Asset { cost: cost - asset.switching(cancel, life, from), ..asset };
        worth.switching(cancel, life - from, to - from)
    };
    let mut lost = between(first, last);
    if start > first {
        lost -= (start - first) * between(first, first + 1.0);
    }
    if end < last {
        lost -= (last - end) * between(last - 1.0, last);
    }
    Ok(Value::number(lost))
}

/// An asset of AMORLINC or AMORDEGRC.
struct Amortization {
    cost: f64,
    salvage: f64,
    period: f64,
    rate: f64,
    /// Length of the first period in years; zero stands for a whole year.
    first_years: f64,
}

const AMORTIZATION_STEPS: u64 = 8;

impl Amortization {
    fn read(context: &mut CallContext, arguments: &[Value]) -> Result<Amortization, ErrorValue> {
        let (purchased, first_end) = (day(&arguments[1])?, day(&arguments[2])?);
        let basis = Basis::from_number(integer_or(arguments, 6, 0)?)?;
        let read = Amortization {
            cost: number(&arguments[0])?,
            salvage: number(&arguments[3])?,
            period: number(&arguments[4])?,
            rate: number(&arguments[5])?,
            first_years: first_years(purchased.min(first_end), first_end, basis)?,
        };
        let is_known = purchased <= first_end && basis != Basis::ActualBy360;
        if !is_known || read.cost <= 0.0 || read.salvage < 0.0 || read.salvage > read.cost {
            return Err(ErrorValue::Number);
        }
        if read.period < 0.0 || read.rate <= 0.0 {
            return Err(ErrorValue::Number);
        }
        context.budget.charge(AMORTIZATION_STEPS)?;
        Ok(read)
    }

    /// Returns the number of periods after the first, shortened one.
    fn life(&self) -> f64 {
        (1.0 / self.rate).ceil()
    }

    fn is_over(&self) -> bool {
        self.cost == self.salvage || self.period > self.life()
    }

    /// Returns the depreciation of the first period at a yearly rate.
    fn at_first(&self, rate: f64) -> f64 {
        let years = if self.first_years == 0.0 { 1.0 } else { self.first_years };
        (years * rate * self.cost).min(self.cost - self.salvage)
    }
}

/// Returns the years from `first` to `last`. By actual days, 29 February counts as the 28th, and a
/// year has the length of the year of `first`.
fn first_years(first: i64, last: i64, basis: Basis) -> Result<f64, ErrorValue> {
    if !matches!(basis, Basis::Actual | Basis::ActualBy365) {
        return years_between(first, last, basis);
    }
    let without_leap_day = |serial: i64| -> Result<i64, ErrorValue> {
        let date = civil(serial)?;
        Ok(if (date.month, date.day) == (2, 29) { serial - 1 } else { serial })
    };
    let is_leap = basis == Basis::Actual && is_leap_year(civil(first)?.year);
    let days = (without_leap_day(last)? - without_leap_day(first)?) as f64;
    Ok(days / if is_leap { 366.0 } else { 365.0 })
}

fn amortization_even(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let asset = Amortization::read(context, arguments)?;
    if asset.is_over() {
        return Ok(Value::number(0.0));
    }
    let (a_year, at_first) = (asset.cost * asset.rate, asset.at_first(asset.rate));
    if asset.period == 0.0 {
        return Ok(Value::number(at_first));
    }
    let left = asset.cost - asset.salvage - at_first - a_year * (asset.period.trunc() - 1.0);
    // Excel applies the remaining value from the first whole period on.
    Ok(Value::number(if asset.period < 1.0 { a_year } else { left.clamp(0.0, a_year) }))
}

fn amortization_declining(context: &mut CallContext, arguments: &[Value]) -> ValueResult {
    let asset = Amortization::read(context, arguments)?;
    let years = 1.0 / asset.rate;
    if years <= 3.0 || (4.0..=5.0).contains(&years) {
        return Err(ErrorValue::Number);
    }
    if asset.is_over() {
        return Ok(Value::number(0.0));
    }
    let coefficient = match asset.life() {
        ..=4.0 => 1.5,
        ..=6.0 => 2.0,
        _ => 2.5,
    };
    let rate = asset.rate * coefficient;
    let mut loss = asset.at_first(rate);
    // Half of the remaining value in the last period but one, and the rest in the last.
    let halved = asset.life() + if asset.first_years == 0.0 { -3.0 } else { -2.0 };
    let mut worth = asset.cost - whole(loss);
    if asset.period > 0.0 {
        loss = 0.0;
    }
    let mut period = 0.0;
    while period + 1.0 <= asset.period {
        context.work(1)?;
        context.budget.charge(1)?;
        period += 1.0;
        loss = match period {
            _ if worth < asset.salvage => 0.0,
            _ if period == halved => worth * 0.5,
            _ if period > halved => worth,
            _ => worth * rate,
        };
        worth -= loss;
        if loss == 0.0 {
            break;
        }
    }
    Ok(Value::number(whole(loss)))
}

/// Rounds to thirteen decimals and then to an integer.
fn whole(number: f64) -> f64 {
    ((number * 1e13).round() / 1e13).round()
}
