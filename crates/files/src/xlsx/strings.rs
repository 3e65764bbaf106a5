//! The shared strings of a workbook, to which cells refer by index.

use std::sync::Arc;

use super::archive::Part;
use super::xml::Node;
use crate::error::{FileError, FileErrorCode};
use crate::limits::CELLS_MAX;

/// What a warning calls the formats of parts of a text, which cells here do not have.
pub const RUNS: &str = "fonts of parts of texts";

/// Reads the shared strings part. `has_runs` tells whether a part of a text has a format of its own.
/// Fails with `ArchiveLimits`.
pub fn read(mut part: Part, has_runs: &mut bool) -> Result<Vec<Arc<str>>, FileError> {
    let mut strings = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "si" => {
                if strings.len() as u64 >= CELLS_MAX {
                    let reason = format!("more than {CELLS_MAX} texts");
                    return Err(FileError::new(FileErrorCode::ArchiveLimits, reason));
                }
                strings.push(item(&mut part, has_runs)?.into());
            }
            Node::EndOfPart => return Ok(strings),
            _ => {}
        }
    }
}

/// The text of an `si` or `is` element: its runs joined, without phonetic hints.
pub fn item(part: &mut Part, has_runs: &mut bool) -> Result<String, FileError> {
    let mut text = String::new();
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "t" => text.push_str(&part.text()?),
                "rPh" => part.skip()?,
                "rPr" => *has_runs = true,
                _ => {}
            },
            node if node.ends("si") || node.ends("is") => return Ok(unescape(text)),
            Node::EndOfPart => return Ok(text),
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
