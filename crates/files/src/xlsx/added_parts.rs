//! What `rust_xlsxwriter` does not write, put into the file that it wrote: new parts with their content
//! types and relationships, and changes of the parts it has.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Cursor, Read, Write as _};

use quick_xml::escape::escape;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter, result::ZipResult};

const TYPES: &str = "[Content_Types].xml";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
/// The namespace of references to relationships, which begins their types.
pub(super) const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
/// The first line of every part.
pub(crate) const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// Returns the new text of a part.
type Change = Box<dyn Fn(&str) -> String>;

/// Additions to a file.
#[derive(Default)]
pub(super) struct AddedParts {
    /// The names of the parts of the sheets, in the order of the workbook.
    sheets: Vec<String>,
    /// Elements of `[Content_Types].xml`.
    types: String,
    /// Elements by the relationships part that they belong to.
    links: BTreeMap<String, String>,
    /// New parts by name.
    parts: BTreeMap<String, Vec<u8>>,
    /// Changes by the name of a part, in the order in which they are made.
    changes: Vec<(String, Change)>,
    /// Changes of all parts whose names begin so.
    changes_below: Vec<(&'static str, Change)>,
}

impl AddedParts {
    /// Without additions. `sheets` are the names of the parts of the sheets.
    pub fn new(sheets: Vec<String>) -> AddedParts {
        AddedParts { sheets, ..AddedParts::default() }
    }

    /// The name of the part of a sheet by its position in the workbook.
    pub fn sheet_part(&self, index: usize) -> String {
        self.sheets[index].clone()
    }

    /// Adds a part with a content type.
    pub fn add(&mut self, name: &str, content_type: &str, text: String) {
        self.add_bytes(name, content_type, text.into_bytes());
    }

    /// Adds a part that is not a text.
    pub fn add_bytes(&mut self, name: &str, content_type: &str, bytes: Vec<u8>) {
        let (part, content_type) = (escape(name), escape(content_type));
        let _infallible =
            write!(self.types, r#"<Override PartName="/{part}" ContentType="{content_type}"/>"#);
        self.parts.insert(name.to_owned(), bytes);
    }

    /// Adds a relationship of `part`. `kind` is the URI of its type.
    pub fn link(&mut self, part: &str, id: &str, kind: &str, target: &str) {
        self.link_to(part, id, kind, target, false);
    }

    /// Adds a relationship, which can lead out of the file.
    pub fn link_to(&mut self, part: &str, id: &str, kind: &str, target: &str, is_external: bool) {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let links = self.links.entry(format!("{folder}/_rels/{name}.rels")).or_default();
        let (id, kind, target) = (escape(id), escape(kind), escape(target));
        let mode = if is_external { r#" TargetMode="External""# } else { "" };
        let _infallible = write!(links, r#"<Relationship Id="{id}" Type="{kind}" Target="{target}"{mode}/>"#);
    }

    /// Changes the text of a part of the file.
    pub fn change(&mut self, part: impl Into<String>, change: impl Fn(&str) -> String + 'static) {
        self.changes.push((part.into(), Box::new(change)));
    }

    /// Changes the texts of all parts of the file whose names begin with `prefix`.
    pub fn change_below(&mut self, prefix: &'static str, change: impl Fn(&str) -> String + 'static) {
        self.changes_below.push((prefix, Box::new(change)));
    }

    /// Returns the file with the additions; unchanged if there are none.
    pub fn put_into(mut self, file: Vec<u8>) -> ZipResult<Vec<u8>> {
        if self.parts.is_empty() && self.changes.is_empty() && self.changes_below.is_empty() {
            return Ok(file);
        }
        let mut before = ZipArchive::new(Cursor::new(&file))?;
        let mut after = ZipWriter::new(Cursor::new(Vec::new()));
        for index in 0..before.len() {
            let mut part = before.by_index(index)?;
            let name = part.name()?.to_string();
            let links = self.links.remove(&name);
            let own = self.changes.iter().filter(|(part, _)| *part == name).map(|(_, change)| change);
            let below = self.changes_below.iter().filter(|(prefix, _)| name.starts_with(prefix));
            let changes: Vec<&Change> = own.chain(below.map(|(_, change)| change)).collect();
            if name != TYPES && links.is_none() && changes.is_empty() {
                after.raw_copy_file(part)?;
                continue;
            }
            let mut text = String::new();
            part.read_to_string(&mut text)?;
            for change in changes {
                text = change(&text);
            }
            if name == TYPES {
                text = text.replacen("</Types>", &format!("{}</Types>", self.types), 1);
            }
            if let Some(links) = links {
                text = text.replacen("</Relationships>", &format!("{links}</Relationships>"), 1);
            }
            after.start_file(name, SimpleFileOptions::default())?;
            after.write_all(text.as_bytes())?;
        }
        let links = self.links.into_iter().map(|(part, elements)| {
            let text = format!(r#"{DECLARATION}<Relationships xmlns="{PACKAGE}">{elements}</Relationships>"#);
            (part, text)
        });
        let links = links.map(|(part, text)| (part, text.into_bytes()));
        for (part, bytes) in links.chain(self.parts) {
            after.start_file(part, SimpleFileOptions::default())?;
            after.write_all(&bytes)?;
        }
        Ok(after.finish()?.into_inner())
    }
}
