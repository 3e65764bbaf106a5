//! [`XmlElement`]: an element of a part in memory, which can be changed and written again.

use std::io::BufRead;

use quick_xml::escape::escape;

use crate::error::FileError;
use crate::xlsx::xml::{Element, Node, XmlReader};

/// An element with its attributes and contents.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct XmlElement {
    /// The name with its prefix.
    pub name: String,
    /// Names with their prefixes, and values.
    pub attributes: Vec<(String, String)>,
    pub children: Vec<XmlNode>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum XmlNode {
    Element(XmlElement),
    Text(String),
}

/// An element without a name and contents, in the place of one that is missing.
pub(crate) static NOTHING: XmlElement =
    XmlElement { name: String::new(), attributes: Vec::new(), children: Vec::new() };

/// Bytes that an element costs beside its names and texts.
const ELEMENT_COST: usize = 64;

impl XmlElement {
    /// An element of this name without attributes and contents.
    pub fn named(name: &str) -> XmlElement {
        XmlElement { name: name.to_owned(), ..XmlElement::default() }
    }

    /// An element without its contents.
    pub fn start(element: &Element) -> XmlElement {
        XmlElement {
            name: element.qualified_name().to_owned(),
            attributes: element.prefixed_attributes(),
            children: Vec::new(),
        }
    }

    /// Reads the contents of an element up to its end. Returns `None` if it needs more than `bytes_left`,
    /// which counts down.
    pub fn read<R: BufRead>(
        mut self,
        part: &mut XmlReader<R>,
        bytes_left: &mut usize,
    ) -> Result<Option<XmlElement>, FileError> {
        let mut is_complete = true;
        // The elements that are open around the current one.
        let mut outer: Vec<XmlElement> = Vec::new();
        loop {
            match part.next()? {
                Node::Start(element) => {
                    let element =
                        if is_complete { XmlElement::start(&element) } else { XmlElement::default() };
                    let names = element.attributes.iter().map(|(name, value)| name.len() + value.len());
                    is_complete &= take(bytes_left, ELEMENT_COST + element.name.len() + names.sum::<usize>());
                    outer.push(std::mem::replace(&mut self, element));
                }
                Node::Text(text) => {
                    is_complete &= take(bytes_left, text.len());
                    match self.children.last_mut() {
                        _ if !is_complete => {}
                        Some(XmlNode::Text(before)) => before.push_str(&text),
                        _ => self.children.push(XmlNode::Text(text.into_owned())),
                    }
                }
                Node::End(_) => match outer.pop() {
                    Some(parent) => {
                        let element = std::mem::replace(&mut self, parent);
                        if is_complete {
                            self.children.push(XmlNode::Element(element));
                        }
                    }
                    None => return Ok(is_complete.then_some(self)),
                },
                Node::EndOfPart => return Ok(None),
                Node::Nothing => {}
            }
        }
    }

    /// Reads the element of a document; `None` for a text that is none, or needs more than `bytes_max`.
    pub fn parse(text: &str, bytes_max: usize) -> Option<XmlElement> {
        let mut reader = XmlReader::new(text.as_bytes(), "shape", 0, 0);
        let mut bytes_left = bytes_max;
        loop {
            let start = match reader.next().ok()? {
                Node::Start(element) => XmlElement::start(&element),
                Node::EndOfPart => return None,
                _ => continue,
            };
            return start.read(&mut reader, &mut bytes_left).ok()?;
        }
    }

    /// The name without its prefix.
    pub fn local_name(&self) -> &str {
        self.name.rsplit(':').next().unwrap_or_default()
    }

