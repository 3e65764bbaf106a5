//! Kinds of items and fields, with their codes in the protocol and their names in JSON. A code is
//! never reused for another meaning.

/// Defines an enum whose variants have a code for the protocol and a name for JSON.
macro_rules! named {
    ($(#[$about:meta])* $name:ident { $($(#[$variant_about:meta])* $variant:ident = $code:literal $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name {
            $($(#[$variant_about])* $variant,)+
        }

        impl $name {
            /// Every variant.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The code in the protocol.
            pub const fn code(self) -> u16 {
                match self {
                    $($name::$variant => $code),+
                }
            }

            /// Returns the variant with this code, or `None` for an unknown code.
            pub fn from_code(code: u64) -> Option<$name> {
                match code {
                    $($code => Some($name::$variant),)+
                    _ => None,
                }
            }

            /// The name in JSON.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text),+
                }
            }

            /// Returns the variant with this name, or `None` for an unknown name.
            pub fn from_name(name: &str) -> Option<$name> {
                // A comparison with each name is less code than the decisions of a `match`.
                $name::ALL.iter().copied().find(|variant| variant.name() == name)
            }
        }
    };
}

named! {
    /// The kind of an item; `schema.rs` defines the fields of each kind.
    ItemKind {
        /// Item 0 of a sheet: view and print settings.
        SheetSettings = 1 "sheetSettings",
        /// Item 0 of the workbook: title, locale and calculation settings.
        WorkbookSettings = 2 "workbookSettings",
        Merge = 3 "merge",
        ConditionalRule = 4 "conditionalRule",
        Validation = 5 "validation",
        AutoFilter = 6 "autoFilter",
        /// The condition of one column of an [`ItemKind::AutoFilter`], anchored at that column's header.
        FilterColumn = 7 "filterColumn",
        Chart = 8 "chart",
        Note = 9 "note",
        CommentThread = 10 "commentThread",
        /// One entry of a [`ItemKind::CommentThread`].
        Comment = 11 "comment",
        Image = 12 "image",
        Sparkline = 13 "sparkline",
        Table = 14 "table",
        /// Properties of one column of a [`ItemKind::Table`], anchored at the header of that
        /// column.
        TableColumn = 15 "tableColumn",
        ProtectedRange = 16 "protectedRange",
        OutlineGroup = 17 "outlineGroup",
        AlternatingColors = 18 "alternatingColors",
        Link = 19 "link",
        PrintArea = 20 "printArea",
        /// Rows or columns repeated on every page.
        PrintTitles = 21 "printTitles",
        /// A filter that applies only for users who open it; its [`ItemKind::FilterColumn`]s name
        /// it as their parent.
        FilterView = 22 "filterView",
        /// A named cell format of this workbook.
        CellStyle = 23 "cellStyle",
        /// A pivot table, anchored at the first cell of its result.
        PivotTable = 24 "pivotTable",
        /// The state of imported data, which the server writes; see `imports.rs`.
        Import = 25 "import",
        /// A part of the values of an [`ItemKind::Import`].
        ImportPart = 26 "importPart",
        /// A revision of this workbook with a name.
        NamedVersion = 27 "namedVersion",
        /// Parts of the imported `.xlsx` file that nothing here displays, for the next export.
        PackageParts = 30 "packageParts",
        /// Buttons over the cells that filter the data of their sheet by the values or the dates of
        /// one column.
        Slicer = 31 "slicer",
        /// The description of a defined name whose value is a LAMBDA, and of its arguments.
        NamedFunction = 40 "namedFunction",
        /// Values of some cells of a sheet, with a name.
        Scenario = 41 "scenario",
        /// A manual page break before the row or the column that is its anchor.
        PageBreak = 44 "pageBreak",
        /// Proposed contents of one cell, which an editor accepts or rejects.
        Suggestion = 45 "suggestion",
        /// An emoji that one person has given to a [`ItemKind::Comment`], which is its parent.
        Reaction = 46 "reaction",
    }
}

