//! A text notation of operations, for tests, plan files, logs and `docs/operations.md`.
//!
//! [`read_operation`] and [`write_operation`] are inverse to each other:
//!
//! ```text
//! set B5: 7                       set A1:B2: 1 ; 2 ; =A1*2 ; x
//! fill A1:A9: =B1*2               clear A1:B3
//! format A1:B2: bold, not italic, number 0.00, fill #ffe000
//! insert 2 rows before 5          insert column before C
//! delete rows 5:6                 delete columns C:D
//! size rows 3:5: 30               size columns B:B: default
//! sort A1:B4: 3 1 2 4             (the new first row was the third)
//! add sheet 3: Plan at 1          remove sheet 3
//! rename sheet 2: Data            move sheet 2 to 1
//! name rate: =Data!$A$1           unname rate
//! hide rows 3:5                    show columns B:B
//! put 7: note at B2: text "x"     patch 7: note: width 30, text none
//! remove item 7                    tick
//! on 2: set A1: 5                 (sheet 2; without it, sheet 1)
//! on workbook: remove item 7      (an item of the workbook as a whole)
//! ```

use std::fmt::Write;
use std::sync::Arc;

use quadrille_cell::{ColumnIndex, Dimension, EditKind, Range, RowIndex, SheetId, StructuralEdit};
use quadrille_formula::{Host, SheetNames, parse, print};
use quadrille_number_format::{general, parse_input};
use quadrille_workbook::{
    Border, BorderStyle, FillPattern, FontScript, FontSize, FormatPatch, HorizontalAlignment, Input, Item,
    ItemId, Literal, Overflow, ReadingOrder, Rotation, TextFont, TextFormat, TextRun, TextRuns,
    UnderlineStyle, VerticalAlignment,
};

use crate::item::notation as item;
use crate::rebase::name_host;
use crate::{ItemPatch, Operation, print_color, read_color};

const FIRST_SHEET: SheetId = SheetId(1);
const CELL_SEPARATOR: &str = " ; ";

