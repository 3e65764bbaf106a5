//! Named cell styles, which `rust_xlsxwriter` does not support, added to the styles of the file it
//! wrote.
//!
//! Formats of cells with a style have a mark (`style_marks.rs`). The marks are replaced by references to
//! the style, and equal fonts become one.

use std::collections::{BTreeMap, HashMap};
use std::io::{Cursor, Read};

use quadrille_operation::{style_format, style_patch};
use quadrille_workbook::{Field, Format, Workbook};
use quick_xml::escape::escape;
use rust_xlsxwriter as xlsx;
use zip::{ZipArchive, result::ZipResult};

use super::added_parts::AddedParts;
use super::style_marks::{CHARACTER_SETS, FAMILY_FIRST, GROUPS, MARKS_PER_STYLE, groups_of, written};

const PART: &str = "xl/styles.xml";
/// The number of the built-in style "Hyperlink", and of the first number format with a code.
const LINK_STYLE: f64 = 8.0;
const NUMBER_FORMAT_FIRST: usize = 164;
/// The family of fonts without a mark.
const FAMILY: &str = "<family val=\"2\"/>";

/// Adds the named styles. `convert` gives the marked format of cells.
pub(super) fn add_cell_styles(
    workbook: &Workbook,
    convert: &dyn Fn(&Format) -> xlsx::Format,
    added: &mut AddedParts,
) -> ZipResult<()> {
    if written(workbook).next().is_none() {
        return Ok(());
    }
    let Some(styles) = sheet_of_styles(workbook, convert) else { return Ok(()) };
    let mut own = String::new();
    ZipArchive::new(Cursor::new(&styles))?.by_name(PART)?.read_to_string(&mut own)?;
    let workbook = workbook.clone();
    added.change(PART, move |text| with_cell_styles(text, &own, &workbook));
    Ok(())
}

/// A file with one cell for each style, from which the formats of the styles are taken.
fn sheet_of_styles(workbook: &Workbook, convert: &dyn Fn(&Format) -> xlsx::Format) -> Option<Vec<u8>> {
    let mut file = xlsx::Workbook::new();
    let sheet = file.add_worksheet();
    for ((id, _), row) in written(workbook).zip(0..) {
        let format = Format { cell_style: Some(id), direct: 0, ..style_format(workbook, id) };
        sheet.write_blank(row, 0, &convert(&format)).ok()?;
    }
    file.save_to_buffer().ok()
}

/// Returns the styles part with the named styles. `own` is the styles part of their formats.
fn with_cell_styles(text: &str, own: &str, workbook: &Workbook) -> String {
    let (part, own) = (StylesPart::read(text), StylesPart::read(own));
    let mut tables = Tables::of(&part);
    let first = part.style_formats.len();
    let mut style_formats = Vec::new();
    for xf in &part.style_formats {
        style_formats.push(tables.resolved(xf, &part).0.text());
    }
    let mut cell_formats = Vec::new();
    for xf in &part.cell_formats {
        let (mut xf, mark) = tables.resolved(xf, &part);
        if let Some(mark) = mark {
            xf.set("xfId", &(first + mark / MARKS_PER_STYLE).to_string());
            for (group, name) in GROUPS.iter().enumerate() {
                xf.set(&format!("apply{name}"), if mark >> group & 1 == 1 { "1" } else { "0" });
            }
        }
        cell_formats.push(xf.text());
    }
    let mut by_position: BTreeMap<usize, Xf> = BTreeMap::new();
    for xf in &own.cell_formats {
        let (mut xf, mark) = tables.resolved(xf, &own);
        tables.resolve_number_format(&mut xf, &own);
        by_position.extend(mark.map(|mark| (mark / MARKS_PER_STYLE, xf)));
    }
    let mut names: Vec<String> = Vec::new();
    let mut has_link_style = false;
    for (position, (_, item)) in written(workbook).enumerate() {
        let mut xf = by_position.remove(&position).unwrap_or_default();
        xf.remove("xfId");
        let set = groups_of(&style_patch(item));
        for (group, name) in GROUPS.iter().enumerate() {
            xf.remove(&format!("apply{name}"));
            if item.boolean(Field::Partial) == Some(true) && !set[group] {
                xf.set(&format!("apply{name}"), "0");
            }
        }
        style_formats.push(xf.text());
        let name = item.text(Field::Name).map_or("", |name| name);
        let builtin_id = item.number(Field::BuiltinId);
        has_link_style |= builtin_id == Some(LINK_STYLE) || name.eq_ignore_ascii_case("Hyperlink");
        let builtin = match builtin_id {
            Some(number) => format!(" builtinId=\"{number}\" customBuiltin=\"1\""),
            None => String::new(),
        };
        let (name, format) = (escape(name), first + position);
        names.push(format!("<cellStyle name=\"{name}\" xfId=\"{format}\"{builtin}/>"));
    }
    // The style that `rust_xlsxwriter` gives to links has the same name.
    let others = part.names.iter().filter(|style| !has_link_style || !style.contains("\"Hyperlink\""));
    names.extend(others.map(ToString::to_string));
    let codes = tables.number_formats.iter();
    let codes: Vec<String> =
        codes.map(|(code, id)| format!("<numFmt numFmtId=\"{id}\" formatCode=\"{code}\"/>")).collect();
    let mut text = text.to_owned();
    if !text.contains("<numFmts ") && !codes.is_empty() {
        text = text.replacen("<fonts ", "<numFmts count=\"0\"></numFmts><fonts ", 1);
    }
    for (section, elements) in [
        ("numFmts", codes),
        ("fonts", tables.fonts.elements),
        ("fills", tables.fills.elements),
        ("borders", tables.borders.elements),
        ("cellStyleXfs", style_formats),
        ("cellXfs", cell_formats),
        ("cellStyles", names),
    ] {
        replace_section(&mut text, section, &elements);
    }
    text
}

