//! Fill series: continues numbers, dates, weekdays, months, and texts that end in a number.

use std::sync::Arc;

use quadrille_cell::DateSystem;
use quadrille_number_format::NumberFormat;
use quadrille_number_format::date::{MONTHS, civil_from_serial, days_in_month, serial_with_carry};
use quadrille_workbook::{Format, Input, Literal};

/// Cyclic lists of names.
const LISTS: [&[&str]; 5] = [
    &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    &MONTHS,
    &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    &["Q1", "Q2", "Q3", "Q4"],
];

/// Returns whether the cells begin a series; otherwise filling repeats them.
pub(super) fn has_next(cells: &[(Input, &Format)], dates: DateSystem) -> bool {
    groups(cells, dates).iter().any(|group| !matches!(group.series, Series::Repeat))
}

/// Returns the `count` cells that continue the series after `cells`, or before them if
/// `is_backward`, in sheet order.
///
/// Adjacent cells of one type form a group that continues on its own: `a1 | 5 | a2` is continued by
/// `a2 | 5 | a3`.
pub(super) fn continued(
    cells: &[(Input, &Format)],
    count: usize,
    is_backward: bool,
    dates: DateSystem,
) -> Vec<Input> {
    let groups = groups(cells, dates);
    let length = cells.len() as i64;
    let positions: Vec<i64> = match is_backward {
        false => (length..length + count as i64).collect(),
        true => (-(count as i64)..0).collect(),
    };
    positions
        .into_iter()
        .map(|position| {
            let (period, within) = (position.div_euclid(length), position.rem_euclid(length) as usize);
            let group = groups
                .iter()
                .find(|group| (group.first..group.first + group.length).contains(&within))
                .expect("groups cover all cells");
            let position = (within - group.first) as i64;
            group
                .series
                .at(period * group.length as i64 + position)
                .unwrap_or_else(|| cells[within].0.clone())
        })
        .collect()
}

/// Adjacent cells that continue together.
struct Group {
    first: usize,
    length: usize,
    series: Series,
}

enum Series {
    /// Repeats the cells.
    Repeat,
    Linear {
        first: f64,
        step: f64,
    },
    /// Dates with the same day of the month, whole months apart. `first` is a serial in the 1900
    /// date system.
    Months {
        first: i64,
        step: i64,
        dates: DateSystem,
    },
    /// Position of the name in its list, and its letter case.
    List {
        list: &'static [&'static str],
        first: i64,
        step: i64,
        case: Case,
    },
    /// Text before the number, the number, and its minimum number of digits.
    Numbered {
        prefix: Arc<str>,
        first: i64,
        step: i64,
        width: usize,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Upper,
    Lower,
    Title,
}

impl Series {
    /// Returns the member at `position`, counted from the first source cell; `None` repeats the
    /// source.
    fn at(&self, position: i64) -> Option<Input> {
        let text = |text: String| Some(Input::Value(Literal::Text(text.into())));
        match self {
            Series::Repeat => None,
            Series::Linear { first, step } => {
                let number = quadrille_cell::canonical_number(first + step * position as f64)?;
                Some(Input::Value(Literal::Number(number)))
            }
            Series::Months { first, step, dates } => {
                let civil = civil_from_serial(*first)?;
                let month = i64::from(civil.year) * 12 + i64::from(civil.month) - 1 + step * position;
                let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
                let day = civil.day.min(days_in_month(year as i32, month as u32));
                let serial = serial_with_carry(year, month, i64::from(day))? - dates.offset_from_1900();
                Some(Input::Value(Literal::Number(serial as f64)))
            }
            Series::List { list, first, step, case } => {
                let name = list[(first + step * position).rem_euclid(list.len() as i64) as usize];
                text(match case {
                    Case::Upper => name.to_uppercase(),
                    Case::Lower => name.to_lowercase(),
                    Case::Title => name.to_owned(),
                })
            }
            Series::Numbered { prefix, first, step, width } => {
                let number = (first + step * position).unsigned_abs();
                text(format!("{prefix}{number:0width$}"))
            }
        }
    }
}

/// The type of a source cell.
#[derive(Clone, PartialEq)]
enum Member {
    Number(f64),
    Date(f64),
    Name { list: usize, position: i64 },
    Numbered { prefix: Arc<str>, number: i64, width: usize },
    Other,
}

impl Member {
    fn continues_with(&self, next: &Member) -> bool {
        match (self, next) {
            (Member::Number(_), Member::Number(_)) | (Member::Date(_), Member::Date(_)) => true,
            (Member::Name { list: a, .. }, Member::Name { list: b, .. }) => a == b,
            (Member::Numbered { prefix: a, .. }, Member::Numbered { prefix: b, .. }) => a == b,
            (Member::Other, Member::Other) => true,
            _ => false,
        }
    }
}

fn groups(cells: &[(Input, &Format)], dates: DateSystem) -> Vec<Group> {
    let members: Vec<Member> = cells.iter().map(|(input, format)| member(input, format)).collect();
    let mut groups = Vec::new();
    let mut first = 0;
    while first < members.len() {
        let mut end = first + 1;
        while end < members.len() && members[first].continues_with(&members[end]) {
            end += 1;
        }
        let series = series_of(&members[first..end], &cells[first].0, dates);
        groups.push(Group { first, length: end - first, series });
        first = end;
    }
    groups
}

