//! Styles of cells, columns, rows and tables, and number formats, from `styles.xml` and
//! `content.xml`.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::sync::Arc;

use quadrille_workbook::{
    Border, BorderStyle, Color, FontScript, FontSize, Format, FormatPatch, HorizontalAlignment, Overflow,
    ReadingOrder, Rotation, UnderlineStyle, VerticalAlignment,
};

use super::drawn_styles::{DrawnStyles, Family};
use super::lengths::{POINT_PX, length};
use super::numbers::{CodeBuilder, StyleElement};
use super::page_styles::PageStyles;
use crate::contents::{CellStyle as NamedStyle, FieldTexts, ONE_LINE_POINTS};
use crate::error::FileError;
use crate::xlsx::xml::{Element, Node, XmlReader};

/// One step of indentation, in points.
const INDENT_POINTS: f64 = 9.0;
/// Styles of a document, at most; more than any program writes.
const STYLES_MAX: usize = 65_536;

/// The beginning of the names of styles of conditional formats, as LibreOffice makes them.
pub(super) const CONDITIONAL_STYLE: &str = "ConditionalStyle_";
/// The named styles that every file of LibreOffice has.
const LIBREOFFICE_STYLES: [&str; 19] = [
    "Default",
    "Heading",
    "Heading 1",
    "Heading 2",
    "Text",
    "Note",
    "Footnote",
    "Hyperlink",
    "Status",
    "Good",
    "Neutral",
    "Bad",
    "Warning",
    "Error",
    "Accent",
    "Accent 1",
    "Accent 2",
    "Accent 3",
    "Result",
];

/// The styles of a document.
#[derive(Default)]
pub struct Styles {
    cells: HashMap<String, CellStyle>,
    /// Names of cell styles whose displayed name differs, by displayed name.
    displayed: HashMap<String, String>,
    /// Fonts of parts of texts, by style name.
    texts: HashMap<String, FormatPatch>,
    /// Column widths and row heights in CSS pixels, by style name.
    sizes: HashMap<String, u16>,
    /// Styles of rows that a program has fitted to one line.
    one_line_rows: HashSet<String>,
    /// Styles of rows and columns that begin a page.
    page_breaks: HashSet<String>,
    hidden_tables: HashMap<String, TableStyle>,
    /// Names of the master pages of table styles.
    masters: HashMap<String, String>,
    pages: PageStyles,
    drawn: DrawnStyles,
    codes: HashMap<String, CodeBuilder>,
    /// Declared fonts: font name in styles, and font family.
    fonts: HashMap<String, String>,
}

/// Properties of a table style.
#[derive(Default, Clone, Copy)]
pub struct TableStyle {
    pub is_hidden: bool,
    pub is_right_to_left: bool,
    pub tab_color: Option<Color>,
}

#[derive(Default, Clone)]
struct CellStyle {
    parent: Option<String>,
    data: Option<String>,
    /// The name that people see, of a named style.
    named: Option<String>,
    /// The attributes that the style sets itself.
    given: FormatPatch,
}