/// The elements of a styles part.
struct StylesPart<'t> {
    number_formats: Vec<(String, usize)>,
    fonts: Vec<&'t str>,
    fills: Vec<&'t str>,
    borders: Vec<&'t str>,
    style_formats: Vec<&'t str>,
    cell_formats: Vec<&'t str>,
    names: Vec<&'t str>,
}

impl StylesPart<'_> {
    fn read(text: &str) -> StylesPart<'_> {
        StylesPart {
            number_formats: number_formats(text),
            fonts: elements(text, "fonts", "font"),
            fills: elements(text, "fills", "fill"),
            borders: elements(text, "borders", "border"),
            style_formats: elements(text, "cellStyleXfs", "xf"),
            cell_formats: elements(text, "cellXfs", "xf"),
            names: elements(text, "cellStyles", "cellStyle"),
        }
    }
}

/// The tables that the formats of the written part refer to.
struct Tables {
    /// Escaped codes and their numbers.
    number_formats: Vec<(String, usize)>,
    fonts: Table,
    fills: Table,
    borders: Table,
}

/// Different elements, and where each one is.
struct Table {
    elements: Vec<String>,
    positions: HashMap<String, usize>,
}

impl Table {
    fn of(elements: impl Iterator<Item = String>) -> Table {
        let elements: Vec<String> = elements.collect();
        // Of equal elements the first one counts.
        let positions = elements.iter().cloned().enumerate().rev();
        let positions = positions.map(|(index, element)| (element, index)).collect();
        Table { elements, positions }
    }

    /// The position of an element, which is added if necessary.
    fn position(&mut self, element: &str) -> usize {
        if let Some(known) = self.positions.get(element) {
            return *known;
        }
        self.positions.insert(element.to_owned(), self.elements.len());
        self.elements.push(element.to_owned());
        self.elements.len() - 1
    }
}

impl Tables {
    /// Begins with the first font, border and two fills, which have a meaning by their position.
    fn of(part: &StylesPart) -> Tables {
        Tables {
            number_formats: part.number_formats.clone(),
            fonts: Table::of(part.fonts.iter().take(1).map(|font| without_mark(font).0)),
            fills: Table::of(part.fills.iter().take(2).map(ToString::to_string)),
            borders: Table::of(part.borders.iter().take(1).map(ToString::to_string)),
        }
    }

    /// A format of a part with references to these tables, and the mark of its font.
    fn resolved(&mut self, xf: &str, part: &StylesPart) -> (Xf, Option<usize>) {
        let mut xf = Xf::read(xf);
        let mut mark = None;
        if let Some(font) = xf.index("fontId").and_then(|index| part.fonts.get(index)) {
            let (font, found) = without_mark(font);
            mark = found;
            xf.set("fontId", &self.fonts.position(&font).to_string());
        }
        if let Some(fill) = xf.index("fillId").and_then(|index| part.fills.get(index)) {
            xf.set("fillId", &self.fills.position(fill).to_string());
        }
        if let Some(border) = xf.index("borderId").and_then(|index| part.borders.get(index)) {
            xf.set("borderId", &self.borders.position(border).to_string());
        }
        (xf, mark)
    }

