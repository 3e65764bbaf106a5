//! Elements and styles of charts.

use std::collections::{BTreeMap, HashMap};

use crate::error::FileError;
use crate::shapes::XmlElement;
use crate::xlsx::archive::Part;
use crate::xlsx::children_with;
use crate::xlsx::xml::{Element, Node};

/// Styles of a chart, at most: LibreOffice writes one for each point with a format of its own.
const STYLES_MAX: usize = 20_000;

/// The attributes of an element, by their names with prefixes.
#[derive(Default)]
pub(super) struct Attributes(BTreeMap<String, String>);

impl Attributes {
    /// The attributes of an element.
    pub fn of(element: &Element) -> Attributes {
        Attributes(element.prefixed_attributes().into_iter().collect())
    }

    /// An element with these attributes, without its contents.
    pub fn element(&self, name: &str) -> XmlElement {
        let attributes = self.0.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        XmlElement { name: name.to_owned(), attributes, children: Vec::new() }
    }

    /// The value of an attribute, by its name with prefix.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// As [`get`](Attributes::get), for attributes of charts that LibreOffice had before the standard.
    pub fn chart(&self, name: &str) -> Option<&str> {
        ["chart", "loext", "chartooo"].iter().find_map(|prefix| self.get(&format!("{prefix}:{name}")))
    }

    /// The number of an attribute, which may have a percent sign.
    pub fn number(&self, name: &str) -> Option<f64> {
        let number = self.chart(name)?.trim_end_matches('%').parse::<f64>().ok();
        number.filter(|number| number.is_finite())
    }

    /// Whether an attribute is true.
    pub fn is(&self, name: &str) -> bool {
        self.chart(name) == Some("true")
    }
}

/// Calls `take` for each child of the current element with the child's name and attributes, up to the
/// end of the element. `take` reads up to the end of the child.
pub(super) fn children(
    part: &mut Part,
    mut take: impl FnMut(&mut Part, &str, &Attributes) -> Result<(), FileError>,
) -> Result<(), FileError> {
    children_with(part, Attributes::of, |part, name, attributes| take(part, name, &attributes))
}

/// The text of the paragraphs of an element in one line, up to its end.
pub(super) fn paragraphs(part: &mut Part) -> Result<String, FileError> {
    let (mut lines, mut depth, mut is_text): (Vec<String>, _, _) = (Vec::new(), 1, false);
    while depth > 0 {
        match part.next()? {
            Node::Start(element) => {
                depth += 1;
                if element.name() == "p" {
                    is_text = true;
                    lines.push(String::new());
                } else if let Some(line) = lines.last_mut().filter(|_| is_text) {
                    match element.name() {
                        "s" | "tab" | "line-break" => line.push(' '),
                        _ => {}
                    }
                }
            }
            Node::Text(text) => {
                if let Some(line) = lines.last_mut().filter(|_| is_text) {
                    line.push_str(&text);
                }
            }
            node @ Node::End(_) => {
                depth -= 1;
                is_text &= !node.ends("p");
            }
            Node::EndOfPart => break,
            Node::Nothing => {}
        }
    }
    lines.retain(|line| !line.trim().is_empty());
    Ok(lines.join(" "))
}

/// The properties of the styles of a chart, by the names of the styles.
#[derive(Default)]
pub(super) struct ChartStyles(HashMap<String, Attributes>);

impl ChartStyles {
    /// Reads an element `style:style`, up to its end.
    pub fn read(&mut self, part: &mut Part, name: String) -> Result<(), FileError> {
        let mut properties = Attributes::default();
        children(part, |part, name, attributes| {
            if matches!(name, "chart-properties" | "graphic-properties") {
                let own = attributes.0.iter().map(|(name, value)| (name.clone(), value.clone()));
                properties.0.extend(own);
            }
            part.skip()
        })?;
        if self.0.len() < STYLES_MAX {
            self.0.insert(name, properties);
        }
        Ok(())
    }

    /// The properties of the style of an element; none without a style.
    pub fn of(&self, element: &Attributes) -> &Attributes {
        static NONE: Attributes = Attributes(BTreeMap::new());
        element.get("chart:style-name").and_then(|name| self.0.get(name)).unwrap_or(&NONE)
    }
}
