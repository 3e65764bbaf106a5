//! Parts of written `.xlsx` files, and what every package must have.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use quadrille_files::{FileFormat, Imported, WriteOptions, write_with_images};
use zip::ZipArchive;

/// The texts of all parts.
pub fn parts(bytes: &[u8]) -> BTreeMap<String, String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut parts = BTreeMap::new();
    for index in 0..archive.len() {
        let mut part = archive.by_index(index).expect("a part");
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes).expect("bytes");
        // Images are no texts.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let is_new = parts.insert(part.name().expect("a name").to_string(), text).is_none();
        assert!(is_new, "a part is there twice");
    }
    parts
}

/// The `.xlsx` file of an imported workbook with its images, whose package is checked.
pub fn written_xlsx(imported: &Imported) -> Vec<u8> {
    let (workbook, images) = (&imported.workbook, &imported.images);
    let file = write_with_images(workbook, FileFormat::Xlsx, &WriteOptions::default(), images);
    let file = file.expect("written");
    check_package(&file);
    file
}

/// The text of one part.
pub fn part(bytes: &[u8], name: &str) -> String {
    parts(bytes).remove(name).unwrap_or_else(|| panic!("{name} is missing"))
}

/// The values of an attribute, in the order of the text.
pub fn values_of(text: &str, name: &str) -> Vec<String> {
    let start = format!(" {name}=\"");
    let values = text.split(&start).skip(1).filter_map(|rest| rest.split('"').next());
    values.map(str::to_owned).collect()
}

/// Checks what ECMA-376 part 2 requires of a package: every part has a content type, every target of a
/// relationship exists, identities are there once, and references have a relationship. And that elements
/// are closed in order.
pub fn check_package(bytes: &[u8]) {
    let parts = parts(bytes);
    let types = &parts["[Content_Types].xml"];
    let (overrides, extensions) = (values_of(types, "PartName"), values_of(types, "Extension"));
    assert_eq!(overrides.iter().collect::<BTreeSet<_>>().len(), overrides.len(), "{types}");
    for (name, text) in &parts {
        let extension = name.rsplit('.').next().expect("a name");
        let is_typed =
            overrides.contains(&format!("/{name}")) || extensions.iter().any(|one| one == extension);
        assert!(name == "[Content_Types].xml" || is_typed, "{name} has no content type");
        if [".xml", ".rels", ".vml"].iter().any(|ending| name.ends_with(ending)) {
            check_nesting(name, text);
        }
        let Some((folder, file)) = name.strip_suffix(".rels").and_then(|name| name.split_once("_rels/"))
        else {
            continue;
        };
        let ids = values_of(text, "Id");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{name}: {text}");
        for target in values_of(text, "Target").iter().filter(|target| !target.contains("://")) {
            let folder = if target.starts_with('/') { "" } else { folder };
            let mut path: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
            for step in target.trim_start_matches('/').split('/') {
                match step {
                    ".." => path.truncate(path.len().saturating_sub(1)),
                    step => path.push(step),
                }
            }
            assert!(parts.contains_key(&path.join("/")), "{name}: {target} is missing");
        }
        // The package itself has no part.
        let source = parts.get(&format!("{folder}{file}")).map_or("", |source| source);
        for id in values_of(source, "r:id").iter().chain(&values_of(source, "r:embed")) {
            assert!(ids.contains(id), "{folder}{file}: no relationship {id}");
        }
    }
    for (name, text) in parts.iter().filter(|(name, _)| name.starts_with("xl/drawings/drawing")) {
        let shown = text
            .split("<mc:Fallback>")
            .map(|piece| piece.split_once("</mc:Fallback>").map_or(piece, |(_, shown)| shown));
        let ids: Vec<String> = shown
            .flat_map(|shown| {
                let frames = shown.split("<xdr:cNvPr ").skip(1);
                frames.map(|frame| values_of(&format!(" {frame}"), "id")[0].clone()).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{name}: {text}");
    }
}

/// Checks that the elements of a part are closed in order, and its attributes have no `<`.
fn check_nesting(name: &str, text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in text.split('<').skip(1) {
        let Some((tag, _)) = tag.split_once('>') else { panic!("{name}: an element without an end: {tag}") };
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        match tag.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed.trim()), "{name}"),
            None => open.push(tag.split_whitespace().next().expect("a name")),
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "{name}");
}
