//! The attribute `style`: declarations of CSS that change how a text looks, and nothing around it.

/// Properties that stay. None moves an element, changes its size or loads anything.
const PROPERTIES: [&str; 13] = [
    "color",
    "background-color",
    "background",
    "font-weight",
    "font-style",
    "font-size",
    "font-family",
    "text-decoration",
    "text-align",
    "vertical-align",
    "white-space",
    "padding",
    "border",
];
const VALUE_LENGTH_MAX: usize = 100;

/// The declarations that stay, name and value.
pub(crate) fn declarations(style: &str) -> impl Iterator<Item = (String, String)> {
    style.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        (PROPERTIES.contains(&&*name) && is_plain(value)).then(|| (name, value.to_owned()))
    })
}

/// A style of the declarations that stay; `None` if there are none.
pub(crate) fn filtered(style: &str) -> Option<String> {
    let kept: Vec<String> = declarations(style).map(|(name, value)| format!("{name}:{value}")).collect();
    (!kept.is_empty()).then(|| kept.join(";"))
}

/// What a style says of a whole text; absent attributes are not in it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CssFormat {
    /// `0xRRGGBB`.
    pub color: Option<u32>,
    /// `0xRRGGBB`.
    pub fill: Option<u32>,
    pub bold: Option<bool>,
    pub italic: Option<bool>,
    pub underline: Option<bool>,
    pub strikethrough: Option<bool>,
}

/// Reads the declarations of CSS that have a counterpart in the format of a text.
pub fn css_format(style: &str) -> CssFormat {
    let mut format = CssFormat::default();
    for (name, value) in declarations(style) {
        match &*name {
            "color" => format.color = color(&value).or(format.color),
            "background" | "background-color" => format.fill = color(&value).or(format.fill),
            "font-weight" => {
                format.bold = Some(matches!(&*value, "bold" | "bolder" | "600" | "700" | "800" | "900"));
            }
            "font-style" => format.italic = Some(matches!(&*value, "italic" | "oblique")),
            "text-decoration" => {
                format.underline = Some(value.contains("underline"));
                format.strikethrough = Some(value.contains("line-through"));
            }
            _ => {}
        }
    }
    format
}

/// Whether a value consists of words, numbers and colors: no quotes, escapes or functions but those of
/// colors.
fn is_plain(value: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " #.,%()-".contains(c);
    let has_function = value.split('(').rev().skip(1).any(|before| {
        let name = before.rsplit([' ', ',']).next().unwrap_or_default().to_ascii_lowercase();
        !matches!(&*name, "rgb" | "rgba" | "hsl" | "hsla")
    });
    !value.is_empty() && value.len() <= VALUE_LENGTH_MAX && value.chars().all(is_plain) && !has_function
}

/// Reads a color of CSS, `#f00`, `#ff0000`, `rgb(255,0,0)` or one of the names of CSS level 1 and some
/// frequent ones, as `0xRRGGBB`.
pub fn color(text: &str) -> Option<u32> {
    let text = text.trim().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix('#') {
        let digits = match digits.len() {
            3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
            6 => digits.to_owned(),
            _ => return None,
        };
        return u32::from_str_radix(&digits, 16).ok();
    }
    if let Some(parts) = text.strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) {
        let parts: Result<Vec<u8>, _> = parts.split(',').map(|part| part.trim().parse()).collect();
        return match parts.ok()?[..] {
            [red, green, blue] => Some(u32::from_be_bytes([0, red, green, blue])),
            _ => None,
        };
    }
    let names = [
        ("aqua", 0x00ffff),
        ("black", 0x000000),
        ("blue", 0x0000ff),
        ("brown", 0xa52a2a),
        ("fuchsia", 0xff00ff),
        ("gray", 0x808080),
        ("green", 0x008000),
        ("grey", 0x808080),
        ("lime", 0x00ff00),
        ("maroon", 0x800000),
        ("navy", 0x000080),
        ("olive", 0x808000),
        ("orange", 0xffa500),
        ("pink", 0xffc0cb),
        ("purple", 0x800080),
        ("red", 0xff0000),
        ("silver", 0xc0c0c0),
        ("teal", 0x008080),
        ("white", 0xffffff),
        ("yellow", 0xffff00),
    ];
    names.iter().find(|(name, _)| *name == text).map(|(_, color)| *color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declarations_of_texts_stay() {
        for (style, kept) in [
            ("color: red; font-weight:bold", Some("color:red;font-weight:bold")),
            ("COLOR: rgb(255, 0, 0)", Some("color:rgb(255, 0, 0)")),
            ("background:url(http://example.org/x.png)", None),
            ("background:red url(x)", None),
            ("position:fixed;top:0;color:#f00", Some("color:#f00")),
            ("color:expression(alert(1))", None),
            ("color:r\\65 d", None),
            ("font-family:\"x\"", None),
            ("", None),
        ] {
            assert_eq!(filtered(style).as_deref(), kept, "{style}");
        }
    }
}
