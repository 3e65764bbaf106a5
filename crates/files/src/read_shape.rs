//! Adds the shapes of `.xlsx` and `.ods` files: images that keep their DrawingML (decision 0063).

use quadrille_workbook::Field;

use crate::contents::{Contents, FieldTexts};
use crate::limits::SHAPES_MAX;
use crate::read_image::add_image_bytes;
use crate::shapes::{ControlState, KeptShape, Placement, XmlElement, plain_text};

/// Characters of the text of a shape as its description, at most; those of alternative texts.
const TEXT_LENGTH_MAX: usize = 1_000;

/// A shape that has become an image.
pub(crate) struct ReadShape {
    pub fields: FieldTexts,
    pub placement: Placement,
    pub alt_text: Option<String>,
}

/// Whether another shape can be added; warns if not.
pub(crate) fn has_room(contents: &mut Contents) -> bool {
    let has_room = contents.shapes < SHAPES_MAX;
    if !has_room {
        contents.warn(format!("left out: shapes beyond the first {SHAPES_MAX}"));
    }
    has_room
}

/// Makes an image of a shape. Its text is its description if it has no other. Returns `None`, with a warning, for one
/// that is left out.
pub(crate) fn add_shape(
    mut kept: KeptShape,
    drawn: &XmlElement,
    description: Option<String>,
    contents: &mut Contents,
) -> Option<ReadShape> {
    if !has_room(contents) {
        return None;
    }
    let text: String = texts(drawn).chars().take(TEXT_LENGTH_MAX).collect();
    let description = description.filter(|text| !text.is_empty());
    kept.own_text = Some(text).filter(|text| description.is_none() && !text.is_empty());
    let Some(image) = kept.encode(drawn) else {
        contents.warn("left out: shapes that are too large".into());
        return None;
    };
    let source = add_image_bytes(image, contents)?;
    contents.shapes += 1;
    let mut fields = FieldTexts::default();
    fields.text(Field::Source, Some(source));
    fields.flag(Field::Shape, Some(true), false);
    Some(ReadShape { fields, placement: kept.placement, alt_text: description.or(kept.own_text) })
}

/// Makes an image of a form control or an embedded object. Its text or its name is its description if it has no
/// other. Returns `None`, with a warning that calls it `what`, for one that is left out.
#[cfg(feature = "xlsx")]
pub(crate) fn add_control(
    mut kept: KeptShape,
    description: Option<String>,
    mut fields: FieldTexts,
    what: &str,
    contents: &mut Contents,
) -> Option<ReadShape> {
    if !has_room(contents) {
        return None;
    }
    let control = kept.control.clone()?;
    let text = ControlState::of(&control, kept.element().as_ref()).description();
    let text = text.map(|text| text.chars().take(TEXT_LENGTH_MAX).collect());
    kept.own_text = text.filter(|_| description.is_none());
    let Some(image) = kept.encode_control(&control) else {
        contents.warn(format!("left out: {what}"));
        return None;
    };
    let source = add_image_bytes(image, contents)?;
    contents.shapes += 1;
    fields.text(Field::Source, Some(source));
    fields.flag(Field::Shape, Some(true), false);
    Some(ReadShape { fields, placement: kept.placement, alt_text: description.or(kept.own_text) })
}

/// The texts of a shape or of the shapes of a group.
fn texts(element: &XmlElement) -> String {
    let mut texts = Vec::new();
    element.visit(&mut |part| {
        if part.local_name() == "txBody" {
            texts.push(plain_text(part));
        }
    });
    texts.retain(|text| !text.is_empty());
    texts.join("\n")
}
