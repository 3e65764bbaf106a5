//! What a pivot table computes: its source, fields and options.

use std::sync::Arc;

use quadrille_cell::{DateSystem, Range, SheetId, Value};

use crate::calculation::Calculation;
use crate::own_groups::OwnGroups;

/// The definition of a pivot table, with all references resolved. Columns count from the first
/// column of the source.
#[derive(Clone, PartialEq, Debug)]
pub struct Definition {
    pub sheet: SheetId,
    /// The source with its header row.
    pub source: Range,
    pub rows: Vec<GroupField>,
    pub columns: Vec<GroupField>,
    pub values: Vec<ValueField>,
    pub filters: Vec<FilterField>,
    /// Whether a last row shows the totals of each column.
    pub has_total_row: bool,
    /// Whether last columns show the totals of each row.
    pub has_total_column: bool,
    pub layout: Layout,
    /// Whether labels of outer fields are repeated on every row.
    pub repeats_labels: bool,
    pub total_label: Arc<str>,
    /// Label of subtotals; `*` stands for the label of the group.
    pub subtotal_label: Arc<str>,
    pub dates: DateSystem,
}

/// The arrangement of row fields, with the names of Excel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Layout {
    /// Each field has a column. Groups of outer fields begin in the row of their first inner group,
    /// and their subtotals follow them.
    #[default]
    Tabular,
    /// Each field has a column. Groups of outer fields have rows of their own, with their subtotals,
    /// above their inner groups.
    Outline,
    /// Like `Outline`, with all labels in one column, indented by field.
    Compact,
}

impl Layout {
    /// Every layout with its name in items.
    pub const NAMES: &'static [(Layout, &'static str)] =
        &[(Layout::Tabular, "tabular"), (Layout::Outline, "outline"), (Layout::Compact, "compact")];
}

/// A field by which rows of the source are grouped.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupField {
    pub column: u32,
    /// The text above the labels.
    pub name: Arc<str>,
    /// `Values` when the field has groups of one's own.
    pub grouping: Grouping,
    pub groups: Option<Arc<OwnGroups>>,
    pub is_descending: bool,
    /// The value field by whose totals the groups are ordered, instead of by label.
    pub sorted_by: Option<usize>,
    /// Whether each group has a subtotal; ignored for the innermost field.
    pub has_subtotals: bool,
    pub top: Option<Top>,
}

/// Keeps only the groups with the largest or smallest totals. Groups that tie with the last one
/// are kept.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Top {
    pub count: usize,
    pub is_smallest: bool,
    /// The value field that is compared.
    pub value: usize,
}

/// How the values of a column become groups.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Grouping {
    /// Each different value is a group; texts are compared case-insensitively.
    Values,
    Year,
    Quarter,
    Month,
    /// The day of the month.
    Day,
    Weekday,
    Hour,
    YearQuarter,
    YearMonth,
    /// The date without its time of day.
    Date,
    /// Intervals of equal length: `start..start + step`, and so on in both directions.
    Step {
        start: f64,
        step: f64,
    },
}

/// A field that is aggregated in each group.
#[derive(Clone, PartialEq, Debug)]
pub struct ValueField {
    /// The column that is aggregated; of a calculated field, the first one of its formula.
    pub column: u32,
    /// The text of the header, such as `SUM of Amount`.
    pub name: Arc<str>,
    /// `Sum` for calculated fields.
    pub function: Function,
    /// The formula of a calculated field.
    pub calculation: Option<Calculation>,
    pub shown_as: ShownAs,
    /// The number format of the values; that of the source when absent.
    pub number_format: Option<Arc<str>>,
}

/// How the values of a group become one value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    Sum,
    /// Counts cells that are not blank, as COUNTA does.
    Count,
    CountNumbers,
    /// Counts different values; texts are compared case-insensitively.
    CountUnique,
    Average,
    Minimum,
    Maximum,
    Median,
    Product,
    Deviation,
    DeviationPopulation,
    Variance,
    VariancePopulation,
}

