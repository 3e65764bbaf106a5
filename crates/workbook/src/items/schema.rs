//! The schema of each kind of item: its fields with their types and limits.
//!
//! A new kind of item is an entry here and in `names.rs`. Apply, invert, rebase, the binary
//! encoding, JSON and the client's types are derived from the schema.

use super::field_types::{ANY, FieldType, Fields, ItemHome, LONG, OPERATORS, SHORT, Schema, on_sheet};
use super::filter_schema::{AUTO_FILTER, FILTER_COLUMN, FILTER_VIEW};
use super::pivot_schema::PIVOT_TABLE;
use super::{Field, ItemKind};
use Field as F;
use FieldType::*;

const PIXELS: FieldType = Number { min: 0.0, max: 20_000.0 };
/// Three sections of 255 characters and the codes between them.
const HEADER: FieldType = Text(771);
const INCHES: FieldType = Number { min: 0.0, max: 100.0 };
/// Milliseconds since 1970-01-01, up to the end of the year 9999.
const TIME: FieldType = Integer { min: 0.0, max: 253_402_300_799_999.0 };

/// Characters of a title, at most: it must fit a browser tab, a list of workbooks and a file name.
pub const WORKBOOK_TITLE_MAX: usize = 200;

/// The format that a conditional format sets; field names are those of a cell's format.
const FORMAT: FieldType = Record(&[
    (F::Bold, Boolean),
    (F::Italic, Boolean),
    (F::Underline, Boolean),
    (F::Strikethrough, Boolean),
    (F::TextColor, Color),
    (F::FillColor, Color),
    (F::BorderColor, Color),
    (F::NumberFormat, SHORT),
]);

const BORDER: FieldType = Record(&[
    (
        F::Style,
        Choice(&[
            "thin",
            "medium",
            "thick",
            "dashed",
            "dotted",
            "double",
            "hair",
            "mediumDashed",
            "dashDot",
            "mediumDashDot",
            "dashDotDot",
            "mediumDashDotDot",
            "slantDashDot",
        ]),
    ),
    (F::Color, Color),
]);

/// All attributes of a cell's format, by the same names.
const CELL_FORMAT: FieldType = Record(&[
    (F::NumberFormat, SHORT),
    (F::Bold, Boolean),
    (F::Italic, Boolean),
    (F::Underline, Boolean),
    (F::Strikethrough, Boolean),
    (F::Wrap, Boolean),
    (
        F::Horizontal,
        Choice(&["left", "center", "right", "justify", "distributed", "fill", "centerContinuous"]),
    ),
    (F::Vertical, Choice(&["top", "middle", "bottom", "justify", "distributed"])),
    (F::TextColor, Color),
    (F::FillColor, Color),
    (F::BorderTop, BORDER),
    (F::BorderRight, BORDER),
    (F::BorderBottom, BORDER),
    (F::BorderLeft, BORDER),
    (F::FontFamily, SHORT),
    (F::FontSize, Number { min: 1.0, max: 409.0 }),
    (F::Indent, Integer { min: 0.0, max: 250.0 }),
    (F::Rotation, Integer { min: -90.0, max: 255.0 }),
    (F::Overflow, Choice(&["clip", "shrink"])),
    (F::UnderlineStyle, Choice(&["double", "singleAccounting", "doubleAccounting"])),
    (F::Script, Choice(&["superscript", "subscript"])),
    (F::BorderDiagonalUp, BORDER),
    (F::BorderDiagonalDown, BORDER),
    (
        F::FillPattern,
        Choice(&[
            "mediumGray",
            "darkGray",
            "lightGray",
            "darkHorizontal",
            "darkVertical",
            "darkDown",
            "darkUp",
            "darkGrid",
            "darkTrellis",
            "lightHorizontal",
            "lightVertical",
            "lightDown",
            "lightUp",
            "lightGrid",
            "lightTrellis",
            "gray125",
            "gray0625",
        ]),
    ),
    (F::FillPatternColor, Color),
    (F::QuotePrefix, Boolean),
    (F::ReadingOrder, Choice(&["leftToRight", "rightToLeft"])),
]);

const STOP: FieldType = Record(&[
    (F::At, Choice(&["minimum", "maximum", "number", "percent", "percentile", "formula", "automatic"])),
    (F::Value, ANY),
    (F::Formula, Formula),
    (F::Color, Color),
    (F::OrEqual, Boolean),
]);

