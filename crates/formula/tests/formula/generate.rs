//! Generators of random templates, hosts, edits and texts.

use proptest::prelude::*;
use quadrille_cell::{COLUMNS_MAX, Dimension, EditKind, ErrorValue, ROWS_MAX, SheetId, StructuralEdit};
use quadrille_formula::{
    Area, BinaryOperator, CellReference, Coordinate, Expression, Host, Reference, SheetReference, Template,
    UnaryOperator,
};

use crate::notation::cell;

/// 2,048 cases, or eight times `PROPTEST_CASES`. Many random references lie outside the sheet and
/// are rejected.
pub fn config() -> ProptestConfig {
    let base = ProptestConfig::default();
    ProptestConfig { cases: base.cases * 8, max_global_rejects: u32::MAX, failure_persistence: None, ..base }
}

/// Indices near the start or the end of the sheet, where edge cases occur.
pub fn index(len_max: u32) -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0u32..14, 1 => len_max - 8..len_max]
}

pub fn host() -> impl Strategy<Value = Host> {
    (1u32..4, index(ROWS_MAX), index(COLUMNS_MAX))
        .prop_map(|(sheet, row, column)| Host { sheet: SheetId(sheet), cell: cell(row, column) })
}

pub fn edit() -> impl Strategy<Value = StructuralEdit> {
    let dimension = prop_oneof![2 => Just(Dimension::Rows), 1 => Just(Dimension::Columns)];
    let kind =
        prop_oneof![Just(EditKind::Insert), Just(EditKind::Delete), Just(EditKind::Move { to: u32::MAX })];
    (1u32..3, dimension, kind).prop_flat_map(|(sheet, dimension, kind)| {
        let end = dimension.len_max();
        let count = prop_oneof![8 => 1u32..6, 1 => end - 8..=end];
        (index(end), count, index(end + 1)).prop_map(move |(at, count, to)| {
            let count = if kind == EditKind::Insert { count } else { count.min(end - at) };
            let kind = if let EditKind::Move { .. } = kind { EditKind::Move { to } } else { kind };
            StructuralEdit { sheet: SheetId(sheet), dimension, kind, at, count }
        })
    })
}

/// A coordinate that for hosts near the start mostly lies inside the sheet.
fn coordinate(len_max: u32) -> impl Strategy<Value = Coordinate> {
    prop_oneof![
        4 => index(len_max).prop_map(Coordinate::Absolute),
        6 => (-4i32..10).prop_map(Coordinate::Relative),
        1 => (len_max as i32 - 20..len_max as i32).prop_map(Coordinate::Relative),
        1 => (-(len_max as i32)..20 - len_max as i32).prop_map(Coordinate::Relative),
    ]
}

fn cell_reference() -> impl Strategy<Value = CellReference> {
    (coordinate(ROWS_MAX), coordinate(COLUMNS_MAX)).prop_map(|(row, column)| CellReference { row, column })
}

fn area() -> impl Strategy<Value = Area> {
    prop_oneof![
        3 => cell_reference().prop_map(Area::Cell),
        3 => (cell_reference(), cell_reference()).prop_map(|(a, b)| Area::Cells(a, b)),
        1 => (coordinate(ROWS_MAX), coordinate(ROWS_MAX)).prop_map(|(a, b)| Area::Rows(a, b)),
        1 => (coordinate(COLUMNS_MAX), coordinate(COLUMNS_MAX)).prop_map(|(a, b)| Area::Columns(a, b)),
    ]
}

fn sheet() -> impl Strategy<Value = Option<SheetReference>> {
    prop_oneof![
        6 => Just(None),
        3 => (1u32..10).prop_map(|id| Some(SheetReference::Sheet(SheetId(id)))),
        1 => (1u32..10, 1u32..10)
            .prop_map(|(a, b)| Some(SheetReference::Sheets(SheetId(a), SheetId(b)))),
        1 => "(\\PC|[a-z' ]){1,5}".prop_filter_map("no name of a sheet", |name| {
            let is_known = name.contains(':') || name.trim() != name;
            (!is_known).then(|| Some(SheetReference::Unknown(name.as_str().into())))
        }),
    ]
}

pub fn reference() -> impl Strategy<Value = Reference> {
    (sheet(), area()).prop_map(|(sheet, area)| Reference { sheet, area })
}

fn constant() -> impl Strategy<Value = Expression> {
    prop_oneof![
        (0.0f64..1e9).prop_map(Expression::Number),
        (0u32..1000).prop_map(|number| Expression::Number(f64::from(number))),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(|number| Expression::Number(number.abs())),
        "\\PC{0,6}|[\"' ]{0,3}".prop_map(|text| Expression::Text(text.as_str().into())),
        any::<bool>().prop_map(Expression::Boolean),
        proptest::sample::select(&ErrorValue::ALL[..]).prop_map(Expression::Error),
    ]
}

fn array() -> impl Strategy<Value = Expression> {
    (1usize..4).prop_flat_map(|columns| {
        let row = proptest::collection::vec(constant(), columns);
        proptest::collection::vec(row, 1..3).prop_map(Expression::Array)
    })
}

