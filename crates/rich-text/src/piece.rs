//! [`Piece`]: formatted text as a sequence of starts, ends and texts.

/// Elements within elements, at most; those further inside are left out.
pub(crate) const DEPTH_MAX: usize = 40;

/// A part of a formatted text. Each [`Start`](Piece::Start) of an element with content has its
/// [`End`](Piece::End), properly nested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Start(Element),
    /// The end of the element with this name.
    End(&'static str),
    Text(String),
}

/// An element: its name and its attributes, of the lists in `piece.rs` and `html.rs`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    pub name: &'static str,
    pub attributes: Vec<Attribute>,
}

/// An attribute with a value that has been checked, not yet escaped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    pub name: &'static str,
    pub value: String,
}

impl Element {
    pub(crate) fn new(name: &'static str) -> Element {
        Element { name, attributes: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Element {
        self.attributes.push(Attribute { name, value: value.into() });
        self
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| &*attribute.value)
    }
}

/// The elements that can be in a text.
pub(crate) const ELEMENTS: [&str; 66] = [
    "a",
    "abbr",
    "address",
    "article",
    "b",
    "big",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "dd",
    "del",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "label",
    "li",
    "main",
    "mark",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "samp",
    "section",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "tt",
    "u",
    "ul",
    "var",
    "wbr",
    "col",
    "colgroup",
];

/// Whether an element has no content and no end.
pub(crate) fn is_void(name: &str) -> bool {
    matches!(name, "br" | "hr" | "img" | "wbr" | "col")
}

/// Whether an element begins a line of its own.
pub(crate) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "blockquote"
            | "caption"
            | "center"
            | "dd"
            | "div"
            | "dl"
            | "dt"
            | "figcaption"
            | "figure"
            | "footer"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hr"
            | "li"
            | "main"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "section"
            | "table"
            | "tr"
            | "ul"
    )
}

/// Pieces while they are collected, with the elements that are open.
#[derive(Default)]
pub(crate) struct Builder {
    pieces: Vec<Piece>,
    open: Vec<&'static str>,
}

impl Builder {
    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// Starts an element, after the end of those that it ends: `<li>` the list item before it.
    pub fn start(&mut self, element: Element) {
        while let Some(last) = self.open.last()
            && is_ended_by(last, element.name)
        {
            self.end(last);
        }
        if is_void(element.name) {
            self.pieces.push(Piece::Start(element));
        } else if self.open.len() < DEPTH_MAX {
            self.open.push(element.name);
            self.pieces.push(Piece::Start(element));
        }
    }

    /// Ends the last open element with this name and those within it. Ignored when there is none.
    pub fn end(&mut self, name: &str) {
        let Some(at) = self.open.iter().rposition(|open| *open == name) else { return };
        // The end of something within a table cell does not end the table.
        let is_fenced = !matches!(name, "td" | "th" | "tr" | "tbody" | "thead" | "tfoot" | "table")
            && self.open[at..].iter().any(|open| matches!(*open, "td" | "th"));
        if is_fenced {
            return;
        }
        for open in self.open.split_off(at).into_iter().rev() {
            self.pieces.push(Piece::End(open));
        }
    }

    /// An element with a text.
    pub fn element(&mut self, element: Element, text: &str) {
        let name = element.name;
        self.start(element);
        self.text(text);
        self.end(name);
    }

    /// Ends what is open. Returns the pieces.
    pub fn finish(mut self) -> Vec<Piece> {
        while let Some(open) = self.open.pop() {
            self.pieces.push(Piece::End(open));
        }
        self.pieces
    }
}

/// Whether the start of `next` ends the open element `open` (HTML, section 13.1.2.4, optional tags).
fn is_ended_by(open: &str, next: &str) -> bool {
    match open {
        "p" => is_block(next) && !matches!(next, "li" | "caption" | "tr" | "dd" | "dt"),
        "li" => next == "li",
        "dd" | "dt" => matches!(next, "dd" | "dt"),
        "td" | "th" => matches!(next, "td" | "th" | "tr" | "tbody" | "tfoot" | "thead"),
        "tr" => matches!(next, "tr" | "tbody" | "tfoot" | "thead"),
        "tbody" | "thead" | "tfoot" => matches!(next, "tbody" | "tfoot" | "thead"),
        _ => false,
    }
}