const CHART_TYPES: FieldType = Choice(&[
    "line",
    "bar",
    "column",
    "area",
    "pie",
    "doughnut",
    "scatter",
    "bubble",
    "radar",
    "combo",
    "stock",
    "histogram",
    "boxPlot",
    "waterfall",
    "funnel",
    "treemap",
    "heatMap",
    "gauge",
    "map",
]);

const SERIES: FieldType = Record(&[
    (F::Name, Formula),
    (F::Values, Formula),
    (F::Categories, Formula),
    (F::Sizes, Formula),
    (F::Type, CHART_TYPES),
    (F::Axis, Choice(&["primary", "secondary"])),
    (F::Color, Color),
    (F::Smooth, Boolean),
    (F::Markers, Boolean),
    (F::Labels, Boolean),
    (F::LabelCells, Formula),
    (F::Trendline, Choice(&["none", "linear", "exponential", "logarithmic", "polynomial", "movingAverage"])),
    // `ST_Order` of ECMA-376 part 1, chapter 21.2. `ST_Period` has no upper limit there.
    (F::TrendlineOrder, Integer { min: 2.0, max: 6.0 }),
    (F::TrendlinePeriod, Integer { min: 2.0, max: 255.0 }),
    (F::TrendlineEquation, Boolean),
    (F::TrendlineRSquared, Boolean),
    (F::TrendlineForward, Number { min: 0.0, max: f64::MAX }),
    (F::TrendlineBackward, Number { min: 0.0, max: f64::MAX }),
    (F::TrendlineIntercept, ANY),
    (F::ErrorBars, Choice(&["none", "fixed", "percent", "standardDeviation", "standardError"])),
    (F::ErrorAmount, Number { min: 0.0, max: f64::MAX }),
    (F::ErrorDirection, Choice(&["both", "plus", "minus"])),
]);

/// Schema of an item that is attached to one cell and moves with it.
const fn of_cell(fields: Fields) -> Schema {
    Schema { follows_sort: true, ..on_sheet(1, 1, fields) }
}

/// Ranges of one conditional format, validation or protection, at most.
const RANGES_MAX: usize = 1_000;

impl ItemKind {
    /// The schema of this kind.
    pub const fn schema(self) -> &'static Schema {
        match self {
            ItemKind::SheetSettings => &SHEET_SETTINGS,
            ItemKind::WorkbookSettings => &WORKBOOK_SETTINGS,
            ItemKind::Merge => &MERGE,
            ItemKind::ConditionalRule => &CONDITIONAL_RULE,
            ItemKind::Validation => &VALIDATION,
            ItemKind::AutoFilter => &AUTO_FILTER,
            ItemKind::FilterColumn => &FILTER_COLUMN,
            ItemKind::Chart => &CHART,
            ItemKind::Note => &NOTE,
            ItemKind::CommentThread => &COMMENT_THREAD,
            ItemKind::Comment => &COMMENT,
            ItemKind::Image => &IMAGE,
            ItemKind::Sparkline => &SPARKLINE,
            ItemKind::Table => &TABLE,
            ItemKind::TableColumn => &TABLE_COLUMN,
            ItemKind::ProtectedRange => &PROTECTED_RANGE,
            ItemKind::OutlineGroup => &OUTLINE_GROUP,
            ItemKind::AlternatingColors => &ALTERNATING_COLORS,
            ItemKind::Link => &LINK,
            ItemKind::PrintArea => &PRINT_AREA,
            ItemKind::PrintTitles => &PRINT_TITLES,
            ItemKind::FilterView => &FILTER_VIEW,
            ItemKind::CellStyle => &CELL_STYLE,
            ItemKind::PivotTable => &PIVOT_TABLE,
            ItemKind::Import => &IMPORT,
            ItemKind::ImportPart => &IMPORT_PART,
            ItemKind::NamedVersion => &NAMED_VERSION,
            ItemKind::PackageParts => &PACKAGE_PARTS,
            ItemKind::Slicer => &SLICER,
            ItemKind::NamedFunction => &NAMED_FUNCTION,
            ItemKind::Scenario => &SCENARIO,
            ItemKind::PageBreak => &PAGE_BREAK,
            ItemKind::Suggestion => &SUGGESTION,
            ItemKind::Reaction => &REACTION,
        }
    }
}

