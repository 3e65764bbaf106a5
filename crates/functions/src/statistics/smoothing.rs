//! FORECAST.ETS and related functions: exponential smoothing with level, trend and additive
//! seasonality (Holt-Winters; the models AAA and AAN of Hyndman et al., *Forecasting with
//! Exponential Smoothing*, 2008).
//!
//! Excel's help describes the method but not the estimation of the three smoothing parameters. As
//! in LibreOffice, each is found by interval halving for the least squared error, the inner ones
//! for every value of the outer ones. LibreOffice initializes seasons by division, as for
//! multiplicative seasonality; here they are differences, so that exactly periodic series are
//! continued exactly.

use quadrille_cell::radix_sort::{ordered_bits, sort_rows};
use quadrille_cell::{ErrorValue, Value};
use quadrille_number_format::date::days_in_month;

use crate::arguments::{OperandResult, optional_boolean, optional_integer, optional_number};
use crate::cancel::Cancel;
use crate::context::CallContext;
use crate::dates::civil_of;
use crate::function::Function;
use crate::mathematics::special::normal_inverse;
use crate::mathematics::summation::number_pairs;
use crate::operands::Operand;

#[rustfmt::skip]
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::whole("FORECAST.ETS", "date, values, timeline, [seasonality], [data_completion], [aggregation]", "A later value of a series, by exponential smoothing; a seasonality of 1 looks for one, 0 has none.", forecast)
        .lifts(&[0])
        .examples(&[("=FORECAST.ETS(7,{1;3;5;7;9;11},{1;2;3;4;5;6},0)", "13"), ("=FORECAST.ETS(0,{1;3;5},{1;2;3})", "#NUM!")]),
    Function::whole("FORECAST.ETS.CONFINT", "date, values, timeline, [confidence], [seasonality], [data_completion], [aggregation]", "How far a forecast may be off with a confidence, 95 % when left out.", confidence)
        .lifts(&[0])
        .examples(&[("=FORECAST.ETS.CONFINT(7,{1;3;5;7;9;11},{1;2;3;4;5;6},0.9,0)", "0"), ("=FORECAST.ETS.CONFINT(7,{1;3;5},{1;2;3},1)", "#NUM!")]),
    Function::whole("FORECAST.ETS.SEASONALITY", "values, timeline, [data_completion], [aggregation]", "After how many values a series repeats, as forecasts take it.", seasonality)
        .examples(&[("=FORECAST.ETS.SEASONALITY({1;5;2;1;5;2;1;5;2},{1;2;3;4;5;6;7;8;9})", "3")]),
    Function::whole("FORECAST.ETS.STAT", "values, timeline, statistic, [seasonality], [data_completion], [aggregation]", "Of a forecast: the weights of level (1), trend (2) and season (3); MASE (4), SMAPE (5), MAE (6), RMSE (7); the step of the timeline (8).", statistic)
        .lifts(&[2])
        .examples(&[("=FORECAST.ETS.STAT({1;3;5;7;9;11},{1;3;5;7;9;11},8)", "2"), ("=FORECAST.ETS.STAT({1;3;5},{1;2;3},9)", "#NUM!")]),
];

fn forecast(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let target = optional_number(arguments, 0, 0.0)?;
    let series = Series::read(context, &arguments[1..], 2)?;
    let position = series.position(target)?;
    let model = Model::fit(context, &series, optional_integer(arguments, 3, 1)?)?;
    let before = model.at(&series, position.trunc() as usize);
    let after = model.at(&series, position.trunc() as usize + 1);
    let part = position.fract();
    // Positions this close to a step count as the step.
    const RESOLUTION: f64 = 0.001;
    Ok(Operand::Value(Value::number(if part < RESOLUTION {
        before
    } else {
        before + part * (after - before)
    })))
}

