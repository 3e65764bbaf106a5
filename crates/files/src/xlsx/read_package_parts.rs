//! Reads the parts of a package that nothing here displays.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::archive::Archive;
use super::package_parts::{DefaultFont, Link, PackageParts};
use super::workbook_part::{self, Relationship, WorkbookPart};
use super::xml::Node;
use crate::contents::Contents;
use crate::error::FileError;
use crate::images::image_name;
use crate::limits::{PACKAGE_PARTS_BYTES_MAX, PACKAGE_PARTS_MAX, TEXT_LENGTH_MAX};

/// Types of relationships of the package and of the workbook whose parts are kept with all parts that
/// they refer to. Others refer to cells, tables or pivot tables by numbers that a written file changes.
const KEPT: [&str; 7] = [
    "theme",
    "vbaProject",
    "customXml",
    "externalLink",
    "custom-properties",
    "classificationlabels",
    "webextensiontaskpanes",
];
/// What warnings call the parts of types that are not kept.
const LEFT_OUT: [(&str, &str); 5] = [
    ("connections", "connections to data"),
    ("xmlMaps", "XML maps"),
    ("revisionHeaders", "the history of a shared workbook"),
    ("jsaProject", "scripts of WPS Office"),
    ("attachedToolbars", "toolbars"),
];
/// Folders of parts that are written anew, whose names may be in use.
const WRITTEN: [&str; 15] = [
    "xl/activeX/",
    "xl/ctrlProps/",
    "xl/embeddings/",
    "xl/media/",
    "xl/drawings/",
    "xl/charts/",
    "xl/worksheets/",
    "xl/tables/",
    "xl/pivotTables/",
    "xl/pivotCache/",
    "xl/slicers/",
    "xl/slicerCaches/",
    "xl/timelines/",
    "xl/timelineCaches/",
    "xl/_rels/",
];
/// The SHA-256 of the theme of every file that is written, that of Office 2007.
const WRITTEN_THEME: &str = "2ae67d22f62446056cd1529a3c2dbacd366f0983bb6b2ee3960b6ceb5070c5ee";
const EXTENDED: [&str; 3] = ["Company", "Manager", "HyperlinkBase"];

/// Adds the parts to the images of the workbook. What cannot be read is left out with a warning.
pub fn read(
    archive: &mut Archive,
    book: &WorkbookPart,
    default_font: Option<DefaultFont>,
    contents: &mut Contents,
) -> Result<(), FileError> {
    let mut parts = PackageParts::default();
    let manifest = &mut parts.manifest;
    manifest.default_font = default_font.filter(|font| *font != written_font());
    manifest.hidden_names.clone_from(&book.hidden_names);
    manifest.hidden_names.sort();
    manifest.very_hidden_sheets.clone_from(&book.very_hidden_sheets);
    manifest.protection.clone_from(&book.protection);
    manifest.code_name.clone_from(&book.code_name);
    for link in &book.package_links {
        match link.kind.as_str() {
            "core-properties" => manifest.properties = texts(archive, &link.target)?,
            "extended-properties" => manifest.extended_properties = texts(archive, &link.target)?,
            _ => {}
        }
    }
    // The title is a setting of the workbook; the time of the change is that of the export.
    manifest.properties.retain(|name, _| !matches!(name.as_str(), "title" | "modified" | "revision"));
    manifest.extended_properties.retain(|name, _| EXTENDED.contains(&name.as_str()));
    let types = content_types(archive)?;
    let links = book.package_links.iter().map(|link| (false, link));
    for (is_of_workbook, link) in links.chain(book.links.iter().map(|link| (true, link))) {
        if let Some((_, what)) = LEFT_OUT.iter().find(|(kind, _)| *kind == link.kind) {
            contents.warn(format!("left out: {what}"));
        }
        if link.is_external || !KEPT.contains(&link.kind.as_str()) {
            continue;
        }
        match tree(archive, &link.target, &parts)? {
            Some(tree)
                if tree.len() == 1 && tree.values().any(|bytes| image_name(bytes) == WRITTEN_THEME) => {}
            Some(tree) => {
                for name in tree.keys() {
                    parts.manifest.types.extend(type_of(name, &types).map(|kind| (name.clone(), kind)));
                }
                parts.parts.extend(tree);
                let (kind, part) = (link.type_uri.clone(), link.target.clone());
                parts.manifest.links.push(Link { is_of_workbook, kind, part });
            }
            None => contents.warn(format!("left out: {}", warning_name(link))),
        }
    }
    for (name, part) in book.other_workbooks.iter().zip(&book.other_workbook_parts) {
        if parts.parts.contains_key(part) {
            parts.manifest.other_workbooks.push((name.clone(), part.clone()));
        }
    }
    parts.manifest.links.sort();
    if !parts.is_negligible()
        && let Some(bytes) = parts.encode()
    {
        let source = image_name(&bytes);
        contents.images.insert(source.clone(), Arc::from(bytes));
        contents.package_parts = Some(source);
    }
    Ok(())
}

