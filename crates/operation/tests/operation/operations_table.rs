//! Checks `docs/operations.md`: every pair of operations has a rule, every rule has examples, and
//! the examples match the implementation.

use std::collections::{BTreeMap, BTreeSet};

use crate::content::Content;
use quadrille_operation::notation::{read_operation, write_operation};
use quadrille_operation::{OperationKind, Transaction, apply, rebase_pair};
use quadrille_workbook::Workbook;

const PAGE: &str = include_str!("../../../../docs/operations.md");

/// The workbook of the examples.
const SHEET: &str = "A1: 1 | B1: a | C1: 10 | A2: 2 | B2: b | C2: =A2*2 | A3: 3 | B3: c | A4: 4 | B4: d | \
                     A5: 5 | B6: e | Data!A1: x";

/// Items of that workbook.
const ITEMS: [&str; 3] = [
    "put 1: note at B2: text \"old\"",
    "put 2: conditionalRule at A20:B29: rule \"blank\"",
    "put 3: merge at D20:E21",
];

fn workbook() -> Workbook {
    let mut workbook = crate::cells::read_cells(SHEET);
    for item in ITEMS {
        let put = read_operation(item, &workbook).expect(item);
        apply(&mut workbook, &Transaction::from(put));
    }
    workbook
}

struct Example {
    rule: String,
    later: Transaction,
    earlier: Transaction,
    line: &'static str,
    later_becomes: &'static str,
    earlier_becomes: &'static str,
    both_ways: &'static str,
}

impl Example {
    fn kinds(&self) -> (OperationKind, OperationKind) {
        (self.later.operations[0].kind(), self.earlier.operations[0].kind())
    }
}

fn columns(line: &'static str) -> Vec<&'static str> {
    line.trim().trim_start_matches('|').trim_end_matches('|').split(" | ").map(str::trim).collect()
}

fn examples(workbook: &Workbook) -> Vec<Example> {
    let mut rule = String::new();
    let mut examples = Vec::new();
    for line in PAGE.lines() {
        if let Some(heading) = line.strip_prefix("### ") {
            rule = heading.split(' ').next().unwrap_or_default().to_owned();
        }
        let columns = columns(line);
        let &[later, earlier, later_becomes, earlier_becomes, both_ways] = columns.as_slice() else {
            continue;
        };
        if rule.is_empty() || !later.starts_with('`') {
            continue;
        }
        let read =
            |words: &str| Transaction::from(read_operation(words.trim_matches('`'), workbook).expect(line));
        examples.push(Example {
            rule: rule.clone(),
            later: read(later),
            earlier: read(earlier),
            line,
            later_becomes,
            earlier_becomes,
            both_ways,
        });
    }
    assert!(examples.len() > 100, "the page lost its examples");
    examples
}

/// Returns the rules of every pair from the matrix of the page.
fn matrix() -> BTreeMap<(OperationKind, OperationKind), BTreeSet<&'static str>> {
    let mut matrix = BTreeMap::new();
    for later in OperationKind::ALL {
        let start = format!("| **{later:?}** |");
        let line =
            PAGE.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row {later:?}"));
        let cells = &columns(line)[1..];
        assert_eq!(cells.len(), OperationKind::ALL.len(), "{line}");
        for (earlier, rules) in OperationKind::ALL.into_iter().zip(cells) {
            matrix.insert((later, earlier), rules.split(' ').collect());
        }
    }
    matrix
}

fn written(transaction: &Transaction, before: &Transaction, workbook: &Workbook) -> String {
    if transaction == before {
        return "same".to_owned();
    }
    if transaction.is_empty() {
        return "nothing".to_owned();
    }
    let operations = transaction.operations.iter();
    operations
        .map(|operation| format!("`{}`", write_operation(operation, workbook)))
        .collect::<Vec<_>>()
        .join(", ")
}

#[test]
fn examples_match_the_rebase() {
    let workbook = workbook();
    for example in examples(&workbook) {
        let Example { later, earlier, line, .. } = &example;
        let (later_after, earlier_after) = rebase_pair(later, earlier);
        assert_eq!(written(&later_after, later, &workbook), example.later_becomes, "{line}");
        assert_eq!(written(&earlier_after, earlier, &workbook), example.earlier_becomes, "{line}");
    }
}

#[test]
fn examples_converge_in_both_orders() {
    let workbook = workbook();
    for example in examples(&workbook) {
        let Example { later, earlier, line, .. } = &example;
        let (later_after, earlier_after) = rebase_pair(later, earlier);
        let after = |first: &Transaction, second: &Transaction| {
            let mut workbook = workbook.clone();
            apply(&mut workbook, first);
            apply(&mut workbook, second);
            Content::of(&workbook).without_edges()
        };
        let (confirmed, optimistic) = (after(earlier, &later_after), after(later, &earlier_after));
        if example.both_ways == "yes" {
            assert_eq!(confirmed, optimistic, "{line}");
        } else {
            assert!(PAGE.contains(&format!("**{}**", example.both_ways)), "no such exception: {line}");
            assert_ne!(confirmed, optimistic, "no exception needed: {line}");
        }
    }
}

#[test]
fn every_pair_has_a_rule_and_every_rule_has_examples() {
    let workbook = workbook();
    let examples = examples(&workbook);
    let matrix = matrix();
    for ((later, earlier), rules) in &matrix {
        for rule in rules.iter().filter(|rule| **rule != "R1") {
            let is_shown = examples.iter().any(|example| {
                example.rule == *rule
                    && (example.kinds() == (*later, *earlier) || example.kinds() == (*earlier, *later))
            });
            assert!(is_shown, "no example of {rule} for {later:?} over {earlier:?}");
        }
    }
    for example in &examples {
        assert!(
            matrix[&example.kinds()].contains(example.rule.as_str()),
            "not in the matrix: {}",
            example.line
        );
    }
}

#[test]
fn independent_operations_do_not_change() {
    let workbook = workbook();
    let examples = examples(&workbook);
    let samples = |kind: OperationKind| {
        examples
            .iter()
            .flat_map(|example| [&example.later, &example.earlier])
            .filter(move |transaction| transaction.operations[0].kind() == kind)
    };
    let mut pairs = 0;
    for ((later, earlier), rules) in matrix() {
        if rules != BTreeSet::from(["R1"]) {
            continue;
        }
        for later in samples(later) {
            for earlier in samples(earlier) {
                assert_eq!(rebase_pair(later, earlier), (later.clone(), earlier.clone()));
                pairs += 1;
            }
        }
    }
    assert!(pairs > 1_000, "only {pairs} pairs were tried");
}
