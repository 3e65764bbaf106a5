//! Names of the contents that a save does not contain, or that SocialCalc shows otherwise.

use std::collections::BTreeSet;

use quadrille_cell::{Dimension, Range, Value};
use quadrille_formula::{
    BinaryOperator, Expression, Reference, SheetReference, Template, UnaryOperator, name_scope, visit,
};
use quadrille_workbook::{Border, BorderStyle, Field, Format, Item, ItemKind, Rotation, Sheet, Workbook};

use super::styles::HIDDEN;
use super::write::{COLUMNS_MAX, shows_number_format, written_blanks};
use super::{dialect, graph};
use crate::limits::SAVE_BLANKS_MAX;

/// The functions of SocialCalc 2.3.
const FUNCTIONS: &str = " ABS ACOS AND ASIN ATAN ATAN2 AUTOCOMPLETE AVERAGE BUTTON CEILING CHECKBOX CHOOSE \
    COLUMNS COMMAND COMMANDIF CONCAT CONCATENATE COPYFORMULA COPYVALUE COS COUNT COUNTA COUNTBLANK COUNTIF \
    DATE DAVERAGE DAY DCOUNT DCOUNTA DDB DEGREES DELETEIF DGET DMAX DMIN DPRODUCT DSTDEV DSTDEVP DSUM DVAR \
    DVARP EMAIL EMAILAT EMAILATIF EMAILIF EMAILONEDIT EMAILONEDITIF EVEN EXACT EXP FACT FALSE FIND FLOOR FV \
    HEXCODE HLOOKUP HOUR IF IMAGEBUTTON INDEX INSERT INT IRR ISBLANK ISERR ISERROR ISLOGICAL ISNA ISNONTEXT \
    ISNUMBER ISTEXT LEFT LEN LN LOG LOG10 LOWER MATCH MAX MID MIN MINUTE MOD MONTH N NA NOT NOW NPER NPV ODD \
    OR PANEL PI PMT POWER PRODUCT PROPER PV RADIANS RADIOBUTTON RAND RATE REPLACE REPT RIGHT ROUND ROWS \
    SECOND SELECT SIN SLN SPLASH SQRT STDEV STDEVP STYLE SUBMIT SUBSTITUTE SUM SUMIF SUMIFS SUMPRODUCT SYD T \
    TAN TEXTBOX TIME TODAY TRIM TRUE TRUNC UPPER VALUE VAR VARP VLOOKUP WEEKDAY YEAR ";

/// Functions that one warning names, at most.
const FUNCTIONS_NAMED_MAX: usize = 30;

/// Names what a save of the sheet leaves out, or what SocialCalc calculates or shows otherwise, sorted.
pub(crate) fn losses(workbook: &Workbook, sheet: &Sheet) -> Vec<String> {
    let mut losses = Losses::default();
    if workbook.sheets().len() > 1 {
        losses.add("the other sheets");
    }
    for (name, definition) in workbook.names() {
        match name_scope(name) {
            Some((own, _)) if own != sheet.id() => losses.add("names of other sheets"),
            scope => {
                let name = scope.map_or(&**name, |(_, local)| local).to_uppercase();
                if FUNCTIONS.contains(&format!(" {name} ")) {
                    losses.add("results of names that are functions of SocialCalc");
                }
                losses.formula(sheet, definition);
            }
        }
    }
    let graph = graph::write(sheet).map(|(id, _)| id);
    for (id, item) in sheet.items().iter() {
        match (item.kind, graph == Some(id)) {
            (ItemKind::Chart, true) => losses.graph(item),
            _ => losses.item(sheet, item),
        }
    }
    losses.formats(sheet);
    for (column, cells) in sheet.columns_in(Range::whole_sheet()) {
        if column.get() >= COLUMNS_MAX && cells.extent().is_some() {
            losses.add("the display of columns after ZZ");
        }
    }
    for (.., template) in sheet.formula_runs(Range::whole_sheet()) {
        losses.formula(sheet, template);
    }
    losses.spills(sheet);
    if !losses.functions.is_empty() {
        let mut functions: Vec<&str> = losses.functions.iter().map(String::as_str).collect();
        if functions.len() > FUNCTIONS_NAMED_MAX {
            functions.truncate(FUNCTIONS_NAMED_MAX);
            functions.push("and others");
        }
        let functions = functions.join(", ");
        losses.names.insert(format!("results of functions that SocialCalc does not have ({functions})"));
    }
    losses.names.into_iter().collect()
}

