//! Puts the parts of an imported file into the file that `rust_xlsxwriter` wrote.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{Cursor, Read, Write as _};

use quadrille_workbook::Workbook;
use quick_xml::escape::escape;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter, result::ZipResult};

use super::package_parts::{DefaultFont, Manifest, PackageParts};

const WORKBOOK: &str = "xl/workbook.xml";
const THEME: &str = "xl/theme/theme1.xml";
const PLAIN_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";
const MACRO_TYPE: &str = "application/vnd.ms-excel.sheet.macroEnabled.main+xml";
const TIME_TYPE: &str = "xsi:type=\"dcterms:W3CDTF\"";

/// Returns the file with the parts; unchanged if there are none. `titles` are the names of the sheets
/// in the file.
pub(super) fn put_package_parts(
    file: Vec<u8>,
    workbook: &Workbook,
    titles: &[String],
    kept: &PackageParts,
) -> ZipResult<Vec<u8>> {
    if kept.is_empty() {
        return Ok(file);
    }
    let manifest = &kept.manifest;
    let theme = manifest.links.iter().find(|link| link.is_of_workbook && link.kind.ends_with("/theme"));
    let theme = theme.and_then(|link| kept.parts.get_key_value(&link.part));
    let mut before = ZipArchive::new(Cursor::new(&file))?;
    let mut after = ZipWriter::new(Cursor::new(Vec::new()));
    let mut written: BTreeSet<String> = theme.iter().map(|(name, _)| (*name).clone()).collect();
    for index in 0..before.len() {
        let mut part = before.by_index(index)?;
        let name = part.name()?.to_string();
        written.insert(name.clone());
        let patch: &dyn Fn(&str) -> String = match name.as_str() {
            "[Content_Types].xml" => &|text| with_types(text, kept),
            "_rels/.rels" => &|text| with_links(text, manifest, false),
            "xl/_rels/workbook.xml.rels" => &|text| with_links(text, manifest, true),
            WORKBOOK => &|text| with_workbook(text, manifest, titles),
            "xl/styles.xml" => &|text| with_default_font(text, manifest.default_font.as_ref()),
            "docProps/core.xml" => &|text| core_properties(text, workbook, manifest),
            "docProps/app.xml" => &|text| with_extended_properties(text, manifest),
            THEME if theme.is_some() => &|text| text.to_owned(),
            _ => {
                after.raw_copy_file(part)?;
                continue;
            }
        };
        let mut text = String::new();
        part.read_to_string(&mut text)?;
        let patched = patch(&text);
        let bytes = match theme {
            Some((_, theme)) if name == THEME => theme,
            _ => patched.as_bytes(),
        };
        after.start_file(name, SimpleFileOptions::default())?;
        after.write_all(bytes)?;
    }
    for (name, bytes) in kept.parts.iter().filter(|(name, _)| !written.contains(*name)) {
        after.start_file(name.as_str(), SimpleFileOptions::default())?;
        after.write_all(bytes)?;
    }
    Ok(after.finish()?.into_inner())
}

fn with_types(text: &str, kept: &PackageParts) -> String {
    let mut added = String::new();
    for (part, kind) in &kept.manifest.types {
        let part = format!("PartName=\"/{}\"", escape(part));
        if !text.contains(&part) && !part.ends_with(".rels\"") {
            let _infallible = write!(added, "<Override {part} ContentType=\"{}\"/>", escape(kind));
        }
    }
    let text = text.replacen("</Types>", &format!("{added}</Types>"), 1);
    if kept.has_macros() { text.replacen(PLAIN_TYPE, MACRO_TYPE, 1) } else { text }
}

/// The identity of the relationship to a part.
fn link_id(index: usize) -> String {
    format!("rIdPart{}", index + 1)
}

fn with_links(text: &str, manifest: &Manifest, is_of_workbook: bool) -> String {
    let mut added = String::new();
    for (index, link) in manifest.links.iter().enumerate() {
        if link.is_of_workbook != is_of_workbook || link.kind.ends_with("/theme") {
            continue;
        }
        let (id, kind, target) = (link_id(index), escape(&link.kind), escape(&link.part));
        let _infallible = write!(added, "<Relationship Id=\"{id}\" Type=\"{kind}\" Target=\"/{target}\"/>");
    }
    text.replacen("</Relationships>", &format!("{added}</Relationships>"), 1)
}

