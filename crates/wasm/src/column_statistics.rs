//! What is in a column, in figures.

use std::sync::Arc;

use quadrille_cell::radix_sort::text_positions;
use quadrille_cell::{CellAddress, ColumnIndex, SheetId, Value};
use quadrille_document::Document;
use quadrille_workbook::Slice;

use crate::messages::{ColumnStatistics, CountedValue, Distribution};
use crate::selection_statistics::{DisplayFormat, SelectionStatistics};

/// Of the values that occur most often.
const FREQUENT_MAX: usize = 10;
/// Steps that numbers are divided into, about.
const STEPS: f64 = 10.0;
/// Of a long text that is told.
const LETTERS_MAX: usize = 100;

/// Of all rows that the sheet uses, hidden ones too. With a header the first filled cell does not count, if it is a text.
/// Texts are alike whatever their case; what else shows as a text (TRUE, an error) counts as that text.
pub fn column_statistics(
    document: &Document,
    sheet: SheetId,
    column: u32,
    has_header: bool,
) -> ColumnStatistics {
    let mut answer = ColumnStatistics::default();
    let Some(sheet) = document.workbook().sheet(sheet) else { return answer };
    let Some(used) = sheet.used_range() else { return answer };
    let (mut first, last) = (used.first().row.get(), used.last().row.get());
    let index = ColumnIndex::clamped(column);
    let cells = sheet.column(index);
    let begins = cells.and_then(|cells| cells.extent()).map(|(first, _)| first);
    if let Some(row) = begins
        && let Value::Text(text) = sheet.value(CellAddress::clamped(row, column))
    {
        answer.header = Some(cut(&text));
        first = if has_header { row + 1 } else { first };
    }
    let mut figures = SelectionStatistics::default();
    let mut shown_as = DisplayFormat::default();
    shown_as.take(document, sheet, index, (first, last));
    let mut numbers: Vec<f64> = Vec::new();
    let mut texts: Vec<Arc<str>> = Vec::new();
    for (row, slice) in cells.iter().flat_map(|cells| cells.slices(first, last)) {
        if let Some(at) = figures.take(slice) {
            shown_as.take_number(sheet, CellAddress::clamped(row + at, column));
        }
        match slice {
            Slice::Numbers(slice) => numbers.extend_from_slice(slice),
            Slice::Mixed(mixed) => {
                for index in 0..mixed.len() {
                    match mixed.get(index) {
                        Value::Number(number) => numbers.push(number),
                        Value::Text(text) => texts.push(text),
                        Value::Boolean(is_true) => {
                            texts.push(Arc::from(if is_true { "TRUE" } else { "FALSE" }))
                        }
                        Value::Error(error) => texts.push(Arc::from(error.text())),
                        Value::Blank => {}
                    }
                }
            }
        }
    }
    let format = shown_as.format(figures.numbers);
    let show = |number: f64| document.display_value(&Value::number(number), &format).text;
    answer.filled = figures.filled as u32; // rows of one column
    answer.numbers = figures.numbers as u32;
    answer.blank = (last + 1).saturating_sub(first) - answer.filled;

    numbers.sort_unstable_by(f64::total_cmp);
    let mut frequent = Frequent::default();
    for same in numbers.chunk_by(|a, b| a == b) {
        frequent.take(same.len(), || show(same[0]));
    }
    let all: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let places = text_positions(&all, &mut |_| true).unwrap_or_default();
    let mut counts: Vec<(u32, u32)> = Vec::new(); // how many, and which is the first
    for (index, place) in (0..).zip(places) {
        if counts.len() <= place as usize {
            counts.resize(place as usize + 1, (0, index));
        }
        let (count, first) = &mut counts[place as usize];
        *first = if *count == 0 { index } else { *first };
        *count += 1;
    }
    for (count, first) in counts {
        frequent.take(count as usize, || cut(all[first as usize]));
    }
    answer.distinct = frequent.distinct;
    answer.frequent = frequent.most;

    if let (Some(minimum), Some(maximum)) = (numbers.first(), numbers.last()) {
        let middle = numbers.len() / 2;
        let median = match numbers.len() % 2 {
            0 => (numbers[middle - 1] + numbers[middle]) / 2.0,
            _ => numbers[middle],
        };
        answer.sum = if shown_as.adds_up() { show(figures.sum) } else { String::new() };
        answer.average = show(figures.sum / figures.numbers as f64);
        answer.median = show(median);
        answer.minimum = show(*minimum);
        answer.maximum = show(*maximum);
        answer.distribution = distribution(&numbers, show);
    }
    answer
}