fn member(input: &Input, format: &Format) -> Member {
    match input {
        Input::Value(Literal::Number(number)) => {
            let is_date =
                format.number_format.as_deref().is_some_and(|code| NumberFormat::parse(code).is_date());
            if is_date { Member::Date(*number) } else { Member::Number(*number) }
        }
        Input::Value(Literal::Text(text)) => {
            for (list, names) in LISTS.iter().enumerate() {
                if let Some(position) = names.iter().position(|name| name.eq_ignore_ascii_case(text)) {
                    return Member::Name { list, position: position as i64 };
                }
            }
            numbered(text).unwrap_or(Member::Other)
        }
        Input::Blank | Input::Formula(_) | Input::Value(Literal::Boolean(_) | Literal::Error(_)) => {
            Member::Other
        }
    }
}

/// Maximum number of digits of a number at the end of a text; longer ones are codes and do not
/// count.
const DIGITS_MAX: usize = 15;

fn numbered(text: &str) -> Option<Member> {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > DIGITS_MAX || digits == text.len() {
        return None;
    }
    let (prefix, number) = text.split_at(text.len() - digits);
    let width = if number.starts_with('0') { digits } else { 1 };
    Some(Member::Numbered { prefix: prefix.into(), number: number.parse().ok()?, width })
}

fn series_of(members: &[Member], first_input: &Input, dates: DateSystem) -> Series {
    match &members[0] {
        Member::Other => Series::Repeat,
        // A single number is repeated, as in Excel.
        Member::Number(_) if members.len() == 1 => Series::Repeat,
        Member::Number(_) => linear(members),
        Member::Date(date) if members.len() == 1 => Series::Linear { first: *date, step: 1.0 },
        Member::Date(_) => months(members, dates).unwrap_or_else(|| linear(members)),
        Member::Name { list, position } => {
            let names = LISTS[*list];
            let positions: Vec<i64> = members.iter().map(Member::position).collect();
            let steps: Vec<i64> =
                positions.windows(2).map(|pair| (pair[1] - pair[0]).rem_euclid(names.len() as i64)).collect();
            let Some(step) = common_step(&steps) else { return Series::Repeat };
            Series::List { list: names, first: *position, step, case: case_of(first_input) }
        }
        Member::Numbered { prefix, number, width } => {
            let positions: Vec<i64> = members.iter().map(Member::position).collect();
            let steps: Vec<i64> = positions.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let Some(step) = common_step(&steps) else { return Series::Repeat };
            Series::Numbered { prefix: prefix.clone(), first: *number, step, width: *width }
        }
    }
}

impl Member {
    fn position(&self) -> i64 {
        match self {
            Member::Name { position, .. } => *position,
            Member::Numbered { number, .. } => *number,
            Member::Number(_) | Member::Date(_) | Member::Other => 0,
        }
    }

    fn value(&self) -> f64 {
        match self {
            Member::Number(number) | Member::Date(number) => *number,
            Member::Name { .. } | Member::Numbered { .. } | Member::Other => 0.0,
        }
    }
}

/// Returns the step if all are equal, 1 if there is none, `None` if they differ.
fn common_step(steps: &[i64]) -> Option<i64> {
    match steps {
        [] => Some(1),
        [step, rest @ ..] => rest.iter().all(|other| other == step).then_some(*step),
    }
}

/// Fits the least-squares line through the numbers; equal steps are used exactly.
fn linear(members: &[Member]) -> Series {
    let values: Vec<f64> = members.iter().map(Member::value).collect();
    let steps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if steps.iter().all(|step| *step == steps[0]) {
        return Series::Linear { first: values[0], step: steps[0] };
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let middle = (count - 1.0) / 2.0;
    let (mut over, mut under) = (0.0, 0.0);
    for (position, value) in values.iter().enumerate() {
        let offset = position as f64 - middle;
        over += offset * (value - mean);
        under += offset * offset;
    }
    let step = over / under;
    Series::Linear { first: mean - step * middle, step }
}

/// Returns the series of dates whole months apart on the same day of the month, if they form one.
fn months(members: &[Member], dates: DateSystem) -> Option<Series> {
    let mut positions = Vec::new();
    let mut day = None;
    for member in members {
        let value = member.value();
        let is_day = value.fract() == 0.0 && value >= 0.0;
        let civil = is_day.then(|| civil_from_serial(value as i64 + dates.offset_from_1900())).flatten()?;
        if *day.get_or_insert(civil.day) != civil.day {
            return None;
        }
        positions.push(i64::from(civil.year) * 12 + i64::from(civil.month));
    }
    let steps: Vec<i64> = positions.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let step = common_step(&steps).filter(|step| *step != 0)?;
    Some(Series::Months { first: members[0].value() as i64 + dates.offset_from_1900(), step, dates })
}

fn case_of(input: &Input) -> Case {
    let Input::Value(Literal::Text(text)) = input else { return Case::Title };
    if text.chars().all(|character| !character.is_lowercase()) && !text.contains(|c: char| c.is_ascii_digit())
    {
        Case::Upper
    } else if text.chars().all(|character| !character.is_uppercase()) {
        Case::Lower
    } else {
        Case::Title
    }
}
