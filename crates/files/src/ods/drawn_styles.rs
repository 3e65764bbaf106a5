//! [`DrawnStyles`]: the styles of shapes and of their texts, by name.

use std::collections::{BTreeMap, HashMap};

use crate::xlsx::xml::Element;

/// Styles and gradients, at most.
const STYLES_MAX: usize = 20_000;
/// Ancestors of a style that are followed.
const ANCESTORS_MAX: usize = 16;

/// Attributes by their names with prefixes.
pub(super) type Attributes = BTreeMap<String, String>;

/// Properties of the families `graphic`, `paragraph` and `text`.
#[derive(Default)]
pub(super) struct DrawnStyles {
    /// By family and name; a default style has no name.
    styles: HashMap<(Family, String), DrawnStyle>,
    gradients: HashMap<String, Attributes>,
}

/// A family of styles.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Family {
    Graphic,
    Paragraph,
    Text,
}

#[derive(Default)]
struct DrawnStyle {
    parent: Option<String>,
    attributes: Attributes,
}

impl Family {
    /// The family with this name; `None` for those that shapes do not have.
    pub fn of(name: &str) -> Option<Family> {
        match name {
            "graphic" => Some(Family::Graphic),
            "paragraph" => Some(Family::Paragraph),
            "text" => Some(Family::Text),
            _ => None,
        }
    }
}

impl DrawnStyles {
    /// Adds properties of a style.
    pub fn add(&mut self, family: Family, name: &str, parent: Option<&str>, properties: &Element) {
        let key = (family, name.to_owned());
        if self.styles.len() + self.gradients.len() >= STYLES_MAX && !self.styles.contains_key(&key) {
            return;
        }
        let style = self.styles.entry(key).or_default();
        style.parent = parent.map(str::to_owned);
        style.attributes.extend(properties.prefixed_attributes());
    }

    /// Adds a gradient.
    pub fn add_gradient(&mut self, element: &Element) {
        let name = element.attribute("draw:name").unwrap_or_default();
        if self.styles.len() + self.gradients.len() < STYLES_MAX {
            self.gradients.insert(name, element.prefixed_attributes().into_iter().collect());
        }
    }

    /// The gradient with this name.
    pub fn gradient(&self, name: &str) -> Option<&Attributes> {
        self.gradients.get(name)
    }

    /// The properties of a style with those of its ancestors and of the default style of its family.
    pub fn of(&self, family: Family, name: &str) -> Attributes {
        let mut chain = Vec::new();
        let mut next = Some(name);
        while let Some(style) = next.take().and_then(|name| self.styles.get(&(family, name.to_owned()))) {
            if chain.len() == ANCESTORS_MAX {
                break;
            }
            chain.push(&style.attributes);
            next = style.parent.as_deref();
        }
        chain.extend(self.styles.get(&(family, String::new())).map(|style| &style.attributes));
        let mut merged = Attributes::new();
        for attributes in chain.into_iter().rev() {
            merged.extend(attributes.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        merged
    }
}
