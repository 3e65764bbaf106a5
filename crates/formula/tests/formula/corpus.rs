//! `corpus.txt`: formulas with their printed text and tree. To accept changes, run the tests with
//! `UPDATE_EXPECT=1` and review the diff.

use expect_test::expect_file;
use quadrille_formula::Expression;

use crate::notation::{host, read, tree, write};

/// One formula per line: `formula | print | tree`, at Sheet1!C5; `=` means printed as written.
/// Lines with `##` are headings.
#[test]
fn formulas_print_and_parse_as_listed() {
    let corpus = include_str!("corpus.txt");
    let mut actual = String::new();
    for line in corpus.lines() {
        if line.starts_with("##") || line.is_empty() {
            actual.push_str(line);
        } else {
            let formula = line.split(" | ").next().unwrap_or_default();
            actual.push_str(&describe(formula));
        }
        actual.push('\n');
    }
    expect_file!["corpus.txt"].assert_eq(&actual);
}

fn describe(formula: &str) -> String {
    let host = host("C5");
    let template = read(formula, host);
    let printed = write(&template, host);
    assert_eq!(read(&printed, host), template, "{formula} prints as {printed}, which reads differently");
    if let Expression::Invalid(text) = template.expression() {
        assert_eq!(&**text, formula);
    }
    let printed_column = if printed == formula { "=" } else { &printed };
    format!("{formula} | {printed_column} | {}", tree(template.expression(), host))
}
