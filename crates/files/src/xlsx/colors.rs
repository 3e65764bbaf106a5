//! Colors of `.xlsx` files: RGB values, theme colors and colors of the legacy palette.

use quadrille_workbook::Color;
use serde::{Deserialize, Serialize};

use super::archive::Part;
use super::xml::{Element, Node};
use crate::error::FileError;

/// Theme colors in the order of the attribute `theme` of cells.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Theme([u32; 12]);

impl Default for Theme {
    /// The theme of Office 2007.
    fn default() -> Theme {
        Theme([
            0xFFFFFF, 0x000000, 0xEEECE1, 0x1F497D, 0x4F81BD, 0xC0504D, 0x9BBB59, 0x8064A2, 0x4BACC6,
            0xF79646, 0x0000FF, 0x800080,
        ])
    }
}

/// The elements of a theme with their theme index. In cells, light colors precede dark ones.
const ELEMENTS: [(&str, usize); 12] = [
    ("dk1", 1),
    ("lt1", 0),
    ("dk2", 3),
    ("lt2", 2),
    ("accent1", 4),
    ("accent2", 5),
    ("accent3", 6),
    ("accent4", 7),
    ("accent5", 8),
    ("accent6", 9),
    ("hlink", 10),
    ("folHlink", 11),
];

/// Theme index of the text color.
const THEME_TEXT: usize = 1;

/// The legacy palette of 56 colors with the indices 8 to 63.
const PALETTE: [u32; 56] = [
    0x000000, 0xFFFFFF, 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00, 0xFF00FF, 0x00FFFF, 0x800000, 0x008000,
    0x000080, 0x808000, 0x800080, 0x008080, 0xC0C0C0, 0x808080, 0x9999FF, 0x993366, 0xFFFFCC, 0xCCFFFF,
    0x660066, 0xFF8080, 0x0066CC, 0xCCCCFF, 0x000080, 0xFF00FF, 0xFFFF00, 0x00FFFF, 0x800080, 0x800000,
    0x008080, 0x0000FF, 0x00CCFF, 0xCCFFFF, 0xCCFFCC, 0xFFFF99, 0x99CCFF, 0xFF99CC, 0xCC99FF, 0xFFCC99,
    0x3366FF, 0x33CCCC, 0x99CC00, 0xFFCC00, 0xFF9900, 0xFF6600, 0x666699, 0x969696, 0x003366, 0x339966,
    0x003300, 0x333300, 0x993300, 0x993366, 0x333399, 0x333333,
];

impl Theme {
    /// Reads the color scheme of a theme part.
    pub fn read(mut part: Part) -> Result<Theme, FileError> {
        let mut theme = Theme::default();
        let mut current = None;
        loop {
            match part.next()? {
                Node::Start(element) => {
                    let name = element.name();
                    if let Some((_, index)) = ELEMENTS.iter().find(|(element, _)| *element == name) {
                        current = Some(*index);
                    }
                    let color = match name {
                        "srgbClr" => element.attribute("val"),
                        "sysClr" => element.attribute("lastClr"),
                        _ => None,
                    };
                    let color = color.and_then(|digits| u32::from_str_radix(&digits, 16).ok());
                    if let (Some(index), Some(color)) = (current.take_if(|_| color.is_some()), color) {
                        theme.0[index] = color & 0xFFFFFF;
                    }
                }
                node if node.ends("clrScheme") => return Ok(theme),
                Node::EndOfPart => return Ok(theme),
                _ => {}
            }
        }
    }

    /// The color of an element. `None` for the default text color, so that a dark theme can use its
    /// own.
    pub fn color(&self, element: &Element) -> Option<Color> {
        let tint: f64 = element.number("tint").unwrap_or(0.0);
        if let Some(digits) = element.attribute("rgb") {
            // The first two of eight digits are the opacity, which cells do not have.
            let digits = digits.get(digits.len().checked_sub(6)?..)?;
            return u32::from_str_radix(digits, 16).ok().map(|color| tinted(color, tint));
        }
        if let Some(theme) = element.number::<usize>("theme") {
            if theme == THEME_TEXT && tint == 0.0 {
                return None;
            }
            return self.0.get(theme).map(|color| tinted(*color, tint));
        }
        let index: usize = element.number("indexed")?;
        let index = if index < 8 { index } else { index - 8 };
        PALETTE.get(index).map(|color| tinted(*color, tint))
    }
}

/// A DrawingML color with its luminance modifiers (`lumMod` and `lumOff`).
pub struct SchemeColor {
    color: u32,
    factor: f64,
    offset: f64,
}

/// 100 % in the unit of DrawingML, thousandths of a percent.
const WHOLE: f64 = 100_000.0;

impl Theme {
    /// The color with a name in the theme, or with six hexadecimal digits.
    pub fn scheme(&self, value: &str) -> Option<SchemeColor> {
        let name = match value {
            "tx1" => "dk1",
            "bg1" => "lt1",
            "tx2" => "dk2",
            "bg2" => "lt2",
            name => name,
        };
        let color = match ELEMENTS.iter().find(|(element, _)| *element == name) {
            Some((_, index)) => self.0[*index],
            None => u32::from_str_radix(value, 16).ok()? & 0xFFFFFF,
        };
        Some(SchemeColor { color, factor: 1.0, offset: 0.0 })
    }
}

impl SchemeColor {
    /// Applies `lumMod`, in thousandths of a percent.
    pub fn multiply(&mut self, thousandths: Option<f64>) {
        self.factor *= thousandths.unwrap_or(WHOLE) / WHOLE;
    }

    /// Applies `lumOff`, in thousandths of a percent.
    pub fn add(&mut self, thousandths: Option<f64>) {
        self.offset += thousandths.unwrap_or(0.0) / WHOLE;
    }

    /// The color with its modified HSL lightness, which is half the sum of the strongest and the
    /// weakest channel. Scaling the distances of the channels from the lightness preserves the hue
    /// and, up to rounding, the saturation.
    pub fn rgb(&self) -> Color {
        let channels = [16, 8, 0].map(|shift| f64::from(self.color >> shift & 0xFF) / 255.0);
        let strongest = channels.iter().copied().fold(0.0, f64::max);
        let weakest = channels.iter().copied().fold(1.0, f64::min);
        let lightness = (strongest + weakest) / 2.0;
        let target = (lightness * self.factor + self.offset).clamp(0.0, 1.0);
        // The largest chroma of a lightness.
        let chroma_max = |lightness: f64| 1.0 - (2.0 * lightness - 1.0).abs();
        let scale =
            if chroma_max(lightness) > 0.0 { chroma_max(target) / chroma_max(lightness) } else { 0.0 };
        let [red, green, blue] = channels.map(|channel| {
            let moved = target + (channel - lightness) * scale;
            (moved.clamp(0.0, 1.0) * 255.0 + 0.5) as u32
        });
        Color(red << 16 | green << 8 | blue)
    }
}

/// Applies a tint to each channel: positive tints are lighter, negative ones darker.
fn tinted(color: u32, tint: f64) -> Color {
    let tint = tint.clamp(-1.0, 1.0);
    let channel = |shift: u32| {
        let value = f64::from(color >> shift & 0xFF);
        let moved = if tint < 0.0 { value * (1.0 + tint) } else { value + (255.0 - value) * tint };
        (moved + 0.5) as u32 & 0xFF
    };
    Color(channel(16) << 16 | channel(8) << 8 | channel(0))
}
