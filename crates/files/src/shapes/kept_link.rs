//! [`KeptLink`]: a relationship of a shape, with the image or the part to which it leads.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::xml_element::XmlElement;

/// A relationship of a shape.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct KeptLink {
    pub id: String,
    /// The URI of its type.
    pub kind: String,
    /// The address to which it leads, or the ending of the name of an embedded object; unused for an image and
    /// a part.
    pub target: String,
    pub is_external: bool,
    /// The part to which it leads, one of a SmartArt graphic or of a control.
    pub part: Option<KeptPart>,
    /// The media type and the bytes of the image or the embedded object to which it leads, which the document
    /// has for themselves.
    #[serde(skip)]
    pub image: Option<(String, Vec<u8>)>,
    /// Whether there are such bytes.
    pub has_image: bool,
}

/// A part of a SmartArt graphic or of a control.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(default)]
pub(crate) struct KeptPart {
    pub xml: String,
    pub links: Vec<KeptLink>,
}

impl KeptLink {
    /// Gives the relationship its image, the next of the document. Returns `None` if the document has none.
    pub fn read_image<'i>(&mut self, images: &mut impl Iterator<Item = &'i XmlElement>) -> Option<()> {
        if self.has_image {
            let address = images.next()?.attribute("href")?.strip_prefix("data:")?;
            let (media_type, data) = address.split_once(";base64,")?;
            self.image = Some((media_type.to_owned(), STANDARD.decode(data).ok()?));
        }
        Some(())
    }
}

/// The name of an image in a part.
pub(super) fn image_name(part: &str, image: &str) -> String {
    format!("{part}/{image}")
}
