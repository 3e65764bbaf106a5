//! Properties of all functions: for arbitrary arguments they return a valid value within their
//! budget.

use proptest::prelude::*;
use quadrille_cell::{Array, CellAddress, ErrorValue, Range, SheetId, Value};
use quadrille_functions::{
    Budget, CallContext, EvaluationContext, Operand, RangeArea, RangeOperand, RangeView, TEXT_LENGTH_MAX, all,
};

fn value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        prop::sample::select(vec![
            0.0,
            1.0,
            -1.0,
            2.0,
            3.0,
            0.5,
            -0.5,
            1e-300,
            1e300,
            -1e308,
            1e15,
            9.1e18,
            -9.3e18,
            2_147_483_648.0,
            255.0,
            60.0,
            2_958_465.0,
            2_958_466.0,
            45_000.5,
            1_048_577.0,
        ]),
        -50.0..50.0f64,
        any::<f64>(),
    ];
    let text = prop_oneof![
        prop::sample::select(vec![
            "",
            "a",
            "*",
            "~",
            "é😀ß",
            "12%",
            "2024-05-01",
            ">=3",
            "<>",
            "=",
            "0.00",
            "yyyy",
            "[h]:mm",
            "Y",
            "MD",
            "1111111",
            "TRUE",
            "A1",
            "9999999999999999999999",
            "0E+0;;;",
            "# ??/??",
            "[>",
            "\"",
            "9:99",
            "1e999",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,12}",
        (1..2000usize).prop_map(|count| "a*".repeat(count)),
    ];
    prop_oneof![
        6 => number.prop_map(Value::number),
        4 => text.prop_map(Value::text),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Blank),
        1 => prop::sample::select(ErrorValue::ALL.to_vec()).prop_map(Value::Error),
    ]
}

#[derive(Clone, Debug)]
enum Argument {
    Missing,
    Value(Value),
    Array(Array),
    Range(Array),
}

fn argument() -> impl Strategy<Value = Argument> {
    let array = (1..5u32, 1..4u32).prop_flat_map(|(rows, columns)| {
        let values = prop::collection::vec(value(), (rows * columns) as usize);
        values.prop_map(move |values| Array::new(rows, columns, values).expect("as many values as cells"))
    });
    prop_oneof![
        1 => Just(Argument::Missing),
        6 => value().prop_map(Argument::Value),
        2 => array.clone().prop_map(Argument::Array),
        2 => array.prop_map(Argument::Range),
    ]
}

fn operand(argument: &Argument) -> Operand<'_> {
    match argument {
        Argument::Missing => Operand::Missing,
        Argument::Value(value) => Operand::Value(value.clone()),
        Argument::Array(array) => Operand::Array(array.clone()),
        Argument::Range(view) => {
            let last = CellAddress::clamped(view.rows() + 6, view.columns() + 3);
            let range = Range::new(CellAddress::clamped(7, 4), last);
            let view: &dyn RangeView = view;
            Operand::Range(RangeOperand { areas: vec![RangeArea { sheet: SheetId(1), range, view }] })
        }
    }
}

fn is_valid(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_finite() && (*number != 0.0 || number.is_sign_positive()),
        Value::Text(text) => text.encode_utf16().count() <= TEXT_LENGTH_MAX,
        _ => true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_function_returns_a_valid_value(arguments in prop::collection::vec(argument(), 0..7)) {
        let operands: Vec<Operand> = arguments.iter().map(operand).collect();
        for function in all() {
            let mut budget = Budget { steps_left: 2_000_000, cells_left: 100_000, ..Budget::UNLIMITED };
            let time_and_seed = EvaluationContext { time_ms: 1_750_000_000_000, seed: 7 };
            let mut context = CallContext::new(SheetId(1), CellAddress::clamped(3, 3), time_and_seed, &mut budget);
            // At most the maximum number of arguments.
            let most = usize::from(function.arity.1).min(operands.len());
            let result = function.call(&mut context, &operands[..most]);
            let valid = match &result {
                Operand::Value(value) => is_valid(value),
                Operand::Array(array) => array.values().iter().all(is_valid),
                Operand::Reference(..) => true,
                Operand::Range(_) | Operand::Missing => false,
            };
            prop_assert!(valid, "{} of {:?}", function.name, &arguments[..most]);
        }
    }
}

#[test]
fn results_beyond_the_budget_are_rejected_before_allocation() {
    let number = |number: f64| Operand::Value(Value::number(number));
    let cases = [
        ("SEQUENCE", vec![number(1_048_576.0), number(16_384.0)], ErrorValue::Calculation),
        ("RANDARRAY", vec![number(1_048_576.0), number(16_384.0)], ErrorValue::Calculation),
        ("REPT", vec![Operand::Value(Value::text("x")), number(1e12)], ErrorValue::Value),
        ("EXPAND", vec![number(1.0), number(1_048_576.0), number(16_384.0)], ErrorValue::Calculation),
    ];
    for (name, arguments, error) in cases {
        let mut budget = Budget { steps_left: 10_000_000, cells_left: 5_000_000, ..Budget::UNLIMITED };
        let mut context = CallContext::new(
            SheetId(1),
            CellAddress::clamped(0, 0),
            EvaluationContext::default(),
            &mut budget,
        );
        let function = quadrille_functions::lookup(name).expect("the function exists");
        let result = function.call(&mut context, &arguments);
        assert!(matches!(result, Operand::Value(Value::Error(found)) if found == error), "{name}");
    }
}
