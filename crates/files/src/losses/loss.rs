//! [`Loss`]: contents of one kind that a file leaves out or changes.

use std::sync::Arc;

use quadrille_cell::Range;

macro_rules! loss_kinds {
    ($($kind:ident $code:literal $text:literal,)+) => {
        /// A kind of contents that a file leaves out or changes.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum LossKind {
            $(#[doc = $text] $kind,)+
        }

        impl LossKind {
            /// Every kind, in the order of reports.
            pub const ALL: &[LossKind] = &[$(LossKind::$kind,)+];

            /// The name of the kind in the REST API.
            pub fn code(self) -> &'static str {
                match self { $(LossKind::$kind => $code,)+ }
            }

            /// The kind in English, for programs and the command line.
            pub fn text(self) -> &'static str {
                match self { $(LossKind::$kind => $text,)+ }
            }
        }
    };
}

loss_kinds! {
    OtherSheets "otherSheets" "other sheets",
    SheetNames "sheetNames" "names of sheets, which are changed",
    Names "names" "names that the format cannot express",
    CellStyles "cellStyles" "custom cell styles",
    Formulas "formulas" "formulas, of which the file has the results",
    Functions "functions" "results of functions that other programs do not have",
    Digits "digits" "digits of numbers that are not displayed",
    NumberFormats "numberFormats" "number formats that the format cannot express",
    Formats "formats" "formats of cells",
    FormatDetails "formatDetails" "fonts, borders, indents and rotation of cells",
    ClippedText "clippedText" "clipped text, which flows over",
    StackedText "stackedText" "stacked text",
    Alignments "alignments" "center across selection, which becomes centered text",
    UnderlineStyles "underlineStyles" "accounting underlines, which become underlines of the text",
    FillPatterns "fillPatterns" "fill patterns",
    DiagonalBorders "diagonalBorders" "different diagonal borders in one cell, which become alike",
    RichText "richText" "texts with markup, which become plain",
    Merges "merges" "merged cells",
    Links "links" "links",
    Notes "notes" "notes",
    Threads "threads" "threads of comments in one cell, which become one",
    Comments "comments" "comments",
    Charts "charts" "charts",
    ChartTypes "chartTypes" "charts, which become charts of another type",
    ChartSheets "chartSheets" "chart sheets, which become charts over cells",
    ChartPoints "chartPoints" "combined points of charts, which show every point",
    ChartLabels "chartLabels" "data labels from cells, which become the values",
    ChartSubtitles "chartSubtitles" "subtitles of charts",
    Sparklines "sparklines" "sparklines",
    Images "images" "images",
    ImagesInCells "imagesInCells" "images in cells, which lie over them",
    PivotTables "pivotTables" "pivot tables, of which the file has the values",
    Tables "tables" "tables",
    ConditionalFormats "conditionalFormats" "conditional formats",
    IconThresholds "iconThresholds" "thresholds of icon sets",
    AlternatingColors "alternatingColors" "alternating colors",
    Validation "validation" "data validation",
    ChoiceColors "choiceColors" "colors of choices, and several choices in a cell",
    RatingsAndPeople "ratingsAndPeople" "stars of ratings and chips of people",
    Filters "filters" "filters",
    FilterViews "filterViews" "filter views",
    Slicers "slicers" "slicers, whose conditions remain",
    SlicerTargets "slicerTargets" "slicers, which filter only some of their tables",
    Scenarios "scenarios" "scenarios",
    Suggestions "suggestions" "suggestions",
    Reactions "reactions" "reactions to comments",
    Tasks "tasks" "assignees of tasks",
    FunctionHelp "functionHelp" "descriptions of named functions or of their arguments",
    Protection "protection" "protected cells",
    Editors "editors" "people who may edit protected cells",
    Groups "groups" "groups of rows and columns",
    FrozenPanes "frozenPanes" "frozen panes",
    PageSetup "pageSetup" "page setup and print areas",
    Other "other" "other contents",
}

/// Contents of one kind, of the workbook or of a sheet, that a file leaves out or changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    pub kind: LossKind,
    /// The name of the sheet; `None` for contents of the workbook.
    pub sheet: Option<Arc<str>>,
    /// The first of them; at most `LOSS_PLACES_MAX`.
    pub places: Vec<LossPlace>,
    /// The number of all of them: items, cells with formulas, names. 0 when they are not counted.
    pub count: u64,
}

/// Where something is lost.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LossPlace {
    /// The first ranges; at most `LOSS_RANGES_MAX`.
    pub ranges: Vec<Range>,
    /// The name of a chart, table, sheet, function or defined name; empty without one.
    pub name: String,
}

impl Loss {
    /// The loss in one line of English: `conditional formats: 'Sales'!A1:B5, 'Sales'!D2, … (9)`.
    pub fn text(&self) -> String {
        let sheet = self.sheet.as_ref().map(|name| format!("'{}'!", name.replace('\'', "''")));
        let sheet = sheet.unwrap_or_default();
        let mut places: Vec<String> = Vec::new();
        for LossPlace { ranges, name } in &self.places {
            let ranges: Vec<String> = ranges.iter().map(|range| format!("{sheet}{range}")).collect();
            places.push(match (name.is_empty(), ranges.is_empty()) {
                (true, _) => ranges.join(", "),
                (false, true) => name.clone(),
                (false, false) => format!("{name} ({})", ranges.join(", ")),
            });
        }
        places.retain(|place| !place.is_empty());
        let kind = match (self.kind, places.as_slice()) {
            (LossKind::Other, [first, ..]) => return first.clone(),
            (_, []) if !sheet.is_empty() => {
                return format!("{}: {}", self.kind.text(), sheet.trim_end_matches('!'));
            }
            (_, []) => return self.kind.text().to_owned(),
            (kind, _) => kind.text(),
        };
        let more = if self.has_more() { format!(", … ({})", self.count) } else { String::new() };
        format!("{kind}: {}{more}", places.join(", "))
    }

    /// Whether the places are only the first of all. Formulas are counted by cells, the rest by items.
    fn has_more(&self) -> bool {
        let named = match self.kind {
            LossKind::Formulas | LossKind::Functions => {
                self.places.iter().flat_map(|place| &place.ranges).map(|range| range.cell_count()).sum()
            }
            _ => self.places.len() as u64,
        };
        named < self.count
    }
}
