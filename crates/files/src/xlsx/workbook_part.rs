//! Reads the relationships and the workbook part, which list the other parts.

use quadrille_cell::{DateSystem, Range};
use quadrille_workbook::Field;

use super::archive::{Archive, Part};
use super::xml::Node;
use crate::contents::FieldTexts;
use crate::error::{FileError, FileErrorCode};
use crate::limits::{NAMES_MAX, OTHER_WORKBOOKS_MAX, SHEETS_MAX};

/// The contents of the workbook part.
pub struct WorkbookPart {
    pub sheets: Vec<SheetPart>,
    /// Defined names and their definitions.
    pub names: Vec<(String, String)>,
    /// Names of the workbook that have a comment, with it.
    pub name_comments: Vec<(String, String)>,
    /// Name of the shared strings part.
    pub strings: Option<String>,
    pub styles: Option<String>,
    pub theme: Option<String>,
    pub dates: DateSystem,
    pub settings: FieldTexts,
    /// Name of the part with the core properties, such as the title.
    pub properties: Option<String>,
    /// Relationships of the package, and of the workbook part.
    pub package_links: Vec<Relationship>,
    pub links: Vec<Relationship>,
    /// Defined names that programs do not list, with the sheet of their scope.
    pub hidden_names: Vec<(String, Option<String>)>,
    /// Sheets that only macros can show.
    pub very_hidden_sheets: Vec<String>,
    /// Attributes of the protection of the workbook.
    pub protection: Vec<(String, String)>,
    /// The name by which macros know the workbook.
    pub code_name: Option<String>,
    /// The names of the files of other workbooks, in the order in which formulas number them.
    pub other_workbooks: Vec<String>,
    /// The parts with the links to these workbooks.
    pub other_workbook_parts: Vec<String>,
    pub warnings: Vec<String>,
}

/// A sheet listed in the workbook part.
pub struct SheetPart {
    pub name: String,
    /// Name of the worksheet or chart sheet part.
    pub part: String,
    /// The number by which slicers name the sheet.
    pub id: Option<u32>,
    /// Whether the sheet is a chart sheet.
    pub is_chart: bool,
    pub is_hidden: bool,
    pub print_area: Vec<Range>,
    pub print_titles: Vec<Range>,
}

/// A relationship to another part or to an external resource.
pub struct Relationship {
    pub id: String,
    /// Last segment of the relationship type.
    pub kind: String,
    /// Target resolved to the name of a part.
    pub target: String,
    /// Target as raw_target in the file, for example an external URL.
    pub raw_target: String,
    /// The URI of the relationship type.
    pub type_uri: String,
    /// Whether the target is not a part.
    pub is_external: bool,
}

/// Reads the workbook part. Fails with `NotAWorkbook` if the archive contains no workbook with a
/// sheet.
pub fn read(archive: &mut Archive) -> Result<WorkbookPart, FileError> {
    let root = relationships(archive, "_rels/.rels", "")?;
    let of_kind = |kind: &str| root.iter().find(|link| link.kind == kind).map(|link| link.target.clone());
    let workbook = of_kind("officeDocument").unwrap_or_else(|| "xl/workbook.xml".to_owned());
    let (folder, file) = workbook.rsplit_once('/').unwrap_or(("", &workbook));
    let links = relationships(archive, &format!("{folder}/_rels/{file}.rels"), folder)?;
    let target = |kind: &str| links.iter().find(|link| link.kind == kind).map(|link| link.target.clone());
    let mut book = WorkbookPart {
        sheets: Vec::new(),
        names: Vec::new(),
        name_comments: Vec::new(),
        strings: target("sharedStrings"),
        styles: target("styles"),
        theme: target("theme"),
        dates: DateSystem::From1900,
        settings: FieldTexts::default(),
        properties: of_kind("core-properties"),
        package_links: Vec::new(),
        links: Vec::new(),
        hidden_names: Vec::new(),
        very_hidden_sheets: Vec::new(),
        protection: Vec::new(),
        code_name: None,
        other_workbooks: Vec::new(),
        other_workbook_parts: Vec::new(),
        warnings: Vec::new(),
    };
    let not_a_workbook = || FileError::new(FileErrorCode::NotAWorkbook, "the archive holds no workbook");
    let part = archive.part(&workbook)?.ok_or_else(not_a_workbook)?;
    book.other_workbook_parts = read_workbook(part, &links, &mut book)?;
    for part in &book.other_workbook_parts {
        let links = links_of(archive, part)?;
        let path = links.iter().find(|link| link.kind.starts_with("externalLinkPath"));
        book.other_workbooks.push(path.map_or_else(String::new, |path| file_name(&path.raw_target)));
    }
    if book.sheets.is_empty() {
        return Err(FileError::new(FileErrorCode::NotAWorkbook, "the workbook has no sheet"));
    }
    (book.package_links, book.links) = (root, links);
    Ok(book)
}

