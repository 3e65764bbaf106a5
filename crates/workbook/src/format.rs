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
            fill_color
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