impl Styles {
    /// Reads the styles up to the end of the part or the body of the document.
    pub fn read<R: BufRead>(&mut self, part: &mut XmlReader<R>) -> Result<(), FileError> {
        let mut is_named = false;
        loop {
            match part.next()? {
                Node::Start(element) if element.name() == "body" => return Ok(()),
                Node::Start(element) if element.name() == "styles" => is_named = true,
                Node::Start(element) if element.name() == "automatic-styles" => is_named = false,
                Node::Start(element) if element.name() == "font-face" => {
                    let family = element
                        .attribute("svg:font-family")
                        .map(|family| family.trim_matches('\'').to_owned());
                    if let (Some(name), Some(family)) = (element.attribute("style:name"), family) {
                        self.fonts.insert(name, family);
                    }
                }
                Node::Start(element) if element.name() == "style" => {
                    let family = element.attribute("style:family").unwrap_or_default();
                    let name = element.attribute("style:name").unwrap_or_default();
                    let parent = element.attribute("style:parent-style-name");
                    let displayed = element.attribute("style:display-name");
                    if let Some(displayed) = displayed.clone().filter(|_| family == "table-cell")
                        && self.displayed.len() < STYLES_MAX
                    {
                        self.displayed.insert(displayed, name.clone());
                    }
                    let named = is_named.then(|| displayed.unwrap_or_else(|| name.clone()));
                    let data = element.attribute("style:data-style-name");
                    if let Some(master) = element.attribute("style:master-page-name")
                        && self.masters.len() < STYLES_MAX
                    {
                        self.masters.insert(name.clone(), master);
                    }
                    let style = CellStyle { parent, data, named, given: FormatPatch::default() };
                    self.style(part, &family, name, style)?;
                }
                Node::Start(element) if element.name() == "page-layout" => {
                    let name = element.attribute("style:name").unwrap_or_default();
                    self.pages.read_layout(part, name)?;
                }
                Node::Start(element) if element.name() == "master-page" => {
                    let name = element.attribute("style:name").unwrap_or_default();
                    let layout = element.attribute("style:page-layout-name").unwrap_or_default();
                    self.pages.read_master(part, name, layout)?;
                }
                Node::Start(element) if element.name() == "default-style" => {
                    let family = element.attribute("style:family").unwrap_or_default();
                    self.default_style(part, &family)?;
                }
                Node::Start(element) if element.name() == "gradient" => self.drawn.add_gradient(&element),
                Node::Start(element) if is_data_style(element.name()) => {
                    let kind = element.name().to_owned();
                    let name = element.attribute("style:name").unwrap_or_default();
                    let is_elapsed =
                        element.attribute("number:truncate-on-overflow").as_deref() == Some("false");
                    self.data_style(part, &kind, name, is_elapsed)?;
                }
                Node::EndOfPart => return Ok(()),
                _ => {}
            }
        }
    }

    /// The styles of shapes.
    pub fn drawn(&self) -> &DrawnStyles {
        &self.drawn
    }

    /// The format of cells with this style, or the default format for an unknown style.
    pub fn format(&self, name: &str) -> Format {
        let mut format = Format::default();
        let mut chain = Vec::new();
        let mut next = Some(name.to_owned());
        // A style may be its own ancestor; at most 16 ancestors are followed.
        while let Some(style) =
            next.take().and_then(|name| self.cells.get(&name)).filter(|_| chain.len() < 16)
        {
            chain.push(style);
            next = style.parent.clone();
        }
        for style in chain.into_iter().rev() {
            format = style.given.apply_to(&format);
            if let Some(data) = &style.data {
                format.number_format = self.code(data, 0).map(Arc::from);
            }
        }
        format
    }

    /// As [`format`](Styles::format), for the name that people see.
    pub fn displayed(&self, name: &str) -> Format {
        self.format(self.displayed.get(name).map_or(name, String::as_str))
    }

    /// The format of cells with this style, which remembers the named style of the cells.
    pub fn cell_format(&self, name: &str) -> Format {
        let format = self.format(name);
        match self.named(name) {
            Some((named, style)) => format.in_style(style.id, &self.format(named)),
            None => format,
        }
    }

    /// The named style of cells with this style; `None` for "Default", which is no style of its own.
    pub fn cell_style(&self, name: &str) -> Option<NamedStyle> {
        let (named, style) = self.named(name)?;
        Some(NamedStyle { format: self.format(named), ..style })
    }

