//! Phrases of EtherCalc's wiki text: `*bold*`, `_italic_`, `-deleted-`, `` `typewriter` ``, links, mail
//! addresses, and `{{text as it is}}`.

use crate::piece::{Builder, Element};
use crate::url;

/// Phrases within phrases, at most.
const DEPTH_MAX: usize = 10;
/// Bytes of one phrase, at most: the end of each is looked for from its start.
const LENGTH_MAX: usize = 2_000;

/// Which phrases a text can have.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Phrases {
    All,
    None,
}

/// A phrase at the start of a text: its length in bytes, its element, and the text inside.
struct Phrase<'a> {
    length: usize,
    element: Option<Element>,
    text: std::borrow::Cow<'a, str>,
    phrases: Phrases,
}

/// Adds a text with its phrases.
pub(crate) fn phrases(text: &str, which: Phrases, depth: usize, builder: &mut Builder) {
    if which == Phrases::None || depth >= DEPTH_MAX {
        return builder.text(text);
    }
    let mut rest = text;
    // What precedes `at` within `rest`; phrases that need a boundary find one at the start.
    let mut at = 0;
    while let Some(first) = rest[at..].chars().next() {
        let Some(phrase) = phrase(&rest[at..], rest[..at].chars().next_back()) else {
            at += first.len_utf8();
            continue;
        };
        builder.text(&rest[..at]);
        let name = phrase.element.as_ref().map(|element| element.name);
        if let Some(element) = phrase.element {
            builder.start(element);
        }
        phrases(&phrase.text, phrase.phrases, depth + 1, builder);
        if let Some(name) = name {
            builder.end(name);
        }
        rest = &rest[at + phrase.length..];
        at = 0;
    }
    builder.text(rest);
}

/// The phrase with which the text begins. `before` is the character before it.
fn phrase(text: &str, before: Option<char>) -> Option<Phrase<'_>> {
    match text.chars().next()? {
        '{' => as_it_is(text).or_else(|| directive(text, "", text, before)),
        '[' => page(text, before),
        '"' => labelled(text, before),
        '<' => link(text, text, None).or_else(|| network_file(text, text, None)),
        '*' => between(text, '*', "b", before),
        '_' => between(text, '_', "i", before),
        '-' => between(text, '-', "del", before),
        '`' => between(text, '`', "tt", before),
        first if first.is_ascii_alphanumeric() || matches!(first, '+' | '%' | '.') => {
            link(text, text, None).or_else(|| mail(text, before))
        }
        _ => None,
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The part of a text in which the end of a phrase is looked for.
fn line(text: &str) -> &str {
    let mut end = text.len().min(LENGTH_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].split('\n').next().unwrap_or_default()
}

/// `*text*` between characters that are neither letters nor the same marker.
fn between<'a>(text: &'a str, marker: char, name: &'static str, before: Option<char>) -> Option<Phrase<'a>> {
    let is_boundary = |c: char| !is_word(c) && c != marker;
    let inside = &text[1..];
    let begins = inside.starts_with(|c: char| !c.is_whitespace() && c != marker);
    if !before.is_none_or(is_boundary) || !begins {
        return None;
    }
    let within = line(inside);
    let ends = within.match_indices(marker).map(|(at, _)| at);
    let mut ends = ends.filter(|at| inside[at + 1..].chars().next().is_none_or(is_boundary));
    let end = ends.next()?;
    Some(Phrase {
        length: end + 2,
        element: Some(Element::new(name)),
        text: inside[..end].into(),
        phrases: if marker == '`' { Phrases::None } else { Phrases::All },
    })
}

/// `{{text}}`, in which nothing is marked.
fn as_it_is(text: &str) -> Option<Phrase<'_>> {
    let inside = text.strip_prefix("{{")?;
    let end = line(inside).find("}}")?;
    let braces = inside[end + 2..].len() - inside[end + 2..].trim_start_matches('}').len();
    let shown = format!("{}{}", &inside[..end], &inside[end + 2..end + 2 + braces]);
    Some(Phrase { length: end + 4 + braces, element: None, text: shown.into(), phrases: Phrases::None })
}

/// `{name: …}`, with a label before it or not: shows the label, or what is in the braces; `{image: address}`
/// is an image. `whole` is the text from the label on.
fn directive<'a>(text: &'a str, label: &'a str, whole: &'a str, before: Option<char>) -> Option<Phrase<'a>> {
    if !before.is_none_or(|c| c.is_whitespace() || c == '-') {
        return None;
    }
    let inside = text.strip_prefix('{')?;
    let end = line(inside).match_indices('}').map(|(at, _)| at).find(|at| {
        let next = inside[at + 1..].chars().next();
        next.is_none_or(|c| !c.is_ascii_alphanumeric())
    })?;
    let directive = inside[..end].trim_end();
    let name_length = directive.find(|c: char| !is_word(c) && c != '-').unwrap_or(directive.len());
    let is_named = name_length > 0 && matches!(inside[name_length..].chars().next(), Some(':' | ' ' | '}'));
    if !is_named {
        return None;
    }
    let length = whole.len() - text.len() + end + 2;
    let image = directive.strip_prefix("image:").and_then(|rest| rest.split_whitespace().next());
    if let Some(source) = image.and_then(url::image) {
        let element = Element::new("img").with("src", source);
        return Some(Phrase { length, element: Some(element), text: "".into(), phrases: Phrases::None });
    }
    let shown = if label.is_empty() { directive } else { label };
    let element = Some(Element::new("span"));
    Some(Phrase { length, element, text: shown.into(), phrases: Phrases::None })
}

