//! [`ShapeAttributes`]: what people set in a shape or a picture.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::presets::{is_line_preset, is_preset};
use crate::limits::TEXT_LENGTH_MAX;

/// Points of a font, at most.
const FONT_POINTS_MAX: f64 = 400.0;
/// Pixels of the breadth of an outline.
const OUTLINE_PIXELS: (f64, f64) = (0.25, 100.0);
/// Degrees of a rotation, in either direction.
const DEGREES_MAX: f64 = 360.0;
/// How much can be cropped from two opposite sides of a picture together, as a fraction.
const CROP_MAX: f64 = 0.99;

/// Attributes of a shape or a picture. In a change, absent ones stay as they are. A description of a shape
/// lacks those that it does not have, or that are more than these types express, such as gradients.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct ShapeAttributes {
    /// The name of an outline in DrawingML (`ST_ShapeType`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Lines are paragraphs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `Some(None)`: no fill.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub fill: Option<Option<Rgb>>,
    /// `Some(None)`: no outline.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub outline: Option<Option<Rgb>>,
    /// In pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outline_width: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outline_dash: Option<Dash>,
    /// Whether the line has an arrowhead at its start and at its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_arrow: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_arrow: Option<bool>,
    /// In points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font_size: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bold: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub italic: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_color: Option<Rgb>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub horizontal: Option<Horizontal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertical: Option<Vertical>,
    /// Degrees clockwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flip_horizontal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flip_vertical: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crop: Option<Crop>,
}

/// Tells `null` from an absent member.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// An opaque color, `0xRRGGBB`; as text `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rgb(pub u32);

impl Serialize for Rgb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("#{:06x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Rgb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rgb, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let color = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        color.map(Rgb).ok_or_else(|| serde::de::Error::custom(format!("a color must be #rrggbb: {text}")))
    }
}

/// Dashes of an outline (`ST_PresetLineDashVal`).
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub enum Dash {
    Solid,
    Dash,
    Dot,
    DashDot,
    LgDash,
    LgDashDot,
    LgDashDotDot,
    SysDash,
    SysDot,
    SysDashDot,
    SysDashDotDot,
}

/// Dashes with their names in DrawingML.
const DASHES: [(Dash, &str); 11] = [
    (Dash::Solid, "solid"),
    (Dash::Dash, "dash"),
    (Dash::Dot, "dot"),
    (Dash::DashDot, "dashDot"),
    (Dash::LgDash, "lgDash"),
    (Dash::LgDashDot, "lgDashDot"),
    (Dash::LgDashDotDot, "lgDashDotDot"),
    (Dash::SysDash, "sysDash"),
    (Dash::SysDot, "sysDot"),
    (Dash::SysDashDot, "sysDashDot"),
    (Dash::SysDashDotDot, "sysDashDotDot"),
];

/// Where the lines of a text are between the sides of its shape.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub enum Horizontal {
    Left,
    Center,
    Right,
    Justify,
}

const HORIZONTAL: [(Horizontal, &str); 4] = [
    (Horizontal::Left, "l"),
    (Horizontal::Center, "ctr"),
    (Horizontal::Right, "r"),
    (Horizontal::Justify, "just"),
];

/// Where a text is between the top and the bottom of its shape.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub enum Vertical {
    Top,
    Middle,
    Bottom,
}

const VERTICAL: [(Vertical, &str); 3] =
    [(Vertical::Top, "t"), (Vertical::Middle, "ctr"), (Vertical::Bottom, "b")];

/// A choice with its names in DrawingML.
pub(super) trait Named: Copy + PartialEq + 'static {
    const NAMES: &'static [(Self, &'static str)];

    /// Its name in DrawingML.
    fn name(self) -> &'static str {
        let own = Self::NAMES.iter().find(|(value, _)| *value == self);
        own.expect("every value has a name").1
    }

    /// The choice of this name.
    fn of_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, own)| *own == name).map(|(value, _)| *value)
    }
}

impl Named for Dash {
    const NAMES: &'static [(Dash, &'static str)] = &DASHES;
}

impl Named for Horizontal {
    const NAMES: &'static [(Horizontal, &'static str)] = &HORIZONTAL;
}

impl Named for Vertical {
    const NAMES: &'static [(Vertical, &'static str)] = &VERTICAL;
}

