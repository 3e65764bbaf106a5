//! Reads shapes, groups of them, SmartArt graphics, and pictures that are cropped, turned or of a type that
//! browsers do not display: images that keep their DrawingML (decision 0063).

use std::collections::BTreeSet;

use super::added_parts::RELATIONSHIPS;
use super::archive::Archive;
use super::colors::Theme;
use super::workbook_part::{Relationship, links_of};
use crate::contents::Contents;
use crate::error::FileError;
use crate::images::image_type;
use crate::limits::IMAGE_BYTES_MAX;
use crate::read_shape::{ReadShape, add_shape, has_room};
use crate::shapes::{
    KeptLink, KeptPart, KeptShape, Placement, XmlElement, diagram_part, drawing_id, object_properties,
};

/// A shape of a drawing.
pub(super) struct FoundShape {
    pub element: XmlElement,
    /// The namespaces in scope: `xmlns` attributes with their values, outer ones first.
    pub namespaces: Vec<(String, String)>,
    /// The namespaces that a program must know to read it (`Requires` of `mc:Choice`).
    pub requires: Option<String>,
    /// How it follows the cells: `twoCell`, `oneCell` or `absolute`.
    pub anchor: &'static str,
}

/// Makes an image of a shape. Returns `None`, with a warning, for one that is left out. `covered`: the size in
/// pixels of the cells that it covers.
pub(super) fn read(
    archive: &mut Archive,
    found: FoundShape,
    covered: Option<(f64, f64)>,
    links: &[Relationship],
    theme: &Theme,
    contents: &mut Contents,
) -> Result<Option<ReadShape>, FileError> {
    let FoundShape { mut element, namespaces, requires, anchor } = found;
    let mut is_control = false;
    // A group with shapes that stand for form controls.
    element.visit(&mut |part| is_control |= part.local_name() == "compatExt");
    if is_control {
        contents.warn("left out: form controls".into());
        return Ok(None);
    }
    let properties = object_properties(&element);
    if matches!(properties.and_then(|own| own.attribute("hidden")), Some("1" | "true")) {
        contents.warn("left out: hidden shapes".into());
        return Ok(None);
    }
    let description = properties.and_then(|own| own.attribute("descr")).map(str::to_owned);
    if !has_room(contents) {
        return Ok(None);
    }
    let Some(links) = kept_links(archive, &element, &namespaces, links)? else {
        contents.warn("left out: shapes with contents of unknown types".into());
        return Ok(None);
    };
    declare_namespaces(&mut element, &namespaces, requires.as_deref());
    let placement = Placement::of(&element, covered, theme);
    let mut xml = String::new();
    element.write(&mut xml);
    let kept = KeptShape {
        xml,
        requires,
        anchor: anchor.to_owned(),
        placement,
        theme: theme.clone(),
        links,
        own_text: None,
        control: None,
    };
    let drawn = if element.local_name() == "graphicFrame" { kept.drawn() } else { Some(element) };
    let Some(drawn) = drawn else {
        contents.warn("left out: SmartArt graphics without contents".into());
        return Ok(None);
    };
    Ok(add_shape(kept, &drawn, description, contents))
}

/// The relationships of a shape. Returns `None` if it needs a part that is not kept.
pub(super) fn kept_links(
    archive: &mut Archive,
    element: &XmlElement,
    namespaces: &[(String, String)],
    links: &[Relationship],
) -> Result<Option<Vec<KeptLink>>, FileError> {
    let bound = namespaces.iter().rev().find(|(_, uri)| uri == RELATIONSHIPS);
    let prefix = bound.and_then(|(name, _)| name.strip_prefix("xmlns:")).unwrap_or("r");
    let mut ids = BTreeSet::new();
    element.visit(&mut |part| {
        for (name, value) in &part.attributes {
            if name.split_once(':').is_some_and(|(own, _)| own == prefix) && !value.is_empty() {
                ids.insert(value.clone());
            }
        }
    });
    let mut kept = Vec::new();
    for id in ids {
        let link = links.iter().find(|link| link.id == id);
        let read = link.map(|link| kept_link(archive, link, true)).transpose()?.flatten();
        let Some(read) = read else { return Ok(None) };
        kept.push(read);
    }
    // The part with the shapes of a SmartArt graphic, which its texts name and its frame does not.
    let named = kept.iter().find_map(|link| drawing_id(&link.part.as_ref()?.xml));
    let link = named.and_then(|id| links.iter().find(|link| link.id == id));
    let drawing = link.filter(|link| diagram_part(&link.type_uri).is_some());
    let read = drawing.map(|link| kept_link(archive, link, true)).transpose()?.flatten();
    kept.extend(read);
    Ok(Some(kept))
}

/// A relationship with the image or the part to which it leads; `None` for one that is not kept.
fn kept_link(
    archive: &mut Archive,
    link: &Relationship,
    may_have_links: bool,
) -> Result<Option<KeptLink>, FileError> {
    let mut kept = KeptLink {
        id: link.id.clone(),
        kind: link.type_uri.clone(),
        is_external: link.is_external,
        ..KeptLink::default()
    };
    match (link.kind.as_str(), link.is_external) {
        ("hyperlink", _) | ("image", true) => kept.target = link.raw_target.clone(),
        ("image", false) => {
            let Some(bytes) = archive.bytes(&link.target, IMAGE_BYTES_MAX)? else { return Ok(None) };
            kept.has_image = true;
            kept.image = Some((media_type(&link.target, &bytes), bytes));
        }
        (_, false) if may_have_links && diagram_part(&link.type_uri).is_some() => {
            let bytes = archive.bytes(&link.target, IMAGE_BYTES_MAX)?;
            let Some(xml) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else { return Ok(None) };
            let mut part = KeptPart { xml, links: Vec::new() };
            for link in links_of(archive, &link.target)? {
                part.links.extend(kept_link(archive, &link, false)?);
            }
            kept.part = Some(part);
        }
        _ => return Ok(None),
    }
    Ok(Some(kept))
}

/// The media type of an image by its bytes, or by its name for types that browsers do not display.
pub(super) fn media_type(part: &str, bytes: &[u8]) -> String {
    let ending = part.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let by_name = match ending.as_str() {
        "emf" => "image/x-emf",
        "wmf" => "image/x-wmf",
        "tif" | "tiff" => "image/tiff",
        "bmp" => "image/bmp",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    };
    image_type(bytes).unwrap_or(by_name).to_owned()
}

/// Declares at the element the namespaces that it uses, so that it can stand in another document.
pub(super) fn declare_namespaces(
    element: &mut XmlElement,
    namespaces: &[(String, String)],
    requires: Option<&str>,
) {
    let mut used: BTreeSet<String> = requires.unwrap_or_default().split(' ').map(str::to_owned).collect();
    element.visit(&mut |part| {
        let prefix_of = |name: &str| name.split_once(':').map_or("", |(prefix, _)| prefix).to_owned();
        used.insert(prefix_of(&part.name));
        for (name, value) in &part.attributes {
            used.insert(prefix_of(name));
            if matches!(name.as_str(), "mc:Ignorable" | "Requires") {
                used.extend(value.split(' ').map(str::to_owned));
            }
        }
    });
    for (name, uri) in namespaces.iter().rev() {
        let prefix = name.strip_prefix("xmlns").unwrap_or_default().trim_start_matches(':');
        if used.contains(prefix) && element.attribute(name).is_none() {
            element.attributes.push((name.clone(), uri.clone()));
        }
    }
}
