//! The claim `picture`: what others see beside the name of a person.
//!
//! A picture at another server tells it the network address of everybody who sees the person, and
//! when. So only small images within the token count, and addresses at origins that the operator has
//! named. The server fetches no picture.

use std::sync::Arc;

use axum::http::Uri;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use quadrille_files::image_type;
use quadrille_protocol::limits::PICTURE_BYTES_MAX;

use crate::http_client::is_protected;

/// The picture of a claim as a URL for browsers; `None` for one that does not count.
pub fn checked_picture(claim: &str, origins: &[String]) -> Option<Arc<str>> {
    if claim.len() > PICTURE_BYTES_MAX {
        return None;
    }
    let is_accepted = match claim.strip_prefix("data:") {
        Some(rest) => is_image(rest),
        None => is_at_origin(claim, origins),
    };
    is_accepted.then(|| claim.into())
}

/// Whether the rest of a `data:` URL is an image. The type is that of the bytes; SVG is none of them.
fn is_image(rest: &str) -> bool {
    let Some((media_type, data)) = rest.split_once(";base64,") else { return false };
    STANDARD.decode(data).is_ok_and(|bytes| image_type(&bytes) == Some(media_type))
}

fn is_at_origin(claim: &str, origins: &[String]) -> bool {
    let is_plain = claim.bytes().all(|byte| byte.is_ascii_graphic());
    let Some(uri) = claim.parse::<Uri>().ok().filter(|_| is_plain) else { return false };
    origin(&uri).is_some_and(|origin| origins.contains(&origin))
}

/// The origin of a URL without credentials, which are not for others to see.
fn origin(uri: &Uri) -> Option<String> {
    let (scheme, authority) = (uri.scheme_str()?, uri.authority()?);
    (!authority.as_str().contains('@')).then(|| format!("{scheme}://{authority}").to_ascii_lowercase())
}

/// An origin in the setting `picture_origins`, as URLs are compared with it.
///
/// # Errors
/// A message for another text. It becomes a part of the content security policy.
pub fn checked_origin(text: &str) -> Result<String, String> {
    let wrong = || format!("picture_origins: not an https origin: {text}");
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let has_path = uri.path() != "/" || text.ends_with('/') || uri.query().is_some();
    let origin = origin(&uri).filter(|_| is_protected(&uri) && !has_path).ok_or_else(wrong)?;
    let is_plain = origin.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":/.-[]".contains(&byte));
    if is_plain { Ok(origin) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A GIF of one pixel.
    const PIXEL: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

    #[test]
    fn images_within_the_token_and_at_named_origins_count() {
        let origins = ["https://wiki.example.org".to_owned(), "https://cdn.example.org:8443".to_owned()];
        for picture in [
            format!("data:image/gif;base64,{PIXEL}"),
            "https://wiki.example.org/people/7.png?size=64".to_owned(),
            "https://WIKI.example.org/7.png".to_owned(),
            "https://cdn.example.org:8443/7".to_owned(),
        ] {
            assert_eq!(checked_picture(&picture, &origins).as_deref(), Some(&*picture));
        }
        for other in [
            format!("data:image/png;base64,{PIXEL}"),
            format!("data:text/html;base64,{PIXEL}"),
            "data:image/svg+xml;base64,PHN2Zy8+".to_owned(),
            "data:image/gif;base64,?".to_owned(),
            format!("data:image/gif,{PIXEL}"),
            "https://other.example.org/7.png".to_owned(),
            "https://wiki.example.org.evil.example/7.png".to_owned(),
            "https://wiki.example.org@evil.example/7.png".to_owned(),
            "https://ada:secret@wiki.example.org/7.png".to_owned(),
            "http://wiki.example.org/7.png".to_owned(),
            "https://wiki.example.org:444/7.png".to_owned(),
            "https://wiki.example.org/7 .png".to_owned(),
            "//wiki.example.org/7.png".to_owned(),
            "/7.png".to_owned(),
            "javascript:alert(1)".to_owned(),
            String::new(),
            format!("https://wiki.example.org/{}", "7".repeat(PICTURE_BYTES_MAX)),
        ] {
            assert_eq!(checked_picture(&other, &origins), None, "{other}");
        }
        assert_eq!(checked_picture("https://wiki.example.org/7.png", &[]), None, "none without the setting");
    }

    #[test]
    fn origins_are_checked_before_they_are_in_the_policy() {
        for (text, expected) in [
            ("https://wiki.example.org", Some("https://wiki.example.org")),
            ("https://Wiki.example.org:8443", Some("https://wiki.example.org:8443")),
            ("http://127.0.0.1:9000", Some("http://127.0.0.1:9000")),
            ("http://wiki.example.org", None),
            ("https://wiki.example.org/", None),
            ("https://wiki.example.org/people", None),
            ("https://*.example.org", None),
            ("https://wiki.example.org;script-src", None),
            ("https://a@wiki.example.org", None),
            ("https:", None),
            ("*", None),
            ("", None),
        ] {
            assert_eq!(checked_origin(text).ok().as_deref(), expected, "{text}");
        }
    }
}