/// Parses one operation.
///
/// # Errors
///
/// Returns a message that quotes the text that could not be parsed.
pub fn read_operation(text: &str, sheets: &dyn SheetNames) -> Result<Operation, String> {
    let syntax_error = || format!("not an operation: {text}");
    if let Some(words) = text.trim().strip_prefix("on workbook: ") {
        return read_item_operation(words, None, sheets)?.ok_or_else(syntax_error);
    }
    let (sheet, words) = match text.trim().strip_prefix("on ") {
        Some(rest) => {
            let (sheet, words) = rest.split_once(": ").ok_or_else(syntax_error)?;
            (read_sheet(sheet)?, words)
        }
        None => (FIRST_SHEET, text.trim()),
    };
    if words == "tick" {
        return Ok(Operation::Tick);
    }
    if let Some(operation) = read_item_operation(words, Some(sheet), sheets)? {
        return Ok(operation);
    }
    let (verb, rest) = words.split_once(' ').ok_or_else(syntax_error)?;
    match verb {
        "set" => {
            let (range, cells) = read_range_prefix(rest)?;
            let cells: Vec<&str> = cells.split(CELL_SEPARATOR).collect();
            let hosts = range.cells().map(|cell| Host { sheet, cell });
            let inputs: Vec<Input> =
                hosts.zip(&cells).map(|(host, cell)| read_input(cell, host, sheets)).collect();
            if cells.len() as u64 != range.cell_count() {
                return Err(format!("{} contents for {range}: {text}", cells.len()));
            }
            Ok(Operation::SetCells { sheet, range, inputs })
        }
        "fill" => {
            let (range, content) = read_range_prefix(rest)?;
            let input = read_input(content, Host { sheet, cell: range.first() }, sheets);
            Ok(Operation::FillCells { sheet, range, input })
        }
        "clear" => Ok(Operation::FillCells { sheet, range: read_range(rest)?, input: Input::Blank }),
        "format" => {
            let (range, attributes) = read_range_prefix(rest)?;
            Ok(Operation::SetFormat { sheet, range, patch: read_patch(attributes)? })
        }
        "insert" => read_insertion(rest, sheet).ok_or_else(syntax_error).map(Operation::Restructure),
        "delete" => {
            let (dimension, range) = read_span(rest)?;
            let (at, count) = span_of(range, dimension);
            let kind = EditKind::Delete;
            Ok(Operation::Restructure(StructuralEdit { sheet, dimension, kind, at, count }))
        }
        "size" => {
            let (span, size) = rest.split_once(": ").ok_or_else(syntax_error)?;
            let (dimension, range) = read_span(span)?;
            let (first, count) = span_of(range, dimension);
            let size = match size {
                "default" => None,
                size => Some(size.parse().map_err(|_| syntax_error())?),
            };
            Ok(Operation::SetSizes { sheet, dimension, first, count, size })
        }
        "hide" | "show" => {
            let (dimension, range) = read_span(rest)?;
            let (first, count) = span_of(range, dimension);
            Ok(Operation::SetHidden { sheet, dimension, first, count, is_hidden: verb == "hide" })
        }
        "sort" => {
            let (range, order) = read_range_prefix(rest)?;
            let order: Option<Vec<u32>> = order
                .split_whitespace()
                .map(|row| row.parse::<u32>().ok().and_then(|row| row.checked_sub(1)))
                .collect();
            Ok(Operation::PermuteRows { sheet, range, order: order.ok_or_else(syntax_error)?.into() })
        }
        "add" => {
            let (sheet, rest) = read_sheet_prefix(rest)?;
            let (name, position) = rest.rsplit_once(" at ").ok_or_else(syntax_error)?;
            let position = position.parse().map_err(|_| syntax_error())?;
            Ok(Operation::AddSheet { sheet, name: name.into(), position })
        }
        "remove" => {
            let sheet = read_sheet(rest.strip_prefix("sheet ").ok_or_else(syntax_error)?)?;
            Ok(Operation::RemoveSheet { sheet })
        }
        "rename" => {
            let (sheet, name) = read_sheet_prefix(rest)?;
            Ok(Operation::RenameSheet { sheet, name: name.into() })
        }
        "move" if !rest.starts_with("sheet ") => {
            read_move(rest, sheet).ok_or_else(syntax_error).map(Operation::Restructure)
        }
        "move" => {
            let rest = rest.strip_prefix("sheet ").ok_or_else(syntax_error)?;
            let (sheet, position) = rest.split_once(" to ").ok_or_else(syntax_error)?;
            let position = position.parse().map_err(|_| syntax_error())?;
            Ok(Operation::MoveSheet { sheet: read_sheet(sheet)?, position })
        }
        "name" => {
            let (name, formula) = rest.split_once(": =").ok_or_else(syntax_error)?;
            let definition = Some(parse(formula, name_host(), sheets));
            Ok(Operation::DefineName { name: name.into(), definition })
        }
        "unname" => Ok(Operation::DefineName { name: rest.into(), definition: None }),
        _ => Err(syntax_error()),
    }
}

/// Returns `None` if the words are not an operation on an item.
fn read_item_operation(
    words: &str,
    sheet: Option<SheetId>,
    sheets: &dyn SheetNames,
) -> Result<Option<Operation>, String> {
    let read_id = |text: &str| match text.parse() {
        Ok(id) => Ok(ItemId(id)),
        Err(_) => Err(format!("not the number of an item: {text}")),
    };
    if let Some(id) = words.strip_prefix("remove item ") {
        return Ok(Some(Operation::RemoveItem { sheet, item: read_id(id)? }));
    }
    let Some((verb @ ("put" | "patch"), rest)) = words.split_once(' ') else { return Ok(None) };
    let (id, rest) = rest.split_once(": ").ok_or_else(|| format!("not an item and a colon: {words}"))?;
    let (item, patch) = (read_id(id)?, item::read_patch(rest, sheet, sheets)?);
    Ok(Some(match verb {
        "put" => {
            Operation::PutItem { sheet, item, content: Arc::new(patch.apply_to(&Item::new(patch.kind))) }
        }
        _ => Operation::PatchItem { sheet, item, patch },
    }))
}

