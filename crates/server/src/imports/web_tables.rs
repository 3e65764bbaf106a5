//! Turns what a web server has sent into the values of a function.

use std::collections::BTreeMap;

use quadrille_cell::{Array, Value};
use quadrille_files::{FileFormat, ReadOptions, ShouldContinue};
use quadrille_json::Json;
use quadrille_number_format::parse_input;
use quadrille_workbook::{ImportFailure, ImportFunction, ImportSource, Imported, Workbook};

use super::html_tables::{self, Wanted};
use crate::limits;

/// Characters of a text in a cell.
const TEXT_CHARACTERS_MAX: usize = 32_767;

/// What the function of a source returns for the body of a response.
pub fn imported(source: &ImportSource, body: &[u8]) -> Imported {
    let argument = |index: usize| source.arguments.get(index).map_or("", |text| &**text);
    let values = match source.function {
        ImportFunction::Range => Err(failed("not a function of the web")),
        ImportFunction::Data => delimited(body, argument(1)).and_then(|rows| cut(rows, "", "")),
        ImportFunction::Csv => delimited(body, "").and_then(|rows| cut(rows, argument(1), argument(2))),
        ImportFunction::Json => json(body, argument(1)),
        ImportFunction::Html => html(body, argument(1), argument(2)),
        ImportFunction::WebService => text_of(body).and_then(|text| match text.chars().count() {
            0..=TEXT_CHARACTERS_MAX => array(vec![vec![typed(&text)]]),
            _ => Err((ImportFailure::TooLarge, "more than 32,767 characters".into())),
        }),
    };
    match values {
        Ok(values) => Imported::Values(values),
        Err((failure, details)) => Imported::Failure(failure, details.into()),
    }
}

type Failure = (ImportFailure, String);
type Rows = Vec<Vec<Value>>;

fn failed(details: impl Into<String>) -> Failure {
    (ImportFailure::Failed, details.into())
}

/// Makes an array of rows of any lengths, within the limits of an import.
fn array(rows: Rows) -> Result<Array, Failure> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    if columns == 0 {
        return Err((ImportFailure::NotFound, "there is no data".into()));
    }
    let too_large = || (ImportFailure::TooLarge, format!("{} rows, {columns} columns", rows.len()));
    if rows.len() as u64 * columns as u64 > limits::IMPORT_CELLS_MAX {
        return Err(too_large());
    }
    let count = rows.len() as u32;
    let text_bytes = rows.iter().flatten().map(|value| match value {
        Value::Text(text) => text.len(),
        _ => 0,
    });
    if text_bytes.sum::<usize>() > limits::IMPORT_BYTES_MAX {
        return Err(too_large());
    }
    let filled = rows.into_iter().flat_map(|mut row| {
        row.resize(columns, Value::Blank);
        row
    });
    Array::new(count, columns as u32, filled.collect::<Vec<_>>()).ok_or_else(|| failed("there is no data"))
}

/// A text as a value, as if somebody had typed it; longer texts than a cell holds are cut.
fn typed(text: &str) -> Value {
    if text.starts_with(['=', '\'']) || text.len() > 64 {
        return cut_text(text);
    }
    match parse_input(text).value {
        Value::Text(_) | Value::Blank => cut_text(text),
        value => value,
    }
}

fn cut_text(text: &str) -> Value {
    match text.char_indices().nth(TEXT_CHARACTERS_MAX) {
        Some((end, _)) => Value::text(&text[..end]),
        None => Value::text(text),
    }
}

fn text_of(body: &[u8]) -> Result<String, Failure> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    String::from_utf8(body.to_vec()).map_err(|_| failed("the response is not UTF-8"))
}

