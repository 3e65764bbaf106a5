//! What the verified claims of a token allow: a pure function of the claims, the issuer's setting
//! and the time.

use std::sync::Arc;

use quadrille_access::{AssertedRole, parse_role};
use quadrille_protocol::limits::AUTHOR_BYTES_MAX;
use quadrille_protocol::{Author, Role, RoomName};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::picture::checked_picture;
use super::token::TokenError;
use crate::limits;

/// The claims that count here. Times are seconds since 1970-01-01 UTC, with fractions allowed
/// (RFC 7519, `NumericDate`). Issuer and audience are checked before.
#[derive(Clone, Debug, Deserialize)]
pub struct Claims {
    exp: Option<f64>,
    nbf: Option<f64>,
    /// The person at the host. Equal for the same person, and never for two.
    sub: Option<String>,
    /// The workbook, or several.
    room: Option<OneOrMore>,
    /// The beginning of the names of workbooks. A claim of its own, so that no name of a workbook
    /// can be mistaken for a pattern.
    room_prefix: Option<String>,
    role: Option<String>,
    name: Option<String>,
    /// As in OpenID Connect Core 1.0, 5.1.
    picture: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

/// What an issuer may give at most.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IssuerLimits {
    pub role_max: Role,
    /// Beginnings of the names of workbooks for which its tokens count; empty is all workbooks.
    pub room_prefixes: Vec<String>,
    /// Origins of pictures that its tokens may name.
    pub picture_origins: Vec<String>,
}

/// A verified token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostToken {
    pub issuer: Arc<str>,
    pub role: AssertedRole,
    /// Who others see, when the token has a name or a subject.
    pub author: Option<Author>,
    /// The URL of a picture of the person.
    pub picture: Option<Arc<str>>,
    rooms: Vec<String>,
    room_prefix: Option<String>,
    room_prefixes: Vec<String>,
}

/// Clocks of hosts may run ahead by so many seconds before a new token counts as not yet valid. The
/// expiry has no such tolerance.
const CLOCK_SKEW_SECONDS: f64 = 60.0;

impl HostToken {
    /// Decides what verified claims of an issuer allow.
    ///
    /// # Errors
    /// When a claim is missing or invalid, the token has expired or is not valid yet, or gives more
    /// than the issuer may.
    pub fn new(
        issuer: &Arc<str>,
        limits: &IssuerLimits,
        claims: Claims,
        now_ms: i64,
    ) -> Result<HostToken, TokenError> {
        let expires_ms = checked_expiry(&claims, now_ms)?;
        let role = claims.role.ok_or(TokenError::Missing("role"))?;
        let role = parse_role(&role).ok_or(TokenError::Invalid("role"))?;
        // `Role` is ordered from the most rights to the fewest.
        if role < limits.role_max {
            return Err(TokenError::RoleTooHigh);
        }
        let rooms = match claims.room {
            None => Vec::new(),
            Some(OneOrMore::One(room)) => vec![room],
            Some(OneOrMore::More(rooms)) => rooms,
        };
        if rooms.len() > limits::HOST_TOKEN_ROOMS_MAX {
            return Err(TokenError::Invalid("room"));
        }
        // An empty prefix would be all workbooks, most likely by a bug of the host.
        if claims.room_prefix.as_deref() == Some("") {
            return Err(TokenError::Invalid("room_prefix"));
        }
        if rooms.is_empty() && claims.room_prefix.is_none() {
            return Err(TokenError::Missing("room"));
        }
        Ok(HostToken {
            issuer: Arc::clone(issuer),
            role: AssertedRole { role, expires_ms: Some(expires_ms) },
            author: author(issuer, claims.sub.as_deref(), claims.name.as_deref()),
            picture: claims.picture.and_then(|claim| checked_picture(&claim, &limits.picture_origins)),
            rooms,
            room_prefix: claims.room_prefix,
            room_prefixes: limits.room_prefixes.clone(),
        })
    }

    /// Whether it is for this workbook.
    pub fn covers(&self, room: &RoomName) -> bool {
        let name = room.as_str();
        let is_named = self.rooms.iter().any(|named| named == name)
            || self.room_prefix.as_ref().is_some_and(|prefix| name.starts_with(prefix));
        let is_of_issuer =
            self.room_prefixes.is_empty() || self.room_prefixes.iter().any(|prefix| name.starts_with(prefix));
        is_named && is_of_issuer
    }
}