fn read_sheet(text: &str) -> Result<SheetId, String> {
    text.parse().map(SheetId).map_err(|_| format!("not the number of a sheet: {text}"))
}

fn read_range(text: &str) -> Result<Range, String> {
    Range::parse_a1(text).map_err(|error| error.to_string())
}

/// Parses `A1:B2: rest`.
fn read_range_prefix(text: &str) -> Result<(Range, &str), String> {
    let (range, rest) = text.split_once(": ").ok_or_else(|| format!("not a range and a colon: {text}"))?;
    Ok((read_range(range)?, rest))
}

/// Parses `sheet 3: rest`.
fn read_sheet_prefix(text: &str) -> Result<(SheetId, &str), String> {
    let (sheet, rest) = text
        .strip_prefix("sheet ")
        .and_then(|rest| rest.split_once(": "))
        .ok_or_else(|| format!("not a sheet and a colon: {text}"))?;
    Ok((read_sheet(sheet)?, rest))
}

/// Parses `rows 3:5` or `columns B:C`.
fn read_span(text: &str) -> Result<(Dimension, Range), String> {
    let (dimension, span) = match text.split_once(' ') {
        Some(("rows", span)) => (Dimension::Rows, span),
        Some(("columns", span)) => (Dimension::Columns, span),
        _ => return Err(format!("not rows or columns: {text}")),
    };
    Ok((dimension, read_range(span)?))
}

fn span_of(range: Range, dimension: Dimension) -> (u32, u32) {
    match dimension {
        Dimension::Rows => (range.first().row.get(), range.row_count()),
        Dimension::Columns => (range.first().column.get(), range.column_count()),
    }
}

/// Parses `2 rows before 5` or `column before C`.
fn read_insertion(text: &str, sheet: SheetId) -> Option<StructuralEdit> {
    let mut words = text.split_whitespace();
    let (count, unit) = match words.next()? {
        unit @ ("row" | "column") => (1, unit),
        count => (count.parse().ok()?, words.next()?),
    };
    let dimension = match unit {
        "row" | "rows" => Dimension::Rows,
        "column" | "columns" => Dimension::Columns,
        _ => return None,
    };
    let index = words.next().filter(|word| *word == "before").and(words.next())?;
    let range = Range::parse_a1(&format!("{index}:{index}")).ok()?;
    let (at, _) = span_of(range, dimension);
    Some(StructuralEdit { sheet, dimension, kind: EditKind::Insert, at, count })
}

/// Parses `rows 3:5 before 9`, `columns B:B before F` or `rows 3:5 to the end`.
fn read_move(text: &str, sheet: SheetId) -> Option<StructuralEdit> {
    let (span, target) = match text.strip_suffix(" to the end") {
        Some(span) => (span, None),
        None => text.split_once(" before ").map(|(span, target)| (span, Some(target)))?,
    };
    let (dimension, range) = read_span(span).ok()?;
    let (at, count) = span_of(range, dimension);
    let to = match target {
        Some(index) => span_of(Range::parse_a1(&format!("{index}:{index}")).ok()?, dimension).0,
        None => dimension.len_max(),
    };
    Some(StructuralEdit { sheet, dimension, kind: EditKind::Move { to }, at, count })
}

fn read_input(text: &str, host: Host, sheets: &dyn SheetNames) -> Input {
    match text.strip_prefix('=') {
        Some(formula) => Input::Formula(parse(formula, host, sheets)),
        None if text == "_" => Input::Blank,
        None => Input::from(parse_input(text).value),
    }
}

