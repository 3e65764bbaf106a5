//! Tests of the examples in the registry.

use crate::support::{calculate, displayed};
use quadrille_functions::all;

#[test]
fn every_example_has_its_result() {
    let mut wrong = Vec::new();
    for function in all() {
        let values = calculate(&[], function.examples.iter().map(|(formula, _)| *formula));
        for ((formula, expected), value) in function.examples.iter().zip(values) {
            if displayed(&value) != *expected {
                wrong.push(format!("{formula} is {}, expected {expected}", displayed(&value)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples fail:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_function_has_a_description_and_examples() {
    for function in all() {
        let name = function.name;
        assert!(!function.examples.is_empty(), "{name} has no example");
        assert!(
            function.summary.ends_with('.') && function.summary.len() > 10,
            "{name}: {}",
            function.summary
        );
        assert!(function.arity.0 <= function.arity.1, "{name} takes {:?} arguments", function.arity);
        assert_eq!(quadrille_functions::lookup(name).map(|found| found.name), Some(name));
    }
    assert!(all().windows(2).all(|pair| pair[0].name < pair[1].name), "names are sorted and unique");
}
