//! Formulas evaluated step by step, compared with Microsoft's descriptions of "Evaluate Formula"
//! and with the results of whole formulas.

use quadrille_cell::{CellAddress, SheetId, Value};
use quadrille_functions::all;
use quadrille_number_format::Locale;

use crate::support::Sheet;

fn cell(name: &str) -> CellAddress {
    CellAddress::parse_a1(name).expect("cells in tests are named well")
}

/// A sheet with these cells.
fn sheet(cells: &[(&str, &str)]) -> Sheet {
    let mut sheet = Sheet::new("[]");
    for (cell, text) in cells {
        sheet.set(cell, text);
    }
    sheet
}

/// The formula before each step, with the part that is evaluated next in brackets, and the result.
fn steps(sheet: &Sheet, at: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for count in 0.. {
        let step = sheet.document.evaluate_formula(SheetId(1), cell(at), count).expect("a formula");
        let [before, part, after] = step.texts;
        if step.is_finished {
            texts.push([before, part, after].concat());
            break;
        }
        texts.push(format!("{before}[{part}]{after}"));
        if step.is_cut_short {
            break;
        }
    }
    texts
}

/// The example of "Evaluate a nested formula one step at a time" in Microsoft's support pages.
#[test]
fn the_published_example_has_the_published_steps() {
    let mut cells = vec![("A1", "=IF(AVERAGE(D2:D5)>50,SUM(E2:E5),0)")];
    cells.extend([("D2", "55"), ("D3", "35"), ("D4", "45"), ("D5", "25")]);
    cells.extend([("E2", "145"), ("E3", "230"), ("E4", "200"), ("E5", "190")]);
    assert_eq!(
        steps(&sheet(&cells), "A1"),
        ["IF([AVERAGE(D2:D5)]>50,SUM(E2:E5),0)", "IF([40>50],SUM(E2:E5),0)", "[IF(FALSE,SUM(E2:E5),0)]", "0"]
    );
}

#[test]
fn only_the_chosen_arguments_are_evaluated() {
    let cells = [("B1", "2"), ("B2", "=1/0"), ("B3", "5")];
    for (formula, expected) in [
        (
            "=IF(B1=2,B3*2,B2)",
            "IF([B1]=2,B3*2,B2) IF([2=2],B3*2,B2) IF(TRUE,[B3]*2,B2) IF(TRUE,[5*2],B2) [IF(TRUE,10,B2)] 10",
        ),
        ("=CHOOSE(B1,B2,B3)", "CHOOSE([B1],B2,B3) CHOOSE(2,B2,[B3]) [CHOOSE(2,B2,5)] 5"),
        ("=IFERROR(B2,B3)", "IFERROR([B2],B3) IFERROR(#DIV/0!,[B3]) [IFERROR(#DIV/0!,5)] 5"),
        ("=IFERROR(B3,B2)", "IFERROR([B3],B2) [IFERROR(5,B2)] 5"),
        ("=IFNA(B2,B3)", "IFNA([B2],B3) [IFNA(#DIV/0!,B3)] #DIV/0!"),
        (
            "=IFS(B1>3,B2,B1>1,B3)",
            "IFS([B1]>3,B2,B1>1,B3) IFS([2>3],B2,B1>1,B3) IFS(FALSE,B2,[B1]>1,B3) IFS(FALSE,B2,[2>1],B3) \
             IFS(FALSE,B2,TRUE,[B3]) [IFS(FALSE,B2,TRUE,5)] 5",
        ),
        ("=SWITCH(B1,1,B2,2,B3)", "SWITCH([B1],1,B2,2,B3) SWITCH(2,1,B2,2,[B3]) [SWITCH(2,1,B2,2,5)] 5"),
        ("=SWITCH(B1,1,B2,B3)", "SWITCH([B1],1,B2,B3) SWITCH(2,1,B2,[B3]) [SWITCH(2,1,B2,5)] 5"),
    ] {
        let mut sheet = sheet(&cells);
        sheet.set("A1", formula);
        assert_eq!(steps(&sheet, "A1").join(" "), expected);
    }
}

