//! What an imported `.xlsx` file has and nothing here displays, kept for the next export: document
//! properties, theme, macros, custom XML, links to other workbooks with their values, hidden names.
//!
//! The parts are one archive, which is stored with the images of the workbook. An item of the kind
//! `packageParts` names it, so that versions, copies and backups have it (decision 0034).

use std::collections::BTreeMap;
use std::io::{Cursor, Write as _};

use quadrille_formula::{SheetReference, Template, map_unknown_sheets, visit_references};
use quadrille_workbook::Workbook;
use serde::{Deserialize, Serialize};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::archive::Archive;
use super::style_marks::StyleMarks;
use crate::images::{Images, package_parts};
use crate::limits::{PACKAGE_PARTS_BYTES_MAX, PACKAGE_PARTS_MAX};

/// The entry of the archive with the [`Manifest`].
const MANIFEST: &str = "quadrille-parts.json";
const MACROS: &str = "vbaProject";

/// Parts of a package, and contents of parts that are written anew.
#[derive(Default)]
pub struct PackageParts {
    pub manifest: Manifest,
    /// Bytes by the name of the part.
    pub parts: BTreeMap<String, Vec<u8>>,
    /// Which cell styles are written.
    pub cell_styles: StyleMarks,
}

#[derive(Serialize, Deserialize, Default, PartialEq, Debug)]
#[serde(default, rename_all = "camelCase")]
pub struct Manifest {
    /// Core properties except the title, by the local name of their element.
    pub properties: BTreeMap<String, String>,
    /// Extended properties by the name of their element.
    pub extended_properties: BTreeMap<String, String>,
    pub default_font: Option<DefaultFont>,
    /// Names that programs do not list, with the sheet of their scope.
    pub hidden_names: Vec<(String, Option<String>)>,
    /// Sheets that only macros can show.
    pub very_hidden_sheets: Vec<String>,
    /// Attributes of the protection of the workbook.
    pub protection: Vec<(String, String)>,
    /// The name by which macros know the workbook.
    pub code_name: Option<String>,
    /// Other workbooks in the order in which formulas number them: the name in formulas here, and the
    /// part.
    pub other_workbooks: Vec<(String, String)>,
    /// Relationships of the package and of the workbook to the parts.
    pub links: Vec<Link>,
    /// Content types by part.
    pub types: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(default, rename_all = "camelCase")]
pub struct Link {
    /// Whether the workbook part has the relationship, and not the package.
    pub is_of_workbook: bool,
    /// The URI of the type of the relationship.
    pub kind: String,
    pub part: String,
}

/// The font of cells without a font of their own, by which column widths are measured.
#[derive(Serialize, Deserialize, Default, Clone, PartialEq, Debug)]
#[serde(default, rename_all = "camelCase")]
pub struct DefaultFont {
    pub name: String,
    pub points: f64,
    /// `minor` or `major` for a font of the theme.
    pub scheme: Option<String>,
}

impl PackageParts {
    /// The parts that a workbook names; none if it names none, or the bytes are missing or malformed.
    pub fn of(workbook: &Workbook, images: &Images) -> PackageParts {
        let bytes = package_parts(workbook).and_then(|source| images.get(source));
        let parts = bytes.and_then(|bytes| PackageParts::decode(bytes)).unwrap_or_default();
        PackageParts { cell_styles: StyleMarks::of(workbook), ..parts }
    }

    /// Whether there is nothing to put into a written file.
    pub fn is_empty(&self) -> bool {
        self.manifest == Manifest::default()
    }

    /// Whether there is nothing that is worth storing: every file says when it was made.
    pub fn is_negligible(&self) -> bool {
        let created = self.manifest.properties.get_key_value("created");
        let properties = created.map(|(name, time)| (name.clone(), time.clone())).into_iter().collect();
        self.manifest == Manifest { properties, ..Manifest::default() }
    }

    /// Whether the file has macros, and its name ends with `.xlsm`.
    pub fn has_macros(&self) -> bool {
        self.manifest.links.iter().any(|link| link.kind.ends_with(MACROS))
    }

