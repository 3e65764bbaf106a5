//! A final subtraction whose result is below eight units in the last place yields zero, in every
//! way of evaluation. See `docs/decisions/0012-differences-close-to-zero.md`.

use crate::support::Book;
use quadrille_cell::Value;

const ROWS: u32 = 300;

/// Two numbers that differ by the returned number of units in the last place.
fn pair(row: u32) -> (f64, f64, i64) {
    let number = 0.7 + f64::from(row % 40) * 3.3;
    let units = i64::from(row % 23) - 11;
    (number, f64::from_bits((number.to_bits() as i64 + units) as u64), units)
}

fn number(book: &Book, column: &str, row: u32) -> f64 {
    match book.value(&format!("{column}{}", row + 1)) {
        Value::Number(number) => number,
        other => panic!("{column}{}: {other:?}", row + 1),
    }
}

#[test]
fn differences_of_seven_units_in_the_last_place_are_zero() {
    let mut book = Book::new("");
    for row in 0..ROWS {
        let (left, right, _) = pair(row);
        book.edit(&format!("A{0}: {left} | B{0}: {right}", row + 1));
        // Adjacent formulas that differ form a batch, not a run.
        let shape = ["=B{r}-A{r}", "=B{r}*1-A{r}", "=-A{r}+B{r}", "=0+B{r}-A{r}"][row as usize % 4];
        book.edit(&format!("F{}: {}", row + 1, shape.replace("{r}", &(row + 1).to_string())));
    }
    book.fill("C1:C300", "=B1-A1").fill("D1:D300", "=-A1+B1*1").fill("E2:E300", "=E1*0+B2-A2");
    book.fill("G1:G300", "=(B1-A1)").fill("H1:H300", "=B1-A1+0").fill("I1:I300", "=IF(TRUE,B1-A1)");
    book.edit("J1: =B1:B300-A1:A300 | E1: 0");
    book.evaluate();
    book.assert_matches_scratch("initially");
    for row in 0..ROWS {
        let (left, right, units) = pair(row);
        let difference = right - left;
        assert!(units == 0 || difference != 0.0);
        let settled = if units.abs() < 8 { 0.0 } else { difference };
        for column in ["C", "D", "F", "J"] {
            assert_eq!(number(&book, column, row), settled, "{column}{}: {units} units", row + 1);
        }
        if row > 0 {
            assert_eq!(number(&book, "E", row), settled, "E{}: {units} units", row + 1);
        }
        for column in ["G", "H", "I"] {
            assert_eq!(number(&book, column, row), difference, "{column}{}: {units} units", row + 1);
        }
    }
}

/// From "Floating-point arithmetic may give inaccurate results in Excel" (KB 78113) and results
/// published by users of Excel.
#[test]
fn published_differences_equal_excels() {
    let mut book = Book::new("A1: 39795 | B1: 13530.9 | C1: 11895 | D1: 14369.1 | E1: 0");
    book.edit("A2: =A1-B1-C1-D1 | A3: =A1-B1-C1-D1-E1 | A4: =1.333+1.225-1.333-1.225 | A5: =1*(0.5-0.4-0.1)");
    book.edit("A6: =115-113.2-1.8");
    assert_eq!(
        book.show("A2 A3 A4 A5 A6"),
        "A2: 0 | A3: -0.0000000000018189894035458565 | A4: 0 | A5: -0.000000000000000027755575615628914 | \
         A6: -0.000000000000002886579864025407"
    );
}