/// The expiry in milliseconds.
fn checked_expiry(claims: &Claims, now_ms: i64) -> Result<i64, TokenError> {
    let now = now_ms as f64 / 1_000.0;
    let exp = claims.exp.ok_or(TokenError::Missing("exp"))?;
    if exp <= now {
        return Err(TokenError::Expired);
    }
    if exp > now + limits::HOST_TOKEN_SECONDS_MAX as f64 {
        return Err(TokenError::TooLong);
    }
    if claims.nbf.is_some_and(|nbf| nbf > now + CLOCK_SKEW_SECONDS) {
        return Err(TokenError::NotYetValid);
    }
    Ok((exp * 1_000.0) as i64)
}

/// The author in records: with the name of the token, and with an identity by which the same person
/// is recognized. All members see it, so it is a hash: the host's own identifier may be an e-mail
/// address.
fn author(issuer: &str, subject: Option<&str>, name: Option<&str>) -> Option<Author> {
    let subject = subject.filter(|subject| !subject.is_empty());
    let id = subject.map_or(String::new(), |subject| {
        let mut hash = Sha256::new();
        hash.update((issuer.len() as u64).to_be_bytes());
        hash.update(issuer);
        hash.update(subject);
        let digits: String = hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("host:{digits}")
    });
    let name = name.and_then(shown).or_else(|| subject.and_then(shown))?;
    Some(Author { id: id.into(), name: name.into() })
}

