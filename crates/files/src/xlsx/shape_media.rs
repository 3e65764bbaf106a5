//! [`Media`]: images of shapes, of SmartArt graphics and of controls while they are written.

use std::collections::BTreeMap;

use super::added_parts::AddedParts;

/// The images of shapes, each written once.
#[derive(Default)]
pub(super) struct Media(BTreeMap<Vec<u8>, String>);

impl Media {
    /// Where an image is, as the relationships of drawings and of parts of SmartArt graphics name it.
    pub fn target(&mut self, (media_type, bytes): (String, Vec<u8>), added: &mut AddedParts) -> String {
        let count = self.0.len() + 1;
        let part = self.0.entry(bytes).or_insert_with_key(|bytes| {
            let part = format!("xl/media/shape{count}.{}", ending(&media_type));
            added.add_bytes(&part, &media_type, bytes.clone());
            part
        });
        format!("../{}", part.trim_start_matches("xl/"))
    }
}

/// The ending of the name of an image's part.
fn ending(media_type: &str) -> &str {
    match media_type {
        "image/jpeg" => "jpeg",
        "image/x-emf" => "emf",
        "image/x-wmf" => "wmf",
        "image/svg+xml" => "svg",
        "image/tiff" => "tiff",
        "image/png" | "image/gif" | "image/bmp" | "image/webp" => &media_type["image/".len()..],
        _ => "bin",
    }
}
