//! [`Statement`]: one command, read from its line. Reading needs no workbook.

use quadrille_cell::{CellAddress, Dimension, Range, parse_column_name};
use quadrille_files::socialcalc_escapes::decode;

use crate::STATEMENTS_MAX;
use crate::cell_attribute::{self, CellAttribute};
use crate::error::StatementError;
use crate::server_statement::{self, ServerStatement};

/// The parts of cells that a command copies, moves or erases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    All,
    /// Contents without formats; SocialCalc calls them formulas.
    Contents,
    Formats,
}

/// A command.
#[derive(Clone, PartialEq, Debug)]
pub enum Statement {
    /// `set A1:B2 ATTRIBUTE …`
    SetCells { range: Range, attribute: CellAttribute },
    /// `set A:C width 120` and `set 3:5 height 30`, in CSS pixels; `None` restores the default.
    SetSizes { dimension: Dimension, first: u32, count: u32, size: Option<u16> },
    /// `set A:C hide yes` and `set 3:5 hide yes`.
    SetHidden { dimension: Dimension, first: u32, count: u32, is_hidden: bool },
    /// `merge C3:F3`
    Merge(Range),
    /// `unmerge C3`
    Unmerge(Range),
    /// `erase A1:B2 all`
    Erase(Range, Scope),
    /// `copy A1:B2 all`
    Copy(Range),
    /// `cut A1:B2 all`
    Cut(Range, Scope),
    /// `paste C1 all`
    Paste(Range, Scope),
    /// `filldown A1:A9 all` and `fillright A1:F1 all`
    Fill { dimension: Dimension, range: Range, scope: Scope },
    /// `loadclipboard SAVE`, with the save decoded.
    LoadClipboard(String),
    /// `clearclipboard`
    ClearClipboard,
    /// `insertrow A5` and `insertcol C1`: one row or column before this one.
    Insert { dimension: Dimension, at: u32 },
    /// `deleterow A5:A7` and `deletecol C1:E1`
    Delete { dimension: Dimension, first: u32, count: u32 },
    /// `movepaste A1:B2 D1 all`
    MovePaste { source: Range, to: CellAddress, scope: Scope },
    /// `moveinsert A1:A2 A9 all`
    MoveInsert { source: Range, to: CellAddress, scope: Scope },
    /// `sort A1:C9 B up A down`: zero-based columns, and whether each is descending.
    Sort { range: Range, keys: Vec<(u32, bool)> },
    /// `name define NAME A1:B2`; `None` deletes the name.
    Name { name: String, definition: Option<String> },
    /// `pane row 3`: the first row or column, zero-based, that scrolls.
    Freeze { dimension: Dimension, first: u32 },
    /// A command that acts outside the sheet, which planning leaves to the server.
    Server(ServerStatement),
    /// A command that changes nothing here: `recalc`, `redisplay`, `set sheet …`.
    Nothing,
}

/// Reads commands, one a line. Empty lines are ignored.
///
/// # Errors
/// The first command that is unknown or malformed, or too many commands.
pub fn parse(lines: &str) -> Result<Vec<Statement>, StatementError> {
    let mut statements = Vec::new();
    for line in lines.split('\n') {
        if let Some(form) = server_statement::submit_form(line) {
            push(&mut statements, || form.map(Statement::Server))?;
            continue;
        }
        for line in line.split('\r').map(str::trim_start).filter(|line| !line.trim().is_empty()) {
            push(&mut statements, || parse_line(line))?;
        }
    }
    Ok(statements)
}

fn push(
    statements: &mut Vec<Statement>,
    statement: impl FnOnce() -> Result<Statement, String>,
) -> Result<(), StatementError> {
    let number = statements.len() + 1;
    let error = |reason| StatementError { number, reason };
    if number > STATEMENTS_MAX {
        return Err(error(format!("a request has at most {STATEMENTS_MAX} commands")));
    }
    statements.push(statement().map_err(error)?);
    Ok(())
}