fn read_patch(text: &str) -> Result<FormatPatch, String> {
    let mut patch = FormatPatch::default();
    for attribute in text.split(", ") {
        let (is_set, name) = match attribute.strip_prefix("not ") {
            Some(name) => (false, name),
            None => (true, attribute),
        };
        let unknown = || format!("unknown attribute: {attribute}");
        let (name, value) = name.split_once(' ').unwrap_or((name, ""));
        let color = || read_color(value).map_err(|error| error.to_string());
        match name {
            "bold" => patch.bold = Some(is_set),
            "italic" => patch.italic = Some(is_set),
            "underline" => patch.underline = Some(is_set),
            "strikethrough" => patch.strikethrough = Some(is_set),
            "wrap" => patch.wrap = Some(is_set),
            "number" => patch.number_format = Some(is_set.then(|| Arc::from(value))),
            "text" => patch.text_color = Some(if is_set { Some(color()?) } else { None }),
            "fill" => patch.fill_color = Some(if is_set { Some(color()?) } else { None }),
            "horizontal" => {
                patch.horizontal = Some(match (is_set, value) {
                    (false, _) => None,
                    (true, "left") => Some(HorizontalAlignment::Left),
                    (true, "center") => Some(HorizontalAlignment::Center),
                    (true, "right") => Some(HorizontalAlignment::Right),
                    (true, "justify") => Some(HorizontalAlignment::Justify),
                    (true, "distributed") => Some(HorizontalAlignment::Distributed),
                    (true, "fill") => Some(HorizontalAlignment::Fill),
                    (true, "centercontinuous") => Some(HorizontalAlignment::CenterContinuous),
                    _ => return Err(unknown()),
                });
            }
            "vertical" => {
                patch.vertical = Some(match (is_set, value) {
                    (false, _) => None,
                    (true, "top") => Some(VerticalAlignment::Top),
                    (true, "middle") => Some(VerticalAlignment::Middle),
                    (true, "bottom") => Some(VerticalAlignment::Bottom),
                    (true, "justify") => Some(VerticalAlignment::Justify),
                    (true, "distributed") => Some(VerticalAlignment::Distributed),
                    _ => return Err(unknown()),
                });
            }
            "top" => patch.border_top = Some(if is_set { Some(read_border(value)?) } else { None }),
            "right" => patch.border_right = Some(if is_set { Some(read_border(value)?) } else { None }),
            "bottom" => patch.border_bottom = Some(if is_set { Some(read_border(value)?) } else { None }),
            "left" => patch.border_left = Some(if is_set { Some(read_border(value)?) } else { None }),
            "font" => patch.font_family = Some(is_set.then(|| Arc::from(value))),
            "size" => {
                let size = || value.parse().ok().and_then(FontSize::from_points).ok_or_else(unknown);
                patch.font_size = Some(if is_set { Some(size()?) } else { None });
            }
            "indent" => patch.indent = Some(value.parse().map_err(|_| unknown())?),
            "rotation" => {
                let degrees = value.parse().ok().and_then(Rotation::new);
                patch.rotation = Some(degrees.ok_or_else(unknown)?);
            }
            "overflow" => {
                patch.overflow = Some(match (is_set, value) {
                    (false, _) => None,
                    (true, "clip") => Some(Overflow::Clip),
                    (true, "shrink") => Some(Overflow::Shrink),
                    _ => return Err(unknown()),
                });
            }
            "text-format" => {
                patch.text_format = Some(match (is_set, value) {
                    (false, _) => None,
                    (true, "html") => Some(TextFormat::Html),
                    (true, "wiki") => Some(TextFormat::Wiki),
                    (true, "link") => Some(TextFormat::Link),
                    (true, "image") => Some(TextFormat::Image),
                    _ => return Err(unknown()),
                });
            }
            "underline-style" => {
                patch.underline_style = Some(match (is_set, value) {
                    (false, _) => None,
                    (true, "double") => Some(UnderlineStyle::Double),
                    (true, "singleaccounting") => Some(UnderlineStyle::SingleAccounting),
                    (true, "doubleaccounting") => Some(UnderlineStyle::DoubleAccounting),
                    _ => return Err(unknown()),
                });
            }
            "script" => {
                patch.script = Some(match (is_set, value) {
                    (false, _) => None,
                    (true, "superscript") => Some(FontScript::Superscript),
                    (true, "subscript") => Some(FontScript::Subscript),
                    _ => return Err(unknown()),
                });
            }
            "diagonal-up" => {
                patch.border_diagonal_up = Some(if is_set { Some(read_border(value)?) } else { None });
            }
            "diagonal-down" => {
                patch.border_diagonal_down = Some(if is_set { Some(read_border(value)?) } else { None });
            }
            "pattern" => {
                let pattern = || FillPattern::from_name(value).ok_or_else(unknown);
                patch.fill_pattern = Some(if is_set { Some(pattern()?) } else { None });
            }
            "pattern-color" => {
                patch.fill_pattern_color = Some(if is_set { Some(color()?) } else { None });
            }
            "quote-prefix" => patch.quote_prefix = Some(is_set),
            "style" => {
                let id = if is_set { Some(ItemId(value.parse().map_err(|_| unknown())?)) } else { None };
                patch.cell_style = Some(id);
            }
            "reading-order" => {
                patch.reading_order = Some(match (is_set, value) {
                    (false, _) => None,
                    (true, "lefttoright") => Some(ReadingOrder::LeftToRight),
                    (true, "righttoleft") => Some(ReadingOrder::RightToLeft),
                    _ => return Err(unknown()),
                });
            }
            "text-runs" => {
                patch.text_runs = Some(if is_set { Some(read_text_runs(value)?) } else { None });
            }
            _ => return Err(unknown()),
        }
    }
    Ok(patch)
}

