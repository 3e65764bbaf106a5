//! An XML reader with limits: no document type, no custom entities, and a maximum depth.

use std::borrow::Cow;
use std::io::BufRead;

use quick_xml::events::{BytesEnd, BytesStart, Event};
use quick_xml::{Error, Reader, XmlVersion};

use crate::error::{FileError, FileErrorCode};
use crate::limits::DEPTH_MAX;

/// Reads a part as a stream of nodes.
pub struct XmlReader<R> {
    reader: Reader<R>,
    buffer: Vec<u8>,
    part: String,
    depth: usize,
    packed: u64,
    declared: u64,
}

/// A node. Names have no namespace prefix; an empty element is a start and an end.
pub enum Node<'b> {
    Start(Element<'b>),
    End(BytesEnd<'b>),
    Text(Cow<'b, str>),
    /// A comment, processing instruction or declaration.
    Nothing,
    EndOfPart,
}

impl Node<'_> {
    /// Whether this node is the end of an element with this name.
    pub fn ends(&self, name: &str) -> bool {
        matches!(self, Node::End(end) if end.local_name().into_inner() == name)
    }
}

/// The start of an element.
pub struct Element<'b>(BytesStart<'b>);

impl Element<'_> {
    /// The local name.
    pub fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The name with its prefix.
    pub fn qualified_name(&self) -> &str {
        self.0.name().into_inner()
    }

    /// The value of an attribute, by its name with prefix, such as `r:id`.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let attribute = self.0.try_get_attribute(name).ok()??;
        attribute.normalized_value(XmlVersion::default()).ok().map(Cow::into_owned)
    }

    /// The value of an attribute as a number; `None` if it is missing or not a number.
    pub fn number<N: std::str::FromStr>(&self, name: &str) -> Option<N> {
        let attribute = self.0.try_get_attribute(name).ok()??;
        attribute.value.parse().ok()
    }

    /// All attributes: names with their prefixes, and values.
    pub fn prefixed_attributes(&self) -> Vec<(String, String)> {
        let attributes = self.0.attributes().flatten();
        let pairs = attributes.filter_map(|attribute| {
            let value = attribute.normalized_value(XmlVersion::default()).ok()?;
            Some((attribute.key.as_ref().to_owned(), value.into_owned()))
        });
        pairs.collect()
    }

    /// All attributes without a namespace prefix: names and values.
    pub fn attributes(&self) -> Vec<(String, String)> {
        let mut attributes = self.prefixed_attributes();
        attributes.retain(|(name, _)| !name.contains(':') && name != "xmlns");
        attributes
    }

    /// The value of a boolean attribute; `1`, `true` and `on` are true.
    pub fn flag(&self, name: &str) -> Option<bool> {
        let attribute = self.0.try_get_attribute(name).ok()??;
        Some(matches!(&*attribute.value, "1" | "true" | "on"))
    }
}

impl<R: BufRead> XmlReader<R> {
    /// Starts reading a part of `packed` compressed bytes and, as the archive declares, `declared`
    /// expanded bytes.
    pub fn new(source: R, part: &str, packed: u64, declared: u64) -> XmlReader<R> {
        let mut reader = Reader::from_reader(source);
        reader.config_mut().expand_empty_elements = true;
        XmlReader { reader, buffer: Vec::new(), part: part.to_owned(), depth: 0, packed, declared }
    }

    /// Number of compressed bytes read, estimated from the expanded bytes read.
    pub fn packed_position(&self) -> u64 {
        let read = self.reader.buffer_position();
        match self.declared {
            0 => 0,
            declared => {
                (u128::from(self.packed) * u128::from(read.min(declared)) / u128::from(declared)) as u64
            }
        }
    }

    /// Number of compressed bytes of the part.
    pub fn packed(&self) -> u64 {
        self.packed
    }

    /// Reads the next node. Fails with `BadXml`, `BadArchive` or the limit that is exceeded.
    pub fn next(&mut self) -> Result<Node<'_>, FileError> {
        self.buffer.clear();
        let event = match self.reader.read_event_into(&mut self.buffer) {
            Ok(event) => event,
            Err(error) => return Err(xml_error(&self.part, error)),
        };
        match event {
            Event::Start(start) => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    return Err(bad(&self.part, format!("elements nest deeper than {DEPTH_MAX}")));
                }
                Ok(Node::Start(Element(start)))
            }
            Event::End(end) => {
                self.depth = self.depth.saturating_sub(1);
                Ok(Node::End(end))
            }
            Event::Text(text) => Ok(Node::Text(text.xml10_content())),
            Event::CData(text) => Ok(Node::Text(text.xml10_content())),
            Event::GeneralRef(reference) => {
                let character = match &*reference {
                    "amp" => Some('&'),
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => reference.resolve_char_ref().ok().flatten(),
                };
                let unknown = || bad(&self.part, format!("unknown entity: {}", &*reference));
                Ok(Node::Text(Cow::Owned(character.ok_or_else(unknown)?.to_string())))
            }
            Event::DocType(_) => Err(bad(&self.part, "a document type is not allowed".to_owned())),
            Event::Eof if self.depth > 0 => Err(bad(&self.part, "the part ends in the middle".to_owned())),
            Event::Eof => Ok(Node::EndOfPart),
            // The reader expands empty elements to a start and an end.
            Event::Empty(_) | Event::Comment(_) | Event::PI(_) | Event::Decl(_) => Ok(Node::Nothing),
        }
    }

    /// Reads up to the end of the current element, and returns its texts joined.
    pub fn text(&mut self) -> Result<String, FileError> {
        let mut text = String::new();
        let outer = self.depth - 1;
        while self.depth > outer {
            match self.next()? {
                Node::Text(part) => text.push_str(&part),
                Node::EndOfPart => break,
                _ => {}
            }
        }
        Ok(text)
    }

    /// Skips the rest of the current element.
    pub fn skip(&mut self) -> Result<(), FileError> {
        let outer = self.depth - 1;
        while self.depth > outer {
            if let Node::EndOfPart = self.next()? {
                break;
            }
        }
        Ok(())
    }

    /// An error in this part.
    pub fn bad(&self, reason: impl Into<String>) -> FileError {
        bad(&self.part, reason.into())
    }
}

fn bad(part: &str, reason: String) -> FileError {
    FileError::new(FileErrorCode::BadXml, format!("{part}: {reason}"))
}

fn xml_error(part: &str, error: Error) -> FileError {
    match &error {
        Error::Io(io) => match io.get_ref().and_then(|inner| inner.downcast_ref::<FileError>()) {
            Some(limit) => limit.clone(),
            None => FileError::new(FileErrorCode::BadArchive, format!("{part}: {io}")),
        },
        error => bad(part, error.to_string()),
    }
}