    /// The archive that is stored.
    pub fn encode(&self) -> Option<Vec<u8>> {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let manifest = serde_json::to_vec(&self.manifest).ok()?;
        let parts = self.parts.iter().map(|(name, bytes)| (name.as_str(), bytes));
        for (name, bytes) in std::iter::once((MANIFEST, &manifest)).chain(parts) {
            archive.start_file(name, SimpleFileOptions::default()).ok()?;
            archive.write_all(bytes).ok()?;
        }
        Some(archive.finish().ok()?.into_inner())
    }

    fn decode(bytes: &[u8]) -> Option<PackageParts> {
        let mut archive = Archive::open(bytes).ok()?;
        let manifest = archive.bytes(MANIFEST, PACKAGE_PARTS_BYTES_MAX).ok()??;
        let manifest: Manifest = serde_json::from_slice(&manifest).ok()?;
        let names = archive.names().into_iter().filter(|name| name != MANIFEST && is_part_name(name));
        let mut parts = BTreeMap::new();
        // An item can name any stored bytes, not only an archive that `encode` has made.
        let mut bytes_left = PACKAGE_PARTS_BYTES_MAX;
        for name in names.take(PACKAGE_PARTS_MAX) {
            let bytes = archive.bytes(&name, bytes_left).ok()??;
            bytes_left -= bytes.len();
            parts.insert(name, bytes);
        }
        Some(PackageParts { manifest, parts, cell_styles: StyleMarks::default() })
    }

    /// Whether the file has the formula; otherwise it has its result. References to other workbooks
    /// need the parts of those workbooks.
    pub fn can_express(&self, template: &Template) -> bool {
        let mut can = true;
        visit_references(template, &mut |reference| {
            if let Some(SheetReference::Unknown(sheet)) = &reference.sheet
                && reference.sheet.as_ref().is_some_and(|sheet| sheet.other_workbook().is_some())
            {
                can &= self.numbered(sheet).is_some();
            }
        });
        can
    }

    /// The formula with the numbers of other workbooks instead of their names; `None` without them.
    pub fn with_numbers(&self, template: &Template) -> Option<Template> {
        map_unknown_sheets(template, &mut |sheet| self.numbered(sheet))
    }

    /// `[Book.xlsx]Sheet1` as `[1]Sheet1`.
    fn numbered(&self, sheet: &str) -> Option<String> {
        let (workbook, sheet) = sheet.strip_prefix('[')?.split_once(']')?;
        let index = self.manifest.other_workbooks.iter().position(|(name, _)| name == workbook)?;
        Some(format!("[{}]{sheet}", index + 1))
    }
}

/// Whether a name is one of a part: relative to the package, and no segment leads out of it
/// (ECMA-376 part 2, 6.2.2.2).
fn is_part_name(name: &str) -> bool {
    let mut segments = name.split(['/', '\\']);
    segments.all(|segment| segment.contains(|character| character != '.'))
}

/// Whether an `.xlsx` file of the workbook has macros, which were in an imported file: its name ends
/// with `.xlsm`. Nothing here runs them.
pub fn has_macros(workbook: &Workbook, images: &Images) -> bool {
    PackageParts::of(workbook, images).has_macros()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(names: &[&str], bytes: usize) -> Vec<u8> {
        let bytes: Vec<u8> = (0..bytes).map(|at| (at * 31 % 251) as u8).collect();
        let parts = names.iter().map(|name| ((*name).to_owned(), bytes.clone())).collect();
        let manifest = Manifest { code_name: Some("Book".to_owned()), ..Manifest::default() };
        PackageParts { manifest, parts, cell_styles: StyleMarks::default() }.encode().expect("an archive")
    }

    #[test]
    fn parts_with_names_that_lead_out_of_the_package_are_not_written() {
        let names = ["xl/theme/theme1.xml", "../evil.sh", "/etc/passwd", "xl/../../evil", "a\\..\\b"];
        let kept = PackageParts::decode(&archive(&names, 10)).expect("an archive");
        assert_eq!(kept.parts.keys().collect::<Vec<_>>(), ["xl/theme/theme1.xml"]);
        assert_eq!(kept.manifest.code_name.as_deref(), Some("Book"));
    }

    #[test]
    fn the_parts_of_any_stored_archive_are_limited_together() {
        let half = PACKAGE_PARTS_BYTES_MAX / 2 + 1;
        assert!(PackageParts::decode(&archive(&["a.bin"], half)).is_some());
        assert!(PackageParts::decode(&archive(&["a.bin", "b.bin"], half)).is_none());
    }
}