/// How much is cropped from each side of a picture, as a fraction of its width or height.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(default, deny_unknown_fields)]
pub struct Crop {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl ShapeAttributes {
    /// Checks the values. Returns what is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        let within = |name: &str, value: Option<f64>, least: f64, most: f64| match value {
            Some(value) if !(least..=most).contains(&value) => {
                Err(format!("{name} must be between {least} and {most}: {value}"))
            }
            _ => Ok(()),
        };
        within("fontSize", self.font_size, 1.0, FONT_POINTS_MAX)?;
        within("outlineWidth", self.outline_width, OUTLINE_PIXELS.0, OUTLINE_PIXELS.1)?;
        within("rotation", self.rotation, -DEGREES_MAX, DEGREES_MAX)?;
        if let Some(crop) = self.crop {
            for (name, first, second) in
                [("left and right", crop.left, crop.right), ("top and bottom", crop.top, crop.bottom)]
            {
                let is_valid = first >= 0.0 && second >= 0.0 && first + second <= CROP_MAX;
                if !is_valid {
                    return Err(format!(
                        "crop: {name} must each be at least 0, and together at most {CROP_MAX}: {first}, {second}"
                    ));
                }
            }
        }
        if let Some(preset) = &self.preset
            && !is_preset(preset)
        {
            return Err(format!("unknown preset: {preset}"));
        }
        if let Some(text) = &self.text {
            if text.chars().count() > TEXT_LENGTH_MAX {
                return Err(format!("a text has at most {TEXT_LENGTH_MAX} characters"));
            }
            // XML 1.0, 2.2.
            let is_allowed = |character: char| {
                matches!(character, '\n' | '\t')
                    || !character.is_control() && !matches!(character, '\u{fffe}' | '\u{ffff}')
            };
            if let Some(other) = text.chars().find(|character| !is_allowed(*character)) {
                return Err(format!("a text has no control characters: U+{:04X}", u32::from(other)));
            }
        }
        Ok(())
    }

    /// Whether the preset is a line.
    pub(super) fn is_line(&self) -> bool {
        self.preset.as_deref().is_some_and(is_line_preset)
    }

    /// The name of a given attribute that an object of this kind does not have.
    pub(super) fn foreign_to(&self, kind: ObjectKind) -> Option<&'static str> {
        use ObjectKind::{Line, Picture, Shape};
        let given: [(&str, bool, &[ObjectKind]); 11] = [
            ("preset", self.preset.is_some(), &[Shape, Line]),
            ("text", self.text.is_some(), &[Shape]),
            ("fill", self.fill.is_some(), &[Shape]),
            ("outline", self.outline.is_some(), &[Shape, Line]),
            ("outlineWidth", self.outline_width.is_some(), &[Shape, Line]),
            ("outlineDash", self.outline_dash.is_some(), &[Shape, Line]),
            ("startArrow", self.start_arrow.is_some(), &[Line]),
            ("endArrow", self.end_arrow.is_some(), &[Line]),
            ("textColor", self.text_color.is_some(), &[Shape]),
            (
                "format of text",
                self.font_size.is_some()
                    || self.bold.is_some()
                    || self.italic.is_some()
                    || self.horizontal.is_some()
                    || self.vertical.is_some(),
                &[Shape],
            ),
            ("crop", self.crop.is_some(), &[Picture]),
        ];
        let foreign = given.into_iter().find(|(_, is_given, kinds)| *is_given && !kinds.contains(&kind));
        foreign.map(|(name, ..)| name)
    }
}

/// What can be edited of an object.
#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
pub enum ObjectKind {
    /// Text, fill and outline.
    Shape,
    /// Outline and arrowheads.
    Line,
    /// Its part that is shown.
    Picture,
    /// Nothing: groups, SmartArt graphics, form controls and embedded objects.
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(json: &str) -> Option<String> {
        match serde_json::from_str::<ShapeAttributes>(json) {
            Ok(attributes) => attributes.check().err(),
            Err(error) => Some(error.to_string()),
        }
    }

    #[test]
    fn values_are_checked() {
        for json in [
            r##"{"fill":null,"outline":"#A0b1C2","outlineWidth":0.25,"outlineDash":"lgDash","rotation":-360}"##,
            r#"{"text":"a\n\tb","fontSize":400,"horizontal":"justify","vertical":"middle","preset":"star5"}"#,
            r#"{"crop":{"left":0.5,"right":0.49,"top":0}}"#,
        ] {
            assert_eq!(problem(json), None, "{json}");
        }
        for (json, expected) in [
            (r#"{"fill":"red"}"#, "a color must be #rrggbb: red"),
            (r##"{"fill":"#+12345"}"##, "a color must be #rrggbb: #+12345"),
            (r#"{"rotation":361}"#, "rotation must be between -360 and 360: 361"),
            (r#"{"fontSize":0}"#, "fontSize must be between 1 and 400: 0"),
            (r#"{"outlineWidth":1e9}"#, "outlineWidth must be between 0.25 and 100: 1000000000"),
            (r#"{"outlineDash":"wave"}"#, "unknown variant `wave`"),
            (r#"{"colour":"x"}"#, "unknown field `colour`"),
            (r#"{"preset":"script"}"#, "unknown preset: script"),
            (r#"{"crop":{"left":-0.1}}"#, "crop: left and right must each be at least 0"),
            (r#"{"crop":{"top":0.6,"bottom":0.6}}"#, "crop: top and bottom must each be at least 0"),
            (r#"{"text":"a\u0000"}"#, "a text has no control characters: U+0000"),
        ] {
            let problem = problem(json).unwrap_or_else(|| panic!("{json} is wrong"));
            assert!(problem.starts_with(expected), "{json}: {problem}");
        }
    }

    #[test]
    fn attributes_that_an_object_does_not_have_are_named() {
        let attributes = |json: &str| serde_json::from_str::<ShapeAttributes>(json).expect("attributes");
        let of_text = attributes(r#"{"text":"a","rotation":9}"#);
        assert_eq!(of_text.foreign_to(ObjectKind::Shape), None);
        assert_eq!(of_text.foreign_to(ObjectKind::Picture), Some("text"));
        assert_eq!(attributes(r#"{"bold":true}"#).foreign_to(ObjectKind::Line), Some("format of text"));
        assert_eq!(attributes(r#"{"crop":{}}"#).foreign_to(ObjectKind::Shape), Some("crop"));
    }
}