    /// Gives a format of another part the number of its code here.
    fn resolve_number_format(&mut self, xf: &mut Xf, part: &StylesPart) {
        let number = xf.index("numFmtId");
        let Some((code, _)) = part.number_formats.iter().find(|(_, id)| Some(*id) == number) else { return };
        let known = self.number_formats.iter().find(|(known, _)| known == code).map(|(_, id)| *id);
        let id = known.unwrap_or_else(|| {
            let next = self.number_formats.iter().map(|(_, id)| id + 1).max().unwrap_or(NUMBER_FORMAT_FIRST);
            self.number_formats.push((code.clone(), next));
            next
        });
        xf.set("numFmtId", &id.to_string());
    }
}

/// The codes of number formats, escaped as in the part, and their numbers.
fn number_formats(text: &str) -> Vec<(String, usize)> {
    let formats = elements(text, "numFmts", "numFmt").into_iter().map(Xf::read);
    formats
        .filter_map(|format| {
            Some((format.get("formatCode")?.to_owned(), format.get("numFmtId")?.parse().ok()?))
        })
        .collect()
}

/// The font without its mark, and the mark.
fn without_mark(font: &str) -> (String, Option<usize>) {
    let value = |name: &str| {
        let start = format!("<{name} val=\"");
        let (_, rest) = font.split_once(&start)?;
        rest.split_once('"')?.0.parse::<usize>().ok()
    };
    let mark = value("family").zip(value("charset")).filter(|(family, _)| *family >= FAMILY_FIRST);
    let Some((family, character_set)) = mark else { return (font.to_owned(), None) };
    let plain = font.replace(&format!("<family val=\"{family}\"/>"), FAMILY);
    let plain = plain.replace(&format!("<charset val=\"{character_set}\"/>"), "");
    (plain, Some((family - FAMILY_FIRST) * CHARACTER_SETS + character_set - 1))
}

/// An element: attributes and contents.
#[derive(Default)]
struct Xf {
    attributes: Vec<(String, String)>,
    contents: String,
}

impl Xf {
    fn read(text: &str) -> Xf {
        let (head, contents) = text.split_once('>').unwrap_or((text, ""));
        let mut attributes = Vec::new();
        let mut rest = head.split_once(' ').map_or("", |(_, attributes)| attributes);
        while let Some((name, value)) = rest.split_once("=\"") {
            let Some((value, after)) = value.split_once('"') else { break };
            attributes.push((name.trim().to_owned(), value.to_owned()));
            rest = after;
        }
        let contents = contents.rsplit_once("</").map_or("", |(contents, _)| contents);
        Xf { attributes, contents: contents.to_owned() }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }

    fn set(&mut self, name: &str, value: &str) {
        match self.attributes.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => value.clone_into(known),
            None => self.attributes.push((name.to_owned(), value.to_owned())),
        }
    }

    fn remove(&mut self, name: &str) {
        self.attributes.retain(|(known, _)| known != name);
    }

    fn text(&self) -> String {
        let attributes: String =
            self.attributes.iter().map(|(name, value)| format!(" {name}=\"{value}\"")).collect();
        match self.contents.is_empty() {
            true => format!("<xf{attributes}/>"),
            false => format!("<xf{attributes}>{}</xf>", self.contents),
        }
    }
}

/// The text between the tags of a section, which occurs once.
fn section<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name} "))?;
    let (head, rest) = rest.split_once('>')?;
    if head.ends_with('/') {
        return Some("");
    }
    rest.split_once(&format!("</{name}>")).map(|(contents, _)| contents)
}

/// The elements of a section, which contains no others at its level.
fn elements<'t>(text: &'t str, name: &str, element: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut rest = section(text, name).unwrap_or("");
    let close = format!("</{element}>");
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let Some(head) = rest.find('>') else { break };
        let end = match rest[..head].ends_with('/') {
            true => head + 1,
            false => match rest.find(&close) {
                Some(end) => end + close.len(),
                None => break,
            },
        };
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

/// Replaces the contents of a section and their count.
fn replace_section(text: &mut String, name: &str, elements: &[String]) {
    let Some(start) = text.find(&format!("<{name} ")) else { return };
    let close = format!("</{name}>");
    let end = match text[start..].find(&close) {
        Some(end) => start + end + close.len(),
        None => match text[start..].find("/>") {
            Some(end) => start + end + 2,
            None => return,
        },
    };
    let (count, contents) = (elements.len(), elements.concat());
    text.replace_range(start..end, &format!("<{name} count=\"{count}\">{contents}{close}"));
}
