//! MULTIPLE.OPERATIONS: results with other values in one or two cells.

use crate::support::{Book, check};

#[test]
fn one_value_is_replaced() {
    check(
        "A1: 2 | A2: 10 | B1: =A1*3 | B2: =B1+A2 | D1: 5 | D2: 7 | \
         E1: =MULTIPLE.OPERATIONS(B$2,A$1,D1) | E2: =MULTIPLE.OPERATIONS(B$2,A$1,D2)",
        "B2 E1 E2",
        "B2: 16 | E1: 25 | E2: 31",
    );
}

#[test]
fn two_values_are_replaced() {
    check(
        "A1: 2 | A2: 3 | B1: =A1*10+A2 | C1: =MULTIPLE.OPERATIONS(B1,A1,5,A2,7) | \
         C2: =MULTIPLE.OPERATIONS(B1,A2,5,A1,7) | C3: =MULTIPLE.OPERATIONS(B1,A2,A1,A1,A2)",
        "C1 C2 C3",
        "C1: 57 | C2: 75 | C3: 32",
    );
}

#[test]
fn ranges_and_chains_between_the_cells_are_calculated_again() {
    let mut book = Book::new("A1: 1 | B1: =A1 | C1: =MULTIPLE.OPERATIONS(D1,A1,100) | D1: =SUM(B1:B2000)");
    book.fill("B2:B2000", "=B1+1");
    assert_eq!(book.show("C1 D1"), "C1: 2199000 | D1: 2001000");
    book.edit("B5: 7");
    assert_eq!(book.show("C1"), "C1: 2005388");
    book.assert_matches_scratch("after an edit in the middle");
}

#[test]
fn edits_update_the_result() {
    let mut book = Book::new(
        "A1: 2 | A2: 3 | B1: =A1*A2 | B2: =IF(A1>9,C9,B1) | C1: =MULTIPLE.OPERATIONS(B2,A1,10) | C2: 4",
    );
    assert_eq!(book.show("C1"), "C1: 0");
    // Only the replaced value leads to C9.
    assert_eq!(book.edit("C9: 8").show("B2 C1"), "B2: 6 | C1: 8");
    assert_eq!(book.edit("B2: =B1").show("C1"), "C1: 30");
    assert_eq!(book.edit("A2: 5").show("C1"), "C1: 50");
    assert_eq!(book.edit("C1: =MULTIPLE.OPERATIONS(B2,A1,C2)").show("C1"), "C1: 20");
    assert_eq!(book.edit("C2: 6").show("C1"), "C1: 30");
    book.assert_matches_scratch("edits");
}

/// An edit of another key changes nothing for the lookup itself, but for the lookup with the
/// replaced value.
#[test]
fn edited_lookup_tables_update_the_result() {
    let mut book = Book::new("A1: 3 | B1: =VLOOKUP(A1,D1:E100,2,FALSE) | C1: =MULTIPLE.OPERATIONS(B1,A1,70)");
    book.fill("D1:D100", "=ROW()");
    book.fill("E1:E100", "=ROW()*2");
    assert_eq!(book.show("B1 C1"), "B1: 6 | C1: 140");
    assert_eq!(book.edit("E70: 9").show("B1 C1"), "B1: 6 | C1: 9");
}

#[test]
fn more_than_the_recorded_reads_are_followed() {
    let mut book = Book::new("A1: 1 | C1: =MULTIPLE.OPERATIONS(B200,A1,2)");
    book.fill("B1:B200", "=$A$1+SUM(D1:D1)");
    assert_eq!(book.show("C1"), "C1: 2");
    assert_eq!(book.edit("D200: 5").show("C1"), "C1: 7");
    let chain = "A1: 1 | B1: =A1 | C1: =MULTIPLE.OPERATIONS(B100,A1,2)";
    let mut book = Book::new(chain);
    book.fill("B2:B100", "=B1+D2");
    assert_eq!(book.show("C1"), "C1: 2");
    assert_eq!(book.edit("D50: 5").show("C1"), "C1: 7");
    book.assert_matches_scratch(chain);
}

#[test]
fn replaced_cells_may_have_formulas_and_results_need_none() {
    check(
        "A1: =1+1 | B1: =A1*3 | C1: =MULTIPLE.OPERATIONS(B1,A1,5) | C2: =MULTIPLE.OPERATIONS(A1,A1,\"x\") | \
         C3: =MULTIPLE.OPERATIONS(D1,A1,5) | D1: 9 | C4: =MULTIPLE.OPERATIONS(B1,A1,1/0) | \
         C5: =MULTIPLE.OPERATIONS(B1,A1,Z9)",
        "C1 C2 C3 C4 C5",
        "C1: 15 | C2: x | C3: 9 | C4: #DIV/0! | C5: 0",
    );
}

