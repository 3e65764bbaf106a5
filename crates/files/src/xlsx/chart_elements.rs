//! Elements of chart parts: their children, and the data to which they refer.

use super::archive::Part;
use super::xml::Node;
use crate::error::FileError;
use crate::limits::FORMULA_LENGTH_MAX;

/// Literal values of a series, stored in the file instead of a reference, at most.
const LITERALS_MAX: usize = 1_000;

/// The attribute `val` of an element that is on or off.
pub(super) fn is_on(value: Option<&str>) -> bool {
    // The schema's default of these elements is true.
    !matches!(value, Some("0" | "false"))
}

/// Calls `take` for each child of the current element with the child's name and `val` attribute, up
/// to the end of the element. `take` reads up to the end of the child.
pub(super) fn children(
    part: &mut Part,
    mut take: impl FnMut(&mut Part, &str, Option<String>) -> Result<(), FileError>,
) -> Result<(), FileError> {
    loop {
        let (name, value) = match part.next()? {
            Node::Start(element) => (element.name().to_owned(), element.attribute("val")),
            Node::End(_) | Node::EndOfPart => return Ok(()),
            _ => continue,
        };
        take(part, &name, value)?;
    }
}

/// The source of a series' values, categories or name.
#[derive(Default)]
pub(super) struct Data {
    formula: Option<String>,
    /// Cached or literal values.
    values: Vec<String>,
    is_numbers: bool,
}

pub(super) fn data(part: &mut Part) -> Result<Data, FileError> {
    let mut data = Data::default();
    let mut depth = 1;
    while depth > 0 {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "f" => data.formula = Some(part.text()?),
                "v" => {
                    let text = part.text()?;
                    if data.values.len() < LITERALS_MAX {
                        data.values.push(text);
                    }
                }
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

impl Data {
    /// The cached values one after another.
    pub fn cached_text(&self) -> String {
        self.values.concat()
    }

    /// The reference as it is in the file, unless it is one to another workbook.
    pub fn reference(self) -> Option<String> {
        self.formula.filter(|text| !text.trim().is_empty() && !text.contains('['))
    }

    /// The reference, or the values as a literal array. For references to other workbooks, whose
    /// cells are not available, the cached values are used. `None` if there are no values or the
    /// formula would be too long.
    pub fn formula(&self, is_name: bool) -> Option<String> {
        let written = self.formula.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let is_external = |text: &str| text.contains('[') && text.contains('!');
        let text = match written {
            Some(text) if !is_external(text) => format!("={text}"),
            _ => {
                let quoted = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
                let values: Vec<String> = match self.is_numbers {
                    true => self.values.iter().filter(|text| text.parse::<f64>().is_ok()).cloned().collect(),
                    false => self.values.iter().map(quoted).collect(),
                };
                match values.as_slice() {
                    [] => return None,
                    [name] if is_name => format!("={name}"),
                    values => format!("={{{}}}", values.join(",")),
                }
            }
        };
        (text.len() <= FORMULA_LENGTH_MAX).then_some(text)
    }
}
