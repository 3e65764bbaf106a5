//! Aggregates over all cells of a conditional format.

use std::collections::BTreeMap;

use quadrille_cell::{Range, Value};
use quadrille_number_format::date;
use quadrille_workbook::{Color, Sheet, Slice};

/// Numbers per rule; further cells are ignored.
const CELLS_MAX: usize = 2_000_000;
/// Distinct texts per rule; further texts are ignored.
const TEXTS_MAX: usize = 200_000;

/// The sorted numbers of a rule's cells, their mean and deviation, and the number of times each
/// text occurs.
#[derive(Debug, Default)]
pub struct Aggregate {
    numbers: Vec<f64>,
    mean: f64,
    deviation: f64,
    texts: BTreeMap<String, u32>,
}

/// Whether rules of this kind need aggregates.
pub(super) fn is_needed(kind: &str) -> bool {
    matches!(
        kind,
        "duplicate"
            | "unique"
            | "top"
            | "bottom"
            | "aboveAverage"
            | "belowAverage"
            | "colorScale"
            | "dataBar"
            | "iconSet"
    )
}

impl Aggregate {
    /// Reads the cells of the ranges.
    pub fn of(sheet: &Sheet, ranges: &[Range]) -> Aggregate {
        let mut all = Aggregate::default();
        for range in ranges {
            let (first, last) = (range.first().row.get(), range.last().row.get());
            for (_, column) in sheet.columns_in(*range) {
                for (_, slice) in column.slices(first, last) {
                    all.add(&slice);
                }
            }
        }
        all.numbers.sort_unstable_by(f64::total_cmp);
        let count = all.numbers.len() as f64;
        if count > 0.0 {
            all.mean = all.numbers.iter().sum::<f64>() / count;
            let squares = all.numbers.iter().map(|number| (number - all.mean) * (number - all.mean));
            all.deviation = (squares.sum::<f64>() / count).sqrt();
        }
        all
    }

    fn add(&mut self, slice: &Slice<'_>) {
        match slice {
            Slice::Numbers(numbers) => {
                let room = CELLS_MAX - self.numbers.len();
                self.numbers.extend(numbers.iter().take(room));
            }
            Slice::Mixed(mixed) => {
                for value in (0..mixed.len()).map(|index| mixed.get(index)) {
                    match value {
                        Value::Number(number) if self.numbers.len() < CELLS_MAX => self.numbers.push(number),
                        Value::Text(text) if self.texts.len() < TEXTS_MAX => {
                            *self.texts.entry(text.to_lowercase()).or_default() += 1;
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    /// Number of cells with this value. Texts compare without regard to case.
    pub fn count_of(&self, value: &Value) -> usize {
        match value {
            Value::Number(number) => {
                let start = self.numbers.partition_point(|other| other < number);
                self.numbers[start..].partition_point(|other| other <= number)
            }
            Value::Text(text) => self.texts.get(&text.to_lowercase()).copied().unwrap_or(0) as usize,
            _ => 0,
        }
    }

    /// The smallest number, or 0.
    pub fn minimum(&self) -> f64 {
        self.numbers.first().copied().unwrap_or(0.0)
    }

    /// The largest number, or 0.
    pub fn maximum(&self) -> f64 {
        self.numbers.last().copied().unwrap_or(0.0)
    }

    /// The value at a fraction of the way from the smallest to the largest number.
    pub fn between(&self, share: f64) -> f64 {
        self.minimum() + (self.maximum() - self.minimum()) * share
    }

    /// The percentile, as with PERCENTILE.INC.
    pub fn percentile(&self, share: f64) -> f64 {
        let Some(last) = self.numbers.len().checked_sub(1) else { return 0.0 };
        let at = share.clamp(0.0, 1.0) * last as f64;
        let below = at.floor() as usize; // at most `last`
        let next = self.numbers[(below + 1).min(last)];
        self.numbers[below] + (next - self.numbers[below]) * (at - below as f64)
    }

    /// Whether a number is among the `rank` (or `rank` percent) largest or smallest numbers.
    pub fn is_among(&self, number: f64, rank: f64, is_percent: bool, is_top: bool) -> bool {
        let count = self.numbers.len();
        // At least one number, as in Excel.
        let among = if is_percent { (count as f64 * rank / 100.0).floor().max(1.0) } else { rank };
        let among = (among as usize).min(count);
        let edge = match (among, is_top) {
            (0, _) => return false,
            (_, true) => self.numbers[count - among],
            (_, false) => self.numbers[among - 1],
        };
        if is_top { number >= edge } else { number <= edge }
    }

    /// Whether a number is above or below the mean by a number of standard deviations.
    pub fn is_beyond_average(&self, number: f64, deviations: f64, or_equal: bool, is_above: bool) -> bool {
        let away = deviations * self.deviation;
        let edge = if is_above { self.mean + away } else { self.mean - away };
        (or_equal && number == edge) || if is_above { number > edge } else { number < edge }
    }
}

/// The color of a number on a scale with ascending stops.
pub(super) fn color_at(stops: &[(f64, Color)], number: f64) -> Option<Color> {
    let (first, last) = (stops.first()?, stops.last()?);
    if number <= first.0 {
        return Some(first.1);
    }
    for pair in stops.windows(2) {
        let [(low, from), (high, to)] = pair else { continue };
        if number <= *high {
            let share = if high > low { (number - low) / (high - low) } else { 1.0 };
            return Some(blend(*from, *to, share));
        }
    }
    Some(last.1)
}

fn blend(from: Color, to: Color, share: f64) -> Color {
    let channel = |shift: u32| {
        let (a, b) = (f64::from(from.0 >> shift & 0xff), f64::from(to.0 >> shift & 0xff));
        ((a + (b - a) * share).round() as u32) << shift // between two bytes
    };
    Color(channel(16) | channel(8) | channel(0))
}

/// Whether a day is in a period relative to `today`. Days are serial numbers of the 1900 date
/// system; weeks begin on Sunday, as in Excel's rules.
pub(super) fn is_in_period(day: f64, today: f64, period: &str) -> bool {
    let day = day.floor();
    let week = |day: f64| ((day - 1.0) / 7.0).floor();
    let month = |day: f64| {
        let civil = date::civil_from_serial(day as i64)?;
        Some(civil.year * 12 + civil.month as i32) // 1 to 12
    };
    let is_months_away = |months: i32| match (month(day), month(today)) {
        (Some(own), Some(now)) => own == now + months,
        _ => false,
    };
    match period {
        "yesterday" => day == today - 1.0,
        "today" => day == today,
        "tomorrow" => day == today + 1.0,
        "last7Days" => day > today - 7.0 && day <= today,
        "lastWeek" => week(day) == week(today) - 1.0,
        "thisWeek" => week(day) == week(today),
        "nextWeek" => week(day) == week(today) + 1.0,
        "lastMonth" => is_months_away(-1),
        "thisMonth" => is_months_away(0),
        "nextMonth" => is_months_away(1),
        _ => false,
    }
}