/// The cells of a text file, by the rules of imported files. Formulas stay texts.
fn delimited(body: &[u8], delimiter: &str) -> Result<Rows, Failure> {
    let format = match delimiter {
        "\t" | "\\t" | "tab" => FileFormat::Tsv,
        _ => FileFormat::Csv,
    };
    let replaced;
    let body = match delimiter {
        "" | "," | "\t" | "\\t" | "tab" => body,
        // The reader finds these by itself, but not in every file.
        delimiter if delimiter.len() == 1 && !delimiter.contains(['"', '\n', '\r']) => {
            replaced = format!("sep={delimiter}\n").into_bytes().into_iter().chain(body.iter().copied());
            &replaced.collect::<Vec<u8>>()
        }
        _ => return Err(failed("the delimiter must be one character")),
    };
    let options = ReadOptions { formulas: false, ..ReadOptions::default() };
    let read = quadrille_files::read(format, body, &options, &mut |_| ShouldContinue::Continue);
    let read = read.map_err(|error| failed(error.to_string()))?;
    Ok(rows_of(&read.workbook))
}

/// The used cells of the first sheet, from A1.
fn rows_of(workbook: &Workbook) -> Rows {
    let sheet = &workbook.sheets()[0];
    let Some(used) = sheet.used_range() else { return Rows::new() };
    let (rows, columns) = (used.last().row.get() + 1, used.last().column.get() + 1);
    if u64::from(rows) * u64::from(columns) > 4 * limits::IMPORT_CELLS_MAX {
        // Too large in any case, and its size is enough to say so.
        return vec![vec![Value::Blank; columns as usize]; rows as usize];
    }
    let cell = |row, column| sheet.value(quadrille_cell::CellAddress::clamped(row, column));
    (0..rows).map(|row| (0..columns).map(|column| cell(row, column)).collect()).collect()
}

/// The rows after `skip`, `take` of them, as IMPORTCSV counts: negative numbers count from the end.
fn cut(rows: Rows, skip: &str, take: &str) -> Result<Array, Failure> {
    let number = |text: &str| match text {
        "" => Ok(None),
        text => {
            text.parse::<f64>().map(|number| Some(number.trunc())).map_err(|_| failed("not a number of rows"))
        }
    };
    let (skip, take) = (number(skip)?.unwrap_or(0.0), number(take)?);
    let mut rows = rows;
    let skipped = (skip.abs() as usize).min(rows.len());
    match skip < 0.0 {
        true => rows.truncate(rows.len() - skipped),
        false => _ = rows.drain(..skipped),
    }
    if let Some(take) = take {
        let taken = (take.abs() as usize).min(rows.len());
        match take < 0.0 {
            true => _ = rows.drain(..rows.len() - taken),
            false => rows.truncate(taken),
        }
    }
    array(rows)
}

/// A list of objects with their names as headers, a list of lists as rows, one object as names and
/// values, anything else as one cell. `path` leads to a part: `data.items`, `rows[0]`.
fn json(body: &[u8], path: &str) -> Result<Array, Failure> {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let whole = Json::parse(body).map_err(|error| failed(format!("not JSON: {}", error.0)))?;
    let mut part = &whole;
    for step in path.split(['.', '[']).map(|step| step.trim_end_matches(']')).filter(|step| !step.is_empty())
    {
        let next = match part {
            Json::Array(values) => step.parse::<usize>().ok().and_then(|index| values.get(index)),
            // The last of equal names counts.
            Json::Object(members) => {
                members.iter().rev().find(|(name, _)| name == step).map(|(_, value)| value)
            }
            _ => None,
        };
        part = next.ok_or_else(|| (ImportFailure::NotFound, format!("the data has no {step}")))?;
    }
    array(match part {
        Json::Array(values) if values.iter().any(|value| matches!(value, Json::Object(_))) => objects(values),
        Json::Array(values) => values.iter().map(row_of).collect(),
        Json::Object(members) => {
            members.iter().map(|(name, value)| vec![cut_text(name), cell_of(value)]).collect()
        }
        value => vec![vec![cell_of(value)]],
    })
}

fn row_of(value: &Json) -> Vec<Value> {
    match value {
        Json::Array(values) => values.iter().map(cell_of).collect(),
        value => vec![cell_of(value)],
    }
}