/// Returns the parts with links to other workbooks, in the order in which formulas number them.
fn read_workbook(
    mut part: Part,
    links: &[Relationship],
    book: &mut WorkbookPart,
) -> Result<Vec<String>, FileError> {
    let mut other_workbooks = Vec::new();
    // Indexes in `book.sheets` of all sheets, which `localSheetId` counts; `None` for those left out.
    let mut positions: Vec<Option<usize>> = Vec::new();
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "workbookPr" => {
                    book.code_name = element.attribute("codeName");
                    if element.flag("date1904") == Some(true) {
                        book.dates = DateSystem::From1904;
                        book.settings.flag(Field::Date1904, Some(true), false);
                    }
                }
                "workbookProtection" => book.protection = element.attributes(),
                "calcPr" if element.flag("iterate") == Some(true) => {
                    book.settings.flag(Field::Iterative, Some(true), false);
                    book.settings.number(Field::MaxIterations, element.number("iterateCount"));
                    book.settings.number(Field::MaxChange, element.number("iterateDelta"));
                }
                "sheet" => {
                    let name = element.attribute("name").unwrap_or_default();
                    let id =
                        element.attribute("r:id").or_else(|| element.attribute("id")).unwrap_or_default();
                    match links.iter().find(|link| link.id == id) {
                        Some(link) if matches!(&*link.kind, "worksheet" | "chartsheet") => {
                            let state = element.attribute("state");
                            positions.push(Some(book.sheets.len()));
                            if state.as_deref() == Some("veryHidden") {
                                book.very_hidden_sheets.push(name.clone());
                            }
                            book.sheets.push(SheetPart {
                                name,
                                part: link.target.clone(),
                                id: element.number("sheetId"),
                                is_chart: link.kind == "chartsheet",
                                is_hidden: state.is_some_and(|state| state.ends_with("idden")),
                                print_area: Vec::new(),
                                print_titles: Vec::new(),
                            });
                        }
                        _ => {
                            positions.push(None);
                            book.warnings.push(format!("left out: {name}, which is not a worksheet"));
                        }
                    }
                    if book.sheets.len() > SHEETS_MAX {
                        let reason = format!("more than {SHEETS_MAX} sheets");
                        return Err(FileError::new(FileErrorCode::TooManySheets, reason));
                    }
                }
                "externalReference" if other_workbooks.len() < OTHER_WORKBOOKS_MAX => {
                    let id = element.attribute("r:id").unwrap_or_default();
                    let link = links.iter().find(|link| link.id == id);
                    other_workbooks.push(link.map_or_else(String::new, |link| link.target.clone()));
                }
                "definedName" => {
                    let name = element.attribute("name").unwrap_or_default();
                    let local = element.number::<usize>("localSheetId");
                    let is_hidden = element.flag("hidden") == Some(true) && !name.starts_with("_xlnm");
                    let comment = element.attribute("comment").filter(|comment| !comment.is_empty());
                    let definition = part.text()?;
                    let local = local.map(|local| positions.get(local).copied().flatten());
                    // A name of a sheet that is left out.
                    if local == Some(None) {
                        continue;
                    }
                    if is_hidden && book.hidden_names.len() < NAMES_MAX {
                        let sheet = local.flatten().and_then(|sheet| book.sheets.get(sheet));
                        book.hidden_names.push((name.clone(), sheet.map(|sheet| sheet.name.clone())));
                    }
                    if let Some(sheet) = local.flatten().and_then(|sheet| book.sheets.get_mut(sheet)) {
                        match name.as_str() {
                            "_xlnm.Print_Area" => sheet.print_area = areas(&definition),
                            "_xlnm.Print_Titles" => sheet.print_titles = areas(&definition),
                            // The range of a filter, which the filter itself contains too.
                            "_xlnm._FilterDatabase" => {}
                            _ if book.names.len() >= NAMES_MAX || name.starts_with("_xlnm") => {}
                            _ => {
                                let quoted = sheet.name.replace('\'', "''");
                                book.names.push((format!("'{quoted}'!{name}"), definition));
                            }
                        }
                        continue;
                    }
                    if name.starts_with("_xlnm") {
                        continue;
                    }
                    if book.names.len() >= NAMES_MAX {
                        return Err(part.bad(format!("more than {NAMES_MAX} defined names")));
                    }
                    book.name_comments.extend(comment.map(|comment| (name.clone(), comment)));
                    book.names.push((name, definition));
                }
                _ => {}
            },
            Node::EndOfPart => return Ok(other_workbooks),
            _ => {}
        }
    }
}

