//! Hostile formulas: every formula evaluates to a value, and the sheet stays usable.

use crate::support::{Book, range, text_of};
use quadrille_calc::{Budget, Cancel};
use quadrille_cell::SheetId;

/// Steps for recalculating one edited formula. A formula may take 30 million and is evaluated again
/// when an array beside it has spilled. Steps are independent of the load of the machine.
const STEPS_MAX: u64 = 4 * 30_000_000;

fn evaluate_bounded(book: &mut Book, formula: &str) {
    let mut budget = Budget::UNLIMITED;
    let evaluated = book.calculation.evaluate(&mut book.workbook, book.time_and_seed, &mut budget);
    let steps = Budget::UNLIMITED.steps_left - budget.steps_left;
    assert!(evaluated.finished && steps <= STEPS_MAX, "{formula} took {steps} steps");
}

fn evaluate(formula: &str) -> String {
    let mut book =
        Book::new("A1: 1 | A2: 2 | A3: x | A4: TRUE | A5: -3.5 | B1: =1/0 | B2: 2024-01-01 | C1: ={1;2;3}");
    book.evaluate();
    let shown = book.edit(&format!("E5: {}", formula.replace('|', " "))).show("E5");
    assert_eq!(book.edit("D1: =A1+A2").show("D1"), "D1: 3", "after {formula}");
    shown
}

#[test]
fn known_problem_formulas_evaluate_to_values() {
    for formula in [
        "=A:XFD",
        "=SUM(A:XFD)",
        "=SUMPRODUCT((A:XFD=1)*1)",
        "=SUMPRODUCT((A:C=1)*1)",
        "=SE:C(3)",
        "=IS:NA(NA())",
        "=123456:789012&\"\"",
        "=FIXED(1234.567,99999999999999999991)",
        "=REPT(\"abc\",1E9)",
        "=REPT(REPT(\"abc\",10000),10000)",
        "=SEQUENCE(1048576,16384)",
        "=SEQUENCE(1E9)",
        "=SUM(SEQUENCE(1000000)*SEQUENCE(1,1000000))",
        "=COMBIN(1E15,5E14)",
        "=FACT(1E9)",
        "=LET(f,LAMBDA(g,n,g(g,n+1)),f(f,1))",
        "=REDUCE(0,SEQUENCE(1000000),LAMBDA(a,b,a+b))",
        "=MAKEARRAY(1E9,1E9,LAMBDA(r,c,1))",
        "=MAP(SEQUENCE(1000),LAMBDA(x,SUM(MAP(SEQUENCE(1000),LAMBDA(y,SUM(SEQUENCE(1000)))))))",
        "=OFFSET(A1,1E300,-1E300,1E300,1E300)",
        "=INDIRECT(REPT(\"A\",32000))",
        "=INDIRECT(\"E5\")",
        "=A1:INDEX(A:XFD,1048576,16384)",
        "=ROW(A:XFD)",
        "=TRANSPOSE(A:C)",
        "=IF(A:C,A:C,A:C)",
        "=TEXTJOIN(\",\",FALSE,A:C)",
        "=CONCAT(A:XFD)",
        "=SUBSTITUTE(REPT(\"a\",32767),\"a\",REPT(\"b\",32767))",
        "=SUMIFS(A:A,A:A,\"*?*?*?*?*?*?*?*?*?*x\")",
        "=COUNTIF(A:XFD,\"<>\")",
        "=XLOOKUP(1,A:XFD,A:XFD)",
        "=MMULT(SEQUENCE(2000,2000),SEQUENCE(2000,2000))",
        "=IRR(SEQUENCE(100000))",
        "=SORTN(AR:TE)",
        "=SORT(A:B,SEQUENCE(10000)^0)",
        "=SORTBY(A:A,A:A,1,B:B,1,C:C,1,D:D,1,E:E,1,F:F,1,G:G,1,H:H,1,I:I,1)",
        "=UNIQUE(A:XFD)",
        "=GROUPBY(A:A,B:B,SUM)",
        "=GROUPBY(A:XFD,B:B,SUM)",
        "=PIVOTBY(SEQUENCE(3000),SEQUENCE(3000),SEQUENCE(3000),LAMBDA(a,b,SUM(a,b)))",
        "=QUERY(A:XFD,\"select A where A matches '((a{100}){100}){100}'\")",
        "=QUERY(A:C,\"select sum(A) pivot B\")",
        "=FORECAST.ETS(1E300,SEQUENCE(100000),SEQUENCE(100000),8000)",
        "=FORECAST.ETS.SEASONALITY(SEQUENCE(1000000),SEQUENCE(1000000))",
        "=AMORLINC(F400,39679:39814,300,3,0.15,1)",
        "=NETWORKDAYS(45:517,E20:E110)",
        "=WORKDAY(1,SEQUENCE(10000)*200,SEQUENCE(1000))",
        "=VDB(1E6,1,1E7,0,5E6)",
        "=AMORDEGRC(1E15,1,2,0,1E15,1E-9)",
        "=CONCATENATE(A:A,B:B)",
        "=TEXTJOIN(A:A,FALSE,A:B)",
        "=REGEXREPLACE(REPT(\"ab\",16000),\"(a)|(b)\",REPT(\"$1\",100))",
        "=REGEXTEST(REPT(\"a\",30000),\"(a|aa)+$\")",
        "=SPARKLINE(A:XFD)",
        "=E5",
        "=E5#",
        "=SUM(E1:E9)",
    ] {
        let shown = evaluate(formula);
        assert!(shown.starts_with("E5: "), "{formula}");
    }
}

