//! Updates the oracle: LibreOffice calculates all examples and all formulas of the oracle's tables,
//! and its results are written to the tables: `cargo test -p quadrille-functions --test functions libreoffice
//! -- --ignored --nocapture`. Requires `soffice`.
//!
//! `examples.tsv` is rewritten. In the other tables only the result of LibreOffice is updated; the
//! expected value in the second field never changes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::support::oracle::{CELLS_FROM_1904, FAMILIES, is_close, path, table};
use quadrille_cell::{CellAddress, DateSystem, Value};
use quadrille_functions::{all, file_prefix};
use quadrille_number_format::{InputContext, parse_input, parse_input_with};

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\n', "&#10;")
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&#10;", "\n").replace("&amp;", "&")
}

/// Expands OpenDocument's elements for consecutive spaces.
fn with_spaces(line: &str) -> String {
    let mut text = String::new();
    for (index, part) in line.split("<text:s").enumerate() {
        let rest = if index == 0 { Some(part) } else { part.split_once("/>").map(|(_, rest)| rest) };
        if index > 0 {
            let count = attribute(part.split("/>").next().unwrap_or_default(), "text:c");
            text.extend(std::iter::repeat_n(' ', count.and_then(|count| count.parse().ok()).unwrap_or(1)));
        }
        text.push_str(rest.unwrap_or_default());
    }
    // Control characters cannot be stored in the tables.
    text.replace("<text:tab/>", "\t").chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

/// Adds the prefixes of function names in files.
fn as_in_files(formula: &str) -> String {
    let mut written = String::new();
    let mut name = String::new();
    let mut in_text = false;
    for c in formula.chars() {
        if !in_text && (c.is_ascii_alphanumeric() || c == '.' || c == '_') {
            name.push(c);
            continue;
        }
        if c == '(' {
            written.push_str(match &*name.to_uppercase() {
                // LibreOffice expects other prefixes than Excel for these.
                "IMCOSH" | "IMCOT" | "IMCSC" | "IMCSCH" | "IMSEC" | "IMSECH" | "IMSINH" | "IMTAN" => "",
                "BAHTTEXT" => "_xlfn.",
                name => file_prefix(name),
            });
        }
        written.push_str(&std::mem::take(&mut name));
        in_text ^= c == '"';
        written.push(c);
    }
    written + &name
}

/// Returns a worksheet part with the cells, and the formulas below and to the right of them, one
/// per row.
fn sheet(cells: &[(String, String)], formulas: &[String]) -> String {
    let mut rows: BTreeMap<u32, BTreeMap<u32, String>> = BTreeMap::new();
    for (address, typed) in cells {
        let at = CellAddress::parse_a1(address).expect("the oracle's addresses are valid");
        if let Some(formula) = typed.strip_prefix('=') {
            let cell = format!("<c r=\"{address}\"><f>{}</f></c>", escaped(&as_in_files(formula)));
            rows.entry(at.row.get() + 1).or_default().insert(at.column.get(), cell);
            continue;
        }
        let (kind, content) = match parse_input(typed).value {
            Value::Number(number) => ("n", format!("<v>{number}</v>")),
            Value::Boolean(boolean) => ("b", format!("<v>{}</v>", u8::from(boolean))),
            Value::Text(text) => {
                ("inlineStr", format!("<is><t xml:space=\"preserve\">{}</t></is>", escaped(&text)))
            }
            _ => continue,
        };
        let cell = format!("<c r=\"{address}\" t=\"{kind}\">{content}</c>");
        rows.entry(at.row.get() + 1).or_default().insert(at.column.get(), cell);
    }
    for (row, formula) in (1000..).zip(formulas) {
        let formula = escaped(as_in_files(formula).trim_start_matches('='));
        rows.entry(row).or_default().insert(26, format!("<c r=\"AA{row}\"><f>{formula}</f></c>"));
    }
    let rows = rows.into_iter().map(|(row, cells)| {
        let cells: String = cells.into_values().collect();
        format!("<row r=\"{row}\">{cells}</row>")
    });
    format!(
        "{DECLARATION}<worksheet xmlns=\"{MAIN}\"><sheetData>{}</sheetData></worksheet>",
        rows.collect::<String>()
    )
}

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const TYPES: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/// Returns a minimal .xlsx file with a worksheet part.
fn workbook(sheet: &str, dates: DateSystem) -> Vec<u8> {
    let settings = if dates == DateSystem::From1904 { "<workbookPr date1904=\"1\"/>" } else { "" };
    let relation = |kind: &str, target: &str| {
        format!(
            "{DECLARATION}<Relationships xmlns=\"{PACKAGE}/relationships\">\
             <Relationship Id=\"r1\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/></Relationships>"
        )
    };
    zipped(&[
        (
            "[Content_Types].xml",
            &format!(
                "{DECLARATION}<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" \
                 ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
                 <Override PartName=\"/xl/workbook.xml\" ContentType=\"{TYPES}.sheet.main+xml\"/>\
                 <Override PartName=\"/xl/sheet.xml\" ContentType=\"{TYPES}.worksheet+xml\"/></Types>"
            ),
        ),
        ("_rels/.rels", &relation("officeDocument", "xl/workbook.xml")),
        (
            "xl/workbook.xml",
            &format!(
                "{DECLARATION}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\">{settings}<sheets>\
                 <sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        ("xl/_rels/workbook.xml.rels", &relation("worksheet", "sheet.xml")),
        ("xl/sheet.xml", sheet),
    ])
}

/// Returns a zip archive of uncompressed files.
fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let size = (content.len() as u32).to_le_bytes();
        let mut header = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        header.extend(checksum(content.as_bytes()).to_le_bytes());
        header.extend([size, size].concat());
        header.extend((name.len() as u16).to_le_bytes());
        header.extend([0, 0]);
        let offset = archive.len() as u32;
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&header);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
        archive.extend(b"PK\x03\x04");
        archive.extend(&header);
        archive.extend(name.as_bytes());
        archive.extend(content.as_bytes());
    }
    let (start, count) = (archive.len() as u32, (files.len() as u16).to_le_bytes());
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count, count].concat());
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0, 0]);
    archive
}