/// Names of the members of the objects of a list, at most.
const MEMBERS_MAX: usize = 1_000;

/// The names of all members in the order in which they come, then a row for each object.
fn objects(values: &[Json]) -> Rows {
    let mut names: Vec<&str> = Vec::new();
    let mut columns: BTreeMap<&str, usize> = BTreeMap::new();
    for value in values {
        let Json::Object(members) = value else { continue };
        for (name, _) in members {
            if names.len() < MEMBERS_MAX && !columns.contains_key(name.as_str()) {
                columns.insert(name, names.len());
                names.push(name);
            }
        }
    }
    let mut rows: Rows = vec![names.iter().map(|name| cut_text(name)).collect()];
    for value in values {
        let Json::Object(members) = value else {
            rows.push(vec![cell_of(value)]);
            continue;
        };
        // Short rows are filled up in `array`, after their number is known to be within the limits.
        let mut row = Vec::new();
        for (name, value) in members {
            let Some(column) = columns.get(name.as_str()) else { continue };
            if row.len() <= *column {
                row.resize(column + 1, Value::Blank);
            }
            row[*column] = cell_of(value);
        }
        rows.push(row);
    }
    rows
}

/// A value of JSON in a cell; lists and objects within one stay JSON.
fn cell_of(value: &Json) -> Value {
    match value {
        Json::Null => Value::Blank,
        Json::Boolean(boolean) => Value::Boolean(*boolean),
        Json::Integer(number) => Value::number(*number as f64),
        Json::Number(number) => Value::number(*number),
        Json::String(text) => cut_text(text),
        Json::Array(_) | Json::Object(_) => {
            let mut text = String::new();
            write_json(value, &mut text);
            cut_text(&text)
        }
    }
}

/// Writes JSON until it is longer than a cell holds.
fn write_json(value: &Json, text: &mut String) {
    let quoted = |name: &str| serde_json::to_string(name).unwrap_or_default();
    if text.len() > 4 * TEXT_CHARACTERS_MAX {
        return;
    }
    match value {
        Json::Null => text.push_str("null"),
        Json::Boolean(boolean) => text.push_str(if *boolean { "true" } else { "false" }),
        Json::Integer(number) => text.push_str(&number.to_string()),
        Json::Number(number) => text.push_str(&number.to_string()),
        Json::String(content) => text.push_str(&quoted(content)),
        Json::Array(values) => {
            text.push('[');
            for (index, value) in values.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                write_json(value, text);
            }
            text.push(']');
        }
        Json::Object(members) => {
            text.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                text.push_str(if index > 0 { "," } else { "" });
                text.push_str(&quoted(name));
                text.push(':');
                write_json(value, text);
            }
            text.push('}');
        }
    }
}

fn html(body: &[u8], query: &str, index: &str) -> Result<Array, Failure> {
    let wanted = match query.to_ascii_lowercase().as_str() {
        "table" => Wanted::Table,
        "list" => Wanted::List,
        _ => return Err(failed("the query must be \"table\" or \"list\"")),
    };
    let index = index.parse::<f64>().ok().filter(|index| *index >= 1.0);
    let index = index.ok_or_else(|| failed("the index must be a number from 1 on"))?;
    let page = String::from_utf8_lossy(body);
    let rows = html_tables::find(&page, wanted, index as usize);
    let rows = rows.ok_or_else(|| (ImportFailure::NotFound, format!("the page has no {query} {index}")))?;
    array(rows.iter().map(|row| row.iter().map(|text| blank_or_typed(text)).collect()).collect())
}