#[test]
fn parts_are_operators_calls_references_and_names() {
    let cells = [("B1", "2"), ("B2", "3"), ("B3", "4"), ("C1", "0.1"), ("C2", "0.2")];
    for (formula, expected) in [
        ("=(B1+B2)*-2", "([B1]+B2)*-2 (2+[B2])*-2 ([2+3])*-2 [5*-2] -10"),
        ("=-(B1-B2)", "-([B1]-B2) -(2-[B2]) -([2-3]) [--1] 1"),
        ("=C1+C2", "[C1]+C2 0.1+[C2] [0.1+0.2] 0.3"),
        ("=SUM(B1:B3)/D9", "[SUM(B1:B3)]/D9 9/[D9] [9/0] #DIV/0!"),
        ("=B1:B3*2", "[B1:B3]*2 [{2;3;4}*2] {4;6;8}"),
        ("=SUM(OFFSET(B1,0,0,B1,1))", "SUM([OFFSET(B1,0,0,B1,1)]) [SUM($B$1:$B$2)] 5"),
        ("=SUM(B1:INDEX(B:B,B1))", "SUM(B1:[INDEX(B:B,B1)]) SUM([B1:$B$2]) [SUM($B$1:$B$2)] 5"),
        ("=\"a\"\"b\"&B1", "\"a\"\"b\"&[B1] [\"a\"\"b\"&2] \"a\"\"b2\""),
        (
            "=LET(x,B1,y,x+1,x*y)",
            "[LET(x,B1,y,x+1,x*y)] LET(y,[B1]+1,B1*y) LET(y,[2+1],B1*y) [LET(y,3,B1*y)] [B1]*3 [2*3] 6",
        ),
        (
            "=LAMBDA(x,[y],IF(ISOMITTED(y),x,x+y))(B1)",
            "[LAMBDA(x,[y],IF(ISOMITTED(y),x,x+y))(B1)] IF(TRUE,[B1],B1+) [IF(TRUE,2,B1+)] 2",
        ),
        (
            "=LET(f,LAMBDA(x,x+1),f(2)*f(3))",
            "[LET(f,LAMBDA(x,x+1),F(2)*F(3))] [LAMBDA(x,x+1)(2)]*LAMBDA(x,x+1)(3) ([2+1])*LAMBDA(x,x+1)(3) 3*[LAMBDA(x,x+1)(3)] 3*([3+1]) [3*4] 12",
        ),
        ("=SUM(MAP(B1:B3,LAMBDA(x,x*x)))", "SUM([MAP(B1:B3,LAMBDA(x,x*x))]) [SUM({4;9;16})] 29"),
        ("=LET(x,1,LET(x,x+1,x)+x)", "[LET(x,1,LET(x,x+1,x)+x)] LET(x,[1+1],x)+1 [LET(x,2,x)]+1 [2+1] 3"),
        ("=5", "5"),
        ("=B1", "[B1] 2"),
        ("=NOSUCH(B1)", "[NOSUCH(B1)] #NAME?"),
    ] {
        let mut sheet = sheet(&cells);
        sheet.set("A1", formula);
        assert_eq!(steps(&sheet, "A1").join(" "), expected, "{formula}");
    }
}

#[test]
fn defined_functions_are_replaced_by_their_definitions() {
    let mut sheet = sheet(&[("B1", "3")]);
    for (name, definition) in
        [("Twice", "LAMBDA(x,2*x)"), ("Fact", "LAMBDA(n,IF(n<2,1,n*Fact(n-1)))"), ("Rate", "Sheet1!$B$1")]
    {
        sheet.run(&format!(
            r#"{{"type":"defineName","name":"{name}","definition":"{definition}","sheet":1,"local":false}}"#
        ));
    }
    sheet.set("A1", "=Twice(B1)+Rate");
    assert_eq!(steps(&sheet, "A1").join(" "), "[TWICE(B1)]+Rate 2*[B1]+Rate [2*3]+Rate 6+[Rate] [6+3] 9");
    sheet.set("A2", "=Fact(B1)");
    assert_eq!(steps(&sheet, "A2").last().map(String::as_str), Some("6"));
    // A name that refers to a cell with a formula leads to that cell.
    sheet.set("B1", "=1+2");
    sheet.set("A3", "=Rate+1");
    let step = sheet.document.evaluate_formula(SheetId(1), cell("A3"), 0).expect("a formula");
    assert_eq!(step.precedent, Some((SheetId(1), cell("B1"))));
}

