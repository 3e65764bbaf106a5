//! EtherCalc's wiki text, as its page shows it: headings, lists, quotes, paragraphs, and the phrases of
//! `wiki_phrases.rs` within them. A block is one or more whole lines.

use crate::piece::{Builder, DEPTH_MAX, Element, Piece};
use crate::wiki_phrases::{Phrases, phrases};

const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// The pieces of a wiki text.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let mut builder = Builder::default();
    let lines: Vec<&str> = text.split('\n').collect();
    blocks(&lines, &mut builder);
    builder.finish()
}

fn blocks(lines: &[&str], builder: &mut Builder) {
    let mut at = 0;
    while at < lines.len() {
        at += block(&lines[at..], builder).max(1);
    }
}

/// Reads one block. Returns the number of its lines.
fn block(lines: &[&str], builder: &mut Builder) -> usize {
    let line = lines[0];
    if line.trim().is_empty() {
        return 1;
    }
    for (marker, is_shown) in [(".pre", true), (".html", false)] {
        if let Some(count) = fenced(lines, marker) {
            if is_shown {
                builder.element(Element::new("pre"), &lines[1..count - 1].join("\n"));
            }
            return count;
        }
    }
    if line.starts_with("--") {
        builder.start(Element::new("hr"));
        let rest = line.trim_start_matches('-');
        if !rest.trim().is_empty() {
            paragraph(rest, builder);
        }
        return 1;
    }
    let level = line.len() - line.trim_start_matches('^').len();
    if let Some(name) = level.checked_sub(1).map(|level| HEADINGS[level.min(5)]) {
        let text = line[level..].trim();
        let without_line = text.trim_end_matches('=');
        let text = if without_line.ends_with(char::is_whitespace) { without_line.trim_end() } else { text };
        builder.start(Element::new(name));
        phrases(text, Phrases::All, 0, builder);
        builder.end(name);
        return 1;
    }
    if let Some(label) = line.trim_end().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        builder.element(Element::new("span"), label);
        return 1;
    }
    if is_item(line, "-+*") || is_item(line, "#") {
        let count = 1 + lines[1..].iter().take_while(|line| is_item(line, "*+#")).count();
        list(&lines[..count], 0, builder);
        return count;
    }
    if line.starts_with('>') {
        let count = lines.iter().take_while(|line| line.starts_with('>')).count();
        quote(&lines[..count], 0, builder);
        return count;
    }
    let continues = |line: &&&str| !line.trim().is_empty() && !begins_block(line);
    let count = 1 + lines[1..].iter().take_while(continues).count();
    paragraph(&lines[..count].join("\n"), builder);
    count
}

fn paragraph(text: &str, builder: &mut Builder) {
    builder.start(Element::new("p"));
    phrases(text, Phrases::All, 0, builder);
    builder.end("p");
}

/// The lines from a marker to the next one, with both; `None` if there is no second one.
fn fenced(lines: &[&str], marker: &str) -> Option<usize> {
    let is_marker = |line: &&str| line.trim_end_matches(' ') == marker;
    if !is_marker(&lines[0]) {
        return None;
    }
    Some(lines[1..].iter().position(is_marker)? + 2)
}

/// Whether a line is a list item: markers of one kind, a space, and a text.
fn is_item(line: &str, markers: &str) -> bool {
    let rest = line.trim_start_matches(|c| markers.contains(c));
    rest.len() < line.len() && rest.starts_with(' ')
}

/// Whether a line ends the paragraph before it.
fn begins_block(line: &str) -> bool {
    let is_marked = ['^', '#', '*', '-'].iter().any(|marker| {
        let rest = line.trim_start_matches(*marker);
        rest.len() < line.len() && rest.starts_with(' ')
    });
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_directive = line.strip_prefix('.').is_some_and(|word| is_word(word.trim_end()));
    let is_braced = line.trim_end().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    is_marked
        || line.starts_with('>')
        || is_directive
        || is_braced.is_some_and(|inside| !inside.contains('}'))
}

/// A list whose items begin with one marker for each level.
fn list(lines: &[&str], depth: usize, builder: &mut Builder) {
    let name = if lines[0].starts_with('#') { "ol" } else { "ul" };
    builder.start(Element::new(name));
    let stripped: Vec<&str> = lines
        .iter()
        .map(|line| line.strip_prefix(['-', '+', '*', '#']).unwrap_or(line).trim_start_matches(' '))
        .collect();
    let mut at = 0;
    while at < stripped.len() {
        let within = stripped[at + 1..].iter().take_while(|line| is_item(line, "*#")).count();
        builder.start(Element::new("li"));
        phrases(stripped[at], Phrases::All, 0, builder);
        if within > 0 && depth < DEPTH_MAX {
            sublists(&stripped[at + 1..at + 1 + within], depth + 1, builder);
        }
        builder.end("li");
        at += 1 + within;
    }
    builder.end(name);
}

/// The lists within an item, one for each kind of marker in turn.
fn sublists(lines: &[&str], depth: usize, builder: &mut Builder) {
    let mut at = 0;
    while at < lines.len() {
        let is_numbered = lines[at].starts_with('#');
        let count = lines[at..].iter().take_while(|line| line.starts_with('#') == is_numbered).count();
        list(&lines[at..at + count], depth, builder);
        at += count;
    }
}

/// Lines that begin with `>`, once for each level.
fn quote(lines: &[&str], depth: usize, builder: &mut Builder) {
    builder.start(Element::new("blockquote"));
    let inside: Vec<&str> = lines
        .iter()
        .map(|line| line.strip_prefix("> ").or_else(|| line.strip_prefix('>')).unwrap_or(line))
        .collect();
    let mut at = 0;
    while at < inside.len() {
        let within = inside[at..].iter().take_while(|line| line.starts_with('>')).count();
        if within > 0 && depth < DEPTH_MAX {
            quote(&inside[at..at + within], depth + 1, builder);
            at += within;
            continue;
        }
        phrases(inside[at], Phrases::All, 0, builder);
        builder.start(Element::new("br"));
        at += 1;
    }
    builder.end("blockquote");
}
