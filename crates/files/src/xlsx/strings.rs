//! The shared strings of a workbook, to which cells refer by index.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_workbook::FormatPatch;

use super::archive::Part;
use super::colors::Theme;
use super::package_parts::DefaultFont;
use super::styles::Font;
use super::xml::Node;
use crate::error::{FileError, FileErrorCode};
use crate::limits::CELLS_MAX;

/// The shared strings.
#[derive(Default)]
pub struct Strings {
    pub texts: Vec<Arc<str>>,
    /// The parts of texts with fonts of their own, by the index of the text.
    pub parts: BTreeMap<usize, Vec<StringPart>>,
}

/// A part of a text, and the attributes of its font.
pub type StringPart = (String, FormatPatch);

/// What the fonts of the parts of a text refer to.
#[derive(Clone, Copy)]
pub struct FontContext<'a> {
    pub theme: &'a Theme,
    pub default_font: Option<&'a DefaultFont>,
}

/// Reads the shared strings part. Fails with `ArchiveLimits`.
pub fn read(mut part: Part, fonts: FontContext) -> Result<Strings, FileError> {
    let mut strings = Strings::default();
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "si" => {
                if strings.texts.len() as u64 >= CELLS_MAX {
                    let reason = format!("more than {CELLS_MAX} texts");
                    return Err(FileError::new(FileErrorCode::ArchiveLimits, reason));
                }
                let (text, parts) = item(&mut part, fonts)?;
                if !parts.is_empty() {
                    strings.parts.insert(strings.texts.len(), parts);
                }
                strings.texts.push(text.into());
            }
            Node::EndOfPart => return Ok(strings),
            _ => {}
        }
    }
}

/// The text of an `si` or `is` element: its runs joined, without phonetic hints. Also returns its
/// parts if one of them has a font of its own.
pub fn item(part: &mut Part, fonts: FontContext) -> Result<(String, Vec<StringPart>), FileError> {
    let mut text = String::new();
    let mut parts: Vec<StringPart> = Vec::new();
    let mut has_fonts = false;
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "t" => {
                    let more = unescape(part.text()?);
                    if let Some((of_part, _)) = parts.last_mut() {
                        of_part.push_str(&more);
                    }
                    text.push_str(&more);
                }
                "r" => parts.push(StringPart::default()),
                "rPh" => part.skip()?,
                "rPr" => {
                    let font = font(part, fonts)?;
                    if let Some((_, of_part)) = parts.last_mut() {
                        *of_part = font;
                        has_fonts = true;
                    }
                }
                _ => {}
            },
            node if node.ends("si") || node.ends("is") || matches!(node, Node::EndOfPart) => {
                parts.retain(|_| has_fonts);
                return Ok((text, parts));
            }
            _ => {}
        }
    }
}

/// Reads an `rPr` element, which holds all attributes of a font; without a name or size, those of
/// the cell apply.
fn font(part: &mut Part, fonts: FontContext) -> Result<FormatPatch, FileError> {
    let mut font = Font::default();
    loop {
        match part.next()? {
            Node::Start(element) => font.take(&element, fonts.theme),
            node if node.ends("rPr") || matches!(node, Node::EndOfPart) => {
                return Ok(font.into_patch(fonts.default_font));
            }
            _ => {}
        }
    }
}

/// Decodes characters that XML cannot represent, such as `_x000D_`.
pub fn unescape(text: String) -> String {
    if !text.contains("_x") {
        return text;
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find("_x") {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let character = rest
            .get(2..6)
            .filter(|digits| {
                digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && rest[6..].starts_with('_')
            })
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .and_then(char::from_u32);
        match character {
            Some(character) => {
                plain.push(character);
                rest = &rest[7..];
            }
            None => {
                plain.push_str("_x");
                rest = &rest[2..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    #[test]
    fn escaped_characters_are_decoded() {
        for (text, plain) in [
            ("a_x000D_b", "a\rb"),
            ("_x0041__x0042_", "AB"),
            ("_x005F_x000D_", "_x000D_"),
            ("snake_xyz", "snake_xyz"),
            ("_x12", "_x12"),
            ("_xüü", "_xüü"),
        ] {
            assert_eq!(super::unescape(text.to_owned()), plain, "{text}");
        }
    }
}