static SHEET_SETTINGS: Schema = Schema {
    home: ItemHome::SheetSettings,
    ..on_sheet(
        0,
        0,
        &[
            (F::FrozenRows, Integer { min: 0.0, max: 1_000.0 }),
            (F::FrozenColumns, Integer { min: 0.0, max: 1_000.0 }),
            (F::TabColor, Color),
            (F::Hidden, Boolean),
            (F::RightToLeft, Boolean),
            (F::ShowGridlines, Boolean),
            (F::ShowHeadings, Boolean),
            (F::ShowFormulas, Boolean),
            (F::ShowZeros, Boolean),
            (F::Zoom, Number { min: 10.0, max: 400.0 }),
            (
                F::Paper,
                Choice(&["letter", "legal", "tabloid", "executive", "a3", "a4", "a5", "a6", "b4", "b5"]),
            ),
            (F::Orientation, Choice(&["portrait", "landscape"])),
            (F::MarginTop, INCHES),
            (F::MarginRight, INCHES),
            (F::MarginBottom, INCHES),
            (F::MarginLeft, INCHES),
            (F::MarginHeader, INCHES),
            (F::MarginFooter, INCHES),
            (F::Scale, Number { min: 10.0, max: 400.0 }),
            (F::FitToWidth, Integer { min: 0.0, max: 32_767.0 }),
            (F::FitToHeight, Integer { min: 0.0, max: 32_767.0 }),
            (F::HeaderLeft, SHORT),
            (F::HeaderCenter, SHORT),
            (F::HeaderRight, SHORT),
            (F::FooterLeft, SHORT),
            (F::FooterCenter, SHORT),
            (F::FooterRight, SHORT),
            (F::PrintGridlines, Boolean),
            (F::PrintHeadings, Boolean),
            (F::CenterHorizontally, Boolean),
            (F::CenterVertically, Boolean),
            (F::CodeName, SHORT),
            (F::DifferentFirst, Boolean),
            (F::DifferentOddEven, Boolean),
            // Three sections in one text, `&LLeft&CCenter&RRight`, as in ECMA-376 part 1, 18.3.1.46.
            (F::FirstHeader, HEADER),
            (F::FirstFooter, HEADER),
            (F::EvenHeader, HEADER),
            (F::EvenFooter, HEADER),
        ],
    )
};

static WORKBOOK_SETTINGS: Schema = Schema {
    home: ItemHome::WorkbookSettings,
    ..on_sheet(
        0,
        0,
        &[
            (F::Title, SingleLine(WORKBOOK_TITLE_MAX)),
            (F::Locale, Text(35)), // the length that RFC 5646, section 4.4.1, requires implementations to support
            (F::TimeZoneOffset, Integer { min: -840.0, max: 840.0 }), // minutes; UTC-14 to UTC+14
            (F::Date1904, Boolean),
            (F::Iterative, Boolean),
            (F::MaxIterations, Integer { min: 1.0, max: 32_767.0 }),
            (F::MaxChange, Number { min: 0.0, max: f64::MAX }),
        ],
    )
};

static MERGE: Schema = Schema { cells_min: 2, is_exclusive: true, ..on_sheet(1, 1, &[]) };

static CONDITIONAL_RULE: Schema = on_sheet(
    1,
    RANGES_MAX,
    &[
        (
            F::Rule,
            Choice(&[
                "cell",
                "formula",
                "text",
                "blank",
                "notBlank",
                "error",
                "notError",
                "duplicate",
                "unique",
                "top",
                "bottom",
                "aboveAverage",
                "belowAverage",
                "date",
                "colorScale",
                "dataBar",
                "iconSet",
            ]),
        ),
        (F::Operator, OPERATORS),
        (F::Formula1, Formula),
        (F::Formula2, Formula),
        (F::Text, SHORT),
        (F::Rank, Integer { min: 1.0, max: 1_000.0 }),
        (F::Percent, Boolean),
        (
            F::Period,
            Choice(&[
                "yesterday",
                "today",
                "tomorrow",
                "last7Days",
                "lastWeek",
                "thisWeek",
                "nextWeek",
                "lastMonth",
                "thisMonth",
                "nextMonth",
            ]),
        ),
        (F::Deviations, Integer { min: 0.0, max: 3.0 }),
        (F::OrEqual, Boolean),
        (F::Priority, Number { min: 0.0, max: 1e9 }),
        (F::Stop, Boolean),
        (F::Format, FORMAT),
        (F::Stops, List(&STOP, 5)),
        (F::IconSet, Text(40)),
        (F::Reverse, Boolean),
        (F::ShowValue, Boolean),
        (F::Color, Color),
        (F::NegativeColor, Color),
        (F::Gradient, Boolean),
    ],
);