named! {
    /// A field of an item.
    Field {
        // Shared by several kinds.
        Parent = 1 "parent",
        Name = 2 "name",
        Title = 3 "title",
        Text = 4 "text",
        Author = 5 "author",
        AuthorId = 6 "authorId",
        Time = 7 "time",
        Color = 8 "color",
        Width = 9 "width",
        Height = 10 "height",
        OffsetX = 11 "offsetX",
        OffsetY = 12 "offsetY",
        AltText = 13 "altText",
        Rule = 14 "rule",
        Operator = 15 "operator",
        Formula1 = 16 "formula1",
        Formula2 = 17 "formula2",
        Type = 18 "type",
        Hidden = 19 "hidden",
        // Sheet settings.
        FrozenRows = 30 "frozenRows",
        FrozenColumns = 31 "frozenColumns",
        TabColor = 32 "tabColor",
        RightToLeft = 33 "rightToLeft",
        ShowGridlines = 34 "showGridlines",
        ShowHeadings = 35 "showHeadings",
        ShowFormulas = 36 "showFormulas",
        ShowZeros = 37 "showZeros",
        Zoom = 38 "zoom",
        Paper = 39 "paper",
        Orientation = 40 "orientation",
        MarginTop = 41 "marginTop",
        MarginRight = 42 "marginRight",
        MarginBottom = 43 "marginBottom",
        MarginLeft = 44 "marginLeft",
        MarginHeader = 45 "marginHeader",
        MarginFooter = 46 "marginFooter",
        Scale = 47 "scale",
        FitToWidth = 48 "fitToWidth",
        FitToHeight = 49 "fitToHeight",
        HeaderLeft = 50 "headerLeft",
        HeaderCenter = 51 "headerCenter",
        HeaderRight = 52 "headerRight",
        FooterLeft = 53 "footerLeft",
        FooterCenter = 54 "footerCenter",
        FooterRight = 55 "footerRight",
        PrintGridlines = 56 "printGridlines",
        PrintHeadings = 57 "printHeadings",
        CenterHorizontally = 58 "centerHorizontally",
        CenterVertically = 59 "centerVertically",
        // Workbook settings.
        Locale = 70 "locale",
        TimeZoneOffset = 71 "timeZoneOffset",
        Date1904 = 72 "date1904",
        Iterative = 73 "iterative",
        MaxIterations = 74 "maxIterations",
        MaxChange = 75 "maxChange",
        // Conditional formats.
        Priority = 90 "priority",
        Stop = 91 "stop",
        Format = 92 "format",
        Rank = 93 "rank",
        Percent = 94 "percent",
        Period = 95 "period",
        Deviations = 96 "deviations",
        OrEqual = 97 "orEqual",
        Stops = 98 "stops",
        At = 99 "at",
        Value = 100 "value",
        Formula = 101 "formula",
        IconSet = 102 "iconSet",
        Reverse = 103 "reverse",
        ShowValue = 104 "showValue",
        NegativeColor = 105 "negativeColor",
        Gradient = 106 "gradient",
        // Formats within an item.
        Bold = 120 "bold",
        Italic = 121 "italic",
        Underline = 122 "underline",
        Strikethrough = 123 "strikethrough",
        TextColor = 124 "textColor",
        FillColor = 125 "fillColor",
        NumberFormat = 126 "numberFormat",
        BorderColor = 127 "borderColor",
        // Validation.
        Choices = 140 "choices",
        CheckedValue = 141 "checkedValue",
        UncheckedValue = 142 "uncheckedValue",
        AllowBlank = 143 "allowBlank",
        Strictness = 144 "strictness",
        ShowDropdown = 145 "showDropdown",
        PromptTitle = 146 "promptTitle",
        Prompt = 147 "prompt",
        ErrorTitle = 148 "errorTitle",
        ErrorMessage = 149 "errorMessage",
        DisplayStyle = 150 "displayStyle",
        ChoiceColors = 151 "choiceColors",
        AllowMultiple = 152 "allowMultiple",
        // Filters.
        Shown = 160 "shown",
        ShowBlanks = 161 "showBlanks",
        Operator2 = 162 "operator2",
        Value1 = 163 "value1",
        Value2 = 164 "value2",
        Join = 165 "join",
        // Charts and sparklines.
        Subtitle = 180 "subtitle",
        Series = 181 "series",
        Values = 182 "values",
        Categories = 183 "categories",
        Sizes = 184 "sizes",
        Axis = 185 "axis",
        Smooth = 186 "smooth",
        Markers = 187 "markers",
        Labels = 188 "labels",
        Stacking = 189 "stacking",
        Legend = 190 "legend",
        XTitle = 191 "xTitle",
        YTitle = 192 "yTitle",
        Y2Title = 193 "y2Title",
        XMin = 194 "xMin",
        XMax = 195 "xMax",
        YMin = 196 "yMin",
        YMax = 197 "yMax",
        XFormat = 198 "xFormat",
        YFormat = 199 "yFormat",
        XLogarithmic = 200 "xLogarithmic",
        YLogarithmic = 201 "yLogarithmic",
        Gridlines = 202 "gridlines",
        HighColor = 203 "highColor",
        LowColor = 204 "lowColor",
        FirstColor = 205 "firstColor",
        LastColor = 206 "lastColor",
        Trendline = 207 "trendline",
        ShowsHidden = 208 "showsHidden",
        Aggregate = 209 "aggregate",
        // Comments.
        Resolved = 220 "resolved",
        ResolvedBy = 221 "resolvedBy",
        Mentions = 222 "mentions",
        Edited = 223 "edited",
        // Images and links.
        Source = 240 "source",
        InCell = 241 "inCell",
        Url = 242 "url",
        Tooltip = 243 "tooltip",
        // Tables.
        HeaderRow = 260 "headerRow",
        TotalRow = 261 "totalRow",
        Style = 262 "style",
        BandedRows = 263 "bandedRows",
        BandedColumns = 264 "bandedColumns",
        FirstColumn = 265 "firstColumn",
        LastColumn = 266 "lastColumn",
        TotalFunction = 267 "totalFunction",
        TotalLabel = 268 "totalLabel",
        // Protection.
        WholeSheet = 280 "wholeSheet",
        Editors = 281 "editors",
        WarningOnly = 282 "warningOnly",
        Description = 283 "description",
        Allow = 284 "allow",
        // Outline groups and alternating colors.
        Dimension = 300 "dimension",
        Collapsed = 301 "collapsed",
        HeaderColor = 302 "headerColor",
        SecondColor = 303 "secondColor",
        FooterColor = 304 "footerColor",
        // Formats of cell styles, in addition to those above.
        Wrap = 320 "wrap",
        Horizontal = 321 "horizontal",
        Vertical = 322 "vertical",
        FontFamily = 323 "fontFamily",
        FontSize = 324 "fontSize",
        Indent = 325 "indent",
        Rotation = 326 "rotation",
        Overflow = 327 "overflow",
        BorderTop = 328 "borderTop",
        BorderRight = 329 "borderRight",
        BorderBottom = 330 "borderBottom",
        BorderLeft = 331 "borderLeft",
        // Pivot tables.
        Rows = 340 "rows",
        Columns = 341 "columns",
        Filters = 342 "filters",
        Column = 343 "column",
        Grouping = 344 "grouping",
        Start = 345 "start",
        Step = 346 "step",
        Order = 347 "order",
        SortBy = 348 "sortBy",
        Subtotals = 349 "subtotals",
        RankBy = 350 "rankBy",
        Function = 351 "function",
        ShownAs = 352 "shownAs",
        ShowTotalRow = 353 "showTotalRow",
        ShowTotalColumn = 354 "showTotalColumn",
        RepeatLabels = 355 "repeatLabels",
        SubtotalLabel = 356 "subtotalLabel",
        Layout = 357 "layout",
        // Imported data.
        State = 370 "state",
        // Named versions.
        Revision = 371 "revision",
        // Imported files: the name by which macros know a sheet.
        CodeName = 380 "codeName",
        // Formats of cell styles, in addition to those above.
        UnderlineStyle = 400 "underlineStyle",
        Script = 401 "script",
        BorderDiagonalUp = 402 "borderDiagonalUp",
        BorderDiagonalDown = 403 "borderDiagonalDown",
        FillPattern = 404 "fillPattern",
        FillPatternColor = 405 "fillPatternColor",
        QuotePrefix = 406 "quotePrefix",
        ReadingOrder = 407 "readingOrder",
        // Named functions and scenarios.
        Arguments = 410 "arguments",
        Cells = 411 "cells",
        // Pivot tables: groups of one's own.
        Groups = 420 "groups",
        // Cell styles.
        BuiltinId = 430 "builtinId",
        Partial = 431 "partial",
        // Sheet settings, in addition to those above.
        DifferentFirst = 440 "differentFirst",
        DifferentOddEven = 441 "differentOddEven",
        FirstHeader = 442 "firstHeader",
        FirstFooter = 443 "firstFooter",
        EvenHeader = 444 "evenHeader",
        EvenFooter = 445 "evenFooter",
        // Filter columns, in addition to those above.
        ShownDates = 446 "shownDates",
        IconIndex = 447 "iconIndex",
        // Series of charts, in addition to those above.
        TrendlineOrder = 448 "trendlineOrder",
        TrendlinePeriod = 449 "trendlinePeriod",
        TrendlineEquation = 450 "trendlineEquation",
        TrendlineRSquared = 451 "trendlineRSquared",
        ErrorBars = 452 "errorBars",
        ErrorAmount = 453 "errorAmount",
        ErrorDirection = 454 "errorDirection",
        // Comment threads.
        Assignee = 455 "assignee",
        AssignedBy = 456 "assignedBy",
        // Series of charts, in addition to those above.
        TrendlineForward = 457 "trendlineForward",
        TrendlineBackward = 458 "trendlineBackward",
        TrendlineIntercept = 459 "trendlineIntercept",
        LabelCells = 460 "labelCells",
        OwnSheet = 462 "ownSheet",
        // Images.
        Shape = 463 "shape",
        // Protected ranges: attributes of an imported file that mean nothing here, as the hash of a password.
        FileAttributes = 464 "fileAttributes",
    }
}