/// Parses `bf9cf968|4 bold+text #ff0000|2`: the hash of the text, then length and font of each run.
fn read_text_runs(text: &str) -> Result<Arc<TextRuns>, String> {
    let bad = || format!("not runs of a text: {text}");
    let (hash, rest) = text.split_once('|').ok_or_else(bad)?;
    let mut runs = Vec::new();
    for run in rest.split('|') {
        let (length, font) = run.split_once(' ').unwrap_or((run, ""));
        let length = length.parse().map_err(|_| bad())?;
        let font =
            if font.is_empty() { FormatPatch::default() } else { read_patch(&font.replace('+', ", "))? };
        runs.push(TextRun { length, font: TextFont::of(&font) });
    }
    let hash = u32::from_str_radix(hash, 16).map_err(|_| bad())?;
    TextRuns::from_stored(hash, runs).map(Arc::new).ok_or_else(bad)
}

fn write_text_runs(text_runs: &TextRuns) -> String {
    let run = |run: &TextRun| match write_patch(&run.font.to_patch()).replace(", ", "+") {
        font if font.is_empty() => format!("|{}", run.length),
        font => format!("|{} {font}", run.length),
    };
    let runs: String = text_runs.runs().iter().map(run).collect();
    format!("{:08x}{runs}", text_runs.text_hash())
}

/// Parses `thin` or `thin #ff0000`.
fn read_border(text: &str) -> Result<Border, String> {
    let (style, color) = text.split_once(' ').map_or((text, None), |(style, color)| (style, Some(color)));
    let style = BorderStyle::from_name(style).ok_or_else(|| format!("not a border style: {style}"))?;
    let color = color.map(read_color).transpose().map_err(|error| error.to_string())?;
    Ok(Border { style, color })
}

fn write_border(border: Border) -> String {
    match border.color {
        Some(color) => format!("{} {}", border.style.name(), print_color(color)),
        None => border.style.name().to_owned(),
    }
}