    /// The named styles without those that every file of LibreOffice has, and those made for
    /// conditional formats.
    pub fn own_cell_styles(&self) -> Vec<NamedStyle> {
        let is_own = |displayed: &str| {
            let is_conditional = displayed.trim_start_matches("Ext").starts_with(CONDITIONAL_STYLE);
            !is_conditional && !LIBREOFFICE_STYLES.contains(&displayed)
        };
        let own = self.cells.iter().filter(|(_, style)| style.named.as_deref().is_some_and(is_own));
        let mut names: Vec<&String> = own.map(|(name, _)| name).collect();
        names.sort();
        names.into_iter().filter_map(|name| self.cell_style(name)).collect()
    }

    /// The name and the style, without its format, that an automatic style belongs to.
    fn named(&self, name: &str) -> Option<(&str, NamedStyle)> {
        let (own, style) = self.cells.get_key_value(name)?;
        let (name, style) = match (&style.named, &style.parent) {
            (Some(_), _) => (own, style),
            (None, Some(parent)) => self.cells.get_key_value(parent)?,
            (None, None) => return None,
        };
        let displayed = style.named.as_deref().filter(|_| name != "Default")?;
        Some((name, self.named_style(displayed)))
    }

    /// The style of this name without its format. LibreOffice gives the built-in styles of Excel names
    /// that differ from those of its own.
    fn named_style(&self, displayed: &str) -> NamedStyle {
        let builtin = |name: &str| BUILTIN_STYLES.iter().find(|(known, _)| *known == name).copied();
        let prefixed = format!("{EXCEL_STYLE}{displayed}");
        let (name, builtin_id) = match displayed.strip_prefix(EXCEL_STYLE).and_then(builtin) {
            Some((name, id)) => (name, Some(id)),
            None if self.displayed.contains_key(&prefixed) => (displayed, None),
            None => (displayed, builtin(displayed).map(|(_, id)| id)),
        };
        let is_partial = builtin_id.is_some_and(|id| (3..=7).contains(&id));
        NamedStyle { is_partial, ..NamedStyle::new(name, builtin_id) }
    }

    /// The font of parts of texts with this style; no attributes for an unknown style.
    pub fn font(&self, name: &str) -> FormatPatch {
        self.texts.get(name).cloned().unwrap_or_default()
    }

    /// The width or height of a column or row style in CSS pixels.
    pub fn size(&self, name: &str) -> Option<u16> {
        self.sizes.get(name).copied()
    }

    /// Whether a program has fitted the rows of a style to one line.
    pub fn has_one_line(&self, name: &str) -> bool {
        self.one_line_rows.contains(name)
    }

    /// Whether rows or columns with this style begin a page.
    pub fn has_page_break(&self, name: &str) -> bool {
        self.page_breaks.contains(name)
    }

    /// The table style with this name, or the default.
    pub fn table(&self, name: &str) -> TableStyle {
        self.hidden_tables.get(name).copied().unwrap_or_default()
    }

    /// Sets the page setup of a sheet with this table style.
    pub fn put_page_setup(&self, table: &str, settings: &mut FieldTexts) {
        if let Some(master) = self.masters.get(table) {
            self.pages.put(master, settings);
        }
    }

    fn code(&self, name: &str, depth: u32) -> Option<String> {
        let section = |name: &str| if depth > 2 { None } else { self.code(name, depth + 1) };
        self.codes.get(name)?.finish(&section)
    }

    /// Reads the default style of a family, up to its end.
    fn default_style<R: BufRead>(&mut self, part: &mut XmlReader<R>, family: &str) -> Result<(), FileError> {
        loop {
            match part.next()? {
                Node::Start(element) => {
                    if let Some(family) = drawn_family(family, element.name()) {
                        self.drawn.add(family, "", None, &element);
                    }
                }
                node if node.ends("default-style") => return Ok(()),
                Node::EndOfPart => return Ok(()),
                _ => {}
            }
        }
    }