#[test]
fn long_texts_count_towards_the_cell_limit() {
    // Each of these creates gigabytes of text in few cells.
    for formula in [
        "=SUM(LEN(MAKEARRAY(300,300,LAMBDA(r,c,REPT(\"x\",32767)))))",
        "=SUM(LEN(REPT(\"ab\",SEQUENCE(60000)^0*16000)))",
        "=LET(a,REPT(\"x\",SEQUENCE(300)^0*16000),SUM(LEN(a&TRANSPOSE(a))))",
        "=LET(a,REPT(\"x\",SEQUENCE(300)^0*16000),SUM(LEN(CONCATENATE(a,TRANSPOSE(a)))))",
    ] {
        assert_eq!(evaluate(formula), "E5: #CALC!", "{formula}");
    }
    // Long texts in few cells are fine.
    assert_eq!(evaluate("=SUM(LEN(REPT(\"ab\",SEQUENCE(1000)^0*1000)))"), "E5: 2000000");
}

#[test]
fn deep_and_long_formulas_do_not_overflow_the_stack() {
    let nested =
        |depth: usize, open: &str, close: &str| format!("={}1{}", open.repeat(depth), close.repeat(depth));
    for (formula, expected) in [
        (format!("=1{}", "+1".repeat(900)), "E5: 901"),
        (nested(60, "(", ")"), "E5: 1"),
        (nested(60, "ABS(", ")"), "E5: 1"),
        (nested(60, "IF(TRUE,1+(", "))"), "E5: 61"),
        (nested(30, "LET(x,1,x+", ")"), "E5: 31"),
        (format!("={}1", "-".repeat(60)), "E5: 1"),
    ] {
        let shown = evaluate(&formula);
        // The parser may reject deep nesting; the test only requires that it does not crash.
        assert!(shown == expected || shown == "E5: #NAME?", "{shown} {formula}");
    }
    // Unbounded recursion of a lambda ends with an error.
    let shown = evaluate("=LET(f,LAMBDA(g,n,IF(n=0,0,1+g(g,n-1))),f(f,100000))");
    assert_eq!(shown, "E5: #CALC!");
}

/// A small generator with a fixed seed, so that failures are reproducible.
struct Random(u64);

impl Random {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.roll(choices.len())]
    }
}

/// `HOSTILE_ROUNDS=20` multiplies the number of rounds by twenty.
fn rounds(usual: usize) -> usize {
    let factor = std::env::var("HOSTILE_ROUNDS").ok().and_then(|factor| factor.parse().ok());
    usual * factor.unwrap_or(1)
}