/// Choices of a list, at most.
const CHOICES_MAX: usize = 1_000;

/// The color of a choice of a list. Colors belong to values: they stay when the choices are sorted,
/// and the choices may be cells of a range.
const CHOICE_COLOR: FieldType = Record(&[(F::Value, SHORT), (F::Color, Color)]);

static VALIDATION: Schema = on_sheet(
    1,
    RANGES_MAX,
    &[
        (
            F::Rule,
            Choice(&[
                "any",
                "list",
                "whole",
                "decimal",
                "date",
                "time",
                "textLength",
                "formula",
                "checkbox",
                "email",
                "url",
            ]),
        ),
        (F::Operator, OPERATORS),
        (F::Formula1, Formula),
        (F::Formula2, Formula),
        (F::Choices, List(&SHORT, CHOICES_MAX)),
        (F::CheckedValue, SHORT),
        (F::UncheckedValue, SHORT),
        (F::AllowBlank, Boolean),
        (F::Strictness, Choice(&["stop", "warning", "information"])),
        (F::ShowDropdown, Boolean),
        (F::PromptTitle, SHORT),
        (F::Prompt, Text(1_000)),
        (F::ErrorTitle, SHORT),
        (F::ErrorMessage, Text(1_000)),
        // Lists: `arrow` or `chip`, or neither without `ShowDropdown`. `people` is for any value, `rating` for 0 to 5.
        (F::DisplayStyle, Choice(&["arrow", "chip", "people", "rating"])),
        (F::ChoiceColors, List(&CHOICE_COLOR, CHOICES_MAX)),
        (F::AllowMultiple, Boolean),
    ],
);

static CELL_STYLE: Schema = Schema {
    home: ItemHome::Workbook,
    ..on_sheet(
        0,
        0,
        &[
            (F::Name, SHORT),
            (F::Format, CELL_FORMAT),
            // The number of a built-in style of XLSX (ECMA-376 part 1, 18.8.7).
            (F::BuiltinId, Integer { min: 0.0, max: 53.0 }),
            // Whether cells keep the attributes that the format does not name when the style is applied.
            (F::Partial, Boolean),
        ],
    )
};

static CHART: Schema = on_sheet(
    1,
    1,
    &[
        (F::Type, CHART_TYPES),
        (F::Stacking, Choice(&["none", "stacked", "percent"])),
        (F::Title, SHORT),
        (F::Subtitle, SHORT),
        (F::Series, List(&SERIES, 255)),
        (F::Legend, Choice(&["none", "top", "right", "bottom", "left"])),
        (F::XTitle, SHORT),
        (F::YTitle, SHORT),
        (F::Y2Title, SHORT),
        (F::XMin, ANY),
        (F::XMax, ANY),
        (F::YMin, ANY),
        (F::YMax, ANY),
        (F::XFormat, SHORT),
        (F::YFormat, SHORT),
        (F::XLogarithmic, Boolean),
        (F::YLogarithmic, Boolean),
        (F::ShowsHidden, Boolean),
        (F::Aggregate, Choice(&["none", "sum", "average", "count", "max", "median", "min"])),
        (F::Gridlines, Boolean),
        // The bands of a gauge: each has the color from its value to the value of the next one.
        (F::Stops, List(&STOP, 3)),
        (F::OffsetX, PIXELS),
        (F::OffsetY, PIXELS),
        (F::Width, PIXELS),
        (F::Height, PIXELS),
        (F::AltText, LONG),
        // The sheet shows the chart instead of its cells.
        (F::OwnSheet, Boolean),
    ],
);

