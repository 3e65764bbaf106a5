//! The looks that cells refer to by number.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_number_format::NumberFormat;
use quadrille_workbook::{Color, Format, HorizontalAlignment, VerticalAlignment};

use super::archive::Part;
use super::colors::Theme;
use super::xml::{Element, Node};
use crate::error::{FileError, FileErrorCode};

#[derive(Default)]
pub struct Styles {
    styles: Vec<Style>,
}

#[derive(Default)]
struct Style {
    format: Format,
    is_date: bool,
}

/// Excel itself stops at 64,000.
const STYLES_MAX: usize = 65_536;
const NUMBER_FORMAT_LENGTH_MAX: usize = 255;

impl Styles {
    /// The default look for a number that names no style.
    pub fn format(&self, style: usize) -> Format {
        self.styles.get(style).map(|style| style.format.clone()).unwrap_or_default()
    }

    pub fn is_default(&self, style: usize) -> bool {
        self.styles.get(style).is_none_or(|style| style.format == Format::default())
    }

    pub fn is_date(&self, style: usize) -> bool {
        self.styles.get(style).is_some_and(|style| style.is_date)
    }

    pub fn read(mut part: Part, theme: &Theme) -> Result<Styles, FileError> {
        let mut tables = Tables::default();
        let mut styles = Styles::default();
        let mut is_cell_formats = false;
        loop {
            match part.next()? {
                Node::Start(element) => match element.name() {
                    "numFmt" => {
                        let id: Option<u32> = element.number("numFmtId");
                        if let (Some(id), Some(code)) = (id, element.attribute("formatCode")) {
                            tables.number_formats.insert(id, code);
                        }
                    }
                    // Differential styles have fonts and fills too, but they belong to rules that we do not have.
                    "dxfs" | "cellStyleXfs" => part.skip()?,
                    "font" => tables.fonts.push(Font::default()),
                    "fill" => tables.fills.push(None),
                    "cellXfs" => is_cell_formats = true,
                    "xf" if is_cell_formats => styles.styles.push(tables.style(&element)),
                    "alignment" if is_cell_formats => {
                        if let Some(style) = styles.styles.last_mut() {
                            align(&mut style.format, &element);
                        }
                    }
                    _ => tables.attribute(&element, theme),
                },
                node if node.ends("cellXfs") => is_cell_formats = false,
                Node::EndOfPart => return Ok(styles),
                _ => {}
            }
            let largest = styles.styles.len().max(tables.fonts.len()).max(tables.fills.len());
            if largest.max(tables.number_formats.len()) > STYLES_MAX {
                let reason = format!("more than {STYLES_MAX} cell styles");
                return Err(FileError::new(FileErrorCode::ArchiveLimits, reason));
            }
        }
    }
}

#[derive(Default)]
struct Tables {
    number_formats: BTreeMap<u32, String>,
    fonts: Vec<Font>,
    fills: Vec<Option<Color>>,
}

#[derive(Default, Clone)]
struct Font {
    bold: bool,
    italic: bool,
    underline: bool,
    strikethrough: bool,
    color: Option<Color>,
}

impl Tables {
    /// An element inside the font or fill that was started last.
    fn attribute(&mut self, element: &Element, theme: &Theme) {
        let is_on = || element.flag("val").unwrap_or(true);
        match element.name() {
            "fgColor" => {
                if let Some(fill) = self.fills.last_mut() {
                    *fill = theme.color(element);
                }
            }
            "patternFill" => {}
            name => {
                let Some(font) = self.fonts.last_mut() else { return };
                match name {
                    "b" => font.bold = is_on(),
                    "i" => font.italic = is_on(),
                    "strike" => font.strikethrough = is_on(),
                    "u" => font.underline = element.attribute("val").is_none_or(|style| style != "none"),
                    "color" if self.fills.is_empty() => font.color = theme.color(element),
                    _ => {}
                }
            }
        }
    }

    fn style(&self, element: &Element) -> Style {
        let font = element.number::<usize>("fontId").and_then(|font| self.fonts.get(font));
        let font = font.cloned().unwrap_or_default();
        // Fill 0 is none and fill 1 a grey pattern, in every file.
        let fill = element.number::<usize>("fillId").filter(|fill| *fill > 1);
        let code = element.number("numFmtId").and_then(|id| self.number_format(id));
        Style {
            is_date: code.as_deref().is_some_and(|code| NumberFormat::parse(code).is_date()),
            format: Format {
                number_format: code,
                bold: font.bold,
                italic: font.italic,
                underline: font.underline,
                strikethrough: font.strikethrough,
                text_color: font.color,
                fill_color: fill.and_then(|fill| *self.fills.get(fill)?),
                ..Format::default()
            },
        }
    }

    fn number_format(&self, id: u32) -> Option<Arc<str>> {
        let code = match self.number_formats.get(&id) {
            Some(code) => code,
            None => built_in(id)?,
        };
        let is_general = code.eq_ignore_ascii_case("general") || code.is_empty();
        (!is_general && code.len() <= NUMBER_FORMAT_LENGTH_MAX).then(|| code.into())
    }
}

/// Formats that files name by number only (ECMA-376 part 1, 18.8.30), as English Excel shows them.
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
        Some("center" | "centerContinuous") => Some(HorizontalAlignment::Center),
        Some("right") => Some(HorizontalAlignment::Right),
        _ => None,
    };
    format.vertical = match element.attribute("vertical").as_deref() {
        Some("top") => Some(VerticalAlignment::Top),
        Some("center") => Some(VerticalAlignment::Middle),
        // Bottom is what cells have without being told.
        _ => None,
    };
}