/// Formats an operation so that [`read_operation`] parses it.
pub fn write_operation(operation: &Operation, sheets: &dyn SheetNames) -> String {
    let mut text = String::new();
    let prefix =
        |sheet: &SheetId| if *sheet == FIRST_SHEET { String::new() } else { format!("on {}: ", sheet.0) };
    let item_prefix = |sheet: &Option<SheetId>| match sheet {
        Some(sheet) => prefix(sheet),
        None => "on workbook: ".to_owned(),
    };
    let written = match operation {
        Operation::SetCells { sheet, range, inputs } => {
            let cells: Vec<String> = range
                .cells()
                .zip(inputs)
                .map(|(cell, input)| write_input(input, Host { sheet: *sheet, cell }, sheets))
                .collect();
            write!(text, "{}set {range}: {}", prefix(sheet), cells.join(CELL_SEPARATOR))
        }
        Operation::FillCells { sheet, range, input: Input::Blank } => {
            write!(text, "{}clear {range}", prefix(sheet))
        }
        Operation::FillCells { sheet, range, input } => {
            let host = Host { sheet: *sheet, cell: range.first() };
            write!(text, "{}fill {range}: {}", prefix(sheet), write_input(input, host, sheets))
        }
        Operation::SetFormat { sheet, range, patch } => {
            write!(text, "{}format {range}: {}", prefix(sheet), write_patch(patch))
        }
        Operation::Restructure(StructuralEdit { sheet, dimension, kind, at, count }) => {
            let prefix = prefix(sheet);
            match (kind, dimension) {
                (EditKind::Insert, Dimension::Rows) => {
                    write!(text, "{prefix}insert {} before {}", counted(*count, "row"), at + 1)
                }
                (EditKind::Insert, Dimension::Columns) => {
                    let column = quadrille_cell::column_name(ColumnIndex::clamped(*at));
                    write!(text, "{prefix}insert {} before {column}", counted(*count, "column"))
                }
                (EditKind::Delete, _) => {
                    write!(text, "{prefix}delete {}", write_span(*dimension, *at, *count))
                }
                (EditKind::Move { to }, _) => {
                    let span = write_span(*dimension, *at, *count);
                    let target = match dimension {
                        _ if *to >= dimension.len_max() => " to the end".to_owned(),
                        Dimension::Rows => format!(" before {}", to + 1),
                        Dimension::Columns => {
                            format!(" before {}", quadrille_cell::column_name(ColumnIndex::clamped(*to)))
                        }
                    };
                    write!(text, "{prefix}move {span}{target}")
                }
            }
        }
        Operation::SetSizes { sheet, dimension, first, count, size } => {
            let size = size.map_or("default".to_owned(), |size| size.to_string());
            write!(text, "{}size {}: {size}", prefix(sheet), write_span(*dimension, *first, *count))
        }
        Operation::PermuteRows { sheet, range, order } => {
            let order: Vec<String> = order.iter().map(|row| (row + 1).to_string()).collect();
            write!(text, "{}sort {range}: {}", prefix(sheet), order.join(" "))
        }
        Operation::AddSheet { sheet, name, position } => {
            write!(text, "add sheet {}: {name} at {position}", sheet.0)
        }
        Operation::RemoveSheet { sheet } => write!(text, "remove sheet {}", sheet.0),
        Operation::RenameSheet { sheet, name } => write!(text, "rename sheet {}: {name}", sheet.0),
        Operation::MoveSheet { sheet, position } => write!(text, "move sheet {} to {position}", sheet.0),
        Operation::DefineName { name, definition: Some(template) } => {
            write!(text, "name {name}: ={}", print(template, name_host(), sheets))
        }
        Operation::DefineName { name, definition: None } => write!(text, "unname {name}"),
        Operation::SetHidden { sheet, dimension, first, count, is_hidden } => {
            let verb = if *is_hidden { "hide" } else { "show" };
            write!(text, "{}{verb} {}", prefix(sheet), write_span(*dimension, *first, *count))
        }
        Operation::PutItem { sheet, item: id, content } => {
            let whole = ItemPatch {
                kind: content.kind,
                anchors: Some(content.anchors.clone()),
                fields: quadrille_cell::collect_by_insertion(
                    content.fields.iter().map(|(field, value)| (*field, Some(value.clone()))),
                ),
            };
            let words = item::write_patch(&whole, *sheet, sheets);
            write!(text, "{}put {}: {words}", item_prefix(sheet), id.0)
        }
        Operation::PatchItem { sheet, item: id, patch } => {
            let words = item::write_patch(patch, *sheet, sheets);
            write!(text, "{}patch {}: {words}", item_prefix(sheet), id.0)
        }
        Operation::RemoveItem { sheet, item } => {
            write!(text, "{}remove item {}", item_prefix(sheet), item.0)
        }
        Operation::Tick => write!(text, "tick"),
    };
    written.expect("writing to a string does not fail");
    text
}

