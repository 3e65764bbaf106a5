//! The styles part: formats of cells and differential formats.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quadrille_workbook::{
    Border, BorderStyle, Color, Field, FillPattern, FontScript, FontSize, Format, FormatPatch,
    HorizontalAlignment, Overflow, ReadingOrder, Rotation, UnderlineStyle, VerticalAlignment,
};

use super::archive::Part;
use super::colors::Theme;
use super::package_parts::DefaultFont;
use super::xml::{Element, Node};
use crate::contents::{CellStyle, FieldTexts};
use crate::error::{FileError, FileErrorCode};

/// Styles by index.
#[derive(Default)]
pub struct Styles {
    styles: Vec<Style>,
    /// Differential formats of conditional formats and filters, by `dxfId`.
    differentials: Vec<FieldTexts>,
    default_font: Option<DefaultFont>,
    /// The formats of named styles, by the number that formats of cells have as `xfId`.
    style_formats: Vec<Style>,
    cell_styles: Vec<CellStyle>,
    /// The complements of cell formats that are checkboxes.
    checkboxes: BTreeSet<usize>,
    /// What formats of cells have and warnings name, because cells here do not have it.
    left_out: BTreeSet<&'static str>,
}

/// A cell style.
#[derive(Default)]
struct Style {
    format: Format,
    /// Whether cells with this style are unlocked in a protected sheet.
    is_unlocked: bool,
    /// The number of the named style.
    named: Option<usize>,
    /// Whether a named style does not apply all groups of attributes.
    is_partial: bool,
    /// The number of a complement, which has what ECMA-376 does not.
    complement: Option<usize>,
}

/// Colors of a gradient, at most; more do not change the mean much.
const STOPS_MAX: usize = 100;
/// Cell styles, at most; Excel's limit is 64,000.
const STYLES_MAX: usize = 65_536;
const NUMBER_FORMAT_LENGTH_MAX: usize = 255;
const FONT_FAMILY_LENGTH_MAX: usize = 31;

impl Styles {
    /// The format of a style; the default format for an unknown style.
    pub fn format(&self, style: usize) -> Format {
        self.styles.get(style).map(|style| style.format.clone()).unwrap_or_default()
    }

    /// Whether the style has the default format.
    pub fn is_default(&self, style: usize) -> bool {
        self.styles.get(style).is_none_or(|style| style.format == Format::default())
    }

    /// Whether cells with this style are unlocked in a protected sheet.
    pub fn is_unlocked(&self, style: usize) -> bool {
        self.styles.get(style).is_some_and(|style| style.is_unlocked)
    }

    /// Sets which complements of formats are checkboxes.
    pub fn set_checkboxes(&mut self, complements: BTreeSet<usize>) {
        self.checkboxes = complements;
    }

    /// Whether any style can have a checkbox.
    pub fn has_checkboxes(&self) -> bool {
        !self.checkboxes.is_empty()
    }

    /// Whether cells with this style are checkboxes.
    pub fn is_checkbox(&self, style: usize) -> bool {
        let complement = self.styles.get(style).and_then(|style| style.complement);
        complement.is_some_and(|complement| self.checkboxes.contains(&complement))
    }

