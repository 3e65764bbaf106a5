//! Cell formats, and patches that change single attributes of them.

use std::sync::Arc;

use crate::item_id::ItemId;
use crate::text_runs::TextRuns;

/// A 24-bit color, `0xRRGGBB`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Color(pub u32);

/// Horizontal alignment of a cell's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HorizontalAlignment {
    Left,
    Center,
    Right,
    /// Wrapped lines fill the width of the cell, except the last line.
    Justify,
    /// Every wrapped line fills the width of the cell.
    Distributed,
    /// The text is repeated until it fills the cell.
    Fill,
    /// The text is centered over the cell and the blank cells after it with this alignment ("center
    /// across selection").
    CenterContinuous,
}

/// Vertical alignment of a cell's text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VerticalAlignment {
    Top,
    Middle,
    Bottom,
    /// Wrapped lines fill the height of the cell; one line is at the top.
    Justify,
    /// Wrapped lines fill the height of the cell; one line is in the middle.
    Distributed,
}

/// Form of an underline. Without an [`UnderlineStyle`], an underline is a single line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnderlineStyle {
    Double,
    /// A line at the bottom of the cell.
    SingleAccounting,
    /// Two lines at the bottom of the cell.
    DoubleAccounting,
}

/// Vertical alignment of a font: smaller letters above or below the baseline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FontScript {
    Superscript,
    Subscript,
}

/// Base direction of a cell's text. Without a [`ReadingOrder`], the first letter decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ReadingOrder {
    LeftToRight,
    RightToLeft,
}

/// The fill patterns of XLSX (ECMA-376 part 1, 18.18.55) except `none` and `solid`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FillPattern {
    MediumGray,
    DarkGray,
    LightGray,
    DarkHorizontal,
    DarkVertical,
    DarkDown,
    DarkUp,
    DarkGrid,
    DarkTrellis,
    LightHorizontal,
    LightVertical,
    LightDown,
    LightUp,
    LightGrid,
    LightTrellis,
    Gray125,
    Gray0625,
}

impl FillPattern {
    /// All patterns, in the order of their codes in the protocol.
    pub const ALL: [FillPattern; 17] = [
        FillPattern::MediumGray,
        FillPattern::DarkGray,
        FillPattern::LightGray,
        FillPattern::DarkHorizontal,
        FillPattern::DarkVertical,
        FillPattern::DarkDown,
        FillPattern::DarkUp,
        FillPattern::DarkGrid,
        FillPattern::DarkTrellis,
        FillPattern::LightHorizontal,
        FillPattern::LightVertical,
        FillPattern::LightDown,
        FillPattern::LightUp,
        FillPattern::LightGrid,
        FillPattern::LightTrellis,
        FillPattern::Gray125,
        FillPattern::Gray0625,
    ];

    /// The name of the pattern in XLSX and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            FillPattern::MediumGray => "mediumGray",
            FillPattern::DarkGray => "darkGray",
            FillPattern::LightGray => "lightGray",
            FillPattern::DarkHorizontal => "darkHorizontal",
            FillPattern::DarkVertical => "darkVertical",
            FillPattern::DarkDown => "darkDown",
            FillPattern::DarkUp => "darkUp",
            FillPattern::DarkGrid => "darkGrid",
            FillPattern::DarkTrellis => "darkTrellis",
            FillPattern::LightHorizontal => "lightHorizontal",
            FillPattern::LightVertical => "lightVertical",
            FillPattern::LightDown => "lightDown",
            FillPattern::LightUp => "lightUp",
            FillPattern::LightGrid => "lightGrid",
            FillPattern::LightTrellis => "lightTrellis",
            FillPattern::Gray125 => "gray125",
            FillPattern::Gray0625 => "gray0625",
        }
    }

    /// Returns the pattern with this [`name`](FillPattern::name), or `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<FillPattern> {
        FillPattern::ALL.into_iter().find(|pattern| pattern.name() == name)
    }
}

/// The border on one side of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Border {
    pub style: BorderStyle,
    /// `None` means the default text color of the client.
    pub color: Option<Color>,
}

/// The border styles of XLSX (ECMA-376 part 1, 18.18.3) except `none`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BorderStyle {
    Thin,
    Medium,
    Thick,
    Dashed,
    Dotted,
    Double,
    Hair,
    MediumDashed,
    DashDot,
    MediumDashDot,
    DashDotDot,
    MediumDashDotDot,
    SlantDashDot,
}