    fn style<R: BufRead>(
        &mut self,
        part: &mut XmlReader<R>,
        family: &str,
        name: String,
        mut style: CellStyle,
    ) -> Result<(), FileError> {
        let mut size = None;
        let mut table = TableStyle::default();
        let mut font = FormatPatch::default();
        let mut format = Format::default();
        let (mut begins_page, mut has_one_line) = (false, false);
        let begins = |element: &Element| element.attribute("fo:break-before").as_deref() == Some("page");
        loop {
            let node = part.next()?;
            if let Node::Start(element) = &node
                && let Some(family) = drawn_family(family, element.name())
            {
                self.drawn.add(family, &name, style.parent.as_deref(), element);
            }
            match node {
                Node::Start(element) => match element.name() {
                    "table-cell-properties" => {
                        cell_properties(&element, &mut format);
                        style.given = given_cell(&element, &format).over(&style.given);
                    }
                    "text-properties" => {
                        text_properties(&element, &mut format, &self.fonts);
                        font = given_font(&element, &format);
                        style.given = font.over(&style.given);
                    }
                    "paragraph-properties" => {
                        paragraph_properties(&element, &mut format);
                        style.given = given_paragraph(&element, &format, &style.given);
                    }
                    "table-column-properties" => {
                        size = length(element.attribute("style:column-width"));
                        begins_page = begins(&element);
                    }
                    "table-row-properties" => {
                        let is_fitted = element.flag("style:use-optimal-row-height") == Some(true);
                        let height = length(element.attribute("style:row-height"));
                        size = height.filter(|points| !is_fitted || *points > ONE_LINE_POINTS);
                        has_one_line = height.is_some() && size.is_none();
                        begins_page = begins(&element);
                    }
                    "table-properties" => {
                        table = TableStyle {
                            is_hidden: element.attribute("table:display").as_deref() == Some("false"),
                            is_right_to_left: element.attribute("style:writing-mode").as_deref()
                                == Some("rl-tb"),
                            // ODF 1.3, and LibreOffice before.
                            tab_color: ["table:tab-color", "tableooo:tab-color"]
                                .iter()
                                .find_map(|name| parse_color(&element.attribute(name)?)),
                        };
                    }
                    _ => {}
                },
                node if node.ends("style") => break,
                Node::EndOfPart => break,
                _ => {}
            }
        }
        if self.cells.len() + self.sizes.len() + self.page_breaks.len() + self.texts.len() >= STYLES_MAX {
            return Ok(());
        }
        match family {
            "table-cell" => {
                self.cells.insert(name, style);
            }
            "text" => {
                self.texts.insert(name, font);
            }
            "table-column" | "table-row" => {
                if begins_page {
                    self.page_breaks.insert(name.clone());
                }
                if has_one_line {
                    self.one_line_rows.insert(name.clone());
                }
                let pixels = size.map(|points| (points * POINT_PX).round().clamp(1.0, 2_000.0) as u16);
                self.sizes.extend(pixels.map(|pixels| (name, pixels)));
            }
            "table" => {
                self.hidden_tables.insert(name, table);
            }
            _ => {}
        }
        Ok(())
    }

    fn data_style<R: BufRead>(
        &mut self,
        part: &mut XmlReader<R>,
        kind: &str,
        name: String,
        is_elapsed: bool,
    ) -> Result<(), FileError> {
        let mut builder = CodeBuilder::default();
        builder.begin(kind, is_elapsed);
        loop {
            match part.next()? {
                Node::Start(element) if matches!(element.name(), "text" | "currency-symbol") => {
                    let text = part.text()?;
                    builder.text(&text);
                }
                Node::Start(element) if element.name() == "map" => {
                    let pair =
                        (element.attribute("style:condition"), element.attribute("style:apply-style-name"));
                    if let (Some(condition), Some(style)) = pair {
                        builder.maps.push((condition, style));
                    }
                }
                Node::Start(element) if element.name() == "text-properties" => {
                    if let Some(color) = element.attribute("fo:color") {
                        builder.color(&color);
                    }
                }
                Node::Start(element) => builder.piece(&StyleElement {
                    name: element.name(),
                    is_long: element.attribute("number:style").as_deref() == Some("long"),
                    is_textual: element.attribute("number:textual").as_deref() == Some("true"),
                    decimals: element.number("number:decimal-places"),
                    integers: element.number("number:min-integer-digits"),
                    groups: element.attribute("number:grouping").as_deref() == Some("true"),
                    exponent: element.number("number:min-exponent-digits"),
                    denominator: element.number("number:min-denominator-digits"),
                    min_decimals: element.number("number:min-decimal-places"),
                    factor: element.number("number:display-factor"),
                }),
                node if node.ends(kind) => break,
                Node::EndOfPart => break,
                _ => {}
            }
        }
        if self.codes.len() < STYLES_MAX {
            self.codes.insert(name, builder);
        }
        Ok(())
    }
}