    /// What the formats of cells have and cells here do not.
    pub fn left_out(&self) -> impl Iterator<Item = &'static str> {
        self.left_out.iter().copied()
    }

    /// The named styles other than "Normal".
    pub fn cell_styles(&self) -> &[CellStyle] {
        &self.cell_styles
    }

    /// The font of cells without a font of their own.
    pub fn default_font(&self) -> Option<&DefaultFont> {
        self.default_font.as_ref()
    }

    /// The differential format with this `dxfId`.
    pub fn differential(&self, number: usize) -> Option<&FieldTexts> {
        self.differentials.get(number)
    }

    /// Reads the styles part. Fails with `ArchiveLimits` if there are too many styles.
    pub fn read(mut part: Part, theme: &Theme) -> Result<Styles, FileError> {
        let mut tables = Tables::default();
        let mut styles = Styles::default();
        let mut section = Section::Other;
        let mut named = Vec::new();
        loop {
            match part.next()? {
                Node::Start(element) => match (element.name(), section) {
                    ("fonts", _) => section = Section::Fonts,
                    ("fills", _) => section = Section::Fills,
                    ("borders", _) => section = Section::Borders,
                    ("cellXfs", _) => section = Section::CellFormats,
                    ("dxfs", _) => section = Section::Differentials,
                    ("cellStyleXfs", _) => section = Section::StyleFormats,
                    ("xf", Section::StyleFormats) => styles.style_formats.push(tables.style(&element)),
                    ("alignment", Section::StyleFormats) => {
                        if let Some(style) = styles.style_formats.last_mut() {
                            align(&mut style.format, &element);
                        }
                    }
                    ("cellStyle", Section::Other) => named.extend(NamedStyle::read(&element)),
                    ("font", Section::Fonts) => tables.fonts.push(Font::default()),
                    ("fill", Section::Fills) => tables.fills.push(Fill::default()),
                    ("border", Section::Borders) => tables.borders.push(Borders::new(&element)),
                    ("dxf", Section::Differentials) => styles.differentials.push(FieldTexts::default()),
                    ("xf", Section::CellFormats) => {
                        let style = tables.style(&element);
                        styles.styles.push(style);
                        styles.left_out.extend(tables.left_out(&element));
                    }
                    ("alignment", Section::CellFormats) => {
                        if let Some(style) = styles.styles.last_mut() {
                            align(&mut style.format, &element);
                        }
                    }
                    ("protection", Section::CellFormats) => {
                        if let Some(style) = styles.styles.last_mut() {
                            style.is_unlocked = element.flag("locked") == Some(false);
                        }
                    }
                    ("xfComplement", Section::CellFormats) => {
                        if let Some(style) = styles.styles.last_mut() {
                            style.complement = element.number("i");
                        }
                    }
                    ("numFmt", Section::Other) => {
                        let id: Option<u32> = element.number("numFmtId");
                        if let (Some(id), Some(code)) = (id, element.attribute("formatCode")) {
                            tables.number_formats.insert(id, code);
                        }
                    }
                    (_, Section::Fonts) => {
                        if let Some(font) = tables.fonts.last_mut() {
                            font.take(&element, theme);
                        }
                    }
                    (name, Section::Fills) => {
                        if let Some(fill) = tables.fills.last_mut() {
                            match name {
                                "fgColor" => fill.foreground = theme.color(&element),
                                "bgColor" => fill.background = theme.color(&element),
                                "gradientFill" => fill.left_out = Some("gradients of fills"),
                                "color" => fill.add_stop(theme.color(&element)),
                                "patternFill" => {
                                    let name = element.attribute("patternType");
                                    fill.pattern = name.as_deref().and_then(FillPattern::from_name);
                                }
                                _ => {}
                            }
                        }
                    }
                    (_, Section::Borders) => {
                        if let Some(borders) = tables.borders.last_mut() {
                            borders.take(&element, theme);
                        }
                    }
                    // Borders of conditional formats are not supported; their colors must not be
                    // taken for text colors.
                    ("border", Section::Differentials) => part.skip()?,
                    (_, Section::Differentials) => {
                        if let Some(differential) = styles.differentials.last_mut() {
                            read_differential(differential, &element, theme);
                        }
                    }
                    _ => {}
                },
                node if section.ends(&node) => section = Section::Other,
                Node::EndOfPart => {
                    styles.default_font = tables.fonts.first().and_then(Font::as_default);
                    styles.name_styles(named);
                    return Ok(styles);
                }
                _ => {}
            }
            let tables_largest = tables.fonts.len().max(tables.fills.len()).max(tables.borders.len());
            let largest = styles
                .styles
                .len()
                .max(named.len())
                .max(styles.style_formats.len())
                .max(styles.differentials.len())
                .max(tables_largest);
            if largest.max(tables.number_formats.len()) > STYLES_MAX {
                let reason = format!("more than {STYLES_MAX} cell styles");
                return Err(FileError::new(FileErrorCode::ArchiveLimits, reason));
            }
        }
    }
}

