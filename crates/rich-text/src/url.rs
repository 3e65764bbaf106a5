//! Addresses of links and images.

/// Schemes that open a page, a mail or a call, and run nothing in the page with the link.
const LINK_SCHEMES: [&str; 5] = ["http", "https", "mailto", "ftp", "tel"];
/// Longer addresses are left out, as in links of cells.
const LENGTH_MAX: usize = 2_083;

/// The address of a link, without the spaces and control characters that browsers remove before they
/// look for the scheme (URL standard, section 4.4); `None` for schemes other than those of
/// [`LINK_SCHEMES`], such as `javascript`. Addresses without a scheme lead to pages of the same server.
pub(crate) fn link(url: &str) -> Option<String> {
    cleaned(url, &LINK_SCHEMES)
}

/// The address of an image.
pub(crate) fn image(url: &str) -> Option<String> {
    cleaned(url, &["http", "https"])
}

fn cleaned(url: &str, schemes: &[&str]) -> Option<String> {
    let url = url.trim_matches(|c: char| c <= ' ');
    let url: String = url.chars().filter(|c| !c.is_control()).collect();
    if url.is_empty() || url.len() > LENGTH_MAX {
        return None;
    }
    let scheme = url.split(['/', '?', '#', '\\']).next().and_then(|start| start.split_once(':'));
    let is_safe = match scheme {
        Some((scheme, _)) => schemes.contains(&&*scheme.to_ascii_lowercase()),
        None => true,
    };
    is_safe.then_some(url)
}

/// As JavaScript's `encodeURI`, with which SocialCalc writes addresses.
pub(crate) fn encode_uri(url: &str) -> String {
    let mut encoded = String::with_capacity(url.len());
    for byte in url.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => encoded.push(char::from(byte)),
            _ if b";,/?:@&=+$-_.!~*'()#".contains(&byte) => encoded.push(char::from(byte)),
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_run_a_script_are_none() {
        for url in [
            "javascript:alert(1)",
            " JavaScript:alert(1)",
            "java\nscript:alert(1)",
            "\u{1}javascript:alert(1)",
            "vbscript:x",
            "data:text/html,<script>alert(1)</script>",
            "file:///etc/passwd",
            "blob:https://example.org/1",
            "",
        ] {
            assert_eq!(link(url), None, "{url:?}");
        }
        for url in ["https://example.org/a?b=1#c", "mailto:ann@example.org", "/sales", "?page", "a/b:c", "#x"]
        {
            assert_eq!(link(url).as_deref(), Some(url));
        }
        assert_eq!(image("mailto:ann@example.org"), None);
    }

    #[test]
    fn addresses_are_encoded_as_in_javascript() {
        assert_eq!(
            encode_uri("http://a.org/ä b\"<x>?q=1&r=%20"),
            "http://a.org/%C3%A4%20b%22%3Cx%3E?q=1&r=%2520"
        );
    }
}