/// The default font of every file that is written.
fn written_font() -> DefaultFont {
    DefaultFont { name: "Calibri".to_owned(), points: 11.0, scheme: Some("minor".to_owned()) }
}

/// What a warning calls a part that could not be kept.
fn warning_name(link: &Relationship) -> &str {
    match link.kind.as_str() {
        "vbaProject" => "macros",
        "externalLink" => "links to other files",
        "customXml" => "custom XML",
        kind => kind,
    }
}

/// A part and all parts that it refers to, with their relationships. `None` if one of them is missing,
/// too large, or has a name that a written file may use.
fn tree(
    archive: &mut Archive,
    root: &str,
    parts: &PackageParts,
) -> Result<Option<BTreeMap<String, Vec<u8>>>, FileError> {
    let mut tree = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    let mut seen = BTreeSet::new();
    let kept: usize = parts.parts.values().map(Vec::len).sum();
    let mut free = PACKAGE_PARTS_BYTES_MAX.saturating_sub(kept);
    while let Some(name) = open.pop() {
        if !seen.insert(name.clone()) || parts.parts.contains_key(&name) {
            continue;
        }
        if seen.len() + parts.parts.len() > PACKAGE_PARTS_MAX
            || WRITTEN.iter().any(|folder| name.starts_with(folder))
        {
            return Ok(None);
        }
        let Some(bytes) = archive.bytes(&name, free)? else { return Ok(None) };
        free -= bytes.len();
        tree.insert(name.clone(), bytes);
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", &name));
        let links = format!("{folder}/_rels/{file}.rels");
        if let Some(bytes) = archive.bytes(&links, free)? {
            free -= bytes.len();
            tree.insert(links.trim_start_matches('/').to_owned(), bytes);
            let targets = workbook_part::links_of(archive, &name)?;
            open.extend(targets.into_iter().filter(|link| !link.is_external).map(|link| link.target));
        }
    }
    Ok(Some(tree))
}

/// The texts of the elements of a part with properties, by local name.
fn texts(archive: &mut Archive, name: &str) -> Result<BTreeMap<String, String>, FileError> {
    let mut texts = BTreeMap::new();
    let Some(mut part) = archive.part(name)? else { return Ok(texts) };
    let mut depth = 0;
    loop {
        let name = match part.next() {
            Ok(Node::Start(element)) => element.name().to_owned(),
            Ok(Node::End(_)) => {
                depth -= 1;
                continue;
            }
            Ok(Node::EndOfPart) | Err(_) => return Ok(texts),
            Ok(_) => continue,
        };
        depth += 1;
        // The element of the part, and structures of other elements.
        if depth != 2 {
            continue;
        }
        depth -= 1;
        let Ok(text) = part.text() else { return Ok(texts) };
        if !text.is_empty() && text.len() <= TEXT_LENGTH_MAX {
            texts.insert(name, text);
        }
    }
}

/// Content types by part, which begins with `/`, and by extension.
pub(super) fn content_types(archive: &mut Archive) -> Result<BTreeMap<String, String>, FileError> {
    let mut types = BTreeMap::new();
    let Some(mut part) = archive.part("[Content_Types].xml")? else { return Ok(types) };
    loop {
        match part.next()? {
            Node::Start(element) => {
                let name = element.attribute("PartName").or_else(|| element.attribute("Extension"));
                if let (Some(name), Some(kind)) = (name, element.attribute("ContentType")) {
                    types.insert(name.to_lowercase(), kind);
                }
            }
            Node::EndOfPart => return Ok(types),
            _ => {}
        }
    }
}

pub(super) fn type_of(name: &str, types: &BTreeMap<String, String>) -> Option<String> {
    let name = name.to_lowercase();
    let extension = name.rsplit('.').next().unwrap_or_default();
    types.get(&format!("/{name}")).or_else(|| types.get(extension)).cloned()
}