/// An element `cellStyle`.
struct NamedStyle {
    name: String,
    format: usize,
    builtin_id: Option<u8>,
    is_customized: bool,
}

impl NamedStyle {
    /// `None` for "Normal" and the styles of outline levels, which cells here do not have.
    fn read(element: &Element) -> Option<NamedStyle> {
        let builtin_id = element.number("builtinId").filter(|id| *id <= BUILTIN_ID_MAX);
        let name = element.attribute("name").filter(|name| !name.trim().is_empty())?;
        let is_supported = !matches!(builtin_id, Some(NORMAL | ROW_LEVEL | COLUMN_LEVEL));
        let is_customized = element.flag("customBuiltin") == Some(true);
        is_supported.then_some(NamedStyle {
            name,
            format: element.number("xfId")?,
            builtin_id,
            is_customized,
        })
    }
}

/// Numbers of built-in styles (ECMA-376 part 1, 18.8.7).
const NORMAL: u8 = 0;
const ROW_LEVEL: u8 = 1;
const COLUMN_LEVEL: u8 = 2;
const BUILTIN_ID_MAX: u8 = 53;

impl Styles {
    /// Adds the named styles, and relates the formats of cells to them. Built-in styles that no cell
    /// has are added only if the file changes them. The first of several names of a format counts.
    fn name_styles(&mut self, named: Vec<NamedStyle>) {
        let used: BTreeSet<usize> = self.styles.iter().filter_map(|style| style.named).collect();
        let mut by_format: BTreeMap<usize, CellStyle> = BTreeMap::new();
        let mut ids = BTreeSet::new();
        for NamedStyle { name, format: index, builtin_id, is_customized } in named {
            let Some(Style { format, is_partial, .. }) = self.style_formats.get(index) else { continue };
            let is_listed = builtin_id.is_none() || is_customized || used.contains(&index);
            let style = CellStyle::new(&name, builtin_id);
            if !is_listed || by_format.contains_key(&index) || !ids.insert(style.id) {
                continue;
            }
            let style = CellStyle { format: format.clone(), is_partial: *is_partial, ..style };
            by_format.insert(index, style.clone());
            self.cell_styles.push(style);
        }
        for style in &mut self.styles {
            if let Some(named) = style.named.and_then(|named| by_format.get(&named)) {
                style.format = style.format.in_style(named.id, &named.format);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Fonts,
    Fills,
    Borders,
    CellFormats,
    StyleFormats,
    Differentials,
    Other,
}

impl Section {
    fn ends(self, node: &Node) -> bool {
        let name = match self {
            Section::Fonts => "fonts",
            Section::Fills => "fills",
            Section::Borders => "borders",
            Section::CellFormats => "cellXfs",
            Section::StyleFormats => "cellStyleXfs",
            Section::Differentials => "dxfs",
            Section::Other => return false,
        };
        node.ends(name)
    }
}

#[derive(Default)]
struct Tables {
    number_formats: BTreeMap<u32, String>,
    fonts: Vec<Font>,
    fills: Vec<Fill>,
    borders: Vec<Borders>,
}

#[derive(Default, Clone)]
struct Fill {
    /// Color of the pattern; the fill color of a solid fill.
    foreground: Option<Color>,
    background: Option<Color>,
    /// `None` is a solid fill or none.
    pattern: Option<FillPattern>,
    /// What a warning calls a fill other than by colors.
    left_out: Option<&'static str>,
    /// The colors of a gradient.
    stops: Vec<Color>,
}

impl Fill {
    /// Adds a color of a gradient, which becomes a fill with the mean of its colors.
    fn add_stop(&mut self, color: Option<Color>) {
        let Some(color) = color.filter(|_| self.stops.len() < STOPS_MAX) else { return };
        self.stops.push(color);
        let mean = |shift: u32| {
            let sum: u32 = self.stops.iter().map(|Color(stop)| stop >> shift & 0xFF).sum();
            (sum / self.stops.len() as u32) << shift
        };
        self.foreground = Some(Color(mean(16) | mean(8) | mean(0)));
    }
}

/// A font of a cell or of a part of a text.
#[derive(Default, Clone)]
pub struct Font {
    bold: bool,
    italic: bool,
    underline: bool,
    underline_style: Option<UnderlineStyle>,
    script: Option<FontScript>,
    strikethrough: bool,
    color: Option<Color>,
    family: Option<Arc<str>>,
    size: Option<FontSize>,
    scheme: Option<String>,
}

impl Font {
    /// The attributes of the font. Name and size are left out if the file has none.
    pub fn into_patch(self, default: Option<&DefaultFont>) -> FormatPatch {
        let is_default_family = |family: &Arc<str>| default.is_some_and(|default| *default.name == **family);
        let is_default_size =
            |size: &FontSize| default.is_some_and(|default| default.points == size.points());
        FormatPatch {
            bold: Some(self.bold),
            italic: Some(self.italic),
            underline: Some(self.underline),
            underline_style: Some(self.underline_style),
            strikethrough: Some(self.strikethrough),
            script: Some(self.script),
            text_color: Some(self.color),
            font_family: self.family.map(|family| Some(family).filter(|family| !is_default_family(family))),
            font_size: self.size.map(|size| Some(size).filter(|size| !is_default_size(size))),
            ..FormatPatch::default()
        }
    }

    fn as_default(&self) -> Option<DefaultFont> {
        let (name, points) = (self.family.as_ref()?.to_string(), self.size?.points());
        Some(DefaultFont { name, points, scheme: self.scheme.clone() })
    }

    /// Reads an element of a font.
    pub fn take(&mut self, element: &Element, theme: &Theme) {
        let is_on = || element.flag("val").unwrap_or(true);
        match element.name() {
            "b" => self.bold = is_on(),
            "i" => self.italic = is_on(),
            "strike" => self.strikethrough = is_on(),
            "vertAlign" => {
                self.script = match element.attribute("val").as_deref() {
                    Some("superscript") => Some(FontScript::Superscript),
                    Some("subscript") => Some(FontScript::Subscript),
                    _ => None,
                };
            }
            "u" => {
                let style = element.attribute("val").unwrap_or_else(|| "single".to_owned());
                self.underline = style != "none";
                self.underline_style = match style.as_str() {
                    "double" => Some(UnderlineStyle::Double),
                    "singleAccounting" => Some(UnderlineStyle::SingleAccounting),
                    "doubleAccounting" => Some(UnderlineStyle::DoubleAccounting),
                    _ => None,
                };
            }
            "color" => self.color = theme.color(element),
            "name" | "rFont" => {
                let family = element.attribute("val");
                self.family =
                    family.filter(|family| family.chars().count() <= FONT_FAMILY_LENGTH_MAX).map(Arc::from);
            }
            "scheme" => {
                let scheme = element.attribute("val");
                self.scheme = scheme.filter(|scheme| matches!(scheme.as_str(), "minor" | "major"));
            }
            "sz" => self.size = element.number("val").and_then(FontSize::from_points),
            _ => {}
        }
    }
}

/// Borders in the order top, right, bottom, left, diagonal. The color element follows the element of
/// its side.
#[derive(Default, Clone)]
struct Borders {
    sides: [Option<Border>; 5],
    /// Directions of the diagonal border.
    is_diagonal_up: bool,
    is_diagonal_down: bool,
    /// The side that the next color belongs to.
    open: Option<usize>,
}

impl Borders {
    fn new(element: &Element) -> Borders {
        let is_set = |name: &str| element.flag(name).unwrap_or(false);
        Borders {
            is_diagonal_up: is_set("diagonalUp"),
            is_diagonal_down: is_set("diagonalDown"),
            ..Borders::default()
        }
    }

    fn take(&mut self, element: &Element, theme: &Theme) {
        self.open = match element.name() {
            "top" => Some(0),
            "right" | "end" => Some(1),
            "bottom" => Some(2),
            "left" | "start" => Some(3),
            "color" => {
                if let Some(border) = self.open.and_then(|side| self.sides[side].as_mut()) {
                    border.color = theme.color(element);
                }
                return;
            }
            "diagonal" => Some(4),
            _ => None,
        };
        if let Some(side) = self.open {
            let style = element.attribute("style").as_deref().and_then(BorderStyle::from_name);
            self.sides[side] = style.map(|style| Border { style, color: None });
        }
    }
}

/// Reads an element of a differential format, whose fill color is the background color.
fn read_differential(differential: &mut FieldTexts, element: &Element, theme: &Theme) {
    let is_on = || Some(element.flag("val").unwrap_or(true));
    match element.name() {
        "b" => differential.flag(Field::Bold, is_on(), false),
        "i" => differential.flag(Field::Italic, is_on(), false),
        "strike" => differential.flag(Field::Strikethrough, is_on(), false),
        "u" => {
            let is_set = element.attribute("val").is_none_or(|style| style != "none");
            differential.flag(Field::Underline, Some(is_set), false);
        }
        "color" if !differential.0.contains_key(Field::TextColor.name()) => {
            differential.color(Field::TextColor, theme.color(element));
        }
        "bgColor" => differential.color(Field::FillColor, theme.color(element)),
        "numFmt" => differential.text(Field::NumberFormat, element.attribute("formatCode")),
        _ => {}
    }
}

impl Tables {
    fn style(&self, element: &Element) -> Style {
        let font = element.number::<usize>("fontId").and_then(|font| self.fonts.get(font));
        let font = font.cloned().unwrap_or_default();
        // The first font is the default font.
        let default = self.fonts.first().cloned().unwrap_or_default();
        // In every file, fill 0 is no fill and fill 1 a gray pattern.
        let fill = element.number::<usize>("fillId").filter(|fill| *fill > 1);
        let code = element.number("numFmtId").and_then(|id| self.number_format(id));
        let fill = fill.and_then(|fill| self.fills.get(fill)).cloned().unwrap_or_default();
        let borders = element.number::<usize>("borderId").and_then(|border| self.borders.get(border));
        let borders = borders.cloned().unwrap_or_default();
        let [border_top, border_right, border_bottom, border_left, diagonal] = borders.sides;
        let groups = ["NumberFormat", "Font", "Fill", "Border", "Alignment"];
        Style {
            is_unlocked: false,
            complement: None,
            named: element.number("xfId"),
            is_partial: groups.iter().any(|group| element.flag(&format!("apply{group}")) == Some(false)),
            format: Format {
                number_format: code,
                bold: font.bold,
                italic: font.italic,
                underline: font.underline,
                strikethrough: font.strikethrough,
                text_color: font.color,
                fill_color: if fill.pattern.is_some() { fill.background } else { fill.foreground },
                fill_pattern: fill.pattern,
                fill_pattern_color: fill.pattern.and(fill.foreground),
                underline_style: font.underline_style,
                script: font.script,
                border_diagonal_up: diagonal.filter(|_| borders.is_diagonal_up),
                border_diagonal_down: diagonal.filter(|_| borders.is_diagonal_down),
                quote_prefix: element.flag("quotePrefix").unwrap_or(false),
                font_family: font.family.filter(|family| Some(family) != default.family.as_ref()),
                font_size: font.size.filter(|size| Some(*size) != default.size),
                border_top,
                border_right,
                border_bottom,
                border_left,
                ..Format::default()
            },
        }
    }

    /// What a style has and cells here do not.
    fn left_out(&self, element: &Element) -> Option<&'static str> {
        let fill = element.number::<usize>("fillId").filter(|fill| *fill > 1);
        fill.and_then(|fill| self.fills.get(fill)?.left_out)
    }

    fn number_format(&self, id: u32) -> Option<Arc<str>> {
        number_format(&self.number_formats, id)
    }
}

/// The number format with this number, which is the file's own or a built-in one; `None` for the
/// general one.
pub(crate) fn number_format(own: &BTreeMap<u32, String>, id: u32) -> Option<Arc<str>> {
    let code = match own.get(&id) {
        Some(code) => code,
        None => built_in(id)?,
    };
    let is_general = code.eq_ignore_ascii_case("general") || code.is_empty();
    (!is_general && code.len() <= NUMBER_FORMAT_LENGTH_MAX).then(|| code.into())
}

/// Number formats with a built-in number (ECMA-376 part 1, 18.8.30), in the locale en-US.
fn built_in(id: u32) -> Option<&'static str> {
    Some(match id {
        1 => "0",
        2 => "0.00",
        3 => "#,##0",
        4 => "#,##0.00",
        5 => "$#,##0_);($#,##0)",
        6 => "$#,##0_);[Red]($#,##0)",
        7 => "$#,##0.00_);($#,##0.00)",
        8 => "$#,##0.00_);[Red]($#,##0.00)",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        12 => "# ?/?",
        13 => "# ??/??",
        14 => "m/d/yyyy",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 => "h:mm",
        21 => "h:mm:ss",
        22 => "m/d/yyyy h:mm",
        37 => "#,##0_);(#,##0)",
        38 => "#,##0_);[Red](#,##0)",
        39 => "#,##0.00_);(#,##0.00)",
        40 => "#,##0.00_);[Red](#,##0.00)",
        41 => "_(* #,##0_);_(* (#,##0);_(* \"-\"_);_(@_)",
        42 => "_($* #,##0_);_($* (#,##0);_($* \"-\"_);_(@_)",
        43 => "_(* #,##0.00_);_(* (#,##0.00);_(* \"-\"??_);_(@_)",
        44 => "_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mm:ss.0",
        48 => "##0.0E+0",
        49 => "@",
        _ => return None,
    })
}

fn align(format: &mut Format, element: &Element) {
    format.wrap = element.flag("wrapText").unwrap_or(false);
    format.horizontal = match element.attribute("horizontal").as_deref() {
        Some("left") => Some(HorizontalAlignment::Left),
        Some("center") => Some(HorizontalAlignment::Center),
        Some("right") => Some(HorizontalAlignment::Right),
        Some("justify") => Some(HorizontalAlignment::Justify),
        Some("distributed") => Some(HorizontalAlignment::Distributed),
        Some("fill") => Some(HorizontalAlignment::Fill),
        Some("centerContinuous") => Some(HorizontalAlignment::CenterContinuous),
        _ => None,
    };
    format.vertical = match element.attribute("vertical").as_deref() {
        Some("top") => Some(VerticalAlignment::Top),
        Some("center") => Some(VerticalAlignment::Middle),
        Some("justify") => Some(VerticalAlignment::Justify),
        Some("distributed") => Some(VerticalAlignment::Distributed),
        // Bottom is the default.
        _ => None,
    };
    format.indent = element.number::<u8>("indent").unwrap_or(0);
    format.rotation = element.number::<i16>("textRotation").and_then(rotation).unwrap_or_default();
    format.overflow = element.flag("shrinkToFit").unwrap_or(false).then_some(Overflow::Shrink);
    format.reading_order = match element.number::<u8>("readingOrder") {
        Some(1) => Some(ReadingOrder::LeftToRight),
        Some(2) => Some(ReadingOrder::RightToLeft),
        _ => None,
    };
}

/// Converts a rotation: in files, 91 to 180 are clockwise rotations.
fn rotation(degrees: i16) -> Option<Rotation> {
    match degrees {
        91..=180 => Rotation::new(90 - degrees),
        degrees => Rotation::new(degrees),
    }
}