impl BorderStyle {
    /// All styles, in the order of their codes in the protocol.
    pub const ALL: [BorderStyle; 13] = [
        BorderStyle::Thin,
        BorderStyle::Medium,
        BorderStyle::Thick,
        BorderStyle::Dashed,
        BorderStyle::Dotted,
        BorderStyle::Double,
        BorderStyle::Hair,
        BorderStyle::MediumDashed,
        BorderStyle::DashDot,
        BorderStyle::MediumDashDot,
        BorderStyle::DashDotDot,
        BorderStyle::MediumDashDotDot,
        BorderStyle::SlantDashDot,
    ];

    /// The name of the style in XLSX and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            BorderStyle::Thin => "thin",
            BorderStyle::Medium => "medium",
            BorderStyle::Thick => "thick",
            BorderStyle::Dashed => "dashed",
            BorderStyle::Dotted => "dotted",
            BorderStyle::Double => "double",
            BorderStyle::Hair => "hair",
            BorderStyle::MediumDashed => "mediumDashed",
            BorderStyle::DashDot => "dashDot",
            BorderStyle::MediumDashDot => "mediumDashDot",
            BorderStyle::DashDotDot => "dashDotDot",
            BorderStyle::MediumDashDotDot => "mediumDashDotDot",
            BorderStyle::SlantDashDot => "slantDashDot",
        }
    }

    /// Returns the style with this [`name`](BorderStyle::name), or `None` for an unknown name.
    pub fn from_name(name: &str) -> Option<BorderStyle> {
        BorderStyle::ALL.into_iter().find(|style| style.name() == name)
    }
}

/// Font size in tenths of a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FontSize(pub u16);

impl FontSize {
    /// Smallest size, as in Excel: 1 point.
    pub const MIN: FontSize = FontSize(10);
    /// Largest size, as in Excel: 409 points.
    pub const MAX: FontSize = FontSize(4_090);

    /// Rounds a size in points to tenths. Returns `None` outside of 1 to 409 points.
    pub fn from_points(points: f64) -> Option<FontSize> {
        let tenths = (points * 10.0).round();
        let is_within = tenths >= f64::from(FontSize::MIN.0) && tenths <= f64::from(FontSize::MAX.0);
        is_within.then_some(FontSize(tenths as u16))
    }

    /// The size in points.
    pub fn points(self) -> f64 {
        f64::from(self.0) / 10.0
    }
}

/// Drawing of a text that is wider than its cell and not wrapped. Without an [`Overflow`], the text
/// extends into blank neighboring cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Overflow {
    /// The text is cut off at the edge of the cell.
    Clip,
    /// The font is reduced until the text fits ("shrink to fit").
    Shrink,
}

/// How a cell shows a text that is more than plain, as in EtherCalc.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TextFormat {
    Html,
    /// `*bold*`, `_italic_`, lists, links.
    Wiki,
    /// `text<address>`.
    Link,
    /// The text is the address of an image.
    Image,
}

/// Text rotation in degrees, counterclockwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Rotation(i16);

impl Rotation {
    /// No rotation.
    pub const NONE: Rotation = Rotation(0);
    /// Upright letters stacked from top to bottom; 255 in XLSX.
    pub const STACKED: Rotation = Rotation(255);

    /// Returns `None` unless `degrees` is -90 to 90, or 255 for stacked text.
    pub fn new(degrees: i16) -> Option<Rotation> {
        (matches!(degrees, -90..=90) || degrees == Rotation::STACKED.0).then_some(Rotation(degrees))
    }

    /// The rotation in degrees, or 255 for stacked text.
    pub fn degrees(self) -> i16 {
        self.0
    }
}

/// Calls a macro with all attributes, in the order of the bits of [`Format::direct`]; new attributes
/// come last.
macro_rules! for_each_attribute {
    ($apply:ident) => {
        $apply!(
            number_format,
            bold,
            italic,
            underline,
            strikethrough,
            wrap,
            horizontal,
            vertical,
            text_color,
            fill_color,
            border_top,
            border_right,
            border_bottom,
            border_left,
            font_family,
            font_size,
            indent,
            rotation,
            overflow,
            text_format,
            underline_style,
            script,
            border_diagonal_up,
            border_diagonal_down,
            fill_pattern,
            fill_pattern_color,
            quote_prefix,
            reading_order,
            text_runs
        )
    };
}