fn confidence(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let target = optional_number(arguments, 0, 0.0)?;
    let level = optional_number(arguments, 3, 0.95)?;
    if !(level > 0.0 && level < 1.0) {
        return Err(ErrorValue::Number);
    }
    let series = Series::read(context, &arguments[1..], 3)?;
    let ahead = series.position(target)? - (series.values.len() - 1) as f64;
    if ahead < 0.0 {
        return Err(ErrorValue::Number);
    }
    let model = Model::fit(context, &series, optional_integer(arguments, 4, 1)?)?;
    context.budget.charge(ahead as u64)?;
    let width = |steps: f64| model.deviation(steps as u64);
    let (before, after) = (width(ahead.trunc()), width(ahead.trunc() + 1.0));
    let width = before + ahead.fract() * (after - before);
    Ok(Operand::Value(Value::number(normal_inverse((1.0 + level) / 2.0) * width)))
}

fn seasonality(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let series = Series::read(context, arguments, 1)?;
    Ok((series.period(context)? as f64).into())
}

fn statistic(context: &mut CallContext, arguments: &[Operand]) -> OperandResult {
    let statistic = optional_integer(arguments, 2, 0)?;
    let series = Series::read(context, arguments, 3)?;
    if !(1..=8).contains(&statistic) {
        return Err(ErrorValue::Number);
    }
    if statistic == 8 {
        return Ok(series.step.into());
    }
    let model = Model::fit(context, &series, optional_integer(arguments, 3, 1)?)?;
    let [alpha, beta, gamma] = model.weights;
    let errors = model.errors(&series);
    Ok(Operand::Value(Value::number(match statistic {
        1 => alpha,
        2 => beta,
        3 => gamma,
        4 => errors.scaled,
        5 => errors.relative,
        6 => errors.absolute,
        _ => errors.squared.sqrt(),
    })))
}

/// A series of values at equal time steps, the earliest first.
struct Series {
    values: Vec<f64>,
    /// First point of the timeline, in months since year 0 for monthly timelines.
    first: f64,
    step: f64,
    /// Day of the month of all dates, for monthly timelines.
    month_day: Option<u32>,
}

impl Series {
    /// Reads values and timeline, and `completion` arguments after the timeline the arguments for
    /// data completion and aggregation.
    fn read(
        context: &mut CallContext,
        arguments: &[Operand],
        completion: usize,
    ) -> Result<Series, ErrorValue> {
        let completion = completion + 1;
        let fills_gaps = optional_boolean(arguments, completion, true)?;
        let aggregation = optional_integer(arguments, completion + 1, 1)?;
        if !(1..=7).contains(&aggregation) {
            return Err(ErrorValue::Number);
        }
        let mut points = number_pairs(context, &arguments[1], &arguments[0])?;
        if points.len() < 2 {
            return Err(ErrorValue::NotAvailable);
        }
        // The sort is stable for points at the same time.
        let cancel = &context.budget.cancel;
        let mut order: Vec<(u64, u32)> = points.iter().map(|point| ordered_bits(point.0)).zip(0..).collect();
        sort_rows(&mut order, &mut |rows| cancel.work(rows as u64).is_ok()).ok_or(ErrorValue::Calculation)?;
        points = order.into_iter().map(|(_, index)| points[index as usize]).collect();
        let month_day = common_month_day(&points);
        if month_day.is_some() {
            for point in &mut points {
                point.0 = months(point.0, month_day).ok_or(ErrorValue::Number)?;
            }
        }
        let points: Vec<(f64, f64)> = points
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| (same[0].0, aggregated(same, aggregation)))
            .collect();
        if points.len() < 2 {
            return Err(ErrorValue::Number);
        }
        let gaps = points.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let step = gaps.fold(f64::INFINITY, f64::min);
        let values = filled(&points, step, fills_gaps)?;
        Ok(Series { values, first: points[0].0, step, month_day })
    }

    /// Returns the steps from the first value to a point of time.
    fn position(&self, target: f64) -> Result<f64, ErrorValue> {
        // Upper bound for the steps of a forecast.
        const POSITION_MAX: f64 = 1e6;
        let target = match self.month_day {
            Some(_) => months(target, self.month_day).ok_or(ErrorValue::Number)?,
            None => target,
        };
        let position = (target - self.first) / self.step;
        if (0.0..POSITION_MAX).contains(&position) { Ok(position) } else { Err(ErrorValue::Number) }
    }

    /// Returns the length of a season in values: the lag at which the differences between
    /// consecutive values are most similar. 1 without seasonality.
    fn period(&self, context: &mut CallContext) -> Result<usize, ErrorValue> {
        let values = &self.values;
        let count = values.len();
        context.budget.charge(count as u64 * count as u64 / 4)?;
        let (mut best, mut least) = (1, f64::MAX);
        for period in (1..=count / 2).rev() {
            context.work(count as u64)?;
            let periods = count / period;
            let start = count - periods * period + 1;
            let differences = (start..count - period).map(|at| {
                ((values[at] - values[at - 1]) - (values[period + at] - values[period + at - 1])).abs()
            });
            let compared = (periods - 1) * period - 1;
            if compared == 0 {
                continue;
            }
            let mean = differences.sum::<f64>() / compared as f64;
            if mean <= least {
                (best, least) = (period, mean);
            }
        }
        Ok(best)
    }
}

