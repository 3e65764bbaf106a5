//! Intermediate results of an evaluation.

use std::sync::Arc;

use quadrille_cell::{Array, ErrorValue, Range, SheetId, Value};
use quadrille_formula::Expression;
use quadrille_functions::{Function, Operand, RangeArea, RangeOperand, RangeView};

/// Why an evaluation cannot continue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stop {
    /// A cell of the range must be evaluated first.
    Need(SheetId, Range),
    /// The evaluation is cancelled.
    Cancelled,
}

pub(crate) type Evaluation<T> = Result<T, Stop>;

/// Result of an expression. References are not dereferenced until values are needed.
#[derive(Clone)]
pub(crate) enum Item<'a> {
    Value(Value),
    Array(Array),
    /// One area, or several: a union, or an area on several sheets.
    Reference(Areas),
    Lambda(Arc<Lambda<'a>>),
    Missing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Areas {
    One(SheetId, Range),
    Many(Vec<(SheetId, Range)>),
}

impl Areas {
    /// All areas.
    pub fn as_slice(&self) -> Vec<(SheetId, Range)> {
        match self {
            Areas::One(sheet, range) => vec![(*sheet, *range)],
            Areas::Many(areas) => areas.clone(),
        }
    }
}

impl From<ErrorValue> for Item<'_> {
    fn from(error: ErrorValue) -> Self {
        Item::Value(Value::Error(error))
    }
}

/// The result of a formula: one value, or an array that spills.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Value(Value),
    Array(Array),
}

/// A function as a value.
pub(crate) enum Lambda<'a> {
    /// A LAMBDA in a formula, with the variables in scope where it was defined.
    Defined {
        parameters: Vec<&'a str>,
        /// The minimum number of arguments.
        required: usize,
        body: &'a Expression,
        scope: Vec<(&'a str, Item<'a>)>,
    },
    /// The name of a library function in place of a lambda: `BYROW(A1:B3,SUM)`.
    Library(&'static Function),
}

impl Lambda<'_> {
    /// The error shown where a value is needed. The name of a function is an unknown name there.
    pub fn value_error(&self) -> ErrorValue {
        match self {
            Lambda::Defined { .. } => ErrorValue::Calculation,
            Lambda::Library(_) => ErrorValue::Name,
        }
    }

    /// The name that GROUPBY shows above a column.
    pub fn name(&self) -> &'static str {
        match self {
            Lambda::Defined { .. } => "CUSTOM",
            Lambda::Library(function) => function.name,
        }
    }

    /// Whether GROUPBY also passes the values of the whole set, as PERCENTOF needs.
    pub fn takes_whole_set(&self) -> bool {
        match self {
            Lambda::Defined { parameters, .. } => parameters.len() > 1,
            Lambda::Library(function) => function.name == "PERCENTOF",
        }
    }
}

/// An item whose references have been read.
pub(crate) enum Values {
    One(Value),
    Array(Array),
}

/// What the result of a part of a formula may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartKind {
    /// A value or an array.
    Values,
    /// References stay references.
    Reference,
    /// The result of the formula: blank is 0.
    Formula,
}

/// Whether an operator is the outermost one of a formula. Within parentheses it is not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OperatorPosition {
    Inner,
    Outermost,
}

/// Makes an operand of an item and the views of its areas.
pub(super) fn operand<'v, V: RangeView>(
    (item, views): (Item<'_>, &'v Vec<(SheetId, Range, V)>),
) -> Operand<'v> {
    match item {
        Item::Value(value) => Operand::Value(value),
        Item::Array(array) => Operand::Array(array),
        Item::Missing => Operand::Missing,
        Item::Lambda(lambda) => Operand::error(lambda.value_error()),
        Item::Reference(_) => {
            let area = |(sheet, range, view): &'v (SheetId, Range, V)| RangeArea {
                sheet: *sheet,
                range: *range,
                view,
            };
            Operand::Range(RangeOperand { areas: views.iter().map(area).collect() })
        }
    }
}

impl Item<'_> {
    /// The item, or the error of a lambda.
    pub fn without_lambda(self) -> Item<'static> {
        match self {
            Item::Value(value) => Item::Value(value),
            Item::Array(array) => Item::Array(array),
            Item::Reference(areas) => Item::Reference(areas),
            Item::Lambda(lambda) => lambda.value_error().into(),
            Item::Missing => Item::Missing,
        }
    }

    pub(super) fn from_result(result: Operand<'static>) -> Self {
        match result {
            Operand::Value(value) => Item::Value(value),
            Operand::Array(array) => Item::Array(array),
            Operand::Reference(sheet, range) => Item::Reference(Areas::One(sheet, range)),
            Operand::Missing => Item::Missing,
            Operand::Range(_) => ErrorValue::Value.into(),
        }
    }
}
