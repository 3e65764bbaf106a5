//! The schemas of filters and filter views.

use super::Field;
use super::field_types::{FieldType, LONG, OPERATORS, SHORT, Schema, on_sheet};

use Field as F;
use FieldType::*;

pub(super) static AUTO_FILTER: Schema = Schema { is_exclusive: true, ..on_sheet(1, 1, &[(F::Parent, Item)]) };

pub(super) static FILTER_VIEW: Schema = on_sheet(1, 1, &[(F::Name, SHORT), (F::Author, SHORT)]);

pub(super) static FILTER_COLUMN: Schema = on_sheet(
    1,
    1,
    &[
        (F::Parent, Item),
        (F::Shown, List(&LONG, 10_000)),
        (F::ShownDates, List(&Text(19), 10_000)),
        (F::ShowBlanks, Boolean),
        (F::Operator, OPERATORS),
        (F::Value1, SHORT),
        (F::Join, Choice(&["and", "or"])),
        (F::Operator2, OPERATORS),
        (F::Value2, SHORT),
        (
            F::Rule,
            Choice(&[
                "values",
                "condition",
                "top",
                "bottom",
                "aboveAverage",
                "belowAverage",
                "color",
                "textColor",
                "icon",
            ]),
        ),
        (F::Rank, Integer { min: 1.0, max: 500.0 }),
        (F::Percent, Boolean),
        (F::Color, Color),
        (F::IconSet, Text(40)),
        (F::IconIndex, Integer { min: 0.0, max: 4.0 }),
        // A sort key of a filter view; the one with the lowest priority comes first.
        (F::Order, Choice(&["ascending", "descending"])),
        (F::Priority, Number { min: 0.0, max: 1e9 }),
    ],
);