/// CRC-32 of zip archives.
fn checksum(bytes: &[u8]) -> u32 {
    let mut rest = u32::MAX;
    for byte in bytes {
        rest ^= u32::from(*byte);
        for _ in 0..8 {
            rest = if rest & 1 == 1 { rest >> 1 ^ 0xEDB8_8320 } else { rest >> 1 };
        }
    }
    !rest
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

/// Parses a duration such as `PT13H30M05.5S`; returns days.
fn duration(text: &str) -> Option<f64> {
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let rest = text.strip_prefix("PT")?;
    let (hours, rest) = rest.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds: f64 = rest.strip_suffix('S')?.parse().ok()?;
    Some(
        sign * (hours.parse::<f64>().ok()? * 3_600.0 + minutes.parse::<f64>().ok()? * 60.0 + seconds)
            / 86_400.0,
    )
}

/// A result of LibreOffice. Booleans can be numbers with a Boolean format.
struct Answer {
    displayed: String,
    is_number: bool,
}

impl Answer {
    fn agrees(&self, expected: &str) -> bool {
        let truth = match expected {
            "TRUE" => "1",
            "FALSE" => "0",
            other => other,
        };
        is_close(&self.displayed, expected) || self.is_number && self.displayed == truth
    }
}

/// Returns LibreOffice's result for each formula.
fn ask(cells: &[(String, String)], formulas: &[String], dates: DateSystem) -> Vec<Answer> {
    let directory = std::env::temp_dir().join(format!("quadrille-oracle-{}", std::process::id()));
    std::fs::create_dir_all(directory.join("out")).expect("the temporary directory can be written");
    let source = directory.join("formulas.xlsx");
    std::fs::write(&source, workbook(&sheet(cells, formulas), dates))
        .expect("the temporary directory can be written");
    let status = Command::new("soffice")
        .arg(format!("-env:UserInstallation=file://{}", directory.join("profile").display()))
        .args(["--headless", "--convert-to", "fods:OpenDocument Spreadsheet Flat XML", "--outdir"])
        .arg(directory.join("out"))
        .arg(&source)
        .output()
        .expect("soffice can be started");
    assert!(status.status.success(), "{status:?}");
    let answer =
        std::fs::read_to_string(directory.join("out/formulas.fods")).expect("soffice wrote the file");
    let _ = std::fs::remove_dir_all(&directory);
    let mut values = Vec::new();
    for cell in answer.split("<table:table-cell").skip(1) {
        let (tag, rest) = cell.split_once('>').unwrap_or((cell, ""));
        if !tag.contains("table:formula=") {
            continue;
        }
        let number = |number: f64| quadrille_number_format::general(number, None);
        let kind = attribute(tag, "office:value-type");
        let displayed = match kind {
            Some("float" | "percentage" | "currency") if !tag.contains("calcext:value-type=\"error\"") => {
                let value = attribute(tag, "office:value").and_then(|value| value.parse().ok());
                number(value.unwrap_or_default())
            }
            Some("boolean") => attribute(tag, "office:boolean-value").unwrap_or_default().to_uppercase(),
            Some("date") => {
                let date = attribute(tag, "office:date-value").unwrap_or_default();
                match parse_input_with(date, InputContext::invariant(dates)).value {
                    Value::Number(serial) => number(serial),
                    _ => date.to_owned(),
                }
            }
            Some("time") => {
                let time = attribute(tag, "office:time-value").unwrap_or_default();
                duration(time).map_or_else(|| time.to_owned(), number)
            }
            _ => {
                let displayed = rest.split("</table:table-cell>").next().unwrap_or_default();
                let lines: Vec<String> = displayed
                    .split("<text:p>")
                    .skip(1)
                    .map(|line| {
                        let line = line.split("</text:p>").next().unwrap_or_default();
                        unescaped(&with_spaces(line))
                    })
                    .collect();
                lines.join("\\n")
            }
        };
        values.push(Answer { displayed, is_number: kind == Some("float") });
    }
    // The formulas follow those among the cells.
    let values = values.split_off(values.len() - formulas.len());
    assert_eq!(values.len(), formulas.len(), "a value for each formula");
    values
}

/// Whether a result means that LibreOffice does not support the function.
fn is_unknown(answer: &str) -> bool {
    matches!(answer, "#NAME?" | "Err:508" | "Err:509" | "Err:510" | "Err:511" | "Err:512" | "Err:533")
}

#[test]
#[ignore = "runs LibreOffice and writes the oracle's tables"]
fn update_tables() {
    let known = table("examples");
    let examples: Vec<(String, String)> = all()
        .iter()
        .flat_map(|function| function.examples)
        .map(|(formula, expected)| ((*formula).to_owned(), (*expected).to_owned()))
        .collect();
    let formulas: Vec<String> = examples.iter().map(|(formula, _)| formula.clone()).collect();
    let mut written = String::new();
    for ((formula, expected), answer) in examples.iter().zip(ask(&[], &formulas, DateSystem::From1900)) {
        let (formula, expected) = (formula.replace('\n', "\\n"), expected.replace('\n', "\\n"));
        let before = known.iter().find(|line| line.formula == formula);
        let reason = before.and_then(|line| line.other.clone()).map(|(_, reason)| reason).unwrap_or_default();
        if answer.agrees(&expected) {
            let _ = writeln!(written, "{formula}\t{expected}");
        } else if is_unknown(&answer.displayed) && expected != "#NAME?" {
            let _ = writeln!(
                written,
                "{formula}\t{expected}\t\t{}",
                if reason.is_empty() { "none" } else { &reason }
            );
        } else {
            println!("{formula}: {expected} here, {} in LibreOffice ({reason})", answer.displayed);
            let _ = writeln!(written, "{formula}\t{expected}\t{}\t{reason}", answer.displayed);
        }
    }
    std::fs::write(path("examples"), written).expect("the table can be written");

    let cells: Vec<(String, String)> =
        table("cells").into_iter().map(|line| (line.formula, line.expected)).collect();
    for family in FAMILIES {
        let lines = table(family);
        let formulas: Vec<String> = lines.iter().map(|line| line.formula.clone()).collect();
        let mut written = String::new();
        for (line, answer) in lines.iter().zip(ask(&cells, &formulas, DateSystem::From1900)) {
            let reason = line.other.as_ref().map(|(_, reason)| reason.as_str()).unwrap_or_default();
            if answer.agrees(&line.expected) {
                let _ = writeln!(written, "{}\t{}", line.formula, line.expected);
            } else {
                if reason.is_empty() {
                    println!(
                        "{family}: {}: {} in the table, {} in LibreOffice",
                        line.formula, line.expected, answer.displayed
                    );
                }
                let _ =
                    writeln!(written, "{}\t{}\t{}\t{reason}", line.formula, line.expected, answer.displayed);
            }
        }
        std::fs::write(Path::new(&path(family)), written).expect("the table can be written");
    }
}

#[test]
#[ignore = "runs LibreOffice and writes the table of the 1904 date system"]
fn update_table_of_the_1904_date_system() {
    let cells = CELLS_FROM_1904.map(|(address, typed)| (address.to_owned(), typed.to_owned()));
    let lines = table("from_1904");
    let formulas: Vec<String> = lines.iter().map(|line| line.formula.clone()).collect();
    let mut written = String::new();
    for (line, answer) in lines.iter().zip(ask(&cells, &formulas, DateSystem::From1904)) {
        let reason = line.other.as_ref().map(|(_, reason)| reason.as_str()).unwrap_or_default();
        // A new formula has no expected value yet.
        let expected = if line.expected.is_empty() { &answer.displayed } else { &line.expected };
        let _ = match answer.agrees(expected) {
            true => writeln!(written, "{}\t{expected}", line.formula),
            false => writeln!(written, "{}\t{expected}\t{}\t{reason}", line.formula, answer.displayed),
        };
    }
    std::fs::write(path("from_1904"), written).expect("the table can be written");
}