impl Function {
    /// Every function with its name in items.
    pub const NAMES: &'static [(Function, &'static str)] = &[
        (Function::Sum, "sum"),
        (Function::Count, "count"),
        (Function::CountNumbers, "countNumbers"),
        (Function::CountUnique, "countUnique"),
        (Function::Average, "average"),
        (Function::Minimum, "minimum"),
        (Function::Maximum, "maximum"),
        (Function::Median, "median"),
        (Function::Product, "product"),
        (Function::Deviation, "deviation"),
        (Function::DeviationPopulation, "deviationPopulation"),
        (Function::Variance, "variance"),
        (Function::VariancePopulation, "variancePopulation"),
    ];

    /// The spreadsheet function with the same result, which names the value in headers.
    pub fn spreadsheet_name(self) -> &'static str {
        match self {
            Function::Sum => "SUM",
            Function::Count => "COUNTA",
            Function::CountNumbers => "COUNT",
            Function::CountUnique => "COUNTUNIQUE",
            Function::Average => "AVERAGE",
            Function::Minimum => "MIN",
            Function::Maximum => "MAX",
            Function::Median => "MEDIAN",
            Function::Product => "PRODUCT",
            Function::Deviation => "STDEV",
            Function::DeviationPopulation => "STDEVP",
            Function::Variance => "VAR",
            Function::VariancePopulation => "VARP",
        }
    }

    /// Whether the result counts cells, so that the number format of the source does not apply.
    pub fn is_count(self) -> bool {
        matches!(self, Function::Count | Function::CountNumbers | Function::CountUnique)
    }
}

/// What is shown instead of the aggregate itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShownAs {
    Value,
    PercentOfRow,
    PercentOfColumn,
    PercentOfTotal,
    /// Of the group that the row's group is part of.
    PercentOfParentRow,
    PercentOfParentColumn,
    /// The sum of this group and the groups before it.
    RunningTotal,
    /// The difference from the group before.
    Difference,
    PercentDifference,
    /// 1 for the largest of the groups beside it.
    Rank,
}

impl ShownAs {
    /// Every choice with its name in items.
    pub const NAMES: &'static [(ShownAs, &'static str)] = &[
        (ShownAs::Value, "value"),
        (ShownAs::PercentOfRow, "percentOfRow"),
        (ShownAs::PercentOfColumn, "percentOfColumn"),
        (ShownAs::PercentOfTotal, "percentOfTotal"),
        (ShownAs::PercentOfParentRow, "percentOfParentRow"),
        (ShownAs::PercentOfParentColumn, "percentOfParentColumn"),
        (ShownAs::RunningTotal, "runningTotal"),
        (ShownAs::Difference, "difference"),
        (ShownAs::PercentDifference, "percentDifference"),
        (ShownAs::Rank, "rank"),
    ];

    /// Whether the result is a percentage.
    pub fn is_percent(self) -> bool {
        use ShownAs::*;
        matches!(
            self,
            PercentOfRow
                | PercentOfColumn
                | PercentOfTotal
                | PercentOfParentRow
                | PercentOfParentColumn
                | PercentDifference
        )
    }
}

/// Rows of the source that count: those whose value in `column` is shown.
#[derive(Clone, PartialEq, Debug)]
pub struct FilterField {
    pub column: u32,
    /// Texts of the values that count, as cells display them in English; `None` when all do.
    pub shown: Option<Vec<Arc<str>>>,
    pub shows_blanks: bool,
    pub condition: Option<Condition>,
    /// The number format of the column, in which numbers are compared with `shown`.
    pub number_format: Option<Arc<str>>,
}

/// A condition of a filter.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    pub operator: Operator,
    pub value1: Value,
    /// The upper limit of `between`.
    pub value2: Value,
}

/// The comparison of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Between,
    NotBetween,
    Contains,
    NotContains,
    BeginsWith,
    EndsWith,
}

