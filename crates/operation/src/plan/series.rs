//! Continuing what a few cells begin: numbers, dates, weekdays, months, texts that end in a number.

use std::sync::Arc;

use quadrille_cell::DateSystem;
use quadrille_number_format::NumberFormat;
use quadrille_number_format::date::{MONTHS, civil_from_serial, days_in_month, serial_carrying};
use quadrille_workbook::{Format, Input, Literal};

/// Names that follow one another and begin again.
const LISTS: [&[&str]; 5] = [
    &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    &["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    &MONTHS,
    &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
    &["Q1", "Q2", "Q3", "Q4"],
];

/// Whether the cells begin a series; otherwise filling repeats them.
pub(super) fn has_next(cells: &[(Input, &Format)], dates: DateSystem) -> bool {
    groups(cells, dates).iter().any(|group| !matches!(group.series, Series::Repeat))
}

/// The `count` cells that follow, or with `is_backward` those that come before, in the order of the sheet.
///
/// Neighbours of one kind form a group that goes on by itself: `a1 | 5 | a2` is continued by `a2 | 5 | a3`.
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
            let place = (within - group.first) as i64;
            group.series.at(period * group.length as i64 + place).unwrap_or_else(|| cells[within].0.clone())
        })
        .collect()
}

/// Neighbouring cells that continue together.
struct Group {
    first: usize,
    length: usize,
    series: Series,
}

enum Series {
    /// Each cell as it is.
    Repeat,
    Linear {
        first: f64,
        step: f64,
    },
    /// Dates that fall on one day of the month: the first as counted from 1900, whole months from one to the next.
    Months {
        first: i64,
        step: i64,
        dates: DateSystem,
    },
    /// A name's place in its list, and how it is written.
    List {
        list: &'static [&'static str],
        first: i64,
        step: i64,
        case: Case,
    },
    /// Text before the number, the number, and how many digits it has at least.
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
    /// The member at `place`, where the source begins at 0; `None` repeats the source.
    fn at(&self, place: i64) -> Option<Input> {
        let text = |text: String| Some(Input::Value(Literal::Text(text.into())));
        match self {
            Series::Repeat => None,
            Series::Linear { first, step } => {
                let number = quadrille_cell::canonical_number(first + step * place as f64)?;
                Some(Input::Value(Literal::Number(number)))
            }
            Series::Months { first, step, dates } => {
                let civil = civil_from_serial(*first)?;
                let month = i64::from(civil.year) * 12 + i64::from(civil.month) - 1 + step * place;
                let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
                let day = civil.day.min(days_in_month(year as i32, month as u32));
                let serial = serial_carrying(year, month, i64::from(day))? - dates.days_behind();
                Some(Input::Value(Literal::Number(serial as f64)))
            }
            Series::List { list, first, step, case } => {
                let name = list[(first + step * place).rem_euclid(list.len() as i64) as usize];
                text(match case {
                    Case::Upper => name.to_uppercase(),
                    Case::Lower => name.to_lowercase(),
                    Case::Title => name.to_owned(),
                })
            }
            Series::Numbered { prefix, first, step, width } => {
                let number = (first + step * place).unsigned_abs();
                text(format!("{prefix}{number:0width$}"))
            }
        }
    }
}

/// What a single cell may continue as.
#[derive(Clone, PartialEq)]
enum Member {
    Number(f64),
    Date(f64),
    Name { list: usize, place: i64 },
    Numbered { prefix: Arc<str>, number: i64, width: usize },
    Other,
}

impl Member {
    fn goes_with(&self, next: &Member) -> bool {
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
        while end < members.len() && members[first].goes_with(&members[end]) {
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
                if let Some(place) = names.iter().position(|name| name.eq_ignore_ascii_case(text)) {
                    return Member::Name { list, place: place as i64 };
                }
            }
            numbered(text).unwrap_or(Member::Other)
        }
        Input::Blank | Input::Formula(_) | Input::Value(Literal::Boolean(_) | Literal::Error(_)) => {
            Member::Other
        }
    }
}

/// Text that ends in a number; longer numbers than this are left alone, they are codes rather than counts.
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
        Member::Name { list, place } => {
            let names = LISTS[*list];
            let places: Vec<i64> = members.iter().map(Member::place).collect();
            let steps: Vec<i64> =
                places.windows(2).map(|pair| (pair[1] - pair[0]).rem_euclid(names.len() as i64)).collect();
            let Some(step) = common_step(&steps) else { return Series::Repeat };
            Series::List { list: names, first: *place, step, case: case_of(first_input) }
        }
        Member::Numbered { prefix, number, width } => {
            let places: Vec<i64> = members.iter().map(Member::place).collect();
            let steps: Vec<i64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let Some(step) = common_step(&steps) else { return Series::Repeat };
            Series::Numbered { prefix: prefix.clone(), first: *number, step, width: *width }
        }
    }
}

impl Member {
    fn place(&self) -> i64 {
        match self {
            Member::Name { place, .. } => *place,
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

/// One step if there is but one cell; `None` if steps differ.
fn common_step(steps: &[i64]) -> Option<i64> {
    match steps {
        [] => Some(1),
        [step, rest @ ..] => rest.iter().all(|other| other == step).then_some(*step),
    }
}

/// The line that lies closest to the numbers, which for equal steps is those steps.
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
    for (place, value) in values.iter().enumerate() {
        let offset = place as f64 - middle;
        over += offset * (value - mean);
        under += offset * offset;
    }
    let step = over / under;
    Series::Linear { first: mean - step * middle, step }
}

/// Dates whole months apart, all on one day of the month.
fn months(members: &[Member], dates: DateSystem) -> Option<Series> {
    let mut places = Vec::new();
    let mut day = None;
    for member in members {
        let value = member.value();
        let is_day = value.fract() == 0.0 && value >= 0.0;
        let civil = is_day.then(|| civil_from_serial(value as i64 + dates.days_behind())).flatten()?;
        if *day.get_or_insert(civil.day) != civil.day {
            return None;
        }
        places.push(i64::from(civil.year) * 12 + i64::from(civil.month));
    }
    let steps: Vec<i64> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let step = common_step(&steps).filter(|step| *step != 0)?;
    Some(Series::Months { first: members[0].value() as i64 + dates.days_behind(), step, dates })
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
