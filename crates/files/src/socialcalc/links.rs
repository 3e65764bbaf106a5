//! Links in the texts of a save: `text<address>` or an address alone.

/// A link, as a cell shows it.
#[derive(PartialEq, Debug)]
pub(super) struct Link {
    pub text: String,
    pub url: String,
}

/// Reads the text of a cell in the format `text-url`, or `text-link` if it `is_marked_up`:
/// `text<address>`, `"text"<address>` and, for a new window, `text<<address>>`. Returns `None` for a
/// link to a page of a wiki, `text[page]`, and for an address that is not one of the web.
pub(super) fn parse(text: &str, is_marked_up: bool) -> Option<Link> {
    let plain = |url: &str| Link { text: url.to_owned(), url: url.to_owned() };
    let link = match text.strip_suffix('>').and_then(|start| Some((start, start.rfind('<')?))) {
        _ if !is_marked_up => plain(text),
        Some((start, open)) => {
            let (description, url) = (&start[..open], &start[open + 1..]);
            let (description, url) = match (description.strip_suffix('<'), url.strip_suffix('>')) {
                (Some(description), Some(url)) => (description, url),
                _ => (description, url),
            };
            let description = description.strip_suffix(' ').unwrap_or(description);
            let unquoted = description.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
            let description = unquoted.unwrap_or(description);
            let text = if description.is_empty() { url } else { description };
            Link { text: text.to_owned(), url: url.to_owned() }
        }
        None if text.ends_with(']') || text.ends_with("]}") => return None,
        None => plain(text),
    };
    let scheme = link.url.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let is_web = matches!(&*scheme, "http" | "https" | "mailto" | "ftp") && link.url.contains(':');
    is_web.then_some(link)
}

/// Writes a link in the format `text-link`.
pub(super) fn print(text: &str, url: &str) -> String {
    let url = url.replace('<', "%3C").replace('>', "%3E");
    if text == url && !text.ends_with([']', '}']) { url } else { format!("\"{text}\"<{url}>") }
}

#[cfg(test)]
mod tests {
    use super::{Link, parse, print};

    #[test]
    fn links_have_a_text_and_an_address() {
        for (text, shown, url) in [
            ("http://example.org/", "http://example.org/", "http://example.org/"),
            ("Home<http://example.org/>", "Home", "http://example.org/"),
            ("Home <http://example.org/>", "Home", "http://example.org/"),
            ("\"My home\"<http://example.org/>", "My home", "http://example.org/"),
            ("Home<<http://example.org/>>", "Home", "http://example.org/"),
            ("<http://example.org/>", "http://example.org/", "http://example.org/"),
        ] {
            let link = parse(text, true).expect(text);
            assert_eq!((&*link.text, &*link.url), (shown, url), "{text}");
            let written = print(&link.text, &link.url);
            assert_eq!(parse(&written, true), Some(link), "{written}");
        }
        let address = "http://example.org/a<b>";
        assert_eq!(parse(address, false), Some(Link { text: address.into(), url: address.into() }));
        for text in ["A page[Start]", "A page {wiki [Start]}", "javascript:alert(1)", "<script>", "none"] {
            assert_eq!(parse(text, true), None, "{text}");
        }
    }
}