fn parse_line(line: &str) -> Result<Statement, String> {
    let mut words = Words(line);
    let command = words.next();
    match command {
        "set" => set(words),
        "merge" => Ok(Statement::Merge(range(words.next())?)),
        "unmerge" => Ok(Statement::Unmerge(range(words.next())?)),
        "erase" => Ok(Statement::Erase(range(words.next())?, scope(words.rest())?)),
        "copy" => {
            let (range, _) = (range(words.next())?, scope(words.rest())?);
            Ok(Statement::Copy(range))
        }
        "cut" => Ok(Statement::Cut(range(words.next())?, scope(words.rest())?)),
        "paste" => Ok(Statement::Paste(range(words.next())?, scope(words.rest())?)),
        "filldown" | "fillright" => {
            let dimension = if command == "filldown" { Dimension::Rows } else { Dimension::Columns };
            Ok(Statement::Fill { dimension, range: range(words.next())?, scope: scope(words.rest())? })
        }
        "loadclipboard" => Ok(Statement::LoadClipboard(decode(words.rest()))),
        "clearclipboard" => Ok(Statement::ClearClipboard),
        "insertrow" | "deleterow" => rows_or_columns(command == "insertrow", Dimension::Rows, words.next()),
        "insertcol" | "deletecol" => {
            rows_or_columns(command == "insertcol", Dimension::Columns, words.next())
        }
        "movepaste" | "moveinsert" => {
            let (source, to) = (range(words.next())?, cell(words.next())?);
            let scope = scope(words.rest())?;
            Ok(match command {
                "movepaste" => Statement::MovePaste { source, to, scope },
                _ => Statement::MoveInsert { source, to, scope },
            })
        }
        "sort" => sort(words),
        "name" => name(words),
        "pane" => pane(words),
        // Formulas are always calculated, and pages draw what changes.
        "recalc" | "redisplay" | "changedrendervalues" => Ok(Statement::Nothing),
        // Extensions are programs in the page of EtherCalc. Its server has none and ignores the command.
        "startcmdextension" => match words.next() {
            "" => Err("'startcmdextension' needs the name of an extension".to_owned()),
            _ => Ok(Statement::Nothing),
        },
        "settimetrigger" => {
            let cell = cell(words.next())?;
            server_statement::set_time_trigger(cell, words.rest()).map(Statement::Server)
        }
        "sendemail" => server_statement::send_mail(words.rest()).map(Statement::Server),
        unknown => Err(format!("'{unknown}' is not a command")),
    }
}

/// The words of a line, separated by single spaces as in SocialCalc.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    /// The next word; empty at the end.
    fn next(&mut self) -> &'a str {
        let (word, rest) = self.0.split_once(' ').unwrap_or((self.0, ""));
        self.0 = rest;
        word
    }

    fn rest(&self) -> &'a str {
        self.0
    }
}

fn set(mut words: Words<'_>) -> Result<Statement, String> {
    let (target, attribute) = (words.next(), words.next());
    if target == "sheet" {
        return set_sheet(attribute, words.rest());
    }
    if let Some((dimension, first, count)) = lines(target) {
        return set_lines(dimension, first, count, attribute, words.rest());
    }
    let range = range(target)?;
    Ok(Statement::SetCells { range, attribute: cell_attribute::parse(attribute, words.rest())? })
}

/// Sheets have no defaults of their own here, grow as needed and are always calculated.
fn set_sheet(attribute: &str, value: &str) -> Result<Statement, String> {
    match attribute {
        "defaultcolwidth"
        | "defaultcolor"
        | "defaultbgcolor"
        | "defaultlayout"
        | "defaultfont"
        | "defaulttextformat"
        | "defaultnontextformat"
        | "defaulttextvalueformat"
        | "defaultnontextvalueformat"
        | "recalc" => Ok(Statement::Nothing),
        "lastcol" | "lastrow" | "usermaxcol" | "usermaxrow" => match value.trim().parse::<u32>() {
            Ok(_) => Ok(Statement::Nothing),
            Err(_) => Err(format!("'{attribute}' needs a number, not '{value}'")),
        },
        unknown => Err(format!("'{unknown}' is not an attribute of a sheet")),
    }
}

fn set_lines(
    dimension: Dimension,
    first: u32,
    count: u32,
    attribute: &str,
    value: &str,
) -> Result<Statement, String> {
    let size = match dimension {
        Dimension::Columns => "width",
        Dimension::Rows => "height",
    };
    match attribute {
        "hide" => match value {
            "yes" => Ok(Statement::SetHidden { dimension, first, count, is_hidden: true }),
            "no" | "" => Ok(Statement::SetHidden { dimension, first, count, is_hidden: false }),
            other => Err(format!("'hide' is yes or no, not '{other}'")),
        },
        _ if attribute == size => {
            let pixels = match value.trim().trim_end_matches("px") {
                // `auto` and percentages depend on the window in SocialCalc.
                "" | "auto" => None,
                percent if percent.ends_with('%') => None,
                pixels => {
                    let read = pixels.parse::<u16>().map_err(|_| format!("'{value}' is not a {size}"))?;
                    Some(read)
                }
            };
            Ok(Statement::SetSizes { dimension, first, count, size: pixels })
        }
        unknown => Err(format!("'{unknown}' is not an attribute of rows or columns; use {size} or hide")),
    }
}