/// Returns the day of the month if it is the same for all points.
fn common_month_day(points: &[(f64, f64)]) -> Option<u32> {
    let day = |x: f64| civil_of(x.trunc()).filter(|civil| civil.day > 0).map(|civil| civil.day);
    let first = day(points[0].0)?;
    // Integers from 1 to 31 are not taken for dates of January 1900.
    let are_months =
        points.iter().all(|point| day(point.0) == Some(first)) && points[points.len() - 1].0 > 31.0;
    are_months.then_some(first)
}

/// Converts a date to months since year 0, with the fraction relative to the day of the timeline.
fn months(serial: f64, month_day: Option<u32>) -> Option<f64> {
    let civil = civil_of(serial.trunc())?;
    let days = f64::from(civil.day) - f64::from(month_day?);
    let part = days / f64::from(days_in_month(civil.year, civil.month));
    Some(f64::from(civil.year) * 12.0 + f64::from(civil.month) + part)
}

/// Aggregates the values at one time: average, COUNT, COUNTA, MAX, MEDIAN, MIN, SUM.
fn aggregated(same: &[(f64, f64)], aggregation: i64) -> f64 {
    let mut values: Vec<f64> = same.iter().map(|point| point.1).collect();
    if values.len() == 1 {
        return values[0];
    }
    values.sort_unstable_by(f64::total_cmp);
    let (count, sum) = (values.len(), values.iter().sum::<f64>());
    match aggregation {
        1 => sum / count as f64,
        2 | 3 => count as f64,
        4 => values[count - 1],
        5 => (values[count / 2] + values[(count - 1) / 2]) / 2.0,
        6 => values[0],
        _ => sum,
    }
}

/// Returns the values for all steps. Missing ones are the mean of their neighbors, or zero.
fn filled(points: &[(f64, f64)], step: f64, fills_gaps: bool) -> Result<Vec<f64>, ErrorValue> {
    /// Excel fills_gaps a third of the values at most.
    const MISSING_MAX: f64 = 0.3;
    let mut values = vec![points[0].1];
    for pair in points.windows(2) {
        let steps = (pair[1].0 - pair[0].0) / step;
        // Tolerance for rounding errors in steps of months or fractions of days.
        if (steps - steps.round()).abs() > 1e-6 {
            return Err(ErrorValue::Number);
        }
        let missing = steps.round() - 1.0;
        if missing > MISSING_MAX * points.len() as f64 {
            return Err(ErrorValue::Number);
        }
        let between = if fills_gaps { (pair[0].1 + pair[1].1) / 2.0 } else { 0.0 };
        values.resize(values.len() + missing as usize, between);
        values.push(pair[1].1);
    }
    let missing = values.len() - points.len();
    if missing as f64 > MISSING_MAX * points.len() as f64 { Err(ErrorValue::Number) } else { Ok(values) }
}

