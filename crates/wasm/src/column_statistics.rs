//! Statistics of a column: counts, moments, the most frequent values and a histogram.

use std::sync::Arc;

use quadrille_cell::radix_sort::text_positions;
use quadrille_cell::{CellAddress, ColumnIndex, SheetId, Value};
use quadrille_document::Document;
use quadrille_workbook::Slice;

use crate::messages::{ColumnStatistics, CountedValue, Distribution};
use crate::selection_statistics::{DisplayFormat, SelectionStatistics};

/// Number of most frequent values in the answer.
const FREQUENT_MAX: usize = 10;
/// Approximate number of bins of the histogram.
const BINS: f64 = 10.0;
/// Maximum number of characters of a text in the answer.
const CHARACTERS_MAX: usize = 100;

/// Statistics of all rows of the used range, hidden rows included.
///
/// With `has_header`, the first filled cell does not count if it is a text. Texts that differ only
/// in case are equal; booleans and errors count as their texts.
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
    let first_filled = cells.and_then(|cells| cells.extent()).map(|(first, _)| first);
    if let Some(row) = first_filled
        && let Value::Text(text) = sheet.value(CellAddress::clamped(row, column))
    {
        answer.header = Some(truncate(&text));
        first = if has_header { row + 1 } else { first };
    }
    let mut statistics = SelectionStatistics::default();
    let mut display_format = DisplayFormat::default();
    display_format.add_column(document, sheet, index, (first, last));
    let mut numbers: Vec<f64> = Vec::new();
    let mut texts: Vec<Arc<str>> = Vec::new();
    for (row, slice) in cells.iter().flat_map(|cells| cells.slices(first, last)) {
        if let Some(at) = statistics.add(slice) {
            display_format.add_number(sheet, CellAddress::clamped(row + at, column));
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
    let format = display_format.format(statistics.numbers);
    let show = |number: f64| document.display_value(&Value::number(number), &format).text;
    answer.filled = statistics.filled as u32; // rows of one column
    answer.numbers = statistics.numbers as u32;
    answer.blank = (last + 1).saturating_sub(first) - answer.filled;

    numbers.sort_unstable_by(f64::total_cmp);
    let mut frequent = Frequent::default();
    for same in numbers.chunk_by(|a, b| a == b) {
        frequent.add(same.len(), || show(same[0]));
    }
    let text_slices: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let ranks = text_positions(&text_slices, &mut |_| true).unwrap_or_default();
    let mut counts: Vec<(u32, u32)> = Vec::new(); // count and index of the first text, by rank
    for (index, rank) in (0..).zip(ranks) {
        if counts.len() <= rank as usize {
            counts.resize(rank as usize + 1, (0, index));
        }
        let (count, first) = &mut counts[rank as usize];
        *first = if *count == 0 { index } else { *first };
        *count += 1;
    }
    for (count, first) in counts {
        frequent.add(count as usize, || truncate(text_slices[first as usize]));
    }
    answer.distinct = frequent.distinct;
    answer.frequent = frequent.most;

    if let (Some(minimum), Some(maximum)) = (numbers.first(), numbers.last()) {
        let middle = numbers.len() / 2;
        let median = match numbers.len() % 2 {
            0 => (numbers[middle - 1] + numbers[middle]) / 2.0,
            _ => numbers[middle],
        };
        answer.sum = if display_format.has_sum() { show(statistics.sum) } else { String::new() };
        answer.average = show(statistics.sum / statistics.numbers as f64);
        answer.median = show(median);
        answer.minimum = show(*minimum);
        answer.maximum = show(*maximum);
        answer.distribution = distribution(&numbers, show);
    }
    answer
}

fn truncate(text: &str) -> String {
    text.chars().take(CHARACTERS_MAX).collect()
}

/// The values with the highest counts; of equal counts, the values added first.
#[derive(Default)]
struct Frequent {
    distinct: u32,
    most: Vec<CountedValue>,
}

impl Frequent {
    fn add(&mut self, count: usize, text: impl Fn() -> String) {
        self.distinct += 1;
        let count = count as u32; // rows of one column
        if self.most.len() < FREQUENT_MAX || self.most.last().is_some_and(|last| last.count < count) {
            self.most.truncate(FREQUENT_MAX - 1);
            self.most.push(CountedValue { text: text(), count });
            quadrille_cell::stable_sort_by_key(&mut self.most, |value| u32::MAX - value.count);
        }
    }
}

/// A histogram of ascending numbers with bins of a round width: 1, 2 or 5 times a power of ten, and
/// at least 1 for integers. Empty when all numbers are equal.
fn distribution(numbers: &[f64], show: impl Fn(f64) -> String) -> Distribution {
    let mut answer = Distribution::default();
    let (minimum, maximum) = (numbers[0], numbers[numbers.len() - 1]);
    let width_min = (maximum - minimum) / BINS;
    if width_min == 0.0 || !width_min.is_finite() {
        return answer;
    }
    let are_integers = numbers.iter().all(|number| number.fract() == 0.0);
    // The width is `factor * times / parts`, so that powers of ten below 1 are exact, too.
    let (mut times, mut parts) = (1.0, 1.0);
    while times * 10.0 <= width_min {
        times *= 10.0;
    }
    while times / parts > width_min && !are_integers {
        parts *= 10.0;
    }
    let factor =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|factor| factor * times / parts >= width_min).unwrap_or(10.0);
    let edge = |index: f64| index * factor * times / parts;
    let mut index = (minimum * parts / (factor * times)).floor();
    answer.edges.push(show(edge(index)));
    let mut from = 0;
    while from < numbers.len() && answer.counts.len() < 4 * BINS as usize {
        index += 1.0;
        let below = numbers.partition_point(|number| *number < edge(index));
        answer.edges.push(show(edge(index)));
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

    // The expected values are those of Python's `statistics` and of `numpy.histogram` with these
    // edges.

    #[test]
    fn a_header_counts_only_without_has_header() {
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
    fn bins_have_round_widths() {
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
    fn dates_mixed_with_numbers_are_formatted_as_numbers() {
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
    fn columns_of_one_number_and_of_no_numbers_have_no_histogram() {
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
    fn the_ten_most_frequent_values_are_reported() {
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
