//! What holds for every text and every tree.

use proptest::prelude::*;
use quadrille_formula::{
    Area, BinaryOperator, Expression, Reference, Separators, Template, UnaryOperator, delocalized, localized,
    parse_r1c1, print_r1c1, resolve_area, tokens, visit_references,
};

use crate::generate;
use crate::notation::{Sheets, read, write};

/// Whether a host sees all targets on the sheet; otherwise they print as `#REF!`.
fn is_printable(template: &Template, host: quadrille_formula::Host) -> bool {
    let mut printable = true;
    visit_references(template, &mut |reference| {
        printable &= resolve_area(&reference.area, host.cell).is_some();
    });
    printable
}

/// The tree without what only says how it is written: parentheses, whether `A1:B2` is one area or two cells with
/// an operator between, and in which order ranges were spanned.
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

/// `A1:(B2:C3)` is `(A1:B2):C3`.
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
    fn both_notations_say_the_same(
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
    fn no_text_breaks_the_parser(text in generate::scribble(), host in generate::host()) {
        let template = read(&text, host);
        let printed = write(&template, host);
        prop_assert_eq!(read(&printed, host), template.clone(), "{}", printed);
        if let Expression::Invalid(kept) = template.expression() {
            prop_assert_eq!(&**kept, &text);
        }
    }

    #[test]
    fn formulas_survive_the_separators_of_a_place(template in generate::template(), host in generate::host()) {
        let stored = write(&template, host);
        for column in ['.', '\\'] {
            let place = Separators { decimal: ',', list: ';', column };
            let shown = localized(&stored, place);
            prop_assert_eq!(shown.len(), stored.len());
            prop_assert_eq!(&*delocalized(&shown, place), &*stored, "{}", shown);
        }
    }

    #[test]
    fn no_text_breaks_the_separators(text in generate::scribble()) {
        let place = Separators { decimal: ',', list: ';', column: '.' };
        prop_assert_eq!(delocalized(&text, place).len(), text.len());
        prop_assert_eq!(localized(&text, place).len(), text.len());
    }

    #[test]
    fn tokens_cover_all_but_blanks(text in generate::scribble()) {
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
    fn printing_keeps_the_meaning_of_any_tree(tree in generate::tree(), host in generate::host()) {
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
fn a_filled_formula_is_one_template() {
    use crate::notation::host;
    let first = read("SUM($A$1:A5)*@B5+C$1#", host("D5"));
    assert_eq!(read("sum( $a$1:A999 ) * @B999 + C$1#", host("D999")), first);
    assert_ne!(read("SUM($A$1:A5)*@B5+C$1#", host("D6")), first);
    assert!(matches!(
        first.expression(),
        Expression::Binary(BinaryOperator::Add, _, right) if matches!(**right, Expression::Unary(UnaryOperator::Spill, _))
    ));
}