fn cut(text: &str) -> String {
    text.chars().take(LETTERS_MAX).collect()
}

/// The values with the highest counts; of equal ones those that came first.
#[derive(Default)]
struct Frequent {
    distinct: u32,
    most: Vec<CountedValue>,
}

impl Frequent {
    fn take(&mut self, count: usize, text: impl Fn() -> String) {
        self.distinct += 1;
        let count = count as u32; // rows of one column
        if self.most.len() < FREQUENT_MAX || self.most.last().is_some_and(|last| last.count < count) {
            self.most.truncate(FREQUENT_MAX - 1);
            self.most.push(CountedValue { text: text(), count });
            self.most.sort_by_key(|value| u32::MAX - value.count);
        }
    }
}

/// Equal steps of a round size: 1, 2 or 5 of some power of ten, of whole numbers at least 1. Nothing when all numbers are the same.
/// `numbers` are in order.
fn distribution(numbers: &[f64], show: impl Fn(f64) -> String) -> Distribution {
    let mut answer = Distribution::default();
    let (minimum, maximum) = (numbers[0], numbers[numbers.len() - 1]);
    let wanted = (maximum - minimum) / STEPS;
    if wanted == 0.0 || !wanted.is_finite() {
        return answer;
    }
    let are_whole = numbers.iter().all(|number| number.fract() == 0.0);
    // The step is `factor * times / parts`; powers of ten above and below 1 are both exact so.
    let (mut times, mut parts) = (1.0, 1.0);
    while times * 10.0 <= wanted {
        times *= 10.0;
    }
    while times / parts > wanted && !are_whole {
        parts *= 10.0;
    }
    let factor =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * times / parts >= wanted).unwrap_or(10.0);
    let edge = |step: f64| step * factor * times / parts;
    let mut step = (minimum * parts / (factor * times)).floor();
    answer.edges.push(show(edge(step)));
    let mut from = 0;
    while from < numbers.len() && answer.counts.len() < 4 * STEPS as usize {
        step += 1.0;
        let below = numbers.partition_point(|number| *number < edge(step));
        answer.edges.push(show(edge(step)));
        answer.counts.push((below - from) as u32); // rows of one column
        from = below;
    }
    answer
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::test_documents::document;

    fn check(cells: &str, has_header: bool, expected: Expect) {
        let found = column_statistics(&document(cells), SheetId(1), 0, has_header);
        let list = |texts: Vec<String>| texts.join(", ");
        let frequent =
            found.frequent.iter().map(|value| format!("{} × {}", value.text, value.count)).collect();
        let steps = found.distribution.counts.iter().zip(found.distribution.edges.windows(2));
        let steps = steps.map(|(count, edges)| format!("{}–{}: {count}", edges[0], edges[1])).collect();
        expected.assert_eq(&format!(
            "header {:?}, filled {}, blank {}, distinct {}, numbers {}\nsum {}, average {}, median {}, from {} to {}\n{}\n{}",
            found.header,
            found.filled,
            found.blank,
            found.distinct,
            found.numbers,
            found.sum,
            found.average,
            found.median,
            found.minimum,
            found.maximum,
            list(frequent),
            list(steps)
        ));
    }

    // The figures below are those of Python's `statistics` and of `numpy.histogram` with these edges.

    #[test]
    fn a_column_with_a_header_texts_and_an_error() {
        let cells = "A2: Crates | A3: 4 | A4: 1 | A5: pear | A6: Pear | A7: 4 | A9: =2+1 | A10: =1/0 | A11: TRUE | B12: x";
        check(
            cells,
            true,
            expect![[r#"
            header Some("Crates"), filled 8, blank 2, distinct 6, numbers 4
            sum 12, average 3, median 3.5, from 1 to 4
            4 × 2, pear × 2, 1 × 1, 3 × 1, #DIV/0! × 1, TRUE × 1
            1–2: 1, 2–3: 0, 3–4: 1, 4–5: 2"#]],
        );
        check(
            cells,
            false,
            expect![[r#"
            header Some("Crates"), filled 9, blank 2, distinct 7, numbers 4
            sum 12, average 3, median 3.5, from 1 to 4
            4 × 2, pear × 2, 1 × 1, 3 × 1, #DIV/0! × 1, Crates × 1, TRUE × 1
            1–2: 1, 2–3: 0, 3–4: 1, 4–5: 2"#]],
        );
    }

    #[test]
    fn steps_are_round_numbers() {
        check(
            "A1: 0.1 | A2: 0.2 | A3: 0.3 | A4: 0.7 | A5: -0.1",
            false,
            expect![[r#"
            header None, filled 5, blank 0, distinct 5, numbers 5
            sum 1.2, average 0.24, median 0.2, from -0.1 to 0.7
            -0.1 × 1, 0.1 × 1, 0.2 × 1, 0.3 × 1, 0.7 × 1
            -0.1–0: 1, 0–0.1: 0, 0.1–0.2: 1, 0.2–0.3: 1, 0.3–0.4: 1, 0.4–0.5: 0, 0.5–0.6: 0, 0.6–0.7: 0, 0.7–0.8: 1"#]],
        );
        check(
            "A1: 120% | A2: 3500% | A3: 99000%",
            false,
            expect![[r#"
            header None, filled 3, blank 0, distinct 3, numbers 3
            sum 102620%, average 34207%, median 3500%, from 120% to 99000%
            120% × 1, 3500% × 1, 99000% × 1
            0%–10000%: 2, 10000%–20000%: 0, 20000%–30000%: 0, 30000%–40000%: 0, 40000%–50000%: 0, 50000%–60000%: 0, 60000%–70000%: 0, 70000%–80000%: 0, 80000%–90000%: 0, 90000%–100000%: 1"#]],
        );
    }

    #[test]
    fn days_among_numbers_are_numbers() {
        check(
            "A1: 2024-01-05 | A2: 2024-01-07",
            false,
            expect![[r#"
            header None, filled 2, blank 0, distinct 2, numbers 2
            sum , average 2024-01-06, median 2024-01-06, from 2024-01-05 to 2024-01-07
            2024-01-05 × 1, 2024-01-07 × 1
            2024-01-05–2024-01-06: 1, 2024-01-06–2024-01-07: 0, 2024-01-07–2024-01-08: 1"#]],
        );
        check(
            "A1: 2024-01-05 | A2: 2024-01-05 | A3: 45296",
            false,
            expect![[r#"
            header None, filled 3, blank 0, distinct 1, numbers 3
            sum , average 45296, median 45296, from 45296 to 45296
            45296 × 3
        "#]],
        );
    }

    #[test]
    fn a_column_of_one_number_and_one_of_nothing() {
        check(
            "A1: 7 | A2: 7 | C3: x",
            true,
            expect![[r#"
            header None, filled 2, blank 1, distinct 1, numbers 2
            sum 14, average 7, median 7, from 7 to 7
            7 × 2
        "#]],
        );
        check(
            "B2: 7 | C3: x",
            true,
            expect![[r#"
            header None, filled 0, blank 2, distinct 0, numbers 0
            sum , average , median , from  to 

        "#]],
        );
    }

    #[test]
    fn of_many_values_the_most_frequent_are_told() {
        let cells: Vec<String> =
            (0..60).map(|row| format!("A{}: {}", row + 1, row % (row / 5 + 1))).collect();
        let found = column_statistics(&document(&cells.join(" | ")), SheetId(1), 0, false);
        let counts: Vec<u32> = found.frequent.iter().map(|value| value.count).collect();
        let mut expected = [0; 12];
        (0..60).for_each(|row: usize| expected[row % (row / 5 + 1)] += 1);
        expected.sort_by_key(|count| std::cmp::Reverse(*count));
        assert_eq!((found.distinct, counts), (12, expected[..10].to_vec()));
    }
}