fn is_data_style(name: &str) -> bool {
    matches!(
        name,
        "number-style"
            | "currency-style"
            | "percentage-style"
            | "date-style"
            | "time-style"
            | "text-style"
            | "boolean-style"
    )
}

fn cell_properties(element: &Element, format: &mut Format) {
    format.fill_color = element.attribute("fo:background-color").and_then(|color| parse_color(&color));
    let is = |name: &str, value: &str| element.attribute(name).as_deref() == Some(value);
    format.wrap = is("fo:wrap-option", "wrap");
    format.overflow = is("style:shrink-to-fit", "true").then_some(Overflow::Shrink);
    if is("style:repeat-content", "true") {
        format.horizontal = Some(HorizontalAlignment::Fill);
    }
    format.vertical = match element.attribute("style:vertical-align").as_deref() {
        Some("top") => Some(VerticalAlignment::Top),
        Some("middle") => Some(VerticalAlignment::Middle),
        Some("justify") if is("css3t:text-justify", "distribute") => Some(VerticalAlignment::Distributed),
        Some("justify") => Some(VerticalAlignment::Justify),
        _ => None,
    };
    let degrees = element.number::<f64>("style:rotation-angle").unwrap_or(0.0);
    let degrees = if degrees > 180.0 { degrees - 360.0 } else { degrees };
    format.rotation = Rotation::new(degrees.round() as i16).unwrap_or_default();
    let all = element.attribute("fo:border");
    let side =
        |name: &str| element.attribute(name).or_else(|| all.clone()).and_then(|text| parse_border(&text));
    format.border_top = side("fo:border-top");
    format.border_right = side("fo:border-right");
    format.border_bottom = side("fo:border-bottom");
    format.border_left = side("fo:border-left");
    let diagonal = |name: &str| element.attribute(name).and_then(|text| parse_border(&text));
    format.border_diagonal_up = diagonal("style:diagonal-bl-tr");
    format.border_diagonal_down = diagonal("style:diagonal-tl-br");
}

fn text_properties(element: &Element, format: &mut Format, fonts: &HashMap<String, String>) {
    let is = |name: &str, value: &str| element.attribute(name).as_deref() == Some(value);
    let is_line = |name: &str| element.attribute(name).is_some_and(|line| line != "none");
    format.bold = is("fo:font-weight", "bold")
        || element.number::<u32>("fo:font-weight").is_some_and(|weight| weight >= 600);
    format.italic = is("fo:font-style", "italic");
    format.underline = is_line("style:text-underline-style");
    format.underline_style = is("style:text-underline-type", "double").then_some(UnderlineStyle::Double);
    format.script = element.attribute("style:text-position").and_then(|position| script(&position));
    format.strikethrough = is_line("style:text-line-through-style");
    format.text_color =
        element.attribute("fo:color").and_then(|color| parse_color(&color)).filter(|color| color.0 != 0);
    format.font_size = points(element.attribute("fo:font-size")).and_then(FontSize::from_points);
    let family = element.attribute("style:font-name").map(|name| fonts.get(&name).cloned().unwrap_or(name));
    let family = family.or_else(|| element.attribute("fo:font-family"));
    format.font_family = family.filter(|family| !family.is_empty() && family.len() <= 100).map(Arc::from);
}

