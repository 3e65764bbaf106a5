//! Tests of the visitors.

use quadrille_formula::{visit_calls, visit_names, visit_references};

use crate::notation::{host, read, tree};

#[test]
fn bound_parameters_are_not_visited_as_names() {
    for (formula, names) in [
        ("rate*2", "rate"),
        ("LET(x,1,x+y)", "y"),
        ("LET(x,x,X)", "x"),
        ("LET(a,b,b,a,a+b)+b", "b b"),
        ("LET(x,1,LET(y,x,x+y+z))+y", "z y"),
        ("LAMBDA(x,y,x*y*z)(x,1)", "z x"),
        ("LAMBDA(Größe,gRÖSSE+größe)", "gRÖSSE"),
        ("LAMBDA(x,y)", "y"),
        ("LAMBDA(x)", "x"),
        ("MAP(data,LAMBDA(v,v*rate))", "data rate"),
        ("Sheet2!rate total", "#2!rate total"),
        ("@a#%+(-b)", "a b"),
    ] {
        let mut found = Vec::new();
        visit_names(&read(formula, host("A1")), &mut |name| found.push(name.to_owned()));
        assert_eq!(found.join(" "), names, "{formula}");
    }
}

#[test]
fn references_and_calls_are_visited_from_left_to_right() {
    let host = host("B2");
    let template = read("SUM(A1,Sheet2!B:B)+INDEX(C1:C9,MAX(3:3))-LAMBDA(x,x+D$4)(E5#)", host);
    let mut references = Vec::new();
    visit_references(&template, &mut |reference| {
        references.push(tree(&quadrille_formula::Expression::Reference(reference.clone()), host));
    });
    assert_eq!(references.join(" "), "A1 Sheet2!B:B C1:C9 3:3 D$4 E5");
    let mut calls = Vec::new();
    visit_calls(&template, &mut |name, arguments| calls.push(format!("{name}/{}", arguments.len())));
    assert_eq!(calls.join(" "), "SUM/2 INDEX/2 MAX/1 LAMBDA/2");
}
