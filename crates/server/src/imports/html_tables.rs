//! Tables and lists of a web page, for IMPORTHTML. A page is read as a browser does as far as these
//! need it: tags that are not closed, entities, and whatever else is wrong never fail.

use std::collections::BTreeMap;

use quadrille_rich_text::decoded;

/// A table as rows of texts, or a list as rows of one text.
pub type Rows = Vec<Vec<String>>;

/// What to look for in a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    Table,
    List,
}

/// Cells and columns that are kept of a table: more than can be imported.
const CELLS_MAX: usize = 100_000;
const COLUMNS_MAX: usize = 1_000;
/// Tables and lists within one another.
const DEPTH_MAX: usize = 64;

/// The `index`th table or list of a page, counted from 1 in the order in which they begin.
pub fn find(page: &str, wanted: Wanted, index: usize) -> Option<Rows> {
    let mut reader = Reader { wanted, index, count: 0, open: Vec::new(), found: None };
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        reader.text(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("<!--") {
            rest = after.find("-->").map_or("", |end| &after[end + 3..]);
            continue;
        }
        let Some(end) = tag_end(rest) else { break };
        let tag = &rest[1..end];
        rest = &rest[end + 1..];
        let name = tag_name(tag);
        match tag.starts_with('/') {
            true => reader.close(&name),
            false => reader.open(&name, tag),
        }
        // Their contents are no text, and may contain `<`.
        if matches!(name.as_str(), "script" | "style" | "template" | "noscript") && !tag.starts_with('/') {
            let closes = |at: &usize| {
                rest[at + 2..].get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(&name))
            };
            let end = rest.match_indices("</").map(|(at, _)| at).find(closes);
            rest = end.map_or("", |end| &rest[end..]);
        }
        if reader.is_done() {
            break;
        }
    }
    // The text after the last tag; an unfinished tag is none.
    if !rest.starts_with('<') {
        reader.text(rest);
    }
    while !reader.open.is_empty() {
        reader.close_innermost();
    }
    reader.found
}