/// The attributes that the properties of cells give, with the values in `format`.
fn given_cell(element: &Element, format: &Format) -> FormatPatch {
    let has = |name: &str| element.attribute(name).is_some();
    let has_side = |side: &str| has("fo:border") || has(side);
    let is_by_type = element.attribute("style:text-align-source").as_deref() == Some("value-type");
    FormatPatch {
        fill_color: has("fo:background-color").then_some(format.fill_color),
        wrap: has("fo:wrap-option").then_some(format.wrap),
        overflow: has("style:shrink-to-fit").then_some(format.overflow),
        horizontal: (is_by_type || format.horizontal.is_some()).then_some(format.horizontal),
        vertical: has("style:vertical-align").then_some(format.vertical),
        rotation: has("style:rotation-angle").then_some(format.rotation),
        border_top: has_side("fo:border-top").then_some(format.border_top),
        border_right: has_side("fo:border-right").then_some(format.border_right),
        border_bottom: has_side("fo:border-bottom").then_some(format.border_bottom),
        border_left: has_side("fo:border-left").then_some(format.border_left),
        border_diagonal_up: has("style:diagonal-bl-tr").then_some(format.border_diagonal_up),
        border_diagonal_down: has("style:diagonal-tl-br").then_some(format.border_diagonal_down),
        ..FormatPatch::default()
    }
}

/// The attributes of `given`, which the properties of cells gave, and those of paragraphs. An alignment
/// that depends on the type of the value has no side.
fn given_paragraph(element: &Element, format: &Format, given: &FormatPatch) -> FormatPatch {
    let has = |name: &str| element.attribute(name).is_some();
    let has_side = has("fo:text-align") && given.horizontal != Some(None);
    let paragraph = FormatPatch {
        reading_order: has("style:writing-mode").then_some(format.reading_order),
        horizontal: has_side.then_some(format.horizontal),
        indent: has("fo:margin-left").then_some(format.indent),
        ..FormatPatch::default()
    };
    paragraph.over(given)
}

/// The attributes that the text properties of a part of a text give, with the values in `format`.
fn given_font(element: &Element, format: &Format) -> FormatPatch {
    let has = |name: &str| element.attribute(name).is_some();
    let underlines = has("style:text-underline-style") || has("style:text-underline-type");
    FormatPatch {
        bold: has("fo:font-weight").then_some(format.bold),
        italic: has("fo:font-style").then_some(format.italic),
        underline: has("style:text-underline-style").then_some(format.underline),
        underline_style: underlines.then_some(format.underline_style),
        strikethrough: has("style:text-line-through-style").then_some(format.strikethrough),
        script: has("style:text-position").then_some(format.script),
        text_color: (has("fo:color") || has("style:use-window-font-color")).then_some(format.text_color),
        font_size: format.font_size.map(Some),
        font_family: format.font_family.clone().map(Some),
        ..FormatPatch::default()
    }
}

/// The beginning of the names that LibreOffice gives to built-in styles of Excel.
const EXCEL_STYLE: &str = "Excel Built-in ";
/// Built-in styles of Excel and their numbers (ECMA-376 part 1, 18.8.7). Those of numbers keep the font
/// of the cells they are applied to.
const BUILTIN_STYLES: [(&str, u8); 23] = [
    ("Comma", 3),
    ("Currency", 4),
    ("Percent", 5),
    ("Comma [0]", 6),
    ("Currency [0]", 7),
    ("Hyperlink", 8),
    ("Followed Hyperlink", 9),
    ("Note", 10),
    ("Warning Text", 11),
    ("Title", 15),
    ("Heading 1", 16),
    ("Heading 2", 17),
    ("Heading 3", 18),
    ("Heading 4", 19),
    ("Input", 20),
    ("Output", 21),
    ("Calculation", 22),
    ("Check Cell", 23),
    ("Linked Cell", 24),
    ("Total", 25),
    ("Good", 26),
    ("Bad", 27),
    ("Neutral", 28),
];

