//! Pictures (`pic`) of drawings.

use super::placement::transform;
use super::xml_element::XmlElement;

/// Whether a picture is an image as it is: neither cropped nor turned nor cut to a shape.
pub(crate) fn is_plain_picture(picture: &XmlElement) -> bool {
    let is_zero = |number: &f64| *number == 0.0;
    let is_cropped = picture.at(&["blipFill", "srcRect"]).is_some_and(|cut| {
        ["l", "t", "r", "b"].iter().any(|side| cut.number(side).is_some_and(|cut| !is_zero(&cut)))
    });
    let is_turned = transform(picture).is_some_and(|transform| {
        let flips = ["flipH", "flipV"].map(|name| transform.attribute(name));
        transform.number("rot").is_some_and(|angle| !is_zero(&angle))
            || flips.iter().any(|flip| matches!(flip, Some("1" | "true")))
    });
    let preset = picture.at(&["spPr", "prstGeom"]).and_then(|preset| preset.attribute("prst"));
    !is_cropped && !is_turned && matches!(preset, None | Some("rect"))
}

/// Whether a picture has nothing beside its image: no outline and no effects either.
pub(super) fn is_unchanged_picture(picture: &XmlElement) -> bool {
    let properties = picture.child("spPr").into_iter().flat_map(XmlElement::elements);
    let mut others = properties.filter(|element| !matches!(element.local_name(), "xfrm" | "prstGeom"));
    let has_effects = picture.at(&["blipFill", "blip"]).is_some_and(|blip| {
        let mut is_drawing = false;
        blip.visit(&mut |part| is_drawing |= part.local_name() == "svgBlip");
        is_drawing || blip.elements().any(|element| element.local_name() != "extLst")
    });
    is_plain_picture(picture) && others.next().is_none() && !has_effects && picture.child("style").is_none()
}

/// The picture of an image that the relationship `id` names.
pub(super) fn picture(id: &str) -> XmlElement {
    let xml = format!(
        "<xdr:pic xmlns:xdr=\"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing\" \
         xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
         xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
         <xdr:nvPicPr><xdr:cNvPr id=\"2\" name=\"Picture\"/><xdr:cNvPicPr><a:picLocks noChangeAspect=\"1\"/>\
         </xdr:cNvPicPr></xdr:nvPicPr><xdr:blipFill><a:blip r:embed=\"{id}\"/><a:stretch><a:fillRect/>\
         </a:stretch></xdr:blipFill><xdr:spPr><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></xdr:spPr>\
         </xdr:pic>"
    );
    XmlElement::parse(&xml, 10_000).expect("an element")
}