/// The end of a tag: the first `>` outside quotes.
fn tag_end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (index, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(index),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

fn tag_name(tag: &str) -> String {
    let name = tag.trim_start_matches('/');
    let end = name.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(name.len());
    name[..end].to_ascii_lowercase()
}

/// A number in an attribute, such as `colspan`.
fn number_in(tag: &str, attribute: &str) -> Option<usize> {
    let lower = tag.to_ascii_lowercase();
    let at = lower.find(attribute)?;
    let value = lower[at + attribute.len()..].trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value.find(|character: char| !character.is_ascii_digit()).unwrap_or(value.len());
    value[..end].parse().ok()
}

struct Reader {
    wanted: Wanted,
    index: usize,
    count: usize,
    /// Tables and lists that have begun and not ended, the outermost first.
    open: Vec<Open>,
    found: Option<Rows>,
}

/// A table or list while it is read.
struct Open {
    kind: Wanted,
    /// Position among those of its kind in the page.
    number: usize,
    rows: Rows,
    /// Columns of cells that reach into the rows below, with how many rows.
    spanning: BTreeMap<usize, usize>,
    cell: Option<Cell>,
    /// Number of rows and cells.
    size: usize,
}

struct Cell {
    text: String,
    columns: usize,
    rows: usize,
}

impl Reader {
    fn is_done(&self) -> bool {
        self.found.is_some()
    }

    fn open(&mut self, name: &str, tag: &str) {
        match name {
            "table" => self.begin(Wanted::Table),
            "ul" | "ol" | "dl" => self.begin(Wanted::List),
            "tr" => {
                if let Some(open) = self.innermost(Wanted::Table) {
                    open.end_cell();
                    open.begin_row();
                }
            }
            "td" | "th" => {
                if let Some(open) = self.innermost(Wanted::Table) {
                    open.end_cell();
                    if open.rows.is_empty() {
                        open.begin_row();
                    }
                    let columns = number_in(tag, "colspan").unwrap_or(1).clamp(1, COLUMNS_MAX);
                    let rows = number_in(tag, "rowspan").unwrap_or(1).clamp(1, CELLS_MAX);
                    open.cell = Some(Cell { text: String::new(), columns, rows });
                }
            }
            "li" | "dt" | "dd" => {
                if let Some(open) = self.innermost(Wanted::List) {
                    open.end_cell();
                    open.begin_row();
                    open.cell = Some(Cell { text: String::new(), columns: 1, rows: 1 });
                }
            }
            "br" | "p" | "div" => self.text(" "),
            _ => {}
        }
    }

    fn begin(&mut self, kind: Wanted) {
        if kind == self.wanted {
            self.count += 1;
        }
        if self.open.len() < DEPTH_MAX {
            let number = if kind == self.wanted { self.count } else { 0 };
            self.open.push(Open {
                kind,
                number,
                rows: Vec::new(),
                spanning: BTreeMap::new(),
                cell: None,
                size: 0,
            });
        }
    }

    fn close(&mut self, name: &str) {
        let kind = match name {
            "table" => Wanted::Table,
            "ul" | "ol" | "dl" => Wanted::List,
            "td" | "th" | "tr" => return self.end_cell(Wanted::Table),
            "li" | "dt" | "dd" => return self.end_cell(Wanted::List),
            _ => return,
        };
        if self.open.iter().any(|open| open.kind == kind) {
            // Whatever is open within ends too.
            while self.close_innermost() != Some(kind) {}
        }
    }

    fn end_cell(&mut self, kind: Wanted) {
        if let Some(open) = self.innermost(kind) {
            open.end_cell();
        }
    }

    fn close_innermost(&mut self) -> Option<Wanted> {
        let mut open = self.open.pop()?;
        open.end_cell();
        let kind = open.kind;
        if kind == self.wanted && open.number == self.index {
            self.found = Some(open.rows);
        }
        Some(kind)
    }

    /// The innermost table or list, if it is of this kind.
    fn innermost(&mut self, kind: Wanted) -> Option<&mut Open> {
        self.open.last_mut().filter(|open| open.kind == kind)
    }

    /// Adds text to all open cells: a cell has the text of the tables within it.
    fn text(&mut self, raw: &str) {
        if raw.is_empty() {
            return;
        }
        // A space that does not break a line is one in a cell.
        let text = decoded(raw).replace('\u{a0}', " ");
        for cell in self.open.iter_mut().filter_map(|open| open.cell.as_mut()) {
            if cell.text.len() < CELL_BYTES_MAX {
                cell.text.push_str(&text);
            }
        }
    }
}

/// Bytes of a cell's text, about: more than a cell can hold.
const CELL_BYTES_MAX: usize = 131_072;

impl Open {
    fn begin_row(&mut self) {
        if self.size < CELLS_MAX {
            self.size += 1;
            self.rows.push(Vec::new());
            self.fill_spanned();
        }
    }

    /// Adds the cells of rows above that reach to the end of the present row. They are empty, as in
    /// Google Sheets: the text is in the first of the spanned cells only.
    fn fill_spanned(&mut self) {
        let Some(row) = self.rows.last_mut() else { return };
        while let Some(rows_left) = self.spanning.get_mut(&row.len()) {
            *rows_left -= 1;
            if *rows_left == 0 {
                self.spanning.remove(&row.len());
            }
            self.size += 1;
            row.push(String::new());
        }
    }

    fn end_cell(&mut self) {
        let Some(cell) = self.cell.take() else { return };
        let mut text = cell.text.split_whitespace().collect::<Vec<_>>().join(" ");
        for _ in 0..cell.columns {
            let Some(row) = self.rows.last_mut() else { return };
            if row.len() >= COLUMNS_MAX || self.size >= CELLS_MAX {
                return;
            }
            if cell.rows > 1 {
                self.spanning.insert(row.len(), cell.rows - 1);
            }
            self.size += 1;
            row.push(std::mem::take(&mut text));
            self.fill_spanned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(page: &str, index: usize) -> Option<Vec<String>> {
        find(page, Wanted::Table, index).map(|rows| rows.iter().map(|row| row.join("|")).collect())
    }

    #[test]
    fn tables_are_read_with_headers_entities_and_open_tags() {
        let page = "<!-- <table><tr><td>no --><style>table > td { }</style>
            <TABLE class='a > b'><tr><th>City<th>Inhabitants<tr><td>K&ouml;ln &amp; Bonn<td>
            1&nbsp;100\n000<tr><td><b>Ulm</b><br>Donau</table>";
        assert_eq!(
            table(page, 1),
            Some(vec!["City|Inhabitants".into(), "Köln & Bonn|1 100 000".into(), "Ulm Donau".into()])
        );
        assert_eq!(table(page, 2), None);
        assert_eq!(table("", 1), None);
        assert_eq!(table("<table", 1), None);
    }

    #[test]
    fn spanned_cells_keep_the_others_in_their_columns() {
        let page = "<table><tr><td rowspan=2>a<td colspan=\"2\">b<td>c<tr><td>d<td>e<td>f</table>";
        assert_eq!(table(page, 1), Some(vec!["a|b||c".into(), "|d|e|f".into()]));
    }

    #[test]
    fn tables_within_tables_have_numbers_of_their_own() {
        let page = "<table><tr><td>out <table><tr><td>in</table> side<td>b</table><table><tr><td>c</table>";
        assert_eq!(table(page, 1), Some(vec!["out in side|b".into()]));
        assert_eq!(table(page, 2), Some(vec!["in".into()]));
        assert_eq!(table(page, 3), Some(vec!["c".into()]));
    }

    #[test]
    fn lists_are_rows() {
        let page = "<ul><li>one<li>two <i>b</i></ul><ol><li>three</ol><dl><dt>t<dd>d</dl>";
        let list = |index| find(page, Wanted::List, index);
        let rows = |texts: &[&str]| Some(texts.iter().map(|text| vec![(*text).to_owned()]).collect::<Rows>());
        assert_eq!(list(1), rows(&["one", "two b"]));
        assert_eq!(list(2), rows(&["three"]));
        assert_eq!(list(3), rows(&["t", "d"]));
        assert_eq!(list(4), None);
    }

    #[test]
    fn unfinished_and_hostile_pages_end() {
        let deep = "<table><tr><td>".repeat(10_000);
        assert!(table(&deep, 1).is_some());
        let wide = format!("<table>{}</table>", "<tr><td colspan=99999 rowspan=99999>x".repeat(20));
        assert!(table(&wide, 1).is_some_and(|rows| rows.len() == 20));
        assert_eq!(
            table("<table><tr><td>&#x0;&#99999999;&bogus;", 1),
            Some(vec!["&#x0;&#99999999;&bogus;".into()])
        );
    }
}