fn rows_or_columns(is_insert: bool, dimension: Dimension, text: &str) -> Result<Statement, String> {
    let (first, count) = match lines(text) {
        Some((found, first, count)) if found == dimension => (first, count),
        _ => {
            let range = range(text)?;
            match dimension {
                Dimension::Rows => (range.first().row.get(), range.row_count()),
                Dimension::Columns => (range.first().column.get(), range.column_count()),
            }
        }
    };
    Ok(match is_insert {
        true => Statement::Insert { dimension, at: first },
        false => Statement::Delete { dimension, first, count },
    })
}

fn sort(mut words: Words<'_>) -> Result<Statement, String> {
    let range = range(words.next())?;
    let mut keys = Vec::new();
    // SocialCalc reads at most four criteria.
    for _ in 0..4 {
        let (column, direction) = (words.next(), words.next());
        if column.is_empty() {
            break;
        }
        let index = parse_column_name(column).ok_or_else(|| format!("'{column}' is not a column"))?.get();
        let is_descending = match direction {
            "up" => false,
            "down" => true,
            other => return Err(format!("a column is sorted up or down, not '{other}'")),
        };
        keys.push((index, is_descending));
    }
    match keys.is_empty() {
        true => Err("'sort' needs a column and up or down after the range".to_owned()),
        false => Ok(Statement::Sort { range, keys }),
    }
}

fn name(mut words: Words<'_>) -> Result<Statement, String> {
    let (what, name) = (words.next(), words.next());
    let is_allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let name: String = name.to_ascii_uppercase().chars().filter(is_allowed).collect();
    if name.is_empty() {
        return Err("'name' needs define, desc or delete, and a name".to_owned());
    }
    match what {
        "define" if words.rest().is_empty() => Err(format!("the name {name} needs a range or a formula")),
        "define" => Ok(Statement::Name { name, definition: Some(words.rest().to_owned()) }),
        "delete" => Ok(Statement::Name { name, definition: None }),
        // Names have no description here.
        "desc" => Ok(Statement::Nothing),
        other => Err(format!("'{other}' is not an action on names; use define, desc or delete")),
    }
}

fn pane(mut words: Words<'_>) -> Result<Statement, String> {
    let dimension = match words.next().to_ascii_lowercase().as_str() {
        "row" => Dimension::Rows,
        "col" => Dimension::Columns,
        other => return Err(format!("a pane is row or col, not '{other}'")),
    };
    let first = words.next();
    let first: u32 = first.parse().map_err(|_| format!("'{first}' is not the number of a row or column"))?;
    Ok(Statement::Freeze { dimension, first: first.saturating_sub(1) })
}

/// Reads `A1` or `A1:B2`, in upper or lower case.
fn range(text: &str) -> Result<Range, String> {
    let is_cells = text.split(':').all(|corner| CellAddress::parse_a1(corner).is_ok());
    let range = is_cells.then(|| Range::parse_a1(text).ok()).flatten();
    range.ok_or_else(|| format!("'{text}' is not a cell or range such as A1:B2"))
}

fn cell(text: &str) -> Result<CellAddress, String> {
    CellAddress::parse_a1(text).map_err(|_| format!("'{text}' is not a cell such as A1"))
}

/// Reads `B`, `B:D`, `3` or `3:5` as first index and count.
fn lines(text: &str) -> Option<(Dimension, u32, u32)> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let row = |text: &str| text.parse::<u32>().ok()?.checked_sub(1);
    let (dimension, first, last) = match (row(first), row(last)) {
        (Some(first), Some(last)) => (Dimension::Rows, first, last),
        _ => (Dimension::Columns, parse_column_name(first)?.get(), parse_column_name(last)?.get()),
    };
    let (first, last) = (first.min(last), first.max(last));
    (last < dimension.len_max()).then(|| (dimension, first, last - first + 1))
}

