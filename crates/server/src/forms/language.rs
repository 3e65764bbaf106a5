//! The language of a form's page: that of the address, or the first accepted one that there is.

use axum::http::{HeaderMap, header};

use crate::mail::MailLanguage;

/// The language with a tag (RFC 5646) or one of which it is a variant.
pub fn language_of(tag: &str) -> Option<MailLanguage> {
    let tag = tag.trim().to_ascii_lowercase();
    let mut parts = tag.split('-');
    Some(match parts.next()? {
        "en" => MailLanguage::En,
        "de" => MailLanguage::De,
        "fr" => MailLanguage::Fr,
        "es" => MailLanguage::Es,
        "ja" => MailLanguage::Ja,
        "ar" => MailLanguage::Ar,
        // The script by the region, as in the likely subtags of CLDR.
        "zh" if parts.any(|part| matches!(part, "hant" | "tw" | "hk" | "mo")) => MailLanguage::ZhHant,
        "zh" => MailLanguage::ZhHans,
        _ => return None,
    })
}

/// The best language of `Accept-Language`; English without one that there is.
pub fn accepted_language(headers: &HeaderMap) -> MailLanguage {
    let accepted = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let mut best = (0.0, MailLanguage::En);
    for item in accepted.split(',').take(20) {
        let (tag, parameters) = item.split_once(';').unwrap_or((item, ""));
        let weight = parameters.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.parse().ok());
        if let (Some(language), Some(weight)) = (language_of(tag), weight)
            && weight > best.0
        {
            best = (weight, language);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn the_first_language_with_the_highest_weight_is_taken() {
        for (accepted, expected) in [
            ("", MailLanguage::En),
            ("de-AT,en;q=0.8", MailLanguage::De),
            ("nl,fr;q=0.7,es;q=0.9", MailLanguage::Es),
            ("zh-TW", MailLanguage::ZhHant),
            ("zh", MailLanguage::ZhHans),
            ("ar;q=0,ja;q=0.1", MailLanguage::Ja),
            ("x;;q=,,", MailLanguage::En),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_LANGUAGE, HeaderValue::from_static(accepted));
            assert_eq!(accepted_language(&headers), expected, "{accepted}");
        }
    }
}