/// A slicer changes the conditions of its column in the filter and the pivot tables of its sheet.
static SLICER: Schema = on_sheet(
    1,
    1,
    &[
        // A reference to the column with its header, which follows structural edits.
        (F::Column, Formula),
        (F::Title, SHORT),
        (F::Type, Choice(&["values", "dates"])),
        (F::Columns, Integer { min: 1.0, max: 20.0 }),
        (F::Grouping, Choice(&["year", "quarter", "month", "date"])),
        (F::OffsetX, PIXELS),
        (F::OffsetY, PIXELS),
        (F::Width, PIXELS),
        (F::Height, PIXELS),
    ],
);

/// The name is a formula, so that the item follows when the name is changed. Arguments are described
/// in the order of the parameters of the LAMBDA.
static NAMED_FUNCTION: Schema = Schema {
    home: ItemHome::Workbook,
    ..on_sheet(0, 0, &[(F::Formula, Formula), (F::Description, LONG), (F::Arguments, List(&SHORT, 254))])
};

/// Cells of a scenario, at most; as many as in Excel.
const SCENARIO_CELLS_MAX: usize = 32;

/// The value of a cell is the text of a number, a truth value or a text as files have it.
const SCENARIO_CELL: FieldType = Record(&[(F::Formula, Formula), (F::Value, LONG)]);

static SCENARIO: Schema = on_sheet(
    0,
    0,
    &[
        (F::Name, SHORT),
        (F::Text, SHORT),
        (F::Author, SHORT),
        (F::Hidden, Boolean),
        (F::Cells, List(&SCENARIO_CELL, SCENARIO_CELLS_MAX)),
    ],
);

static NOTE: Schema =
    of_cell(&[(F::Text, LONG), (F::Author, SHORT), (F::Time, TIME), (F::Width, PIXELS), (F::Height, PIXELS)]);

static COMMENT_THREAD: Schema = of_cell(&[
    (F::Resolved, Boolean),
    (F::ResolvedBy, SHORT),
    (F::Author, SHORT),
    (F::AuthorId, SHORT),
    (F::Time, TIME),
    // A thread with an assignee is a task, which is done when the thread is resolved.
    (F::Assignee, SHORT),
    (F::AssignedBy, SHORT),
    (F::Edited, TIME), // of the last assignment, resolution or reopening
]);

/// Code points of an emoji, at most: families and flags of regions are sequences of up to 11.
const EMOJI_MAX: usize = 16;

/// One emoji of one person: reactions of several people do not replace each other.
static REACTION: Schema = on_sheet(
    0,
    0,
    &[
        (F::Parent, Item),
        (F::Text, SingleLine(EMOJI_MAX)),
        (F::Author, SHORT),
        (F::AuthorId, SHORT),
        (F::Time, TIME),
    ],
);

/// Proposes a formula, or else the value that `Value` reads as when it is typed in the default
/// locale, or else an empty cell.
static SUGGESTION: Schema = of_cell(&[
    (F::Formula, Formula),
    (F::Value, LONG),
    (F::NumberFormat, SHORT),
    (F::Text, SHORT), // the note
    (F::Author, SHORT),
    (F::AuthorId, SHORT),
    (F::Time, TIME),
]);

static COMMENT: Schema = on_sheet(
    0,
    0,
    &[
        (F::Parent, Item),
        (F::Text, LONG),
        (F::Author, SHORT),
        (F::AuthorId, SHORT),
        (F::Time, TIME),
        (F::Edited, TIME),
        (F::Mentions, List(&SHORT, 100)),
    ],
);

static IMAGE: Schema = of_cell(&[
    (F::Source, Text(1_000_000)), // the name of a stored image, or a small image itself as a `data:` URL
    (F::InCell, Boolean),
    (F::Shape, Boolean),
    (F::OffsetX, PIXELS),
    (F::OffsetY, PIXELS),
    (F::Width, PIXELS),
    (F::Height, PIXELS),
    (F::AltText, LONG),
    (F::Formula1, Formula), // the linked cell of a form control, and its input range
    (F::Formula2, Formula),
]);