const ARGUMENTS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2.5",
    "1E308",
    "-1E308",
    "1E-308",
    "2147483648",
    "1E15",
    "",
    "\"\"",
    "\"abc\"",
    "\"2024-02-30\"",
    "TRUE",
    "#N/A",
    "A1",
    "A1:A5",
    "A1:C9",
    "A:A",
    "A:XFD",
    "1:1",
    "XFD1048576",
    "B1",
    "C1#",
    "Z99",
    "{1,2,3}",
    "{1;\"x\";TRUE}",
    "{-1E308,1E308}",
    "SEQUENCE(3)",
    "LAMBDA(x,x)",
    "LAMBDA(x,y,x+y)",
    "(A1,A3:A4)",
    "A1:A3 A2:B9",
    "Sheet1!A1",
    "Nowhere!A1",
    "\"~*?\"",
    "\"é😀\"",
    "REPT(\"a\",32767)",
    "9999999",
    "DATE(9999,12,31)",
    "A5",
    "-0",
];

#[test]
fn every_function_accepts_arbitrary_arguments() {
    let mut random = Random(7);
    let rounds = rounds(10);
    let mut book = Book::new("A1: 1 | A2: 2 | A3: x | A4: TRUE | A5: -3.5 | B1: =1/0 | C1: ={1;2;3}");
    book.evaluate();
    for function in quadrille_functions::all() {
        for _ in 0..rounds {
            let count = random.roll(usize::from(function.arity.1.min(6)) + 2);
            let arguments: Vec<&str> = (0..count).map(|_| random.pick(ARGUMENTS)).collect();
            let formula = format!("={}({})", function.name, arguments.join(","));
            let input = book.input(SheetId(1), crate::support::at("F9"), &formula);
            book.set(SheetId(1), range("F9"), &input);
            evaluate_bounded(&mut book, &formula);
            let _ = text_of(&book.value("F9"));
        }
    }
}

#[test]
fn mutated_formulas_evaluate_to_values() {
    let seeds = [
        "=SUM(A1:A5)*2+IF(A1>0,\"a\",B1)",
        "=VLOOKUP(A1,A1:C5,2,FALSE)&TEXT(A2,\"0.00\")",
        "=LET(x,A1:A5,SUM(x*2)+LAMBDA(y,y^2)(A1))",
        "=IFERROR(INDEX(A:A,MATCH(2,A:A,0)),INDIRECT(\"A\"&1))",
        "=SUMPRODUCT((A1:A5=1)*(A1:A5))-{1,2;3,4}%",
        "='Sheet1'!$A$1:B$2 A1:A9",
    ];
    let pieces = [
        "(", ")", ",", ":", "#", "@", "%", "^", "&", "{", "}", ";", "\"", "'", "!", "$", " ", "1E9", "XFD",
        "A:A", "-", "😀",
    ];
    let mut random = Random(11);
    let mut book = Book::new("A1: 1 | A2: 2 | A3: x | A4: TRUE | A5: -3.5 | B1: =1/0");
    book.evaluate();
    for _ in 0..rounds(1_000) {
        let mut formula: Vec<char> = random.pick(&seeds).chars().collect();
        for _ in 0..=random.roll(4) {
            let place = 1 + random.roll(formula.len() - 1);
            match random.roll(3) {
                0 => {
                    formula.remove(place.min(formula.len() - 1));
                }
                1 => formula.splice(place..place, random.pick(&pieces).chars()).for_each(drop),
                _ => {
                    let other = random.roll(formula.len());
                    formula.swap(place, other.max(1));
                }
            }
            if formula.len() < 2 {
                formula = "=1".chars().collect();
            }
        }
        let formula: String = formula.into_iter().collect();
        let input = book.input(SheetId(1), crate::support::at("H9"), &formula);
        book.set(SheetId(1), range("H9"), &input);
        evaluate_bounded(&mut book, &formula);
    }
}

/// Formulas that take long for different reasons.
const LONG: &[&str] = &[
    "=REDUCE(0,SEQUENCE(100000),LAMBDA(a,b,a+b))",
    "=SUM(MAP(SEQUENCE(300),LAMBDA(x,SUM(MAP(SEQUENCE(300),LAMBDA(y,x*y))))))",
    "=SUM(SEQUENCE(300000)*SEQUENCE(1,5))",
    "=SUMPRODUCT(LEN(CONCATENATE(A1:A100000,\"x\")))",
    "=SUM(MMULT(SEQUENCE(60,60),SEQUENCE(60,60)))",
    "=LET(f,LAMBDA(g,n,IF(n=0,0,1+g(g,n-1))),SUM(MAP(SEQUENCE(500),LAMBDA(x,f(f,20)))))",
    "=COUNTIF(A1:A100000,\"*?*?*x\")+SUM(SORT(SEQUENCE(50000,1,50000,-1)))",
];

