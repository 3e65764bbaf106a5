//! Reads images of `.xlsx` and `.ods` archives.

use std::sync::Arc;

use crate::contents::Contents;
use crate::error::FileError;
use crate::images::{image_name, image_type};
use crate::limits::{IMAGE_BYTES_MAX, IMAGES_BYTES_MAX};
use crate::xlsx::archive::Archive;

/// Adds the image of a part of an archive to the contents. Returns its name among the images; `None`, with a
/// warning, for one that is left out.
///
/// # Errors
///
/// Those of [`Archive::bytes`].
pub(crate) fn add_image(
    archive: &mut Archive,
    part: &str,
    contents: &mut Contents,
) -> Result<Option<String>, FileError> {
    if !archive.has(part) {
        contents.warn("left out: images missing from the file".into());
        return Ok(None);
    }
    let Some(bytes) = archive.bytes(part, IMAGE_BYTES_MAX)? else {
        contents.warn(format!("left out: images larger than {} MiB", IMAGE_BYTES_MAX >> 20));
        return Ok(None);
    };
    if image_type(&bytes).is_none() {
        contents.warn("left out: images other than PNG, JPEG, GIF and WebP".into());
        return Ok(None);
    }
    Ok(add_image_bytes(bytes, contents))
}

/// Adds an image to the contents. Returns its name among the images; `None`, with a warning, if the images of
/// the file are too large together.
pub(crate) fn add_image_bytes(bytes: Vec<u8>, contents: &mut Contents) -> Option<String> {
    let name = image_name(&bytes);
    if !contents.images.contains_key(&name) {
        let total: usize = contents.images.values().map(|bytes| bytes.len()).sum();
        if total + bytes.len() > IMAGES_BYTES_MAX {
            contents.warn(format!("left out: images beyond {} MiB in total", IMAGES_BYTES_MAX >> 20));
            return None;
        }
        contents.images.insert(name.clone(), Arc::from(bytes));
    }
    Some(name)
}