/// A fitted model.
struct Model {
    /// Smoothing parameters of level (alpha), trend (beta) and season (gamma), each between 0 and
    /// 1.
    weights: [f64; 3],
    /// Values per season; 1 without seasonality.
    period: usize,
    trend_at_start: f64,
    seasons_at_start: Vec<f64>,
    run: Run,
}

/// The state after smoothing the series with some parameters.
#[derive(Default)]
struct Run {
    level: f64,
    trend: f64,
    /// Seasonal component for each value; those of the last season are used by forecasts.
    seasons: Vec<f64>,
    /// One-step-ahead forecast for each value.
    forecasts: Vec<f64>,
    squared_error: f64,
}

struct Errors {
    absolute: f64,
    scaled: f64,
    squared: f64,
    relative: f64,
}

impl Model {
    /// Fits a model. `seasonality` is 0 for none, 1 to detect it, or the number of values per
    /// season.
    fn fit(context: &mut CallContext, series: &Series, seasonality: i64) -> Result<Model, ErrorValue> {
        /// Excel's limit: the hours of a year.
        const SEASONALITY_MAX: i64 = 8_760;
        let period = match seasonality {
            0 => 1,
            1 => series.period(context)?,
            2..=SEASONALITY_MAX => seasonality as usize,
            _ => return Err(ErrorValue::Number),
        };
        let count = series.values.len();
        if period > 1 && count < 2 * period {
            return Err(ErrorValue::Number);
        }
        // A search tries about thirteen values of a parameter.
        context.budget.charge(count as u64 * if period > 1 { 13 * 13 * 13 } else { 13 * 13 })?;
        let mut model = Model {
            weights: [0.0; 3],
            period,
            trend_at_start: trend_at_start(&series.values, period),
            seasons_at_start: Vec::new(),
            run: Run::default(),
        };
        if period > 1 {
            model.seasons_at_start = seasons_at_start(&series.values, period, model.trend_at_start);
        }
        model.search(&context.budget.cancel, series, if period > 1 { &[0, 2, 1] } else { &[0, 1] });
        Ok(model)
    }

    /// Searches the given parameters, the last one innermost; leaves the state with the least error
    /// and returns that error.
    fn search(&mut self, cancel: &Cancel, series: &Series, weights: &[usize]) -> f64 {
        let Some((weight, inner)) = weights.split_first() else {
            self.pass(cancel, series);
            return self.run.squared_error;
        };
        /// Interval at which halving stops.
        const RESOLUTION: f64 = 0.001;
        let error = |model: &mut Model, value: f64| {
            model.weights[*weight] = value;
            model.search(cancel, series, inner)
        };
        let (mut low, mut middle, mut high) = (0.0, 0.5, 1.0);
        let (mut low_error, mut high_error) = (error(self, low), error(self, high));
        let mut middle_error = error(self, middle);
        if low_error == middle_error && middle_error == high_error {
            return error(self, 0.0);
        }
        while high - middle > RESOLUTION {
            if high_error > low_error {
                (high, high_error) = (middle, middle_error);
                middle = (low + middle) / 2.0;
            } else {
                (low, low_error) = (middle, middle_error);
                middle = (middle + high) / 2.0;
            }
            middle_error = error(self, middle);
        }
        match high_error > low_error {
            true if low_error < middle_error => error(self, low),
            false if high_error < middle_error => error(self, high),
            _ => middle_error,
        }
    }