fn with_workbook(text: &str, manifest: &Manifest, titles: &[String]) -> String {
    let mut text = text.to_owned();
    if let Some(name) = &manifest.code_name {
        text = text.replacen("<workbookPr", &format!("<workbookPr codeName=\"{}\"", escape(name)), 1);
    }
    if !manifest.protection.is_empty() {
        let attributes = manifest.protection.iter();
        let attributes: String =
            attributes.map(|(name, value)| format!(" {name}=\"{}\"", escape(value))).collect();
        text = text.replacen("<bookViews>", &format!("<workbookProtection{attributes}/><bookViews>"), 1);
    }
    let mut references = String::new();
    for (_, part) in &manifest.other_workbooks {
        if let Some(index) = manifest.links.iter().position(|link| link.part == *part) {
            let _infallible = write!(references, "<externalReference r:id=\"{}\"/>", link_id(index));
        }
    }
    if !references.is_empty() {
        let references = format!("</sheets><externalReferences>{references}</externalReferences>");
        text = text.replacen("</sheets>", &references, 1);
    }
    for title in &manifest.very_hidden_sheets {
        let start = format!("<sheet name=\"{}\" ", escape(title));
        let Some(at) = text.find(&start) else { continue };
        let end = at + text[at..].find('>').unwrap_or(0);
        let sheet = text[at..end].replacen("state=\"hidden\"", "state=\"veryHidden\"", 1);
        text.replace_range(at..end, &sheet);
    }
    for (name, sheet) in &manifest.hidden_names {
        let position = sheet.as_ref().map(|sheet| titles.iter().position(|title| title == sheet));
        let start = format!("<definedName name=\"{}\"", escape(name));
        let start = match position {
            None => format!("{start}>"),
            Some(Some(position)) => format!("{start} localSheetId=\"{position}\">"),
            Some(None) => continue,
        };
        text = text.replacen(&start, &start.replace('>', " hidden=\"1\">"), 1);
    }
    text
}

fn with_default_font(text: &str, font: Option<&DefaultFont>) -> String {
    let Some(font) = font else { return text.to_owned() };
    let Some((before, rest)) = text.split_once("<font>") else { return text.to_owned() };
    let Some((_, after)) = rest.split_once("</font>") else { return text.to_owned() };
    let scheme = font.scheme.as_ref().map(|scheme| format!("<scheme val=\"{}\"/>", escape(scheme)));
    let (points, name, scheme) = (font.points, escape(&font.name), scheme.unwrap_or_default());
    format!(
        "{before}<font><sz val=\"{points}\"/><color theme=\"1\"/><name val=\"{name}\"/>\
         <family val=\"2\"/>{scheme}</font>{after}"
    )
}

/// The core properties. Only the time of the change is that of the written file.
fn core_properties(text: &str, workbook: &Workbook, manifest: &Manifest) -> String {
    let modified = text.split("<dcterms:modified").nth(1).and_then(|rest| rest.split('>').nth(1));
    let modified = modified.and_then(|rest| rest.split('<').next());
    let head = text.find("<cp:coreProperties").and_then(|at| Some(at + text[at..].find('>')? + 1));
    let Some(head) = head else { return text.to_owned() };
    let mut core = text[..head].to_owned();
    let title = workbook.title().map(|title| ("title", title));
    let kept = manifest.properties.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let modified = modified.map(|time| ("modified", time));
    for (name, value) in title.into_iter().chain(kept).chain(modified) {
        let value = escape(value);
        let _infallible = match name {
            "title" | "subject" | "creator" | "description" | "language" | "identifier" => {
                write!(core, "<dc:{name}>{value}</dc:{name}>")
            }
            "created" | "modified" => {
                write!(core, "<dcterms:{name} {TIME_TYPE}>{value}</dcterms:{name}>")
            }
            "keywords" | "lastModifiedBy" | "category" | "contentStatus" | "contentType" | "lastPrinted"
            | "version" => write!(core, "<cp:{name}>{value}</cp:{name}>"),
            _ => Ok(()),
        };
    }
    core + "</cp:coreProperties>"
}

fn with_extended_properties(text: &str, manifest: &Manifest) -> String {
    let of = |name: &str| {
        let value = manifest.extended_properties.get(name);
        value.map(|value| format!("<{name}>{}</{name}>", escape(value))).unwrap_or_default()
    };
    // In the order of the schema: Manager, Company, LinksUpToDate, …, HyperlinkBase, HyperlinksChanged.
    let company = format!("{}{}", of("Manager"), of("Company"));
    let text = text.replacen("<Company></Company>", &company, 1);
    let base = format!("{}<HyperlinksChanged>", of("HyperlinkBase"));
    text.replacen("<HyperlinksChanged>", &base, 1)
}
