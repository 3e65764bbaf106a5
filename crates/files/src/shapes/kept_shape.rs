//! [`KeptShape`]: what a shape's image keeps for the next export, in the element `metadata` of the SVG
//! document.

use std::collections::HashMap;
use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quadrille_workbook::{Field, Item};
use quick_xml::escape::escape;
use serde::{Deserialize, Serialize};

use super::diagram;
use super::kept_control::KeptControl;
use super::kept_link::{KeptLink, image_name};
use super::likeness::likeness;
use super::placement::Placement;
use super::svg::Painter;
use super::xml_element::XmlElement;
use crate::images::{SHAPE_MARK, image_type, is_shape};
use crate::limits::{IMAGE_BYTES_MAX, SHAPE_BYTES_MAX};
use crate::xlsx::colors::Theme;

/// A shape as it came.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct KeptShape {
    /// The element of the shape (`sp`, `cxnSp`, `pic`, `grpSp`, or the `graphicFrame` of a SmartArt graphic) with
    /// all its namespaces.
    pub xml: String,
    /// The namespaces that a program must know to read it (`Requires` of `mc:Choice`).
    pub requires: Option<String>,
    /// How it follows the cells: `twoCell`, `oneCell` or `absolute`.
    pub anchor: String,
    pub placement: Placement,
    /// The colors of the workbook's theme.
    pub theme: Theme,
    /// The relationships to which it refers.
    pub links: Vec<KeptLink>,
    /// A description that is not one of the file: the text of the shape.
    pub own_text: Option<String>,
    /// What a form control or an embedded object keeps beside `xml`, which is empty if the drawing does not
    /// have it.
    pub control: Option<KeptControl>,
}

impl KeptShape {
    /// The image of the shape, an SVG document; `None` if it is larger than images may be. `drawn` is that of
    /// [`KeptShape::drawn`].
    pub fn encode(&self, drawn: &XmlElement) -> Option<Vec<u8>> {
        self.encode_with(|displayed| Painter::new(&self.theme, displayed).draw(drawn, &self.placement))
    }

    /// The image of a form control or an embedded object.
    pub fn encode_control(&self, control: &KeptControl) -> Option<Vec<u8>> {
        self.encode_with(|displayed| likeness(control, self.element().as_ref(), &displayed))
    }

    /// An SVG document with what `draw` returns. It gets the ids of the images that browsers display, by name.
    fn encode_with(&self, draw: impl FnOnce(HashMap<String, String>) -> String) -> Option<Vec<u8>> {
        let mut svg = format!(
            "{SHAPE_MARK} width=\"100%\" height=\"100%\" style=\"color-scheme:light dark\"><metadata>{}</metadata>\
             <defs>",
            STANDARD.encode(serde_json::to_vec(self).ok()?)
        );
        let mut displayed = HashMap::new();
        for (index, (name, media_type, bytes)) in self.images().into_iter().enumerate() {
            let id = format!("i{index}");
            let is_displayed = image_type(bytes).is_some();
            // Browsers do not try to decode the others.
            let element = if is_displayed { "image" } else { "metadata" };
            let _infallible = write!(
                svg,
                "<{element} id=\"{id}\" width=\"1\" height=\"1\" preserveAspectRatio=\"none\" \
                 href=\"data:{};base64,{}\"/>",
                escape(media_type),
                STANDARD.encode(bytes)
            );
            if is_displayed {
                displayed.insert(name, id);
            }
        }
        svg.push_str("</defs>");
        svg.push_str(&draw(displayed));
        svg.push_str("</svg>");
        (svg.len() <= IMAGE_BYTES_MAX).then(|| svg.into_bytes())
    }

    /// The shape of an image; `None` for other images.
    pub fn decode(bytes: &[u8]) -> Option<KeptShape> {
        if !is_shape(bytes) {
            return None;
        }
        let svg = XmlElement::parse(std::str::from_utf8(bytes).ok()?, SHAPE_BYTES_MAX)?;
        let json = STANDARD.decode(svg.child("metadata")?.text()).ok()?;
        let mut kept: KeptShape = serde_json::from_slice(&json).ok()?;
        let mut images = svg.child("defs")?.elements();
        let of_control = kept.control.iter_mut().flat_map(|control| &mut control.links);
        for link in kept.links.iter_mut().chain(of_control) {
            link.read_image(&mut images)?;
            for link in link.part.iter_mut().flat_map(|part| &mut part.links) {
                link.read_image(&mut images)?;
            }
        }
        Some(kept)
    }

    /// The names, media types and bytes of all images. The name of an image is the id of its relationship, that
    /// of one in a part also has the id of the part: `rId3/rId1`.
    fn images(&self) -> Vec<(String, &str, &[u8])> {
        let of_control = self.control.iter().flat_map(|control| &control.links);
        let links = self.links.iter().chain(of_control).flat_map(|link| {
            let within = link.part.iter().flat_map(|part| &part.links);
            let within = within.map(|inner| (image_name(&link.id, &inner.id), inner));
            [(link.id.clone(), link)].into_iter().chain(within)
        });
        let images = links.filter_map(|(name, link)| {
            let (media_type, bytes) = link.image.as_ref()?;
            Some((name, media_type.as_str(), bytes.as_slice()))
        });
        images.collect()
    }

    /// The media type and the bytes of an image by its name.
    pub fn image(&self, name: &str) -> Option<(&str, &[u8])> {
        let mut images = self.images().into_iter();
        images.find(|(own, ..)| own == name).map(|(_, media_type, bytes)| (media_type, bytes))
    }

    /// The shape as it is drawn: its element, or the shapes of a SmartArt graphic.
    pub fn drawn(&self) -> Option<XmlElement> {
        let element = self.element()?;
        match element.local_name() {
            "graphicFrame" => diagram::drawing(&self.links, self.placement.size),
            _ => Some(element),
        }
    }

    /// The placement in the frame of an item that shows the shape.
    pub fn placement_of(&self, item: &Item) -> Placement {
        let pixels = |field: Field| item.number(field).filter(|pixels| *pixels >= 1.0);
        match pixels(Field::Width).zip(pixels(Field::Height)) {
            Some(size) => self.placement.resized(size),
            None => self.placement,
        }
    }

    /// The element of the file.
    pub fn element(&self) -> Option<XmlElement> {
        XmlElement::parse(&self.xml, SHAPE_BYTES_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_keeps_its_shape() {
        let xml = "<xdr:sp><xdr:spPr><a:prstGeom prst=\"rect\"/></xdr:spPr><xdr:txBody><a:p><a:r>\
            <a:t>a &amp; b</a:t></a:r></a:p></xdr:txBody></xdr:sp>";
        let shape = XmlElement::parse(xml, 100_000).expect("XML");
        let image = ("image/x-emf".to_owned(), b"not displayed".to_vec());
        let link = KeptLink { id: "rId1".into(), image: Some(image), has_image: true, ..KeptLink::default() };
        let theme = Theme::default();
        let placement = Placement::of(&shape, Some((200.0, 100.0)), &theme);
        let kept = KeptShape { xml: xml.into(), placement, theme, links: vec![link], ..KeptShape::default() };
        let bytes = kept.encode(&shape).expect("an image");
        assert!(is_shape(&bytes) && image_type(&bytes).is_none());
        assert_eq!(KeptShape::decode(&bytes), Some(kept));
        for damaged in [&bytes[..bytes.len() / 2], SHAPE_MARK.as_bytes(), b""] {
            assert_eq!(KeptShape::decode(damaged), None);
        }
    }
}
