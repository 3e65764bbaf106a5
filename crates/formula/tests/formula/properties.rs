//! Properties of arbitrary texts and trees.

use proptest::prelude::*;
use quadrille_formula::{
    Area, BinaryOperator, Expression, FunctionNames, Reference, Separators, Template, UnaryOperator,
    delocalized, localized, parse_r1c1, print_r1c1, resolve_area, tokens, visit_references,
};

use crate::generate;
use crate::notation::{Sheets, read, write};

/// Whether all references lie inside the sheet. Others are printed as `#REF!`.
fn is_printable(template: &Template, host: quadrille_formula::Host) -> bool {
    let mut printable = true;
    visit_references(template, &mut |reference| {
        printable &= resolve_area(&reference.area, host.cell).is_some();
    });
    printable
}

/// Normalizes differences of notation: parentheses, whether `A1:B2` is one area or two cells with
/// an operator, and the associativity of ranges.
fn meaning(expression: &Expression) -> Expression {
    let all = |expressions: &[Expression]| expressions.iter().map(meaning).collect::<Vec<_>>();
    match expression {
        Expression::Parenthesised(inner) => meaning(inner),
        Expression::Call { function, arguments } => {
            Expression::Call { function: function.clone(), arguments: all(arguments) }
        }
        Expression::Apply { callee, arguments } => {
            Expression::Apply { callee: Box::new(meaning(callee)), arguments: all(arguments) }
        }
        Expression::Unary(operator, operand) => Expression::Unary(*operator, Box::new(meaning(operand))),
        Expression::Binary(operator, left, right) => combined(*operator, meaning(left), meaning(right)),
        Expression::Reference(Reference { sheet, area: Area::Cells(first, last) }) => {
            let cell = |sheet: &Option<_>, cell| {
                Expression::Reference(Reference { sheet: Clone::clone(sheet), area: Area::Cell(cell) })
            };
            combined(BinaryOperator::Range, cell(sheet, *first), cell(&None, *last))
        }
        other => other.clone(),
    }
}

/// Builds a binary operation, with `A1:(B2:C3)` as `(A1:B2):C3`.
fn combined(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    match right {
        Expression::Binary(BinaryOperator::Range, first, last) if operator == BinaryOperator::Range => {
            Expression::Binary(operator, Box::new(combined(operator, left, *first)), last)
        }
        right => Expression::Binary(operator, Box::new(left), Box::new(right)),
    }
}

proptest! {
    #![proptest_config(generate::config())]

    #[test]
    fn a1_and_r1c1_notation_are_equivalent(
        left in generate::reference(),
        right in generate::reference(),
        host in generate::host(),
    ) {
        let references = [left, right].map(|reference| Box::new(Expression::Reference(reference)));
        let [left, right] = references;
        let template = Template::new(Expression::Binary(BinaryOperator::Add, left, right));
        prop_assume!(is_printable(&template, host));
        let a1 = write(&template, host);
        let r1c1 = print_r1c1(&template, host, &Sheets);
        prop_assert_eq!(write(&parse_r1c1(&r1c1, host, &Sheets), host), a1, "{}", r1c1);
    }

    #[test]
    fn printed_text_parses_to_the_same_template(text in generate::formula_like_text(), host in generate::host()) {
        let template = read(&text, host);
        let printed = write(&template, host);
        prop_assert_eq!(read(&printed, host), template.clone(), "{}", printed);
        if let Expression::Invalid(invalid) = template.expression() {
            prop_assert_eq!(&**invalid, &text);
        }
    }

    #[test]
    fn delocalized_undoes_localized(template in generate::template(), host in generate::host()) {
        let stored = write(&template, host);
        for column in ['.', '\\'] {
            let separators = Separators { decimal: ',', list: ';', column };
            let displayed = localized(&stored, separators, &FunctionNames::ENGLISH);
            prop_assert_eq!(displayed.len(), stored.len());
            prop_assert_eq!(&*delocalized(&displayed, separators, &FunctionNames::ENGLISH), &*stored, "{}", displayed);
        }
    }

    #[test]
    fn converting_separators_keeps_the_length(text in generate::formula_like_text()) {
        let separators = Separators { decimal: ',', list: ';', column: '.' };
        prop_assert_eq!(delocalized(&text, separators, &FunctionNames::ENGLISH).len(), text.len());
        prop_assert_eq!(localized(&text, separators, &FunctionNames::ENGLISH).len(), text.len());
    }

    #[test]
    fn tokens_cover_all_but_whitespace(text in generate::formula_like_text()) {
        let mut at = 0;
        for token in tokens(&text) {
            prop_assert!(at <= token.start && token.start < token.end, "{:?}", token);
            prop_assert!(text[at..token.start].trim().is_empty());
            at = token.end;
            prop_assert!(text.is_char_boundary(at));
        }
        prop_assert!(text[at..].trim().is_empty());
    }

    #[test]
    fn printing_and_parsing_keep_the_meaning_of_any_tree(tree in generate::tree(), host in generate::host()) {
        let template = Template::new(tree);
        prop_assume!(is_printable(&template, host));
        let printed = write(&template, host);
        let parsed = read(&printed, host);
        prop_assert_eq!(meaning(parsed.expression()), meaning(template.expression()), "{}", printed);
    }

    #[test]
    fn parsing_undoes_printing_from_any_host(
        tree in generate::tree(),
        host in generate::host(),
        other in generate::host(),
    ) {
        let template = Template::new(tree);
        prop_assume!(is_printable(&template, host));
        let parsed = read(&write(&template, host), host);
        prop_assert_eq!(&read(&write(&parsed, host), host), &parsed);
        prop_assume!(is_printable(&parsed, other));
        prop_assert_eq!(read(&write(&parsed, other), other), parsed);
    }
}

#[test]
fn a_filled_down_formula_has_one_template() {
    use crate::notation::host;
    let first = read("SUM($A$1:A5)*@B5+C$1#", host("D5"));
    assert_eq!(read("sum( $a$1:A999 ) * @B999 + C$1#", host("D999")), first);
    assert_ne!(read("SUM($A$1:A5)*@B5+C$1#", host("D6")), first);
    assert!(matches!(
        first.expression(),
        Expression::Binary(BinaryOperator::Add, _, right) if matches!(**right, Expression::Unary(UnaryOperator::Spill, _))
    ));
}
