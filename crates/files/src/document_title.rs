//! The title of a workbook: in `.xlsx` and `.ods`, an element of Dublin Core in a separate part.

use quadrille_workbook::{Field, WORKBOOK_TITLE_MAX};

use crate::contents::Contents;
use crate::error::FileError;
use crate::xlsx::archive::{Archive, Part};
use crate::xlsx::xml::Node;

/// Reads the title from the metadata part. A part that cannot be read only causes a warning.
pub(crate) fn read(archive: &mut Archive, part: &str, contents: &mut Contents) {
    let title = match archive.part(part) {
        Ok(Some(part)) => title_of(part),
        Ok(None) => Ok(None),
        Err(error) => Err(error),
    };
    match title {
        Ok(title) => contents.settings.text(Field::Title, title.map(|title| one_line(&title))),
        Err(error) => contents.warn(format!("left out: the title, {}", error.reason)),
    }
}

fn title_of(mut part: Part) -> Result<Option<String>, FileError> {
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "title" => return part.text().map(Some),
            Node::EndOfPart => return Ok(None),
            _ => {}
        }
    }
}

/// Replaces line breaks and control characters by spaces, and limits the length.
fn one_line(title: &str) -> String {
    let words: Vec<&str> =
        title.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    words.join(" ").chars().take(WORKBOOK_TITLE_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_become_one_line_of_limited_length() {
        assert_eq!(one_line(" Budget\r\n2026\u{1b} \t"), "Budget 2026");
        assert_eq!(one_line(&"ä".repeat(300)).chars().count(), WORKBOOK_TITLE_MAX);
        assert_eq!(one_line("\n"), "");
    }
}