/// Parses a position such as `super 58%` or `-10% 58%`.
fn script(position: &str) -> Option<FontScript> {
    match position.split_whitespace().next()? {
        "super" => Some(FontScript::Superscript),
        "sub" => Some(FontScript::Subscript),
        percent => match percent.strip_suffix('%')?.parse::<f64>().ok()? {
            raise if raise > 0.0 => Some(FontScript::Superscript),
            raise if raise < 0.0 => Some(FontScript::Subscript),
            _ => None,
        },
    }
}

fn paragraph_properties(element: &Element, format: &mut Format) {
    format.reading_order = match element.attribute("style:writing-mode").as_deref() {
        Some("lr-tb") => Some(ReadingOrder::LeftToRight),
        Some("rl-tb") => Some(ReadingOrder::RightToLeft),
        _ => None,
    };
    let is_distributed = element.attribute("css3t:text-justify").as_deref() == Some("distribute");
    let repeats = format.horizontal == Some(HorizontalAlignment::Fill);
    format.horizontal = match element.attribute("fo:text-align").as_deref() {
        _ if repeats => Some(HorizontalAlignment::Fill),
        Some("justify") if is_distributed => Some(HorizontalAlignment::Distributed),
        Some("justify") => Some(HorizontalAlignment::Justify),
        Some("start" | "left") => Some(HorizontalAlignment::Left),
        Some("center") => Some(HorizontalAlignment::Center),
        Some("end" | "right") => Some(HorizontalAlignment::Right),
        _ => None,
    };
    let indent = length(element.attribute("fo:margin-left")).unwrap_or(0.0) / INDENT_POINTS;
    format.indent = indent.round().clamp(0.0, 15.0) as u8;
}

/// Parses `#rrggbb`.
pub fn parse_color(text: &str) -> Option<Color> {
    u32::from_str_radix(text.strip_prefix('#')?, 16).ok().filter(|_| text.len() == 7).map(Color)
}

/// Parses a border such as `0.74pt solid #000000`: thin up to 1.2 points, medium up to 2 points.
fn parse_border(text: &str) -> Option<Border> {
    let mut words = text.split_whitespace();
    let width = length(words.next().map(str::to_owned))?;
    let line = words.next()?;
    let color = words.next().and_then(parse_color);
    let is_wide = width > 1.2;
    let style = match line {
        "solid" if width <= 0.1 => BorderStyle::Hair,
        "solid" if width <= 1.2 => BorderStyle::Thin,
        "solid" if width <= 2.0 => BorderStyle::Medium,
        "solid" => BorderStyle::Thick,
        "double" | "double-thin" => BorderStyle::Double,
        "dotted" => BorderStyle::Dotted,
        "dashed" if is_wide => BorderStyle::MediumDashed,
        "dashed" | "fine-dashed" => BorderStyle::Dashed,
        "dash-dot" if is_wide => BorderStyle::MediumDashDot,
        "dash-dot" => BorderStyle::DashDot,
        "dash-dot-dot" if is_wide => BorderStyle::MediumDashDotDot,
        "dash-dot-dot" => BorderStyle::DashDotDot,
        _ => return None,
    };
    Some(Border { style, color: color.filter(|color| color.0 != 0) })
}

fn points(text: Option<String>) -> Option<f64> {
    text?.strip_suffix("pt")?.parse().ok()
}

/// The family of a style of shapes or of their texts to which properties of this name belong.
fn drawn_family(family: &str, properties: &str) -> Option<Family> {
    let is_known = matches!(properties, "graphic-properties" | "text-properties" | "paragraph-properties");
    Family::of(family).filter(|_| is_known)
}
