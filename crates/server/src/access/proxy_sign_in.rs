//! Sign-in by a header of a proxy in front of the server, which has proven who somebody is.
//!
//! The header counts only in requests of the proxies that the operator names for this. This machine
//! is not one of them unless it is named: other programs on it could send the header too.

use std::collections::BTreeSet;
use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName};
use quadrille_access::Email;

use super::proven_person::{ProvenPerson, ProviderIdentity};
use crate::config::Settings;
use crate::error::{ApiError, ErrorCode};

/// The settings `sign_in_header…` and `sign_in_proxies`.
#[derive(Clone, Debug)]
pub struct ProxySignIn {
    header: HeaderName,
    name_header: Option<HeaderName>,
    groups_header: Option<HeaderName>,
    admin_groups: BTreeSet<String>,
    proxies: Vec<IpAddr>,
}

/// The issuer of identities that a proxy has proven.
const ISSUER: &str = "proxy";
/// Longest value of the header: an e-mail address has at most 254 bytes.
const VALUE_BYTES_MAX: usize = 256;

impl ProxySignIn {
    /// Reads the settings; `None` when `sign_in_header` is not set.
    ///
    /// # Errors
    /// A message about a wrong setting, or about one that has no effect without another.
    pub fn new(settings: &Settings) -> Result<Option<ProxySignIn>, String> {
        let header = |name: &str, value: &str| match value {
            "" => Ok(None),
            value => value
                .parse::<HeaderName>()
                .map(Some)
                .map_err(|_| format!("{name}: not the name of a header: {value}")),
        };
        let name_header = header("sign_in_header_name", &settings.sign_in_header_name)?;
        let groups_header = header("sign_in_header_groups", &settings.sign_in_header_groups)?;
        let Some(header) = header("sign_in_header", &settings.sign_in_header)? else {
            let has_more = name_header.is_some() || groups_header.is_some();
            if has_more || !settings.sign_in_proxies.is_empty() {
                return Err(
                    "sign_in_header_name, sign_in_header_groups and sign_in_proxies need sign_in_header"
                        .into(),
                );
            }
            return Ok(None);
        };
        if settings.sign_in_proxies.is_empty() {
            return Err(
                "sign_in_header needs sign_in_proxies: the addresses of the proxies that may send it".into(),
            );
        }
        let admin_groups: BTreeSet<String> = settings.sign_in_admin_groups.iter().cloned().collect();
        if !admin_groups.is_empty() && groups_header.is_none() {
            return Err("sign_in_admin_groups needs sign_in_header_groups".into());
        }
        let proxies = settings.sign_in_proxies.iter().map(|text| {
            let address = text.parse::<IpAddr>().map(|address| address.to_canonical());
            address.map_err(|_| format!("sign_in_proxies: not an IP address: {text}"))
        });
        let proxies = proxies.collect::<Result<_, _>>()?;
        Ok(Some(ProxySignIn { header, name_header, groups_header, admin_groups, proxies }))
    }

    /// Whom the proxy has proven; `None` when the request does not come from it, or comes without
    /// the header, or with an empty one: then nobody is signed in there.
    ///
    /// # Errors
    /// 401 for a header that occurs twice or has several values: then it is not only the proxy's.
    pub fn proven(&self, headers: &HeaderMap, peer: IpAddr) -> Result<Option<ProvenPerson>, ApiError> {
        if !self.proxies.contains(&peer.to_canonical()) {
            return Ok(None);
        }
        let Some(subject) = only_value(headers, &self.header)? else { return Ok(None) };
        // A proxy that finds the header twice may send it once, with both values.
        if subject.contains(',') {
            return Err(refused(&self.header, "has several values"));
        }
        let name = match &self.name_header {
            Some(header) => only_value(headers, header)?,
            None => None,
        };
        let groups = match &self.groups_header {
            Some(header) => only_value(headers, header)?,
            None => None,
        };
        let groups = groups.unwrap_or_default();
        let mut groups = groups.split([',', ';', '|']).map(str::trim);
        let is_admin = !self.admin_groups.is_empty() && groups.any(|group| self.admin_groups.contains(group));
        let email = Email::parse(&subject);
        let subject = email.as_ref().map_or(subject, |email| email.as_str().to_owned());
        Ok(Some(ProvenPerson {
            identity: ProviderIdentity { issuer: ISSUER.to_owned(), subject },
            name,
            is_email_verified: email.is_some(),
            email,
            is_admin: (!self.admin_groups.is_empty()).then_some(is_admin),
        }))
    }
}