#[test]
fn wrong_arguments_are_errors() {
    for (formula, expected) in [
        ("=MULTIPLE.OPERATIONS(B1,A1)", "#VALUE!"),
        ("=MULTIPLE.OPERATIONS(B1,A1,1,A2)", "#VALUE!"),
        ("=MULTIPLE.OPERATIONS(B1:B2,A1,1)", "#VALUE!"),
        ("=MULTIPLE.OPERATIONS(B1,A1:A2,1)", "#VALUE!"),
        ("=MULTIPLE.OPERATIONS(B1,2,1)", "#VALUE!"),
        ("=MULTIPLE.OPERATIONS(B1,A1,A1:A2)", "#VALUE!"),
        ("=MULTIPLE.OPERATIONS(#REF!,A1,1)", "#REF!"),
    ] {
        check(&format!("A1: 1 | B1: =A1 | C1: {formula}"), "C1", &format!("C1: {expected}"));
    }
}

#[test]
fn a_formula_that_needs_its_own_result_is_circular() {
    check("A1: 1 | B1: =A1+C1 | C1: =MULTIPLE.OPERATIONS(B1,A1,2)", "B1 C1", "B1: #CIRC! | C1: #CIRC!");
    // Only the replaced value leads back.
    check("A1: 1 | B1: =IF(A1=2,C1,5) | C1: =MULTIPLE.OPERATIONS(B1,A1,2)", "B1 C1", "B1: 5 | C1: #CIRC!");
    check(
        "A1: 1 | B1: =IF(A1=2,B2,5) | B2: =B1+A1 | C1: =MULTIPLE.OPERATIONS(B2,A1,2)",
        "B2 C1",
        "B2: 6 | C1: #CIRC!",
    );
}

#[test]
fn results_may_be_replaced_within_one_another() {
    check(
        "A1: 2 | A2: 3 | B1: =A1*10+A2 | C1: =MULTIPLE.OPERATIONS(B1,A1,5) | \
         C2: =MULTIPLE.OPERATIONS(C1,A2,7)",
        "C1 C2",
        "C1: 53 | C2: 57",
    );
    // A cell keeps its value within calls of calls, even if another replaced cell leads to it.
    check(
        "A1: 1 | A2: =A1*2 | A3: =A2+1 | B1: =MULTIPLE.OPERATIONS(A3,A1,10) | \
         C1: =MULTIPLE.OPERATIONS(B1,A2,50)",
        "B1 C1",
        "B1: 21 | C1: 51",
    );
    let mut cells = String::from("A1: 2 | B1: =A1+1");
    for row in 2..=8 {
        cells.push_str(&format!(" | B{row}: =MULTIPLE.OPERATIONS(B{},A1,{row})", row - 1));
    }
    let mut book = Book::new(&cells);
    assert_eq!(book.show("B5 B6 B8"), "B5: 3 | B6: #CALC! | B8: #CALC!");
}

/// Whether a call is nested too deeply does not depend on which dependencies have been recorded.
#[test]
fn nesting_is_counted_the_same_after_edits() {
    for formula in
        ["=MULTIPLE.OPERATIONS(B2,A1,SUM(A2:A2))", "=SUM(OFFSET(C2,MULTIPLE.OPERATIONS(B2,A1,A2),0))"]
    {
        let mut book = Book::new("");
        book.fill("B1:D9", formula).evaluate();
        book.assert_matches_scratch(formula);
        book.edit("A1:").evaluate();
        book.assert_matches_scratch(formula);
        book.edit("A3: 1").evaluate();
        book.assert_matches_scratch(formula);
    }
}

#[test]
fn arrays_are_calculated_again() {
    check(
        "A1: 2 | B1: =SEQUENCE(A1) | C1: =SUM(B1#) | D1: =MULTIPLE.OPERATIONS(C1,A1,4) | \
         E1: =SUM(B1:B9) | E2: =MULTIPLE.OPERATIONS(E1,A1,1) | E3: =MULTIPLE.OPERATIONS(E1,A1,3) | \
         F1: =B2*10 | F2: =MULTIPLE.OPERATIONS(F1,A1,1)",
        "C1 D1 E1 E2 E3 F1 F2",
        "C1: 3 | D1: 10 | E1: 3 | E2: 1 | E3: 6 | F1: 20 | F2: 0",
    );
}

#[test]
fn other_sheets_and_names_take_part() {
    check(
        "A1: 4 | B1: =OFFSET(A1,0,0)*2 | B2: =INDIRECT(\"B\"&A1) | B4: 44 | B3: 33 | \
         C1: =MULTIPLE.OPERATIONS(B1,A1,6) | C2: =MULTIPLE.OPERATIONS(B2,A1,3)",
        "B1 B2 C1 C2",
        "B1: 8 | B2: 44 | C1: 12 | C2: 33",
    );
}
