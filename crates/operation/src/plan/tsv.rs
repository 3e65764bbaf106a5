//! Parser of tab-separated cells, the clipboard format of spreadsheet programs.

/// Parses rows of tab-separated cells. Cells that contain tabs, line breaks or quotes are in double
/// quotes, with inner quotes doubled. A final line break does not begin another row.
pub(super) fn read(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut rest = text;
    while !rest.is_empty() || !row.is_empty() {
        let (cell, after) = read_cell(rest);
        row.push(cell);
        if let Some(next) = after.strip_prefix('\t') {
            rest = next;
            if rest.is_empty() {
                row.push(String::new());
                rows.push(std::mem::take(&mut row));
            }
            continue;
        }
        rest = after.strip_prefix("\r\n").or(after.strip_prefix(['\n', '\r'])).unwrap_or(after);
        rows.push(std::mem::take(&mut row));
    }
    rows
}

/// Parses one cell. Returns the cell and the rest, which is empty or begins with a tab or line
/// break.
fn read_cell(text: &str) -> (String, &str) {
    const ENDS: [char; 3] = ['\t', '\n', '\r'];
    if let Some(quoted) = text.strip_prefix('"')
        && let Some((cell, rest)) = read_quoted(quoted)
        && (rest.is_empty() || rest.starts_with(ENDS))
    {
        return (cell, rest);
    }
    let end = text.find(ENDS).unwrap_or(text.len());
    (text[..end].to_owned(), &text[end..])
}

/// Returns `None` if the closing quote is missing; then the opening quote is an ordinary character.
fn read_quoted(text: &str) -> Option<(String, &str)> {
    let mut cell = String::new();
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once('"')?;
        cell.push_str(before);
        match after.strip_prefix('"') {
            Some(next) => {
                cell.push('"');
                rest = next;
            }
            None => return Some((cell, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn clipboard_text_is_split_into_rows_and_cells() {
        for (text, rows) in [
            ("", vec![]),
            ("a", vec![vec!["a"]]),
            ("a\tb\r\nc\td\r\n", vec![vec!["a", "b"], vec!["c", "d"]]),
            ("a\n\nb", vec![vec!["a"], vec![""], vec!["b"]]),
            ("a\t", vec![vec!["a", ""]]),
            ("\"x\ty\"\t\"say \"\"hi\"\"\"\n", vec![vec!["x\ty", "say \"hi\""]]),
            ("\"two\nlines\"\tb", vec![vec!["two\nlines", "b"]]),
            ("5\" pipe\t\"open", vec![vec!["5\" pipe", "\"open"]]),
            ("\"a\"b\tc", vec![vec!["\"a\"b", "c"]]),
        ] {
            assert_eq!(read(text), rows, "{text:?}");
        }
    }
}