/// The format of a cell. The default is the format of an untouched cell; `None` means the client's
/// default.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Format {
    /// Number format code in Excel's syntax; `None` is General.
    pub number_format: Option<Arc<str>>,
    pub bold: bool,
    pub italic: bool,
    pub underline: bool,
    pub strikethrough: bool,
    pub wrap: bool,
    pub horizontal: Option<HorizontalAlignment>,
    pub vertical: Option<VerticalAlignment>,
    pub text_color: Option<Color>,
    pub fill_color: Option<Color>,
    pub border_top: Option<Border>,
    pub border_right: Option<Border>,
    pub border_bottom: Option<Border>,
    pub border_left: Option<Border>,
    pub font_family: Option<Arc<str>>,
    pub font_size: Option<FontSize>,
    /// Indentation from the aligned side, in steps of about three characters.
    pub indent: u8,
    pub rotation: Rotation,
    pub overflow: Option<Overflow>,
    /// `None` is plain text.
    pub text_format: Option<TextFormat>,
    /// Form of the line if `underline` is set; `None` is a single line.
    pub underline_style: Option<UnderlineStyle>,
    pub script: Option<FontScript>,
    /// The line from the lower left to the upper right corner.
    pub border_diagonal_up: Option<Border>,
    /// The line from the upper left to the lower right corner.
    pub border_diagonal_down: Option<Border>,
    /// Pattern over the fill color; `None` is a solid fill.
    pub fill_pattern: Option<FillPattern>,
    /// `None` means the default text color of the client.
    pub fill_pattern_color: Option<Color>,
    /// Whether the text was entered after an apostrophe, so that it is not read as a number or
    /// formula.
    pub quote_prefix: bool,
    pub reading_order: Option<ReadingOrder>,
    /// Fonts of the parts of the text, for as long as the cell has the text that they were made for.
    pub text_runs: Option<Arc<TextRuns>>,
    /// The named style of the cell; `None` is the style "Normal". An id without an item of kind
    /// `cellStyle` looks like "Normal".
    pub cell_style: Option<ItemId>,
    /// The attributes that the cell sets itself, as bits in the order of this struct. The others are
    /// those of its style and follow when the style changes. Zero without a style.
    pub direct: u32,
}

impl Format {
    /// This format with the attributes of its style, whose format is `style`, except those that the
    /// cell sets itself.
    pub fn with_style(&self, style: &Format) -> Format {
        let start = Format { cell_style: self.cell_style, direct: 0, ..style.clone() };
        FormatPatch { cell_style: None, ..FormatPatch::replacing_with(self) }.apply_to(&start)
    }

    /// This format with a named style, whose format is `style`: attributes that differ from the
    /// style's are set by the cell itself.
    pub fn in_style(&self, id: ItemId, style: &Format) -> Format {
        let mut format = Format { cell_style: Some(id), direct: 0, ..self.clone() };
        let mut bit = 1;
        macro_rules! mark_differing {
            ($($attribute:ident),+) => {
                $(if self.$attribute != style.$attribute {
                    format.direct |= bit;
                }
                bit <<= 1;)+
            };
        }
        for_each_attribute!(mark_differing);
        debug_assert_ne!(bit, 0);
        format
    }
}

/// Format attributes to change; `None` leaves an attribute unchanged. Two patches of different
/// attributes commute, unless one of them applies a style.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FormatPatch {
    pub number_format: Option<Option<Arc<str>>>,
    pub bold: Option<bool>,
    pub italic: Option<bool>,
    pub underline: Option<bool>,
    pub strikethrough: Option<bool>,
    pub wrap: Option<bool>,
    pub horizontal: Option<Option<HorizontalAlignment>>,
    pub vertical: Option<Option<VerticalAlignment>>,
    pub text_color: Option<Option<Color>>,
    pub fill_color: Option<Option<Color>>,
    pub border_top: Option<Option<Border>>,
    pub border_right: Option<Option<Border>>,
    pub border_bottom: Option<Option<Border>>,
    pub border_left: Option<Option<Border>>,
    pub font_family: Option<Option<Arc<str>>>,
    pub font_size: Option<Option<FontSize>>,
    pub indent: Option<u8>,
    pub rotation: Option<Rotation>,
    pub overflow: Option<Option<Overflow>>,
    pub text_format: Option<Option<TextFormat>>,
    pub underline_style: Option<Option<UnderlineStyle>>,
    pub script: Option<Option<FontScript>>,
    pub border_diagonal_up: Option<Option<Border>>,
    pub border_diagonal_down: Option<Option<Border>>,
    pub fill_pattern: Option<Option<FillPattern>>,
    pub fill_pattern_color: Option<Option<Color>>,
    pub quote_prefix: Option<bool>,
    pub reading_order: Option<Option<ReadingOrder>>,
    pub text_runs: Option<Option<Arc<TextRuns>>>,
    /// Applies a named style, or "Normal" if the inner value is `None`: all attributes become those
    /// of the style before those of the patch are set.
    pub cell_style: Option<Option<ItemId>>,
}