    fn pass(&mut self, cancel: &Cancel, series: &Series) {
        let [alpha, beta, gamma] = self.weights;
        let values = &series.values;
        let run = &mut self.run;
        run.seasons.clear();
        run.seasons.extend_from_slice(&self.seasons_at_start);
        run.forecasts.clear();
        run.forecasts.push(values[0]);
        run.level = values[0] - run.seasons.first().unwrap_or(&0.0);
        run.trend = self.trend_at_start;
        run.squared_error = 0.0;
        for (at, value) in values.iter().enumerate().skip(1) {
            let season = match self.period {
                1 => 0.0,
                // The first season uses the initial components, later ones those of the previous
                // season.
                period => run.seasons[if at >= period { at - period } else { at }],
            };
            // The result is not used after cancellation.
            if cancel.is_requested_within(1) {
                run.seasons.resize(values.len() + self.period, 0.0);
                return;
            }
            let expected = run.level + run.trend;
            let level = alpha * (value - season) + (1.0 - alpha) * expected;
            let error = expected + season - value;
            run.squared_error += error * error;
            run.forecasts.push(expected + season);
            run.trend = beta * (level - run.level) + (1.0 - beta) * run.trend;
            run.level = level;
            if self.period > 1 {
                let season = gamma * (value - level) + (1.0 - gamma) * season;
                if at < run.seasons.len() {
                    run.seasons[at] = season;
                } else {
                    run.seasons.push(season);
                }
            }
        }
    }

    /// Returns the value at a position of the timeline, or its forecast.
    fn at(&self, series: &Series, position: usize) -> f64 {
        let count = series.values.len();
        if position < count {
            return series.values[position];
        }
        let ahead = position + 1 - count;
        let season = match self.period {
            1 => 0.0,
            period => self.run.seasons[count - period + (ahead - 1) % period],
        };
        self.run.level + ahead as f64 * self.run.trend + season
    }

    /// Returns the standard deviation of a forecast `steps` ahead, from that of one step (Hyndman
    /// et al., *Forecasting with Exponential Smoothing*, 2008, table 6.1).
    fn deviation(&self, steps: u64) -> f64 {
        let [alpha, beta, gamma] = self.weights;
        let mut variance = 1.0;
        for step in 1..steps {
            let season =
                if self.period > 1 && step % self.period as u64 == 0 { gamma * (1.0 - alpha) } else { 0.0 };
            let weight = alpha * (1.0 + step as f64 * beta) + season;
            variance += weight * weight;
        }
        (self.run.squared_error / (self.run.forecasts.len() - 1) as f64 * variance).sqrt()
    }

    fn errors(&self, series: &Series) -> Errors {
        let values = &series.values;
        let count = values.len() as f64 - 1.0;
        let (mut absolute, mut relative) = (0.0, 0.0);
        for (value, forecast) in values.iter().zip(&self.run.forecasts).skip(1) {
            let error = (forecast - value).abs();
            absolute += error;
            relative += error / (forecast.abs() + value.abs());
        }
        let changes: f64 = values[1..].windows(2).map(|pair| (pair[1] - pair[0]).abs()).sum();
        Errors {
            absolute: absolute / count,
            scaled: absolute / (count * changes / (count - 1.0)),
            squared: self.run.squared_error / count,
            relative: relative * 2.0 / count,
        }
    }
}

fn trend_at_start(values: &[f64], period: usize) -> f64 {
    if period == 1 {
        return (values[values.len() - 1] - values[0]) / (values.len() - 1) as f64;
    }
    let sum: f64 = (0..period).map(|at| values[at + period] - values[at]).sum();
    sum / (period * period) as f64
}

/// Returns for each position in a season its mean deviation from the season's average and trend.
fn seasons_at_start(values: &[f64], period: usize, trend: f64) -> Vec<f64> {
    let seasons: Vec<&[f64]> = values.chunks_exact(period).collect();
    let averages: Vec<f64> =
        seasons.iter().map(|season| season.iter().sum::<f64>() / period as f64).collect();
    let middle = (period as f64 - 1.0) / 2.0;
    let deviation = |position: usize| {
        let distances = seasons
            .iter()
            .zip(&averages)
            .map(|(season, average)| season[position] - (average + (position as f64 - middle) * trend));
        distances.sum::<f64>() / seasons.len() as f64
    };
    (0..period).map(deviation).collect()
}