fn scope(text: &str) -> Result<Scope, String> {
    match text.trim() {
        "" | "all" => Ok(Scope::All),
        "formulas" => Ok(Scope::Contents),
        "formats" => Ok(Scope::Formats),
        other => Err(format!("'{other}' is not one of all, formulas, formats")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Statement {
        parse(line).unwrap_or_else(|error| panic!("{line}: {error}")).remove(0)
    }

    fn range(text: &str) -> Range {
        Range::parse_a1(text).expect("valid")
    }

    #[test]
    fn commands_are_read_from_lines() {
        use Dimension::{Columns, Rows};
        for (line, expected) in [
            ("merge c3:f3", Statement::Merge(range("C3:F3"))),
            ("erase A1:B2 formats", Statement::Erase(range("A1:B2"), Scope::Formats)),
            ("cut A1 formulas", Statement::Cut(range("A1"), Scope::Contents)),
            ("paste C1 all", Statement::Paste(range("C1"), Scope::All)),
            ("paste C1", Statement::Paste(range("C1"), Scope::All)),
            ("insertrow A5", Statement::Insert { dimension: Rows, at: 4 }),
            ("insertrow 5", Statement::Insert { dimension: Rows, at: 4 }),
            ("insertcol C", Statement::Insert { dimension: Columns, at: 2 }),
            ("deletecol C5:E7", Statement::Delete { dimension: Columns, first: 2, count: 3 }),
            ("deleterow C5:E7", Statement::Delete { dimension: Rows, first: 4, count: 3 }),
            (
                "sort A1:B9 B down A up",
                Statement::Sort { range: range("A1:B9"), keys: vec![(1, true), (0, false)] },
            ),
            (
                "set B:C width 120",
                Statement::SetSizes { dimension: Columns, first: 1, count: 2, size: Some(120) },
            ),
            ("set 3 height 40", Statement::SetSizes { dimension: Rows, first: 2, count: 1, size: Some(40) }),
            (
                "set A hide yes",
                Statement::SetHidden { dimension: Columns, first: 0, count: 1, is_hidden: true },
            ),
            ("set B width auto", Statement::SetSizes { dimension: Columns, first: 1, count: 1, size: None }),
            ("name define tax A1", Statement::Name { name: "TAX".into(), definition: Some("A1".into()) }),
            ("name delete TAX", Statement::Name { name: "TAX".into(), definition: None }),
            ("pane row 3", Statement::Freeze { dimension: Rows, first: 2 }),
            ("pane row 1", Statement::Freeze { dimension: Rows, first: 0 }),
            (
                "loadclipboard version\\c1.5\\ncell\\cA1\\cv\\c2",
                Statement::LoadClipboard("version:1.5\ncell:A1:v:2".into()),
            ),
            ("set sheet lastcol 4", Statement::Nothing),
            ("startcmdextension chart draw A1:B2", Statement::Nothing),
            (
                "settimetrigger B2 29926715,29926716",
                Statement::Server(ServerStatement::SetTimeTrigger {
                    cell: CellAddress::parse_a1("B2").expect("valid"),
                    times_min: vec![29_926_715, 29_926_716],
                }),
            ),
            (
                "sendemail ada@example.org Your%20order is%20on%20its way",
                Statement::Server(ServerStatement::SendMail {
                    to: "ada@example.org".into(),
                    subject: "Your order".into(),
                    body: "is on its way".into(),
                }),
            ),
            (
                "submitform\rAda\r\r12",
                Statement::Server(ServerStatement::SubmitForm(vec![
                    "Ada".into(),
                    String::new(),
                    "12".into(),
                ])),
            ),
            ("recalc", Statement::Nothing),
        ] {
            assert_eq!(one(line), expected, "{line}");
        }
        assert_eq!(parse("recalc\n\r\n\nrecalc\n").map(|all| all.len()), Ok(2));
    }

    #[test]
    fn errors_name_the_command_and_the_word() {
        for (lines, number, word) in [
            ("jump A1", 1, "'jump'"),
            ("recalc\nset A1 colour red", 2, "'colour'"),
            ("set nowhere value n 5", 1, "'nowhere'"),
            ("set sheet tabs 4", 1, "'tabs'"),
            ("set A width wide", 1, "'wide'"),
            ("set A height 5", 1, "'height'"),
            ("set 1 hide perhaps", 1, "'perhaps'"),
            ("erase A1 everything", 1, "'everything'"),
            ("erase A:B all", 1, "'A:B'"),
            ("sort A1:B9", 1, "'sort'"),
            ("sort A1:B9 A sideways", 1, "'sideways'"),
            ("name rename A B", 1, "'rename'"),
            ("name define A", 1, "A needs"),
            ("pane diagonal 3", 1, "'diagonal'"),
            ("pane row x", 1, "'x'"),
            ("movepaste A1 nowhere all", 1, "'nowhere'"),
            ("insertrow XFE1", 1, "'XFE1'"),
            ("sendemail a b", 1, "'sendemail'"),
            ("settimetrigger nowhere 5", 1, "'nowhere'"),
            ("settimetrigger A1 5,soon", 1, "'soon'"),
            ("startcmdextension", 1, "'startcmdextension'"),
            ("submitform", 1, "'submitform'"),
            ("recalc\nsubmitform", 2, "'submitform'"),
        ] {
            let error = parse(lines).expect_err(lines);
            assert_eq!(error.number, number, "{lines}");
            assert!(error.reason.contains(word), "{lines}: {error}");
        }
        let many = "recalc\n".repeat(STATEMENTS_MAX + 1);
        assert_eq!(parse(&many).expect_err("too many").number, STATEMENTS_MAX + 1);
    }
}
