//! The parser, and recursion over the trees it returns, fit the smallest stack for any text.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use quadrille_formula::{
    BinaryOperator, Expression, LENGTH_MAX, Template, is_within_limits, print_r1c1, rearrange, tokens, visit,
};

use crate::notation::{Sheets, edit, host, read, write};

/// The smallest supported stack: the default of WebAssembly.
const STACK_BYTES: usize = 1 << 20;

fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(test).expect("threads can start");
    thread.join().expect("the test passes on a small stack");
}

fn is_read(formula: &str) -> bool {
    !matches!(read(formula, host("C5")).expression(), Expression::Invalid(_))
}

/// Runs every function that recurses over a tree.
fn walk(formula: &str) -> Template {
    let host = host("C5");
    let template = read(formula, host);
    assert_eq!(write(&template, host), formula);
    let mut nodes = 0;
    visit(template.expression(), &mut |_| nodes += 1);
    assert!(is_within_limits(template.expression()));
    let copy = Template::new(template.expression().clone());
    assert_eq!(copy, template);
    let hash = |template: &Template| {
        let mut hasher = DefaultHasher::new();
        template.hash(&mut hasher);
        hasher.finish()
    };
    assert_eq!(hash(&copy), hash(&template));
    assert!(format!("{copy:?}").len() > nodes);
    print_r1c1(&copy, host, &Sheets);
    rearrange(&copy, host, &edit("insert rows 1"));
    copy
}

#[test]
fn chains_of_a_thousand_operators_are_parsed() {
    on_small_stack(|| {
        for chain in [
            format!("1{}", "+1".repeat(1_000)),
            format!("A1{}", "&A1".repeat(1_000)),
            format!("A1{}", " A1".repeat(1_000)),
            format!("1{}", "%".repeat(250)),
            format!("F(){}", "(1)".repeat(250)),
            format!("A1{}", "#".repeat(250)),
        ] {
            assert!(is_read(&chain), "{}", &chain[..20]);
            walk(&chain);
        }
    });
}

#[test]
fn limits_of_trees_are_checked_without_recursion() {
    on_small_stack(|| {
        let number = || Box::new(Expression::Number(1.0));
        let chain = |count: usize, link: fn(Box<Expression>, Box<Expression>) -> Expression| {
            (1..count).fold(*number(), |tree, _| link(Box::new(tree), number()))
        };
        let left = |left, right| Expression::Binary(BinaryOperator::Add, left, right);
        let right = |left, right| Expression::Binary(BinaryOperator::Add, right, left);
        let inside = |inner, _| Expression::Parenthesised(inner);
        assert!(is_within_limits(&chain(1_024, left)));
        assert!(!is_within_limits(&chain(1_025, left)));
        assert!(is_within_limits(&chain(256, right)));
        assert!(!is_within_limits(&chain(257, right)));
        assert!(is_within_limits(&chain(256, inside)));
        assert!(!is_within_limits(&chain(257, inside)));
    });
}

#[test]
fn longer_chains_are_invalid_formulas() {
    on_small_stack(|| {
        for (start, link) in
            [("1", "+1"), ("1", "%"), ("1", "^1"), ("A1", "#"), ("A1", ":A1"), ("A1", " A1"), ("F()", "()")]
        {
            for count in [2_700, 4_000, 500_000] {
                let chain = format!("{start}{}", link.repeat(count));
                assert!(!is_read(&chain), "{start}{link} {count} times");
                walk(&chain);
            }
        }
    });
}

#[test]
fn nesting_is_limited_to_64() {
    on_small_stack(|| {
        for (open, close) in [("(", ")"), ("-", ""), ("+", ""), ("@", ""), ("ABS(", ")"), ("IF(1,", ",2)")] {
            let nested = |depth: usize| format!("{}A1{}", open.repeat(depth), close.repeat(depth));
            assert!(is_read(&nested(64)), "{open}");
            walk(&nested(64));
            for depth in [65, 500, 2_000, 10_000, 100_000] {
                assert!(!is_read(&nested(depth)), "{open} {depth}");
                walk(&nested(depth));
            }
        }
        for unfinished in ["(", "{", "F(", "-", "1+(", "F(1,", "LAMBDA(x,x)("] {
            assert!(!is_read(&unfinished.repeat(100_000)), "{unfinished}");
        }
    });
}

/// `_xlfn.SINGLE(x:y):z` of a file is printed as `(@(x:y)):z`, three levels for one. Formulas
/// within the limits stay within them when printed and parsed again.
#[test]
fn parentheses_added_by_the_printer_count_as_nesting() {
    on_small_stack(|| {
        let nested = |depth: usize| format!("{}A1{}", "_xlfn.SINGLE(".repeat(depth), "):A1".repeat(depth));
        let host = host("C5");
        let template = read(&nested(21), host);
        assert_eq!(read(&write(&template, host), host), template);
        assert!(is_read(&nested(21)) && !is_read(&nested(22)));
    });
}

#[test]
fn the_deepest_recursion_fits_the_stack() {
    on_small_stack(|| {
        // Each level descends through all precedences.
        let level = "A1=1&1+1*(A1,A1 A1:A1:F(";
        let formula = format!("{}1{}", level.repeat(28), "))".repeat(28));
        assert!(is_read(&formula));
        walk(&formula);
    });
}

#[test]
fn a_call_has_at_most_255_arguments() {
    let call = |count: usize| format!("SUM(1{})", ",1".repeat(count - 1));
    assert!(is_read(&call(255)));
    assert!(!is_read(&call(256)));
    assert!(!is_read(&format!("F({})", ",".repeat(255))));
}

#[test]
fn length_is_limited_to_8192_characters() {
    let text = |length: usize| format!("\"{}\"", "ä".repeat(length - 2));
    assert!(is_read(&text(LENGTH_MAX)));
    assert!(!is_read(&text(LENGTH_MAX + 1)));
    let long = text(1_000_000);
    assert_eq!(write(&read(&long, host("A1")), host("A1")), long);
    assert_eq!(tokens(&long).len(), 1);
}
