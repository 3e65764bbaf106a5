//! The schema of pivot tables.

use super::Field;
use super::field_types::{ANY, FieldType, LONG, OPERATORS, SHORT, Schema, on_sheet};

use Field as F;
use FieldType::*;

/// Column of a pivot table's source: a reference to that column, which follows structural edits.
const SOURCE_COLUMN: (Field, FieldType) = (F::Column, Formula);
/// Fields of one axis of a pivot table, and its value fields, at most.
const PIVOT_FIELDS_MAX: usize = 32;
/// Number of a value field, counted from 0.
const VALUE_FIELD: FieldType = Integer { min: 0.0, max: PIVOT_FIELDS_MAX as f64 - 1.0 };

/// Groups of one's own in one field, and values in one of them, at most. Values without a group stand
/// for themselves.
const OWN_GROUPS_MAX: usize = 1_000;
const OWN_GROUP_VALUES_MAX: usize = 10_000;
const OWN_GROUP: FieldType = Record(&[(F::Name, SHORT), (F::Values, List(&LONG, OWN_GROUP_VALUES_MAX))]);

const PIVOT_GROUP: FieldType = Record(&[
    SOURCE_COLUMN,
    (F::Name, SHORT),
    (
        F::Grouping,
        Choice(&[
            "values",
            "year",
            "quarter",
            "month",
            "day",
            "weekday",
            "hour",
            "yearQuarter",
            "yearMonth",
            "date",
        ]),
    ),
    // Instead of a grouping.
    (F::Groups, List(&OWN_GROUP, OWN_GROUPS_MAX)),
    (F::Start, ANY),
    (F::Step, Number { min: 0.0, max: f64::MAX }),
    (F::Order, Choice(&["ascending", "descending"])),
    (F::SortBy, VALUE_FIELD),
    (F::Subtotals, Boolean),
    (F::Rank, Integer { min: 1.0, max: 1_048_576.0 }),
    (F::RankBy, VALUE_FIELD),
    (F::Rule, Choice(&["top", "bottom"])),
]);

const PIVOT_VALUE: FieldType = Record(&[
    SOURCE_COLUMN,
    // Of a calculated field, instead of a column: references to whole columns are their sums.
    (F::Formula, Formula),
    (F::Name, SHORT),
    (
        F::Function,
        Choice(&[
            "sum",
            "count",
            "countNumbers",
            "countUnique",
            "average",
            "minimum",
            "maximum",
            "median",
            "product",
            "deviation",
            "deviationPopulation",
            "variance",
            "variancePopulation",
        ]),
    ),
    (
        F::ShownAs,
        Choice(&[
            "value",
            "percentOfRow",
            "percentOfColumn",
            "percentOfTotal",
            "percentOfParentRow",
            "percentOfParentColumn",
            "runningTotal",
            "difference",
            "percentDifference",
            "rank",
        ]),
    ),
    (F::NumberFormat, SHORT),
]);

const PIVOT_FILTER: FieldType = Record(&[
    SOURCE_COLUMN,
    (F::Shown, List(&LONG, 10_000)),
    (F::ShowBlanks, Boolean),
    (F::Operator, OPERATORS),
    (F::Value1, SHORT),
    (F::Value2, SHORT),
]);

/// Exclusive, so that two pivot tables never begin in the same cell.
pub(super) static PIVOT_TABLE: Schema = Schema {
    is_exclusive: true,
    ..on_sheet(
        1,
        1,
        &[
            (F::Name, SHORT),
            (F::Source, Formula),
            (F::Rows, List(&PIVOT_GROUP, PIVOT_FIELDS_MAX)),
            (F::Columns, List(&PIVOT_GROUP, PIVOT_FIELDS_MAX)),
            (F::Values, List(&PIVOT_VALUE, PIVOT_FIELDS_MAX)),
            (F::Filters, List(&PIVOT_FILTER, PIVOT_FIELDS_MAX)),
            (F::ShowTotalRow, Boolean),
            (F::ShowTotalColumn, Boolean),
            (F::RepeatLabels, Boolean),
            (F::Layout, Choice(&["tabular", "outline", "compact"])),
            (F::TotalLabel, SHORT),
            (F::SubtotalLabel, SHORT),
        ],
    )
};
