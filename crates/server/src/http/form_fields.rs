//! The fields of a body of type `application/x-www-form-urlencoded` (WHATWG URL, 5.1).

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::access_input::bad;
use crate::error::ApiError;

/// The media type of such a body.
pub const FORM: &str = "application/x-www-form-urlencoded";

/// The names and values of the fields, in their order.
///
/// # Errors
/// `bad_request` when the body is not UTF-8, also after decoding.
pub fn form_fields(body: &[u8]) -> Result<Vec<(String, String)>, ApiError> {
    let not_utf8 = || bad("the body is not UTF-8");
    let text = std::str::from_utf8(body).map_err(|_| not_utf8())?;
    let decoded = |encoded: &str| {
        let encoded = encoded.replace('+', " ");
        percent_decode_str(&encoded).decode_utf8().map(Cow::into_owned).map_err(|_| not_utf8())
    };
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| Ok((decoded(name)?, decoded(value)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded() {
        let fields = form_fields(b"command%5B0%5D=set+A1+text+t+a%26b&&empty&x=1=2").expect("UTF-8");
        let expected = [("command[0]", "set A1 text t a&b"), ("empty", ""), ("x", "1=2")];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert!(form_fields(b"a=%FF").is_err());
        assert!(form_fields(b"\xff").is_err());
    }
}