static SPARKLINE: Schema = of_cell(&[
    (F::Type, Choice(&["line", "column", "winLoss"])),
    (F::Source, Formula),
    (F::Color, Color),
    (F::NegativeColor, Color),
    (F::HighColor, Color),
    (F::LowColor, Color),
    (F::FirstColor, Color),
    (F::LastColor, Color),
    (F::Markers, Boolean),
    (F::YMin, ANY),
    (F::YMax, ANY),
]);

static TABLE: Schema = Schema {
    is_exclusive: true,
    ..on_sheet(
        1,
        1,
        &[
            (F::Name, SHORT),
            (F::HeaderRow, Boolean),
            (F::TotalRow, Boolean),
            (F::Style, SHORT),
            (F::BandedRows, Boolean),
            (F::BandedColumns, Boolean),
            (F::FirstColumn, Boolean),
            (F::LastColumn, Boolean),
        ],
    )
};

static TABLE_COLUMN: Schema = on_sheet(
    1,
    1,
    &[
        (F::Parent, Item),
        (F::Name, SHORT),
        (
            F::TotalFunction,
            Choice(&[
                "none",
                "sum",
                "average",
                "count",
                "countNumbers",
                "minimum",
                "maximum",
                "deviation",
                "variance",
                "custom",
            ]),
        ),
        (F::TotalLabel, SHORT),
        (F::Formula, Formula),
    ],
);

static PROTECTED_RANGE: Schema = on_sheet(
    0,
    RANGES_MAX,
    &[
        (F::WholeSheet, Boolean),
        (F::Description, SHORT),
        (F::Editors, List(&SHORT, 1_000)),
        (F::WarningOnly, Boolean),
        (F::Allow, List(&Choice(&["format", "insert", "delete", "sort", "filter"]), 5)),
        (F::FileAttributes, Text(1_000)), // `name=value`, separated by spaces
    ],
);

static OUTLINE_GROUP: Schema =
    on_sheet(1, 1, &[(F::Dimension, Choice(&["rows", "columns"])), (F::Collapsed, Boolean)]);

static ALTERNATING_COLORS: Schema = on_sheet(
    1,
    1,
    &[(F::HeaderColor, Color), (F::FirstColor, Color), (F::SecondColor, Color), (F::FooterColor, Color)],
);

static LINK: Schema = of_cell(&[(F::Url, Text(2_083)), (F::Tooltip, SHORT)]);

static PRINT_AREA: Schema = on_sheet(1, RANGES_MAX, &[]);

static PRINT_TITLES: Schema = on_sheet(1, 2, &[]);

/// The anchor is a whole row or a whole column. Breaks are items of their own, so that people can add
/// them at the same time.
static PAGE_BREAK: Schema = on_sheet(1, 1, &[]);

const IMPORT_SIDE: FieldType = Integer { min: 1.0, max: 1_048_576.0 };

static IMPORT: Schema = Schema {
    home: ItemHome::Workbook,
    ..on_sheet(
        0,
        0,
        &[
            (F::Source, LONG),
            (
                F::State,
                Choice(&["ready", "noAccess", "notFound", "circular", "tooLarge", "notAllowed", "failed"]),
            ),
            (F::ErrorMessage, SHORT),
            (F::Rows, IMPORT_SIDE),
            (F::Columns, IMPORT_SIDE),
        ],
    )
};

/// The revision, its name and its time.
static NAMED_VERSION: Schema = Schema {
    home: ItemHome::Workbook,
    ..on_sheet(
        0,
        0,
        &[
            (F::Revision, Integer { min: 1.0, max: 9_007_199_254_740_991.0 }), // 2^53 - 1
            (F::Name, SingleLine(VERSION_NAME_MAX)),
            (F::Time, TIME),
        ],
    )
};

/// The name of the bytes, which are stored with the images.
static PACKAGE_PARTS: Schema =
    Schema { home: ItemHome::Workbook, ..on_sheet(0, 0, &[(F::Source, SingleLine(64))]) };

/// Characters of the name of a version.
const VERSION_NAME_MAX: usize = 100;

/// Characters of a part: 64 KiB, and one cell more.
const IMPORT_TEXT_MAX: usize = (64 << 10) + 2 * 32_767 + 2;

static IMPORT_PART: Schema = Schema {
    home: ItemHome::Workbook,
    ..on_sheet(0, 0, &[(F::Parent, FieldType::Item), (F::Text, Text(IMPORT_TEXT_MAX))])
};