impl FormatPatch {
    /// A patch that yields `format` when it is applied to any format. It sets every attribute, or
    /// the style and the attributes that the cell sets itself.
    pub fn replacing_with(format: &Format) -> FormatPatch {
        macro_rules! set_all {
            ($($attribute:ident),+) => {
                FormatPatch {
                    $($attribute: Some(format.$attribute.clone()),)+
                    cell_style: Some(format.cell_style),
                }
            };
        }
        let mut patch = for_each_attribute!(set_all);
        if format.cell_style.is_some() {
            patch.retain(format.direct);
        }
        patch
    }

    /// The attributes that the patch sets, as the bits of [`Format::direct`].
    pub fn attributes(&self) -> u32 {
        let mut attributes = 0;
        let mut bit = 0;
        macro_rules! add_each {
            ($($attribute:ident),+) => {
                $(attributes |= u32::from(self.$attribute.is_some()) << bit;
                bit += 1;)+
            };
        }
        for_each_attribute!(add_each);
        debug_assert!(bit < u32::BITS);
        attributes
    }

    /// Leaves attributes unchanged that are not in this bit set.
    fn retain(&mut self, attributes: u32) {
        let mut rest = attributes;
        macro_rules! retain_each {
            ($($attribute:ident),+) => {
                $(if rest & 1 == 0 {
                    self.$attribute = None;
                }
                rest >>= 1;)+
            };
        }
        for_each_attribute!(retain_each);
        debug_assert!(rest <= 0x7);
    }

    /// A patch that sets the attributes of `format` that differ from the default format, whether they
    /// come from its style or not.
    pub fn difference_from_default(format: &Format) -> FormatPatch {
        let default = Format::default();
        let mut patch = FormatPatch::default();
        macro_rules! set_differing {
            ($($attribute:ident),+) => {
                $(if format.$attribute != default.$attribute {
                    patch.$attribute = Some(format.$attribute.clone());
                })+
            };
        }
        for_each_attribute!(set_differing);
        patch
    }

    /// The attributes that `format` does not have already.
    pub fn differing_from(&self, format: &Format) -> FormatPatch {
        let mut differing = self.clone();
        macro_rules! remove_equal {
            ($($attribute:ident),+) => {
                $(if self.$attribute.as_ref() == Some(&format.$attribute) {
                    differing.$attribute = None;
                })+
            };
        }
        for_each_attribute!(remove_equal);
        differing
    }

    /// Whether the patch changes no attribute.
    pub fn is_empty(&self) -> bool {
        self.attributes() == 0 && self.cell_style.is_none()
    }

    /// Returns `format` with the attributes of this patch. If the patch applies a style, the
    /// attributes of the style are those of the default format until [`Format::with_style`].
    pub fn apply_to(&self, format: &Format) -> Format {
        let mut patched = match self.cell_style {
            None => format.clone(),
            Some(cell_style) => Format { cell_style, ..Format::default() },
        };
        if patched.cell_style.is_some() {
            patched.direct |= self.attributes();
        }
        macro_rules! apply_each {
            ($($attribute:ident),+) => {
                $(if let Some(value) = &self.$attribute {
                    patched.$attribute = value.clone();
                })+
            };
        }
        for_each_attribute!(apply_each);
        patched
    }

    /// Returns the patch that has the effect of `other` and then this one.
    pub fn over(&self, other: &FormatPatch) -> FormatPatch {
        let mut both = other.clone();
        macro_rules! set_each {
            ($($attribute:ident),+) => {
                $(if self.$attribute.is_some() {
                    both.$attribute = self.$attribute.clone();
                })+
            };
        }
        for_each_attribute!(set_each);
        both
    }

    /// Returns this patch without the attributes that `other` also sets.
    pub fn without(&self, other: &FormatPatch) -> FormatPatch {
        let mut rest = self.clone();
        rest.retain(!other.attributes());
        rest
    }
}
