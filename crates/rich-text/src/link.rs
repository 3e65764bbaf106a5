//! SocialCalc's formats `text-link` and `text-image`: a text with an address, or the address of an image.

use crate::piece::{Builder, Element, Piece};
use crate::url;

/// What SocialCalc shows for a link without a text.
const DEFAULT_TEXT: &str = "Link";
const DEFAULT_PAGE_TEXT: &str = "Link to Page";

/// `text<address>`, `"text"<address>`, `text<<address>>` for a new window, or an address alone. A link to a
/// page of a wiki, `text[page]`, leads nowhere, as in EtherCalc.
pub(crate) fn pieces(text: &str) -> Vec<Piece> {
    let (description, address) = parsed(text);
    let description = match address {
        // SocialCalc leaves out the scheme of an address alone.
        Some(address) if description == address && starts_with_http(text) => &description[7..],
        _ => description,
    };
    let mut builder = Builder::default();
    match address.and_then(url::link) {
        Some(address) => {
            builder.element(Element::new("a").with("href", url::encode_uri(&address)), description)
        }
        None => builder.text(description),
    }
    builder.finish()
}

fn starts_with_http(text: &str) -> bool {
    text.len() > 7 && text.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://"))
}

/// The description and the address of a link.
fn parsed(text: &str) -> (&str, Option<&str>) {
    let or_default = |text: &'static str| move |description: &str| description.is_empty().then_some(text);
    let bracketed = |open: char, close: char| {
        let inside = text.strip_suffix(close)?;
        let at = inside.rfind(open)?;
        let (before, inside) = (&inside[..at], &inside[at + 1..]);
        // Twice for a new window.
        match (before.strip_suffix(open), inside.strip_suffix(close)) {
            (Some(before), Some(inside)) => Some((before, inside)),
            _ => Some((before, inside)),
        }
    };
    if let Some((before, address)) = bracketed('<', '>') {
        let description = unquoted(before);
        return (or_default(DEFAULT_TEXT)(description).unwrap_or(description), Some(address));
    }
    let page = bracketed('[', ']').or_else(|| bracketed('{', '}').filter(|(_, page)| page.ends_with(']')));
    if let Some((before, _)) = page {
        let description = unquoted(before);
        return (or_default(DEFAULT_PAGE_TEXT)(description).unwrap_or(description), None);
    }
    (text, Some(text))
}

/// The description without the space behind it and the quotes around it.
fn unquoted(description: &str) -> &str {
    let description = description.strip_suffix(' ').unwrap_or(description);
    let inside = description.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.unwrap_or(description)
}

/// The text is the address of an image.
pub(crate) fn image(text: &str) -> Vec<Piece> {
    let mut builder = Builder::default();
    match url::image(text) {
        Some(address) => builder.start(Element::new("img").with("src", url::encode_uri(&address))),
        None => builder.text(text),
    }
    builder.finish()
}