#[derive(Default)]
struct Losses {
    names: BTreeSet<String>,
    functions: BTreeSet<String>,
}

impl Losses {
    fn add(&mut self, name: &str) {
        if !self.names.contains(name) {
            self.names.insert(name.to_owned());
        }
    }

    fn item(&mut self, sheet: &Sheet, item: &Item) {
        match item.kind {
            ItemKind::Merge | ItemKind::Note | ItemKind::Comment => {}
            ItemKind::CommentThread => self.add("answers and authors of comments, which become one text"),
            ItemKind::Link => {
                let is_text = item.anchors.first().is_some_and(|anchor| {
                    let cell = anchor.first();
                    sheet.formula(cell).is_none() && matches!(sheet.value(cell), Value::Text(_))
                });
                let is_internal = item.text(Field::Url).is_some_and(|url| url.starts_with('#'));
                if !is_text || is_internal {
                    self.add("links within the workbook, and links of cells without a text");
                }
            }
            ItemKind::ProtectedRange => {
                let has_editors = item.fields.contains_key(&Field::Editors);
                if has_editors || item.boolean(Field::WarningOnly) == Some(true) {
                    self.add("editors of protected cells, and protection that only warns");
                }
            }
            ItemKind::SheetSettings => {
                let frozen = [Field::FrozenRows, Field::FrozenColumns];
                if item.fields.keys().any(|field| !frozen.contains(field)) {
                    self.add("settings of the sheet except frozen panes");
                }
            }
            ItemKind::ConditionalRule => self.add("conditional formats"),
            ItemKind::Validation => self.add("data validation"),
            ItemKind::AutoFilter | ItemKind::FilterColumn | ItemKind::FilterView => self.add("filters"),
            ItemKind::Slicer => self.add("slicers"),
            ItemKind::Scenario => self.add("scenarios"),
            ItemKind::Suggestion => self.add("suggestions"),
            ItemKind::Reaction => self.add("reactions to comments"),
            ItemKind::Chart => self.add("charts"),
            ItemKind::PivotTable => self.add("pivot tables"),
            ItemKind::Image => self.add("images"),
            ItemKind::Sparkline => self.add("sparklines"),
            ItemKind::Table | ItemKind::TableColumn => self.add("tables"),
            ItemKind::OutlineGroup => self.add("groups of rows and columns"),
            ItemKind::AlternatingColors => self.add("alternating colors"),
            ItemKind::PrintArea | ItemKind::PrintTitles => self.add("print areas and titles"),
            ItemKind::PageBreak => self.add("page breaks"),
            ItemKind::CellStyle
            | ItemKind::WorkbookSettings
            | ItemKind::Import
            | ItemKind::ImportPart
            | ItemKind::NamedVersion
            | ItemKind::NamedFunction
            | ItemKind::PackageParts => {}
        }
    }

    /// A chart that becomes the graph of the sheet.
    fn graph(&mut self, chart: &Item) {
        let kept = [Field::Type, Field::Series, Field::Width, Field::Height];
        if chart.fields.keys().any(|field| !kept.contains(field)) {
            self.add("titles, axes and legends of the graph");
        }
    }

    fn formats(&mut self, sheet: &Sheet) {
        let mut left = SAVE_BLANKS_MAX;
        for (range, format) in sheet.format_runs(Range::whole_sheet()) {
            if *format == Format::default() {
                continue;
            }
            if written_blanks(sheet, range, &mut left) != Some(range) {
                self.add("formats of whole rows and columns beyond the used range");
            }
            self.format(format);
            let code = format.number_format.as_deref().filter(|code| *code != HIDDEN);
            if code.is_some() && cells_in(sheet, range).any(|value| !shows_number_format(&value)) {
                self.add("number formats of texts and booleans");
            }
        }
        if sheet.size_runs(Dimension::Columns).any(|(first, count, _)| first + count > COLUMNS_MAX) {
            self.add("the display of columns after ZZ");
        }
    }