fn leaf() -> impl Strategy<Value = Expression> {
    prop_oneof![
        2 => constant(),
        1 => array(),
        1 => "[a-z_äß日][a-z_äß日]{3,5}[a-z0-9.?]{0,2}".prop_map(|name| Expression::Name(name.as_str().into())),
        1 => prop_oneof![
            Just("Prices[Amount]"), Just("Prices[@[Unit price]]"), Just("Prices[[#All],[a]]"), Just("[@b]"),
        ]
        .prop_map(|name| Expression::Name(name.into())),
        4 => reference().prop_map(Expression::Reference),
    ]
}

/// Operators that accept any operand.
const VALUE_OPERATORS: [BinaryOperator; 12] = [
    BinaryOperator::Add,
    BinaryOperator::Subtract,
    BinaryOperator::Multiply,
    BinaryOperator::Divide,
    BinaryOperator::Power,
    BinaryOperator::Concatenate,
    BinaryOperator::Equal,
    BinaryOperator::NotEqual,
    BinaryOperator::Less,
    BinaryOperator::LessOrEqual,
    BinaryOperator::Greater,
    BinaryOperator::GreaterOrEqual,
];

const REFERENCE_OPERATORS: [BinaryOperator; 3] =
    [BinaryOperator::Range, BinaryOperator::Union, BinaryOperator::Intersection];

const UNARY_OPERATORS: [UnaryOperator; 4] =
    [UnaryOperator::Minus, UnaryOperator::Plus, UnaryOperator::Percent, UnaryOperator::ImplicitIntersection];

/// An arbitrary tree, without the parentheses that its text needs, as an importer could build it.
pub fn tree() -> impl Strategy<Value = Expression> {
    leaf().prop_recursive(5, 40, 3, |inner| {
        let arguments = proptest::collection::vec(
            prop_oneof![9 => inner.clone(), 1 => Just(Expression::Missing)],
            0..4,
        )
        // `F()` has no argument, not a missing one.
        .prop_map(|arguments| if arguments == [Expression::Missing] { Vec::new() } else { arguments });
        let boxed = inner.clone().prop_map(Box::new);
        let referring = (reference(), boxed.clone())
            .prop_map(|(reference, inner)| match is_constant(&inner) {
                true => Box::new(Expression::Reference(reference)),
                false => inner,
            })
            .boxed();
        prop_oneof![
            3 => (proptest::sample::select(&VALUE_OPERATORS[..]), boxed.clone(), boxed.clone())
                .prop_map(|(operator, left, right)| Expression::Binary(operator, left, right)),
            1 => (proptest::sample::select(&REFERENCE_OPERATORS[..]), referring.clone(), referring.clone())
                .prop_map(|(operator, left, right)| Expression::Binary(operator, left, right)),
            2 => (proptest::sample::select(&UNARY_OPERATORS[..]), boxed.clone())
                .prop_map(|(operator, operand)| Expression::Unary(operator, operand)),
            1 => referring.prop_map(|operand| Expression::Unary(UnaryOperator::Spill, operand)),
            1 => boxed.clone().prop_map(Expression::Parenthesised),
            2 => ("[A-Z_][A-Z_]{3,4}[A-Z0-9.]{0,2}", arguments.clone())
                .prop_map(|(function, arguments)| Expression::Call { function: function.as_str().into(), arguments }),
            1 => (boxed, arguments)
                .prop_map(|(callee, arguments)| Expression::Apply { callee, arguments }),
        ]
    })
}

/// Whether an expression cannot be a reference, even with `@`.
fn is_constant(expression: &Expression) -> bool {
    match expression {
        Expression::Number(_) | Expression::Text(_) | Expression::Boolean(_) | Expression::Array(_) => true,
        Expression::Unary(UnaryOperator::ImplicitIntersection, operand) => is_constant(operand),
        _ => false,
    }
}

pub fn template() -> impl Strategy<Value = Template> {
    tree().prop_map(Template::new)
}

/// Text of formula elements in random order, mostly invalid.
pub fn formula_like_text() -> impl Strategy<Value = String> {
    let pieces = [
        "A1",
        "$B$2",
        "A:A",
        "3:5",
        "1",
        "2.5",
        ".5",
        "1e3",
        "\"a\"",
        "\"\"",
        "\"",
        "'",
        "'My Sheet'!",
        "Sheet2!",
        "Jan:Mar!",
        "Missing!",
        "#REF!",
        "#N/A",
        "#",
        "@",
        "%",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        ";",
        ":",
        " ",
        "+",
        "-",
        "*",
        "/",
        "^",
        "&",
        "=",
        "<",
        ">",
        "<>",
        "!",
        "$",
        "SUM(",
        "LOG10(",
        "LET(",
        "LAMBDA(x,",
        "TRUE",
        "rate",
        "x",
        "ä",
        "日本",
        "😀",
        "\u{a0}",
        "\0",
        "_xlfn.",
        "_xlfn.SINGLE(",
        "R1C1",
        "\\",
        "?",
        "~",
    ];
    let piece = prop_oneof![
        9 => proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,3}",
    ];
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}