fn blank_or_typed(text: &str) -> Value {
    if text.is_empty() { Value::Blank } else { typed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(function: ImportFunction, arguments: &[&str], body: &str) -> String {
        let all = ["https://example.org/data"].iter().chain(arguments);
        let arguments = all.map(|text| (*text).into()).collect();
        match imported(&ImportSource { function, arguments }, body.as_bytes()) {
            Imported::Failure(failure, details) => format!("{}: {details}", failure.name()),
            Imported::Values(values) => {
                let rows = values.values().chunks(values.columns() as usize);
                let cell = |value: &Value| match value {
                    Value::Blank => String::new(),
                    Value::Number(number) => number.to_string(),
                    Value::Boolean(boolean) => boolean.to_string().to_uppercase(),
                    Value::Text(text) => format!("'{text}"),
                    Value::Error(error) => error.to_string(),
                };
                rows.map(|row| row.iter().map(cell).collect::<Vec<_>>().join("|"))
                    .collect::<Vec<_>>()
                    .join("/")
            }
        }
    }

    #[test]
    fn delimited_texts_become_values() {
        use ImportFunction::{Csv, Data};
        for (function, arguments, body, expected) in [
            (Data, &[][..], "a,1\n\"b,c\",2.5\n", "'a|1/'b,c|2.5"),
            (Data, &[], "\u{FEFF}a;b\n1;2\n", "'a|'b/1|2"),
            (Data, &["tab"], "a,b\t1\n", "'a,b|1"),
            (Data, &["|"], "a,b|1\n", "'a,b|1"),
            (Data, &["--"], "a", "failed: the delimiter must be one character"),
            (Data, &[], "=1+1,2024-02-29,TRUE,007", "'=1+1|45351|TRUE|'007"),
            (Data, &[], "", "notFound: there is no data"),
            (Csv, &["1"], "h\n1\n2\n", "1/2"),
            (Csv, &["1", "1"], "h\n1\n2\n", "1"),
            (Csv, &["", "-1"], "h\n1\n2\n", "2"),
            (Csv, &["-2"], "h\n1\n2\n", "'h"),
            (Csv, &["x"], "h", "failed: not a number of rows"),
        ] {
            assert_eq!(shown(function, arguments, body), expected, "{arguments:?} {body}");
        }
        let large = "1\n".repeat(50_001);
        assert!(shown(Data, &[], &large).starts_with("tooLarge"));
    }

    #[test]
    fn json_becomes_a_table() {
        let data = r#"{"items":[{"id":1,"tags":["a"]},{"id":2,"ok":true}],"n":null}"#;
        for (path, body, expected) in [
            ("items", data, "'id|'tags|'ok/1|'[\"a\"]|/2||TRUE"),
            ("items[1].id", data, "2"),
            ("items.0.tags", data, "'a"),
            ("items.7", data, "notFound: the data has no 7"),
            ("", data, "'items|'[{\"id\":1,\"tags\":[\"a\"]},{\"id\":2,\"ok\":true}]/'n|"),
            ("", "[[1,2],[3]]", "1|2/3|"),
            ("", "[]", "notFound: there is no data"),
            ("", "\"=1\"", "'=1"),
            ("", r#"[{"b":1,"a":2},{"c":3}]"#, "'b|'a|'c/1|2|/||3"),
            ("", "{", "failed: not JSON: unexpected end"),
        ] {
            assert_eq!(shown(ImportFunction::Json, &[path], body), expected, "{path} {body}");
        }
    }

    #[test]
    fn pages_and_services() {
        let page = "<table><tr><th>City<th>n<tr><td>Ulm<td>126,329</table><ul><li>x</ul>";
        for (arguments, expected) in [
            (&["table", "1"][..], "'City|'n/'Ulm|126329"),
            (&["LIST", "1"], "'x"),
            (&["table", "2"], "notFound: the page has no table 2"),
            (&["table", "0"], "failed: the index must be a number from 1 on"),
            (&["div", "1"], "failed: the query must be \"table\" or \"list\""),
        ] {
            assert_eq!(shown(ImportFunction::Html, arguments, page), expected);
        }
        assert_eq!(shown(ImportFunction::WebService, &[], "4.5"), "4.5");
        assert_eq!(shown(ImportFunction::WebService, &[], "<a>1</a>"), "'<a>1</a>");
        assert!(shown(ImportFunction::WebService, &[], &"x".repeat(32_768)).starts_with("tooLarge"));
    }
}
