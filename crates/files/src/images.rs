//! Images of a workbook, which are stored beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_workbook::{Field, ItemKind, Workbook};

/// Images by the SHA-256 of their bytes in hexadecimal digits, which is the `source` of an image
/// item.
pub type Images = BTreeMap<String, Arc<[u8]>>;

/// The name among the images of the parts of an imported `.xlsx` file that nothing here displays
/// (decision 0034).
pub fn package_parts(workbook: &Workbook) -> Option<&str> {
    let (_, item) = workbook.items().of_kind(ItemKind::PackageParts).next()?;
    item.text(Field::Source).map(|source| &**source)
}

/// The media type of an image, from its first bytes. Returns `None` for types other than PNG, JPEG,
/// GIF and WebP, which every browser displays and which cannot contain scripts.
pub fn image_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// How the image of a shape begins, an SVG document that the reader of `.xlsx` files makes (decision 0063).
pub(crate) const SHAPE_MARK: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" data-quadrille-shape=\"1\"";

/// Whether bytes are the image of a shape of an imported file. Others cannot make one: uploaded images are
/// of the types of [`image_type`].
pub fn is_shape(bytes: &[u8]) -> bool {
    bytes.starts_with(SHAPE_MARK.as_bytes())
}

/// Whether the image of a shape shows a WebP image, which Excel does not read.
#[cfg(feature = "xlsx")]
pub(crate) fn shows_webp(shape: &[u8]) -> bool {
    // Quotes of texts are escaped.
    let address = b"href=\"data:image/webp;";
    shape.windows(address.len()).any(|window| window == address)
}

/// The media type in which stored bytes are displayed: that of an image, or of the image of a shape.
pub fn displayed_type(bytes: &[u8]) -> Option<&'static str> {
    image_type(bytes).or_else(|| is_shape(bytes).then_some("image/svg+xml"))
}

/// The name of an image: the SHA-256 of its bytes in hexadecimal digits.
#[cfg(feature = "xlsx")]
pub(crate) fn image_name(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};

    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_identify_their_encoding() {
        assert_eq!(image_type(b"\x89PNG\r\n\x1a\n...."), Some("image/png"));
        assert_eq!(image_type(b"\xff\xd8\xff\xe0...."), Some("image/jpeg"));
        assert_eq!(image_type(b"GIF89a...."), Some("image/gif"));
        assert_eq!(image_type(b"RIFF\x10\0\0\0WEBPVP8 "), Some("image/webp"));
        assert_eq!(image_type(b"RIFF\x10\0\0\0WAVEfmt "), None);
        assert_eq!(image_type(b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), None);
        assert_eq!(image_type(b""), None);
    }
}
