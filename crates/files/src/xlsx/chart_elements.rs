//! Elements of chart parts: their children, and the data to which they refer.

use super::archive::Part;
use super::xml::{Element, Node};
use crate::charts::SeriesData;
use crate::error::FileError;

/// The attribute `val` of an element that is on or off.
pub(super) fn is_on(value: Option<&str>) -> bool {
    // The schema's default of these elements is true.
    !matches!(value, Some("0" | "false"))
}

/// Calls `take` for each child of the current element with the child's name and `val` attribute, up
/// to the end of the element. `take` reads up to the end of the child.
pub(super) fn children(
    part: &mut Part,
    take: impl FnMut(&mut Part, &str, Option<String>) -> Result<(), FileError>,
) -> Result<(), FileError> {
    children_with(part, |element| element.attribute("val"), take)
}

/// [`children`] with what `attributes` returns for the start of a child.
pub(crate) fn children_with<T>(
    part: &mut Part,
    attributes: impl Fn(&Element) -> T,
    mut take: impl FnMut(&mut Part, &str, T) -> Result<(), FileError>,
) -> Result<(), FileError> {
    loop {
        let (name, attributes) = match part.next()? {
            Node::Start(element) => (element.name().to_owned(), attributes(&element)),
            Node::End(_) | Node::EndOfPart => return Ok(()),
            _ => continue,
        };
        take(part, &name, attributes)?;
    }
}

/// Reads the source of a series' values, categories or name.
pub(super) fn data(part: &mut Part) -> Result<SeriesData, FileError> {
    let mut data = SeriesData::default();
    let mut depth = 1;
    while depth > 0 {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "f" => data.formula = Some(part.text()?),
                "v" => data.push(part.text()?),
                "extLst" => part.skip()?,
                name => {
                    data.is_numbers |= matches!(name, "numLit" | "numCache");
                    depth += 1;
                }
            },
            Node::End(_) => depth -= 1,
            Node::EndOfPart => break,
            _ => {}
        }
    }
    Ok(data)
}