/// The name of the file at the end of a path or address, as formulas show it.
fn file_name(target: &str) -> String {
    let name = target.rsplit(['/', '\\']).next().unwrap_or(target);
    let mut bytes = Vec::with_capacity(name.len());
    let mut parts = name.split('%');
    bytes.extend(parts.next().unwrap_or_default().bytes());
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(part[2..].bytes());
            }
            None => {
                bytes.push(b'%');
                bytes.extend(part.bytes());
            }
        }
    }
    // Brackets would end the name in formulas.
    String::from_utf8_lossy(&bytes).replace(['[', ']'], "_")
}

/// Parses a list of ranges such as `Data!$A$1:$B$2,Data!$D:$D`.
fn areas(definition: &str) -> Vec<Range> {
    let area = |part: &str| {
        let (_, area) = part.rsplit_once('!').unwrap_or(("", part));
        Range::parse_a1(&area.replace('$', "")).ok()
    };
    definition.split(',').filter_map(area).collect()
}

/// The relationships of a part.
pub fn links_of(archive: &mut Archive, part: &str) -> Result<Vec<Relationship>, FileError> {
    let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
    relationships(archive, &format!("{folder}/_rels/{file}.rels"), folder)
}

/// Reads a relationships part; targets are resolved relative to `folder`.
fn relationships(archive: &mut Archive, part: &str, folder: &str) -> Result<Vec<Relationship>, FileError> {
    let mut relationships = Vec::new();
    let Some(mut part) = archive.part(part)? else { return Ok(relationships) };
    loop {
        match part.next()? {
            Node::Start(element) if element.name() == "Relationship" => {
                let kind = element.attribute("Type").unwrap_or_default();
                relationships.push(Relationship {
                    id: element.attribute("Id").unwrap_or_default(),
                    kind: kind.rsplit('/').next().unwrap_or_default().to_owned(),
                    is_external: element.attribute("TargetMode").as_deref() == Some("External"),
                    type_uri: kind,
                    target: resolve(folder, &element.attribute("Target").unwrap_or_default()),
                    raw_target: element.attribute("Target").unwrap_or_default(),
                });
            }
            Node::EndOfPart => return Ok(relationships),
            _ => {}
        }
    }
}

/// Resolves a target to a name within the archive. No file is ever extracted, so `..` can only
/// refer to another part.
fn resolve(folder: &str, target: &str) -> String {
    let target = &target.replace('\\', "/");
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut path: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        match step {
            ".." => {
                path.pop();
            }
            "." | "" => {}
            step => path.push(step),
        }
    }
    path.join("/")
}