/// Formats the content of a cell; `_` means blank.
fn write_input(input: &Input, host: Host, sheets: &dyn SheetNames) -> String {
    match input {
        Input::Blank => "_".to_owned(),
        Input::Formula(template) => format!("={}", print(template, host, sheets)),
        Input::Value(Literal::Number(number)) => general(*number, None),
        Input::Value(Literal::Boolean(boolean)) => if *boolean { "TRUE" } else { "FALSE" }.to_owned(),
        Input::Value(Literal::Text(text)) => text.to_string(),
        Input::Value(Literal::Error(error)) => error.text().to_owned(),
    }
}

fn counted(count: u32, unit: &str) -> String {
    if count == 1 { unit.to_owned() } else { format!("{count} {unit}s") }
}

fn write_span(dimension: Dimension, first: u32, count: u32) -> String {
    let last = first + count.saturating_sub(1);
    match dimension {
        Dimension::Rows => {
            let (first, last) = (RowIndex::clamped(first), RowIndex::clamped(last));
            format!("rows {}:{}", first.get() + 1, last.get() + 1)
        }
        Dimension::Columns => {
            let name = |column: u32| quadrille_cell::column_name(ColumnIndex::clamped(column));
            format!("columns {}:{}", name(first), name(last))
        }
    }
}