/// `[Page]`, a link to `?Page`.
fn page(text: &str, before: Option<char>) -> Option<Phrase<'_>> {
    let is_boundary = |c: char| c == '_' || !is_word(c);
    let inside = text.strip_prefix('[')?;
    if !before.is_none_or(is_boundary)
        || !inside.starts_with(|c: char| !c.is_whitespace() && !"[]".contains(c))
    {
        return None;
    }
    let mut ends = line(inside).match_indices(']').map(|(at, _)| at);
    let end = ends.find(|at| inside[at + 1..].chars().next().is_none_or(is_boundary))?;
    let page = &inside[..end];
    let element = Element::new("a").with("href", url::encode_uri(&format!("?{page}")));
    Some(Phrase { length: end + 2, element: Some(element), text: page.into(), phrases: Phrases::None })
}

/// `"label"` before a link, a page, a file or a directive.
fn labelled(text: &str, before: Option<char>) -> Option<Phrase<'_>> {
    let inside = &text[1..];
    let end = line(inside).find('"')?;
    let label = &inside[..end];
    let behind = &inside[end + 1..];
    if let Some(phrase) = directive(behind, label, text, before) {
        return Some(phrase);
    }
    let target = behind.trim_start();
    if let Some(phrase) = page(target, None) {
        let length = text.len() - target.len() + phrase.length;
        let shown = if label.is_empty() { phrase.text } else { label.into() };
        return Some(Phrase { length, text: shown, ..phrase });
    }
    link(target, text, Some(label)).or_else(|| network_file(target, text, Some(label)))
}

/// `http://…` or `<http://…>`.
fn link<'a>(text: &'a str, whole: &'a str, label: Option<&'a str>) -> Option<Phrase<'a>> {
    let address = text.strip_prefix('<').unwrap_or(text);
    let scheme = ["https:", "http:", "ftp:", "irc:", "file:"]
        .into_iter()
        .find(|scheme| address.starts_with(scheme))?;
    let slashes = if address[scheme.len()..].starts_with("//") { 2 } else { 0 };
    let start = scheme.len() + slashes;
    let is_part = |c: char| c.is_ascii_alphanumeric() || ";/?:@&=+$,[]#-_.!~*'()".contains(c);
    let part = line(address).get(start..)?;
    let part = &part[..part.find(|c| !is_part(c)).unwrap_or(part.len())];
    let part = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '/' | '#'));
    if part.len() < 2 {
        return None;
    }
    let address = &address[..start + part.len()];
    let mut length = (address.as_ptr() as usize - whole.as_ptr() as usize) + address.len();
    if whole[length..].starts_with('>') {
        length += 1;
    }
    let element = url::link(address).map(|url| Element::new("a").with("href", url::encode_uri(&url)));
    let shown = label.filter(|label| !label.is_empty()).unwrap_or(address);
    Some(Phrase { length, element, text: shown.into(), phrases: Phrases::None })
}

/// `<\\server\file>`, which a browser does not open: only its name or label is shown.
fn network_file<'a>(text: &'a str, whole: &'a str, label: Option<&'a str>) -> Option<Phrase<'a>> {
    let inside = text.strip_prefix("<\\\\")?;
    let end = inside.find(|c: char| c.is_whitespace() || c == '>' || c == ')')?;
    let is_file = end > 0 && inside[end..].starts_with('>');
    let length = whole.len() - inside.len() + end + 1;
    let shown = label.unwrap_or(&inside[..end]);
    is_file.then(|| Phrase { length, element: None, text: shown.into(), phrases: Phrases::None })
}

/// `ann@example.org`.
fn mail(text: &str, before: Option<char>) -> Option<Phrase<'_>> {
    let is_local = |c: char| is_word(c) || matches!(c, '+' | '%' | '-' | '.');
    if before.is_some_and(is_local) {
        return None;
    }
    let (local, domain) = line(text).split_once('@')?;
    if local.is_empty() || !local.chars().all(is_local) {
        return None;
    }
    let domain =
        &domain[..domain.find(|c: char| !is_word(c) && c != '-' && c != '.').unwrap_or(domain.len())];
    let domain = domain.trim_end_matches('.');
    let is_domain = domain.contains('.') && domain.split('.').all(|label| !label.is_empty());
    if !is_domain {
        return None;
    }
    let address = &text[..local.len() + 1 + domain.len()];
    let url = format!("mailto:{}", address.replace('%', "%25"));
    Some(Phrase {
        length: address.len(),
        element: Some(Element::new("a").with("href", url::encode_uri(&url))),
        text: address.into(),
        phrases: Phrases::None,
    })
}