impl Operator {
    /// Every operator with its name in items.
    pub const NAMES: &'static [(Operator, &'static str)] = &[
        (Operator::Equal, "equal"),
        (Operator::NotEqual, "notEqual"),
        (Operator::Greater, "greater"),
        (Operator::GreaterOrEqual, "greaterOrEqual"),
        (Operator::Less, "less"),
        (Operator::LessOrEqual, "lessOrEqual"),
        (Operator::Between, "between"),
        (Operator::NotBetween, "notBetween"),
        (Operator::Contains, "contains"),
        (Operator::NotContains, "notContains"),
        (Operator::BeginsWith, "beginsWith"),
        (Operator::EndsWith, "endsWith"),
    ];
}

impl Grouping {
    /// Every grouping without parameters, with its name in items; `step` has parameters.
    pub const NAMES: &'static [(Grouping, &'static str)] = &[
        (Grouping::Values, "values"),
        (Grouping::Year, "year"),
        (Grouping::Quarter, "quarter"),
        (Grouping::Month, "month"),
        (Grouping::Day, "day"),
        (Grouping::Weekday, "weekday"),
        (Grouping::Hour, "hour"),
        (Grouping::YearQuarter, "yearQuarter"),
        (Grouping::YearMonth, "yearMonth"),
        (Grouping::Date, "date"),
    ];
}

impl Definition {
    /// Rows of the source below its header: the first, and the number of rows.
    pub fn data_rows(&self) -> (u32, u32) {
        (self.source.first().row.get() + 1, self.source.row_count() - 1)
    }

    /// All fields whose values decide the group of a row, rows first.
    pub fn group_fields(&self) -> impl Iterator<Item = &GroupField> {
        self.rows.iter().chain(&self.columns)
    }

    /// Columns that are aggregated in each group: one per value field, then the other columns of
    /// calculated fields.
    pub(crate) fn aggregates(&self) -> Vec<(u32, Function)> {
        let own = self.values.iter().map(|field| (field.column, field.function));
        let others = self.values.iter().filter_map(|field| field.calculation.as_ref()).flat_map(others);
        own.chain(others.map(|column| (column, Function::Sum))).collect()
    }

    /// For each calculated field its position, its formula and the positions of its columns in
    /// [`aggregates`](Self::aggregates).
    pub(crate) fn calculations(&self) -> Vec<(usize, &Calculation, Vec<usize>)> {
        let mut next = self.values.len();
        let mut found = Vec::new();
        for (position, field) in self.values.iter().enumerate() {
            let Some(calculation) = &field.calculation else { continue };
            let end = next + others(calculation).count();
            let own = (!calculation.columns.is_empty()).then_some(position);
            found.push((position, calculation, own.into_iter().chain(next..end).collect()));
            next = end;
        }
        found
    }

    /// Whether some value field is calculated.
    pub fn has_calculations(&self) -> bool {
        self.values.iter().any(|field| field.calculation.is_some())
    }

    /// Whether groups are ordered or left out by a calculated field.
    pub fn is_ordered_by_calculation(&self) -> bool {
        let is_calculated = |value: usize| self.values.get(value).is_some_and(|v| v.calculation.is_some());
        self.group_fields().any(|field| {
            field.sorted_by.is_some_and(is_calculated)
                || field.top.is_some_and(|top| is_calculated(top.value))
        })
    }

    /// Whether rows of the source fall into the same groups with the same aggregates as in
    /// `other`, so that only the layout has to be computed again.
    pub(crate) fn has_groups_of(&self, other: &Definition) -> bool {
        let same_fields = |a: &[GroupField], b: &[GroupField]| {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| a.column == b.column && a.grouping == b.grouping && a.groups == b.groups)
        };
        let same_values = self.values.len() == other.values.len()
            && self.values.iter().zip(&other.values).all(|(a, b)| {
                (a.column, a.function, &a.calculation) == (b.column, b.function, &b.calculation)
            });
        self.sheet == other.sheet
            && self.source.first() == other.source.first()
            && self.source.column_count() == other.source.column_count()
            && self.dates == other.dates
            && same_fields(&self.rows, &other.rows)
            && same_fields(&self.columns, &other.columns)
            && same_values
            && self.filters == other.filters
    }
}

/// The columns of a calculated field except the first one, which the field itself aggregates.
fn others(calculation: &Calculation) -> impl Iterator<Item = u32> {
    calculation.columns.iter().skip(1).copied()
}