    fn format(&mut self, format: &Format) {
        for (name, is_lost) in [
            ("underline", format.underline),
            ("strikethrough", format.strikethrough),
            ("superscripts and subscripts", format.script.is_some()),
            ("fonts of parts of texts", format.text_runs.is_some()),
            ("fill patterns", format.fill_pattern.is_some()),
            ("reading orders", format.reading_order.is_some()),
            ("justified and distributed alignments", is_special_alignment(format)),
            (
                "diagonal borders",
                format.border_diagonal_up.is_some() || format.border_diagonal_down.is_some(),
            ),
            ("wrapped, clipped and shrunk text", format.wrap || format.overflow.is_some()),
            ("indents", format.indent > 0),
            ("rotated text", format.rotation != Rotation::NONE),
        ] {
            if is_lost {
                self.add(name);
            }
        }
        let sides = [format.border_top, format.border_right, format.border_bottom, format.border_left];
        let is_plain = |border: &Border| {
            use BorderStyle::{Dashed, Dotted, Double, Medium, MediumDashed, Thick, Thin};
            matches!(border.style, Thin | Medium | Thick | Dashed | MediumDashed | Dotted | Double)
        };
        if sides.iter().flatten().any(|border| !is_plain(border)) {
            self.add("borders of dots and dashes, which become dashed");
        }
        if format.number_format.as_deref().is_some_and(is_shown_otherwise) {
            self.add("number formats with exponents, fractions or @");
        }
    }

    fn formula(&mut self, sheet: &Sheet, template: &Template) {
        visit(&dialect::written(template), &mut |node| match node {
            Expression::Call { function, .. } if !FUNCTIONS.contains(&format!(" {} ", function.text())) => {
                self.functions.insert(function.text().to_string());
            }
            Expression::Reference(Reference { sheet: Some(SheetReference::Unknown(written)), .. })
                if dialect::room(written).is_some() => {}
            Expression::Reference(Reference { sheet: Some(other), .. })
                if *other != SheetReference::Sheet(sheet.id()) =>
            {
                self.add("results of references to other sheets");
            }
            Expression::Array(_)
            | Expression::Apply { .. }
            | Expression::Unary(UnaryOperator::ImplicitIntersection | UnaryOperator::Spill, _)
            | Expression::Binary(BinaryOperator::Union | BinaryOperator::Intersection, ..) => {
                self.add("results of arrays and of the operators @, #, union and intersection");
            }
            _ => {}
        });
    }

    fn spills(&mut self, sheet: &Sheet) {
        let columns = sheet.columns_in(Range::whole_sheet());
        if columns.into_iter().any(|(_, column)| !column.spilled().is_empty()) {
            self.add("results of formulas that spill");
        }
    }
}

fn is_special_alignment(format: &Format) -> bool {
    use quadrille_workbook::{HorizontalAlignment as Horizontal, VerticalAlignment as Vertical};
    !matches!(format.horizontal, None | Some(Horizontal::Left | Horizontal::Center | Horizontal::Right))
        || matches!(format.vertical, Some(Vertical::Justify | Vertical::Distributed))
}

/// The values of the cells in a range that are not blank.
fn cells_in(sheet: &Sheet, range: Range) -> impl Iterator<Item = Value> {
    sheet.inputs_in(range).map(|(cell, _)| sheet.value(cell))
}

/// Whether SocialCalc displays numbers in another way in a format: outside of quotes there is an
/// exponent, a fraction or `@`.
fn is_shown_otherwise(code: &str) -> bool {
    let bare: String = code.split('"').step_by(2).collect();
    let is_digit = |c: char| matches!(c, '0' | '#' | '?');
    let has_fraction = bare.match_indices('/').any(|(at, _)| {
        bare[..at].ends_with(is_digit)
            && bare[at + 1..].starts_with(|c: char| is_digit(c) || c.is_ascii_digit())
    });
    has_fraction || bare.contains("E+") || bare.contains("E-") || bare.contains('@')
}