#[test]
fn formulas_are_shown_in_the_language_of_the_user() {
    let mut sheet = sheet(&[("B1", "1.5"), ("A1", "=MAX(B1*2,{1.5,2})")]);
    sheet.document.set_locale(Locale::from_tag("de"));
    assert_eq!(steps(&sheet, "A1").join(" "), "MAX([B1]*2;{1,5.2}) MAX([1,5*2];{1,5.2}) [MAX(3;{1,5.2})] 3");
    sheet.document.set_r1c1(true);
    assert_eq!(steps(&sheet, "A1")[0], "MAX([RC[1]]*2;{1,5.2})");
}

#[test]
fn long_results_and_endless_recursions_are_cut_short() {
    let mut sheet = sheet(&[("A1", "=SUM(SEQUENCE(1000)*2)"), ("B9", "7")]);
    let shown = &steps(&sheet, "A1")[1];
    assert!(shown.starts_with("SUM([{1;2;3;4;") && shown.ends_with(";16;…}*2])"), "{shown}");
    assert_eq!(steps(&sheet, "A1").last().map(String::as_str), Some("1001000"));
    let define =
        r#"{"type":"defineName","name":"Loop","definition":"LAMBDA(n,Loop(n+1))","sheet":1,"local":false}"#;
    sheet.run(define);
    sheet.set("C1", "=Loop(1)");
    let endless = sheet.document.evaluate_formula(SheetId(1), cell("C1"), u32::MAX).expect("a formula");
    assert!(endless.is_cut_short && !endless.is_finished, "{endless:?}");
    // Thirty sums of a million values each: after the last step that is shown, nothing changes.
    sheet.set("D1", &format!("={}", ["SUM(SEQUENCE(1000,1000))"; 30].join("+")));
    let long = |count| sheet.document.evaluate_formula(SheetId(1), cell("D1"), count).expect("a formula");
    assert!(long(100).is_cut_short && !long(100).is_finished, "{:?}", long(100));
    assert_eq!(long(100), long(101));
    assert_eq!(sheet.document.evaluate_formula(SheetId(1), cell("B9"), 0), None);
}

/// Evaluated step by step, the examples of all functions have the results of the whole formulas.
#[test]
fn steps_end_with_the_result_of_the_formula() {
    let mut sheet = Sheet::new("[]");
    let mut count = 0;
    for function in all().iter().filter(|function| !function.volatile) {
        for (formula, _) in function.examples {
            sheet.set("Z100", formula);
            let document = &sheet.document;
            let Some(first) = document.evaluate_formula(SheetId(1), cell("Z100"), 0) else { continue };
            let last = document.evaluate_formula(SheetId(1), cell("Z100"), 1_000).expect("a formula");
            assert!(last.is_finished, "{formula}: {last:?}");
            let text = &last.texts[1];
            if text.contains('…') || first.is_finished {
                continue;
            }
            let value = |sheet: &Sheet| sheet.document.workbook().sheets()[0].value(cell("Z100"));
            let whole = value(&sheet);
            sheet.set("Z100", &format!("={text}"));
            let stepwise = value(&sheet);
            let is_equal = match (&whole, &stepwise) {
                (Value::Number(a), Value::Number(b)) => (a - b).abs() <= a.abs() * 1e-13,
                _ => whole == stepwise,
            };
            assert!(is_equal, "{formula}: {whole:?}, by steps {stepwise:?}");
            count += 1;
        }
    }
    assert!(count > 500, "{count}");
}
