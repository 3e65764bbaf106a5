//! [`RichText`]: a text with formats, as the grid draws it.

use crate::piece::{Element, Piece, is_block};
use crate::style::{self, css_format};

/// A text and the formats of its parts. Lines end with `\n`.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RichText {
    pub text: String,
    /// In order; together they cover the text.
    pub runs: Vec<Run>,
}

/// The format of a part of a text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Run {
    /// End in UTF-16 code units; the run begins where the one before it ends.
    pub end: u32,
    pub bold: bool,
    pub italic: bool,
    pub underline: bool,
    pub strikethrough: bool,
    pub monospace: bool,
    /// `0xRRGGBB`.
    pub color: Option<u32>,
    /// Percent of the size of the cell's font.
    pub size: u16,
    /// Address that the run links to.
    pub link: Option<String>,
}

/// The text of pieces for the grid, cut after `length_max` characters.
pub fn to_runs(pieces: &[Piece], length_max: usize) -> RichText {
    let mut writer = Writer { left: length_max, ..Writer::default() };
    for piece in pieces {
        if writer.left == 0 {
            break;
        }
        match piece {
            Piece::Text(text) => writer.text(text),
            Piece::Start(element) => writer.start(element),
            Piece::End(name) => writer.end(name),
        }
    }
    writer.finish()
}

/// What is open around the text that follows.
struct Open {
    name: &'static str,
    before: Run,
    /// Number of the next item of a list.
    next_item: u32,
}

#[derive(Default)]
struct Writer {
    text: RichText,
    units: u32,
    left: usize,
    format: Run,
    open: Vec<Open>,
    /// Spaces or line breaks that are written before the next character, if one follows.
    pending: &'static str,
    pending_format: Run,
}

impl Writer {
    fn start(&mut self, element: &Element) {
        let name = element.name;
        match name {
            "br" => return self.push("\n"),
            "wbr" | "col" => return,
            "hr" => {
                self.line_break();
                self.push("———");
                return self.line_break();
            }
            "img" => return self.image(element),
            "td" | "th" if !self.is_at_line_start() => self.set_pending("    "),
            "q" => self.push("“"),
            _ if is_block(name) => self.line_break(),
            _ => {}
        }
        self.open.push(Open { name, before: self.format.clone(), next_item: 1 });
        self.apply(element);
        if name == "li" {
            self.bullet();
        }
    }

    fn end(&mut self, name: &'static str) {
        if name == "q" {
            self.push("”");
        }
        if let Some(open) = self.open.pop() {
            self.format = open.before;
        }
        if is_block(name) {
            self.line_break();
        }
    }

    /// Changes the format as the element says.
    fn apply(&mut self, element: &Element) {
        let format = &mut self.format;
        match element.name {
            "b" | "strong" | "th" | "dt" => format.bold = true,
            "i" | "em" | "cite" | "var" | "address" => format.italic = true,
            "u" | "ins" => format.underline = true,
            "s" | "strike" | "del" => format.strikethrough = true,
            "code" | "tt" | "kbd" | "samp" | "pre" => format.monospace = true,
            "small" | "sub" | "sup" => format.size = 83,
            "big" => format.size = 120,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                format.bold = true;
                format.size = match element.name {
                    "h1" => 200,
                    "h2" => 150,
                    "h3" => 117,
                    "h4" => 100,
                    "h5" => 83,
                    _ => 67,
                };
            }
            "a" => {
                format.link = element.attribute("href").map(str::to_owned);
                format.underline |= format.link.is_some();
            }
            "font" => format.color = element.attribute("color").and_then(style::color).or(format.color),
            _ => {}
        }
        if let Some(css) = element.attribute("style").map(css_format) {
            format.color = css.color.or(format.color);
            format.bold = css.bold.unwrap_or(format.bold);
            format.italic = css.italic.unwrap_or(format.italic);
            format.underline = css.underline.unwrap_or(format.underline);
            format.strikethrough = css.strikethrough.unwrap_or(format.strikethrough);
        }
    }

    /// An image is its description, or the last part of its address, with a link to it: nothing is loaded.
    fn image(&mut self, element: &Element) {
        let source = element.attribute("src").unwrap_or_default();
        let name = source.split(['?', '#']).next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
        let shown = element.attribute("alt").filter(|alt| !alt.is_empty()).unwrap_or(name);
        let before = self.format.clone();
        if !source.is_empty() && self.format.link.is_none() {
            self.format.link = Some(source.to_owned());
            self.format.underline = true;
        }
        self.push("▣ ");
        self.push(shown);
        self.format = before;
    }

    /// The bullet or number before a list item, further to the right for each list around it.
    fn bullet(&mut self) {
        let is_list = |open: &&mut Open| matches!(open.name, "ul" | "ol");
        let depth = self.open.iter().filter(|open| matches!(open.name, "ul" | "ol")).count();
        let bullet = match self.open.iter_mut().rev().find(is_list) {
            Some(list) if list.name == "ol" => {
                list.next_item += 1;
                format!("{}. ", list.next_item - 1)
            }
            _ => "• ".to_owned(),
        };
        self.push(&"   ".repeat(depth.saturating_sub(1)));
        self.push(&bullet);
    }

    /// Adds a text in which spaces and line breaks count once, as in HTML, except within `pre`.
    fn text(&mut self, text: &str) {
        if self.open.iter().any(|open| open.name == "pre") {
            return self.push(text);
        }
        let is_space = |c: char| matches!(c, ' ' | '\n' | '\t' | '\r');
        for (index, word) in text.split(is_space).enumerate() {
            if index > 0 && self.pending.is_empty() && !self.is_at_line_start() {
                self.set_pending(" ");
            }
            self.push(word);
        }
    }

    fn is_at_line_start(&self) -> bool {
        self.text.text.is_empty() || self.text.text.ends_with('\n') || self.pending == "\n"
    }

    fn line_break(&mut self) {
        if !self.text.text.is_empty() && !self.text.text.ends_with('\n') {
            self.set_pending("\n");
        }
    }

    /// Sets what is written before the next character, in the format of now.
    fn set_pending(&mut self, pending: &'static str) {
        self.pending = pending;
        self.pending_format = self.format.clone();
    }

    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        let pending_format = self.pending_format.clone();
        self.add(pending, &pending_format);
        let format = self.format.clone();
        self.add(text, &format);
    }

    fn add(&mut self, text: &str, format: &Run) {
        let start = self.units;
        for character in text.chars().take(self.left) {
            self.left -= 1;
            self.text.text.push(character);
            self.units += character.len_utf16() as u32; // 1 or 2
        }
        let size = if format.size == 0 { 100 } else { format.size };
        let run = Run { end: self.units, size, ..format.clone() };
        match self.text.runs.last_mut() {
            _ if self.units == start => {}
            Some(last) if Run { end: run.end, ..last.clone() } == run => last.end = run.end,
            _ => self.text.runs.push(run),
        }
    }

    fn finish(mut self) -> RichText {
        // The line break after the last line shows nothing.
        while self.text.text.ends_with('\n') {
            self.text.text.pop();
            self.units -= 1;
        }
        for run in &mut self.text.runs {
            run.end = run.end.min(self.units);
        }
        self.text
    }
}