/// A name without control characters and outer spaces, cut to the longest that a record can have.
fn shown(text: &str) -> Option<String> {
    let mut name: String = text.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned();
    while name.len() > AUTHOR_BYTES_MAX {
        name.pop();
    }
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value as Json, json};

    const NOW_MS: i64 = 1_795_300_000_000;
    const NOW: i64 = NOW_MS / 1_000;

    fn limits() -> IssuerLimits {
        IssuerLimits { role_max: Role::Edit, room_prefixes: Vec::new(), picture_origins: Vec::new() }
    }

    /// A valid token for the workbook `plan`, with other claims; `null` removes one.
    fn token_of(limits: &IssuerLimits, more: Json) -> Result<HostToken, TokenError> {
        let mut claims =
            json!({ "exp": NOW + 300, "room": "plan", "role": "edit", "sub": "7", "name": "Ada" });
        let claims_object = claims.as_object_mut().expect("an object");
        claims_object.extend(more.as_object().expect("an object").clone());
        claims_object.retain(|_, value| !value.is_null());
        let claims = serde_json::from_value(claims).map_err(|_| TokenError::Malformed)?;
        HostToken::new(&"https://wiki.example.org".into(), limits, claims, NOW_MS)
    }

    fn token(more: Json) -> Result<HostToken, TokenError> {
        token_of(&limits(), more)
    }

    fn room(name: &str) -> RoomName {
        RoomName::new(name).expect("a valid name")
    }

    #[test]
    fn a_token_gives_its_role_until_its_expiry() {
        let found = token(json!({})).expect("valid");
        assert_eq!(found.role, AssertedRole { role: Role::Edit, expires_ms: Some(NOW_MS + 300_000) });
        let found = token(json!({ "exp": NOW as f64 + 0.5, "role": "view" })).expect("valid");
        assert_eq!(found.role, AssertedRole { role: Role::View, expires_ms: Some(NOW_MS + 500) });
    }

    #[test]
    fn times_limit_a_token() {
        for (claims, expected) in [
            (json!({ "exp": null }), Some(TokenError::Missing("exp"))),
            (json!({ "exp": NOW }), Some(TokenError::Expired)),
            (json!({ "exp": NOW - 1 }), Some(TokenError::Expired)),
            (json!({ "exp": -1 }), Some(TokenError::Expired)),
            (json!({ "exp": NOW + 86_400 }), None),
            (json!({ "exp": NOW + 86_401 }), Some(TokenError::TooLong)),
            (json!({ "exp": 1e300 }), Some(TokenError::TooLong)),
            (json!({ "exp": "tomorrow" }), Some(TokenError::Malformed)),
            (json!({ "nbf": NOW }), None),
            (json!({ "nbf": NOW + 60 }), None),
            (json!({ "nbf": NOW + 61 }), Some(TokenError::NotYetValid)),
            (json!({ "nbf": "now" }), Some(TokenError::Malformed)),
        ] {
            assert_eq!(token(claims.clone()).err(), expected, "{claims}");
        }
    }

    #[test]
    fn a_token_covers_the_workbooks_that_it_names() {
        for (claims, covered) in [
            (json!({ "room": "plan" }), "plan"),
            (json!({ "room": ["plan", "sales"] }), "plan sales"),
            (json!({ "room": null, "room_prefix": "team-1-" }), "team-1-a"),
            (json!({ "room": "plan", "room_prefix": "team-1-" }), "plan team-1-a"),
            // A name is never a pattern.
            (json!({ "room": "*" }), ""),
            (json!({ "room": "team-1-*" }), ""),
        ] {
            let found = token(claims.clone()).expect("valid");
            let names = ["plan", "plans", "sales", "team-1-a", "team-2-a"];
            let names: Vec<&str> = names.into_iter().filter(|name| found.covers(&room(name))).collect();
            assert_eq!(names.join(" "), covered, "{claims}");
        }
        for claims in [json!({ "room": null }), json!({ "room": [] })] {
            assert_eq!(token(claims).err(), Some(TokenError::Missing("room")));
        }
        let many: Vec<String> =
            (0..=limits::HOST_TOKEN_ROOMS_MAX).map(|number| format!("r{number}")).collect();
        assert_eq!(token(json!({ "room": many })).err(), Some(TokenError::Invalid("room")));
        assert_eq!(token(json!({ "room_prefix": "" })).err(), Some(TokenError::Invalid("room_prefix")));
        assert_eq!(token(json!({ "room": 7 })).err(), Some(TokenError::Malformed));
    }

    #[test]
    fn an_issuer_gives_no_more_than_its_setting_allows() {
        assert_eq!(token(json!({ "role": "owner" })).err(), Some(TokenError::RoleTooHigh));
        assert_eq!(token(json!({ "role": null })).err(), Some(TokenError::Missing("role")));
        assert_eq!(token(json!({ "role": "root" })).err(), Some(TokenError::Invalid("role")));
        let owners = IssuerLimits { role_max: Role::Owner, ..limits() };
        assert_eq!(token_of(&owners, json!({ "role": "owner" })).expect("valid").role.role, Role::Owner);
        let wiki = IssuerLimits { room_prefixes: vec!["wiki-".into()], ..limits() };
        let found = token_of(&wiki, json!({ "room": ["plan", "wiki-plan"] })).expect("valid");
        assert!(!found.covers(&room("plan")) && found.covers(&room("wiki-plan")));
    }

    #[test]
    fn the_author_has_the_name_of_the_token() {
        let author = |claims: Json| token(claims).expect("valid").author;
        let ada = author(json!({})).expect("named");
        assert_eq!(&*ada.name, "Ada");
        assert!(ada.id.starts_with("host:") && ada.id.len() == 37, "{}", ada.id);
        assert_eq!(author(json!({ "name": "Grace" })).expect("named").id, ada.id, "the same person");
        assert_ne!(author(json!({ "sub": "8" })).expect("named").id, ada.id);
        assert_eq!(&*author(json!({ "name": null })).expect("named").name, "7");
        assert_eq!(&*author(json!({ "sub": null })).expect("named").id, "");
        assert_eq!(author(json!({ "sub": null, "name": null })), None);
        assert_eq!(author(json!({ "sub": "", "name": " \n" })), None);
        assert_eq!(&*author(json!({ "name": " A\r\nda\u{7} " })).expect("named").name, "Ada");
        // A picture that does not count does not make a token invalid: many hosts send the claim anyway.
        let picture = |origins: &[&str]| {
            let picture_origins = origins.iter().map(|origin| (*origin).to_owned()).collect();
            let limits = IssuerLimits { picture_origins, ..limits() };
            let claims = json!({ "picture": "https://wiki.example.org/7.png" });
            token_of(&limits, claims).expect("valid").picture
        };
        assert_eq!(picture(&[]), None);
        assert_eq!(picture(&["https://wiki.example.org"]).as_deref(), Some("https://wiki.example.org/7.png"));
        let long = author(json!({ "name": "é".repeat(100) })).expect("named");
        assert_eq!(&*long.name, "é".repeat(64));
    }
}
