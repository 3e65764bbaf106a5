//! Reads drawings in VML (ECMA-376 part 4, 14), which have the shapes of notes, controls and embedded objects.

use std::rc::Rc;

use super::xml::{Node, XmlReader};
use crate::error::FileError;
use crate::limits::SHAPE_BYTES_MAX;
use crate::shapes::XmlElement;

/// Declarations of namespaces of a drawing, at most.
const NAMESPACES_MAX: usize = 100;

/// A shape of a drawing in VML.
pub(super) struct VmlShape {
    pub shape: XmlElement,
    /// The type of shape to which it refers.
    pub shape_type: Option<Rc<XmlElement>>,
}

/// Shapes of a drawing in VML.
pub(super) struct VmlShapes {
    pub shapes: Vec<VmlShape>,
    /// The namespaces of the drawing: `xmlns` attributes with their values.
    pub namespaces: Vec<(String, String)>,
    /// Whether all wanted shapes are there: those in groups are not.
    pub is_complete: bool,
}

/// The shapes of a drawing that `is_wanted`. Most are notes, and a drawing with nothing else is not examined.
pub(super) fn shapes(text: &str, is_wanted: impl Fn(&XmlElement) -> bool) -> Result<VmlShapes, FileError> {
    let mut found = VmlShapes { shapes: Vec::new(), namespaces: Vec::new(), is_complete: true };
    if text.matches("ObjectType=").count() == text.matches("ObjectType=\"Note\"").count() {
        return Ok(found);
    }
    // Excel writes texts as HTML.
    let text = text.replace("<br>", "<br/>").replace("<BR>", "<BR/>").replace("&nbsp;", "\u{a0}");
    let mut reader = XmlReader::new(text.as_bytes(), "VML", 0, 0);
    let mut types: Vec<Rc<XmlElement>> = Vec::new();
    let mut bytes_left = SHAPE_BYTES_MAX;
    let mut is_root = true;
    loop {
        match reader.next()? {
            Node::Start(element) => {
                let start = XmlElement::start(&element);
                if std::mem::take(&mut is_root) {
                    let declared = start.attributes.into_iter().filter(|(name, _)| name.starts_with("xmlns"));
                    found.namespaces.extend(declared.take(NAMESPACES_MAX));
                    continue;
                }
                let name = start.local_name().to_owned();
                if !matches!(name.as_str(), "shape" | "shapetype" | "group") {
                    reader.skip()?;
                    continue;
                }
                let mut free = bytes_left;
                let Some(element) = start.read(&mut reader, &mut free)? else {
                    return Err(reader.bad("a drawing that is too large"));
                };
                if name == "group" {
                    element.visit(&mut |part| found.is_complete &= !is_wanted(part));
                } else if name == "shapetype" {
                    bytes_left = free;
                    types.push(Rc::new(element));
                } else if is_wanted(&element) {
                    bytes_left = free;
                    let own = element.attribute("type").and_then(|name| name.strip_prefix('#'));
                    let shape_type =
                        types.iter().find(|one| own.is_some() && one.attribute("id") == own).cloned();
                    found.shapes.push(VmlShape { shape: element, shape_type });
                }
            }
            Node::EndOfPart => return Ok(found),
            _ => {}
        }
    }
}