    /// The value of an attribute, by its name with prefix.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let (_, value) = self.attributes.iter().find(|(own, _)| own == name)?;
        Some(value)
    }

    /// The value of an attribute as a finite number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.attribute(name)?.trim().parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Sets an attribute.
    pub fn set(&mut self, name: &str, value: impl ToString) {
        match self.attributes.iter_mut().find(|(own, _)| own == name) {
            Some((_, old)) => *old = value.to_string(),
            None => self.attributes.push((name.to_owned(), value.to_string())),
        }
    }

    /// Removes an attribute.
    pub fn remove(&mut self, name: &str) {
        self.attributes.retain(|(own, _)| own != name);
    }

    /// Inserts an element after the last one with a name of these, at the start if there is none.
    pub fn insert_after(&mut self, names: &[&str], element: XmlElement) {
        let is_before = |node: &XmlNode| matches!(node, XmlNode::Element(element) if names.contains(&element.local_name()));
        let at = self.children.iter().rposition(is_before).map_or(0, |index| index + 1);
        self.children.insert(at, XmlNode::Element(element));
    }

    /// Replaces the contents by a text.
    pub fn set_text(&mut self, text: &str) {
        self.children = vec![XmlNode::Text(text.to_owned())];
    }

    /// Removes the elements within that have this name without prefix.
    pub fn remove_children(&mut self, name: &str) {
        self.children
            .retain(|child| !matches!(child, XmlNode::Element(element) if element.local_name() == name));
    }

    /// The elements within.
    pub fn elements(&self) -> impl Iterator<Item = &XmlElement> {
        self.children.iter().filter_map(|child| match child {
            XmlNode::Element(element) => Some(element),
            XmlNode::Text(_) => None,
        })
    }

    /// [`XmlElement::elements`], to change them.
    pub fn elements_mut(&mut self) -> impl Iterator<Item = &mut XmlElement> {
        self.children.iter_mut().filter_map(|child| match child {
            XmlNode::Element(element) => Some(element),
            XmlNode::Text(_) => None,
        })
    }

    /// The first element within that has this name without prefix.
    pub fn child(&self, name: &str) -> Option<&XmlElement> {
        self.elements().find(|element| element.local_name() == name)
    }

    /// [`XmlElement::child`], to change it.
    pub fn child_mut(&mut self, name: &str) -> Option<&mut XmlElement> {
        self.children.iter_mut().find_map(|child| match child {
            XmlNode::Element(element) if element.local_name() == name => Some(element),
            _ => None,
        })
    }

    /// The element at the end of a path of children.
    pub fn at(&self, path: &[&str]) -> Option<&XmlElement> {
        path.iter().try_fold(self, |element, name| element.child(name))
    }

    /// The texts within, joined.
    pub fn text(&self) -> String {
        let texts = self.children.iter().map(|child| match child {
            XmlNode::Text(text) => text.clone(),
            XmlNode::Element(element) => element.text(),
        });
        texts.collect()
    }

    /// Calls `visit` for this element and all elements within.
    pub fn visit(&self, visit: &mut impl FnMut(&XmlElement)) {
        visit(self);
        self.elements().for_each(|element| element.visit(visit));
    }

    /// Calls `change` for this element and all elements within.
    pub fn change(&mut self, change: &mut impl FnMut(&mut XmlElement)) {
        change(self);
        for child in &mut self.children {
            if let XmlNode::Element(element) = child {
                element.change(change);
            }
        }
    }

    /// Appends the element as XML.
    pub fn write(&self, xml: &mut String) {
        xml.push('<');
        xml.push_str(&self.name);
        for (name, value) in &self.attributes {
            xml.push(' ');
            xml.push_str(name);
            xml.push_str("=\"");
            push_attribute(value, xml);
            xml.push('"');
        }
        if self.children.is_empty() {
            xml.push_str("/>");
            return;
        }
        xml.push('>');
        for child in &self.children {
            match child {
                XmlNode::Element(element) => element.write(xml),
                XmlNode::Text(text) => xml.push_str(&escape(text.as_str())),
            }
        }
        xml.push_str("</");
        xml.push_str(&self.name);
        xml.push('>');
    }
}

/// Appends the value of an attribute; line breaks and tabs would become spaces when it is read.
fn push_attribute(value: &str, xml: &mut String) {
    for character in escape(value).chars() {
        match character {
            '\n' => xml.push_str("&#10;"),
            '\r' => xml.push_str("&#13;"),
            '\t' => xml.push_str("&#9;"),
            character => xml.push(character),
        }
    }
}

fn take(bytes_left: &mut usize, bytes: usize) -> bool {
    let rest = bytes_left.checked_sub(bytes);
    *bytes_left = rest.unwrap_or(0);
    rest.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str =
        "<xdr:sp macro=\"\" textlink=\"a&quot;b&#10;c\"><a:t>1 &lt; 2 &amp; 3</a:t><a:p/></xdr:sp>";

    #[test]
    fn an_element_is_written_as_it_was_read() {
        let element = XmlElement::parse(XML, 10_000).expect("an element");
        assert_eq!(element.local_name(), "sp");
        assert_eq!(element.attribute("textlink"), Some("a\"b\nc"));
        assert_eq!(element.child("t").expect("a text").text(), "1 < 2 & 3");
        let mut written = String::new();
        element.write(&mut written);
        assert_eq!(written, XML);
    }

    #[test]
    fn a_large_element_is_left_out_and_the_rest_of_the_part_is_read() {
        let text = format!("<w><a>{}</a><b/></w>", "<c>text</c>".repeat(1_000));
        let mut reader = XmlReader::new(text.as_bytes(), "part", 0, 0);
        let mut starts = Vec::new();
        loop {
            let start = match reader.next().expect("XML") {
                Node::Start(element) => XmlElement::start(&element),
                Node::EndOfPart => break,
                _ => continue,
            };
            starts.push(start.name.clone());
            if start.name == "a" {
                assert_eq!(start.read(&mut reader, &mut 1_000).expect("XML"), None);
            }
        }
        assert_eq!(starts, ["w", "a", "b"]);
    }
}