fn write_patch(patch: &FormatPatch) -> String {
    let mut attributes: Vec<String> = Vec::new();
    let flags = [
        ("bold", patch.bold),
        ("italic", patch.italic),
        ("underline", patch.underline),
        ("strikethrough", patch.strikethrough),
        ("wrap", patch.wrap),
        ("quote-prefix", patch.quote_prefix),
    ];
    for (name, flag) in flags {
        attributes.extend(flag.map(|is_set| if is_set { name.to_owned() } else { format!("not {name}") }));
    }
    let mut push = |name: &str, value: Option<Option<String>>| {
        attributes.extend(value.map(|value| match value {
            Some(value) => format!("{name} {value}"),
            None => format!("not {name}"),
        }));
    };
    push("number", patch.number_format.as_ref().map(|code| code.as_ref().map(|code| code.to_string())));
    push("text", patch.text_color.map(|color| color.map(print_color)));
    push("fill", patch.fill_color.map(|color| color.map(print_color)));
    push(
        "horizontal",
        patch
            .horizontal
            .map(|alignment| alignment.map(|alignment| format!("{alignment:?}").to_ascii_lowercase())),
    );
    push(
        "vertical",
        patch
            .vertical
            .map(|alignment| alignment.map(|alignment| format!("{alignment:?}").to_ascii_lowercase())),
    );
    for (name, border) in [
        ("top", patch.border_top),
        ("right", patch.border_right),
        ("bottom", patch.border_bottom),
        ("left", patch.border_left),
    ] {
        push(name, border.map(|border| border.map(write_border)));
    }
    push("font", patch.font_family.as_ref().map(|family| family.as_ref().map(|family| family.to_string())));
    push("size", patch.font_size.map(|size| size.map(|size| size.points().to_string())));
    push("indent", patch.indent.map(|indent| Some(indent.to_string())));
    push("rotation", patch.rotation.map(|rotation| Some(rotation.degrees().to_string())));
    push(
        "overflow",
        patch.overflow.map(|overflow| overflow.map(|overflow| format!("{overflow:?}").to_ascii_lowercase())),
    );
    push(
        "text-format",
        patch.text_format.map(|format| format.map(|format| format!("{format:?}").to_ascii_lowercase())),
    );
    let lower = |value: &dyn std::fmt::Debug| format!("{value:?}").to_ascii_lowercase();
    push("underline-style", patch.underline_style.map(|style| style.map(|style| lower(&style))));
    push("script", patch.script.map(|script| script.map(|script| lower(&script))));
    push("diagonal-up", patch.border_diagonal_up.map(|border| border.map(write_border)));
    push("diagonal-down", patch.border_diagonal_down.map(|border| border.map(write_border)));
    push("pattern", patch.fill_pattern.map(|pattern| pattern.map(|pattern| pattern.name().to_owned())));
    push("pattern-color", patch.fill_pattern_color.map(|color| color.map(print_color)));
    push("style", patch.cell_style.map(|id| id.map(|id| id.0.to_string())));
    push("reading-order", patch.reading_order.map(|order| order.map(|order| lower(&order))));
    push("text-runs", patch.text_runs.as_ref().map(|runs| runs.as_ref().map(|runs| write_text_runs(runs))));
    attributes.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_workbook::Workbook;

    #[test]
    fn notation_round_trips() {
        let mut workbook = Workbook::new();
        workbook.add_sheet(SheetId(2), "Data", 1);
        for words in [
            "set B5: 7",
            "set A1:B2: 1 ; _ ; =A1*2 ; x",
            "fill A1:A9: =B1*2",
            "clear A:B",
            "format A1:B2: bold, not italic, number 0.00, not text, fill #ffe000, horizontal right",
            "format A1: top thin #ff0000, not right, bottom mediumDashDot, font Noto Sans, size 10.5, indent 2, \
             rotation -45, overflow clip, text-format wiki",
            "format A1: bold, text-runs bf9cf968|4 not bold+text #ff0000+size 8|2",
            "format A1: not text-runs",
            "format A1: quote-prefix, horizontal centercontinuous, vertical distributed, \
             underline-style doubleaccounting, script subscript, diagonal-up thin #ff0000, \
             not diagonal-down, pattern gray0625, pattern-color #00ff00, reading-order righttoleft",
            "insert 2 rows before 5",
            "insert column before C",
            "delete rows 5:6",
            "delete columns C:D",
            "size rows 3:5: 30",
            "size columns B:B: default",
            "sort A1:B4: 3 1 2 4",
            "add sheet 3: Plan at 1",
            "remove sheet 3",
            "rename sheet 2: My data",
            "move sheet 2 to 1",
            "name rate: =Data!$A$1",
            "unname rate",
            "on 2: set A1: =Sheet1!B7",
            "hide rows 3:5",
            "on 2: show columns B:B",
            "put 7: note at B2: text \"a, \\\"b\\\"\", width 30",
            "put 8: merge at B2:C3",
            "patch 7: note at C3: text none",
            "put 9: conditionalRule at B2:B9,D2: color #ffe000, rule \"formula\", \
             formula1 =\"B2>Data!$A$1\" in B2, stop true, stops [{at \"number\", value 1.5}, {at \"maximum\"}]",
            "on workbook: patch 0: workbookSettings: date1904 true",
            "on workbook: patch 0: workbookSettings: title \"Plan: A\"",
            "on 2: remove item 7",
            "tick",
        ] {
            let operation = read_operation(words, &workbook).expect(words);
            assert_eq!(write_operation(&operation, &workbook), words);
        }
        for bad in ["", "set", "set B5", "set A1:B2: 1", "insert rows", "sort A1:A2: 0 1", "format A1: shiny"]
        {
            assert!(read_operation(bad, &workbook).is_err(), "{bad}");
        }
    }
}
