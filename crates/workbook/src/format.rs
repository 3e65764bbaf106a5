//! How a cell looks: attributes that are merged one by one.

use std::sync::Arc;

/// 24-bit colour, `0xRRGGBB`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Color(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HorizontalAlignment {
    Left,
    Center,
    Right,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum VerticalAlignment {
    Top,
    Middle,
    Bottom,
}

/// A line along one side of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Border {
    pub style: BorderStyle,
    /// `None` is the client's default, as for text.
    pub color: Option<Color>,
}

/// The styles of XLSX (ECMA-376 part 1, 18.18.3), apart from none.
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
    /// In the order of their numbers in the protocol.
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

    /// As in XLSX, and in our JSON.
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

    pub fn from_name(name: &str) -> Option<BorderStyle> {
        BorderStyle::ALL.into_iter().find(|style| style.name() == name)
    }
}

/// Size of letters in tenths of a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FontSize(pub u16);

impl FontSize {
    /// Excel's bounds: 1 to 409 points.
    pub const MIN: FontSize = FontSize(10);
    pub const MAX: FontSize = FontSize(4_090);

    /// `None` outside the bounds.
    pub fn from_points(points: f64) -> Option<FontSize> {
        let tenths = (points * 10.0).round();
        let is_within = tenths >= f64::from(FontSize::MIN.0) && tenths <= f64::from(FontSize::MAX.0);
        is_within.then_some(FontSize(tenths as u16))
    }

    pub fn points(self) -> f64 {
        f64::from(self.0) / 10.0
    }
}

/// What becomes of a text that is wider than its cell and is not wrapped; without it, it runs into blank
/// neighbours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Overflow {
    Clip,
    /// Written smaller until it fits.
    Shrink,
}

/// Degrees by which a text is turned, counter-clockwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Rotation(i16);

impl Rotation {
    pub const NONE: Rotation = Rotation(0);
    /// Letters upright below one another, as XLSX has it.
    pub const STACKED: Rotation = Rotation(255);

    /// -90 to 90, or 255 for letters below one another; `None` for anything else.
    pub fn new(degrees: i16) -> Option<Rotation> {
        (matches!(degrees, -90..=90) || degrees == Rotation::STACKED.0).then_some(Rotation(degrees))
    }

    pub fn degrees(self) -> i16 {
        self.0
    }
}

/// The look of a cell. The default is what an untouched cell has; `None` means "as the client's default".
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Format {
    /// Code in Excel's format language; `None` is General.
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
    /// Steps of about three letters, from the side the text is aligned to.
    pub indent: u8,
    pub rotation: Rotation,
    pub overflow: Option<Overflow>,
}

/// Attributes to set; what is `None` stays as it is. Two patches of different attributes commute.
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
}

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
            overflow
        )
    };
}

impl FormatPatch {
    /// The patch that makes any format equal to `format`.
    pub fn replacing_with(format: &Format) -> FormatPatch {
        macro_rules! set_all {
            ($($attribute:ident),+) => {
                FormatPatch { $($attribute: Some(format.$attribute.clone())),+ }
            };
        }
        for_each_attribute!(set_all)
    }

    /// The patch that makes an untouched cell look like `format`.
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

    pub fn is_empty(&self) -> bool {
        *self == FormatPatch::default()
    }

    /// `format` with this patch's attributes.
    pub fn apply_to(&self, format: &Format) -> Format {
        let mut patched = format.clone();
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

    /// This patch without the attributes that `other` sets too.
    pub fn without(&self, other: &FormatPatch) -> FormatPatch {
        let mut rest = self.clone();
        macro_rules! remove_each {
            ($($attribute:ident),+) => {
                $(if other.$attribute.is_some() {
                    rest.$attribute = None;
                })+
            };
        }
        for_each_attribute!(remove_each);
        rest
    }
}