#[test]
fn a_cancelled_evaluation_writes_no_partial_results() {
    for formula in LONG {
        let sheet = || {
            let mut book = Book::new("A1: 1 | E1: 7");
            book.fill("A2:A300", "=A1+1").evaluate();
            book
        };
        let expected = sheet().edit(&format!("E1: {formula}")).show("E1");
        let mut book = sheet();
        book.edit(&format!("E1: {formula}"));
        let mut cancelled = 0;
        for checks in [0, 1, 2, 3, 4, 10, 50, 200, 1_000, 10_000] {
            let mut budget = Budget { cancel: Cancel::after(checks), ..Budget::UNLIMITED };
            if book.calculation.evaluate(&mut book.workbook, book.time_and_seed, &mut budget).finished {
                break;
            }
            // The cell stays dirty, and no partial result is written.
            assert!(!book.calculation.is_clean());
            let shown = text_of(&book.value("E1"));
            assert!(shown == "-" || shown == "7", "{shown} after {checks} checks: {formula}");
            cancelled += 1;
        }
        assert!(cancelled > 2, "{formula} finished before the first cancellation check");
        assert_eq!(book.show("E1"), expected, "{formula}");
    }
}

#[test]
fn an_array_is_written_completely_or_not_at_all() {
    // The number of cancellation checks until the evaluation finishes.
    let checks = |formula: &str| {
        let mut book = Book::new(&format!("E1: {formula}"));
        for checks in 0..1_000 {
            let mut budget = Budget { cancel: Cancel::after(checks), ..Budget::UNLIMITED };
            if book.calculation.evaluate(&mut book.workbook, book.time_and_seed, &mut budget).finished {
                return (book, checks);
            }
            assert!(!book.calculation.is_clean());
            let shown = ["E1", "F1", "E2", "F2048", "E60000"].map(|cell| text_of(&book.value(cell)));
            assert!(shown.iter().all(|shown| shown == "-"), "{shown:?} after {checks} checks: {formula}");
        }
        panic!("{formula} does not finish");
    };
    let (_, made) = checks("=ROWS(SEQUENCE(60000,2))");
    let (mut book, placed) = checks("=SEQUENCE(60000,2)");
    assert!(placed >= made + 28, "no cancellation check while the array is written: {placed}, {made}");
    assert_eq!(book.show("E1 F1 E2 F2048 E60000"), "E1: 1 | F1: 2 | E2: 3 | F2048: 4096 | E60000: 119999");
    // An array of the same size is written only where it differs.
    book.edit("E1: =SEQUENCE(60000,2)+(SEQUENCE(60000)=A1)").evaluate();
    let changed = book.edit("A1: 5000").evaluate().changed;
    let rows: Vec<_> =
        changed.iter().map(|(_, cells)| (cells.first().row.get(), cells.last().row.get())).collect();
    // Cells are compared in chunks of 4,096 rows.
    assert_eq!(rows, [(4_096, 8_191); 2]);
    assert_eq!(book.show("E4999 E5000 F5000"), "E4999: 9997 | E5000: 10000 | F5000: 10001");
}

#[test]
fn a_cancelled_chain_resumes_where_it_stopped() {
    let mut book = Book::new("A1: 1 | B1: =OFFSET(A1,4999,0)");
    book.fill("A2:A5000", "=IF(TRUE,A1)+1");
    let mut rounds = 0;
    loop {
        let mut budget = Budget { cancel: Cancel::after(1_000), ..Budget::UNLIMITED };
        if book.calculation.evaluate(&mut book.workbook, book.time_and_seed, &mut budget).finished {
            break;
        }
        rounds += 1;
        assert!(rounds < 1_000, "no progress");
    }
    assert!(rounds > 3, "{rounds}");
    assert_eq!(text_of(&book.value("B1")), "5000");
}