/// The value of a header that may occur once.
fn only_value(headers: &HeaderMap, header: &HeaderName) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all(header).into_iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(refused(header, "occurs more than once"));
    }
    let text = std::str::from_utf8(value.as_bytes()).map_err(|_| refused(header, "is not UTF-8"))?.trim();
    if text.len() > VALUE_BYTES_MAX {
        return Err(refused(header, "is too long"));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

fn refused(header: &HeaderName, what: &str) -> ApiError {
    ApiError::new(ErrorCode::BadCredentials, format!("the header {header} of the proxy {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SettingsSource;
    use axum::http::HeaderValue;

    fn settings(more: SettingsSource) -> Settings {
        let source = SettingsSource {
            sign_in_header: Some("Remote-User".into()),
            sign_in_header_name: Some("Remote-Name".into()),
            sign_in_header_groups: Some("Remote-Groups".into()),
            sign_in_admin_groups: Some(vec!["admins".into(), "ops".into()]),
            sign_in_proxies: Some(vec!["10.0.0.1".into(), "::1".into()]),
            ..SettingsSource::default()
        };
        more.or(source)
    }

    fn proven(peer: &str, headers: &[(&str, &str)]) -> Result<Option<ProvenPerson>, ApiError> {
        let sign_in = ProxySignIn::new(&settings(SettingsSource::default())).expect("valid").expect("set");
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().expect("a name");
            map.append(name, HeaderValue::from_bytes(value.as_bytes()).expect("a value"));
        }
        sign_in.proven(&map, peer.parse().expect("an address"))
    }

    #[test]
    fn only_named_proxies_say_who_somebody_is() {
        for (peer, expected) in [
            ("10.0.0.1", true),
            ("::ffff:10.0.0.1", true),
            ("::1", true),
            ("127.0.0.1", false),
            ("10.0.0.2", false),
        ] {
            let found = proven(peer, &[("remote-user", "ada")]).expect("one value");
            assert_eq!(found.is_some(), expected, "{peer}");
        }
        assert_eq!(proven("192.0.2.1", &[("remote-user", "a"), ("remote-user", "b")]), Ok(None), "ignored");
    }

    #[test]
    fn an_address_is_verified_and_a_name_is_only_a_name() {
        let person =
            |headers: &[(&str, &str)]| proven("10.0.0.1", headers).expect("valid").expect("somebody");
        let ada = person(&[("remote-user", " Ada@Example.org"), ("remote-name", "Ada Lovelace")]);
        assert_eq!(ada.identity.subject, "ada@example.org");
        assert_eq!(
            (ada.email.as_ref().map(Email::as_str), ada.is_email_verified),
            (Some("ada@example.org"), true)
        );
        assert_eq!((ada.name.as_deref(), ada.is_admin), (Some("Ada Lovelace"), Some(false)));
        let root = person(&[("remote-user", "Root"), ("remote-groups", "staff, ops")]);
        assert_eq!((root.identity.subject.as_str(), root.is_email_verified), ("Root", false));
        assert_eq!((root.name, root.is_admin), (None, Some(true)));
        assert_eq!(person(&[("remote-user", "x"), ("remote-name", "Zoë")]).name.as_deref(), Some("Zoë"));
    }

    #[test]
    fn nobody_is_signed_in_without_the_header_and_two_values_are_refused() {
        for headers in [&[][..], &[("remote-user", "")], &[("remote-user", " ")], &[("remote-name", "Ada")]] {
            assert_eq!(proven("10.0.0.1", headers), Ok(None), "{headers:?}");
        }
        let long = "x".repeat(VALUE_BYTES_MAX + 1);
        for headers in [
            &[("remote-user", "ada"), ("remote-user", "root")][..],
            &[("remote-user", "ada"), ("Remote-User", "ada")],
            &[("remote-user", "ada, root")],
            &[("remote-user", &long)],
            &[("remote-user", "ada"), ("remote-groups", "staff"), ("remote-groups", "admins")],
        ] {
            let refused = proven("10.0.0.1", headers).expect_err("refused");
            assert_eq!(refused.code, ErrorCode::BadCredentials, "{headers:?}");
        }
    }

    #[test]
    fn settings_that_have_no_effect_are_errors() {
        let none = SettingsSource::default;
        assert!(ProxySignIn::new(&none().or(none())).expect("valid").is_none());
        for (given, message) in [
            (SettingsSource { sign_in_header: Some("a b".into()), ..none() }, "not the name of a header"),
            (SettingsSource { sign_in_proxies: Some(Vec::new()), ..none() }, "needs sign_in_proxies"),
            (
                SettingsSource { sign_in_proxies: Some(vec!["proxy".into()]), ..none() },
                "not an IP address: proxy",
            ),
            (SettingsSource { sign_in_header: Some(String::new()), ..none() }, "need sign_in_header"),
            (
                SettingsSource { sign_in_header_groups: Some(String::new()), ..none() },
                "needs sign_in_header_groups",
            ),
        ] {
            let error = ProxySignIn::new(&settings(given)).expect_err(message);
            assert!(error.contains(message), "{error}");
        }
    }
}
