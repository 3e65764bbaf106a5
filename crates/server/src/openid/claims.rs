//! What the claims of a provider say about a person.

use std::collections::BTreeSet;

use quadrille_access::{Email, Identity};
use serde_json::Value as Json;

use super::settings::OpenIdProvider;
use crate::access::ProvenPerson;

/// The claims that count here, of the ID token or of the user info.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    pub name: Option<String>,
    pub email: Option<Email>,
    pub is_email_verified: bool,
    /// `None` when the claim is missing.
    pub groups: Option<BTreeSet<String>>,
}

/// Longest name that is taken from a provider, in characters; the rest is cut off.
const NAME_CHARACTERS_MAX: usize = 100;

impl Claims {
    /// Picks from verified claims. `groups_claim` is the setting.
    pub fn new(claims: &Json, groups_claim: &str) -> Claims {
        let text = |name: &str| claims.get(name).and_then(Json::as_str);
        let name = ["name", "preferred_username"].into_iter().filter_map(text).find_map(plain_name);
        let email = text("email").and_then(Email::parse);
        // Anything but a clear `true` is no proof. Some providers send it as a text.
        let is_true = claims.get("email_verified").is_some_and(|value| *value == true || *value == "true");
        let is_email_verified = email.is_some() && is_true;
        Claims { name, email, is_email_verified, groups: groups(claims, groups_claim) }
    }

    /// Whether the user info endpoint may know more.
    pub fn is_incomplete(&self, provider: &OpenIdProvider) -> bool {
        let needs_groups = !provider.admin_groups.is_empty() || !provider.sign_in_groups.is_empty();
        self.name.is_none() || self.email.is_none() || (needs_groups && self.groups.is_none())
    }

    /// These claims, and for those that are missing the others. An address keeps its own proof.
    pub fn or(self, others: Claims) -> Claims {
        let (email, is_email_verified) = match self.email {
            Some(email) => (Some(email), self.is_email_verified),
            None => (others.email, others.is_email_verified),
        };
        Claims {
            name: self.name.or(others.name),
            email,
            is_email_verified,
            groups: self.groups.or(others.groups),
        }
    }

    /// The person, if they may sign in with this provider; `None` when they are in none of its
    /// groups.
    pub fn person(self, provider: &OpenIdProvider, subject: &str) -> Option<ProvenPerson> {
        let groups = self.groups.unwrap_or_default();
        let is_in = |wanted: &BTreeSet<String>| !wanted.is_disjoint(&groups);
        if !provider.sign_in_groups.is_empty() && !is_in(&provider.sign_in_groups) {
            return None;
        }
        Some(ProvenPerson {
            identity: Identity { issuer: provider.issuer.clone(), subject: subject.to_owned() },
            name: self.name,
            email: self.email,
            is_email_verified: self.is_email_verified,
            is_admin: (!provider.admin_groups.is_empty()).then(|| is_in(&provider.admin_groups)),
        })
    }
}

/// Whether a person was authenticated as strongly as the settings of the provider ask for, by the claims
/// `acr` and `amr` of the ID token (OpenID Connect Core 1.0, 2).
pub fn is_strong_enough(claims: &Json, provider: &OpenIdProvider) -> bool {
    let class = claims.get("acr").and_then(Json::as_str);
    let methods = claims.get("amr").and_then(Json::as_array);
    let mut methods = methods.into_iter().flatten().filter_map(Json::as_str);
    let is_class = class.is_some_and(|class| provider.acr_values.iter().any(|wanted| wanted == class));
    (provider.acr_values.is_empty() || is_class)
        && (provider.amr_values.is_empty() || methods.any(|method| provider.amr_values.contains(method)))
}

/// A name without control characters and outer spaces, not too long.
fn plain_name(text: &str) -> Option<String> {
    let name: String = text.trim().chars().filter(|c| !c.is_control()).take(NAME_CHARACTERS_MAX).collect();
    (!name.is_empty()).then_some(name)
}

fn groups(claims: &Json, name: &str) -> Option<BTreeSet<String>> {
    // The whole name first: some providers have claims with dots or as URLs.
    let found = claims.get(name).or_else(|| {
        let mut parts = name.split('.');
        let first = claims.get(parts.next()?)?;
        parts.try_fold(first, |value, part| value.get(part))
    })?;
    match found {
        Json::String(group) => Some(BTreeSet::from([group.clone()])),
        Json::Array(groups) => {
            Some(groups.iter().filter_map(|group| group.as_str().map(str::to_owned)).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn provider(more: Json) -> OpenIdProvider {
        let mut value =
            json!({ "id": "sso", "name": "SSO", "issuer": "https://sso.example.org", "client_id": "q" });
        value.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        serde_json::from_value(value).expect("a provider")
    }

    fn claims(value: Json, groups_claim: &str) -> Claims {
        Claims::new(&value, groups_claim)
    }

    #[test]
    fn an_address_is_proven_only_when_the_provider_says_so() {
        for (verified, expected) in
            [(json!(true), true), (json!("true"), true), (json!(false), false), (Json::Null, false)]
        {
            let found = claims(
                json!({ "sub": "1", "email": "Ada@Example.org", "email_verified": verified }),
                "groups",
            );
            assert_eq!(found.email.as_ref().map(Email::as_str), Some("ada@example.org"));
            assert_eq!(found.is_email_verified, expected, "{verified}");
        }
        let broken = claims(json!({ "sub": "1", "email": "ada", "email_verified": true }), "groups");
        assert_eq!((broken.email, broken.is_email_verified), (None, false));
    }

    #[test]
    fn the_strength_of_a_sign_in_is_what_the_settings_ask_for() {
        let strong = |wanted: Json, claims: Json| is_strong_enough(&claims, &provider(wanted));
        let classes = || json!({ "acr_values": ["phr", "phrh"] });
        assert!(strong(json!({}), json!({})));
        assert!(strong(classes(), json!({ "acr": "phrh" })));
        for claims in [json!({}), json!({ "acr": "0" }), json!({ "acr": ["phr"] }), json!({ "amr": ["phr"] })]
        {
            assert!(!strong(classes(), claims.clone()), "{claims}");
        }
        let methods = || json!({ "amr_values": ["mfa", "hwk"] });
        assert!(strong(methods(), json!({ "amr": ["pwd", "mfa"] })));
        for claims in [json!({}), json!({ "amr": ["pwd"] }), json!({ "amr": "mfa" }), json!({ "acr": "mfa" })]
        {
            assert!(!strong(methods(), claims.clone()), "{claims}");
        }
        let both = json!({ "acr_values": ["phr"], "amr_values": ["mfa"] });
        assert!(!strong(both.clone(), json!({ "acr": "phr" })));
        assert!(strong(both, json!({ "acr": "phr", "amr": ["mfa"] })));
    }

    #[test]
    fn names_are_plain() {
        let named = |name: Json| {
            claims(json!({ "sub": "1", "name": name, "preferred_username": "ada" }), "groups").name
        };
        assert_eq!(named(json!(" Ada\r\nLovelace ")).as_deref(), Some("AdaLovelace"));
        assert_eq!(named(json!(" ")).as_deref(), Some("ada"));
        assert_eq!(named(json!("x".repeat(500))).map(|name| name.len()), Some(NAME_CHARACTERS_MAX));
    }

    #[test]
    fn groups_are_texts_lists_or_inside_another_claim() {
        let found = |claim: &str| {
            let value = json!({
                "sub": "1", "hd": "example.org", "groups": ["a", "b", 7],
                "realm_access": { "roles": ["admin"] }, "https://example.org/groups": ["c"], "age": 7,
            });
            claims(value, claim).groups.map(|groups| groups.into_iter().collect::<Vec<_>>().join(","))
        };
        for (claim, expected) in [
            ("groups", Some("a,b")),
            ("hd", Some("example.org")),
            ("realm_access.roles", Some("admin")),
            ("https://example.org/groups", Some("c")),
            ("realm_access.nothing", None),
            ("nothing.roles", None),
            ("age", None),
        ] {
            assert_eq!(found(claim).as_deref(), expected, "{claim}");
        }
    }

    #[test]
    fn groups_decide_who_signs_in_and_who_is_an_admin() {
        let everybody = provider(json!({}));
        let staff = provider(json!({ "sign_in_groups": ["staff"], "admin_groups": ["root", "ops"] }));
        let person = |provider: &OpenIdProvider, groups: Json| {
            claims(json!({ "sub": "1", "groups": groups }), "groups").person(provider, "1")
        };
        assert_eq!(person(&everybody, json!([])).expect("may sign in").is_admin, None);
        assert_eq!(person(&staff, json!(["staff"])).expect("may sign in").is_admin, Some(false));
        assert_eq!(person(&staff, json!(["staff", "ops"])).expect("may sign in").is_admin, Some(true));
        assert!(person(&staff, json!(["ops"])).is_none());
        assert!(person(&staff, json!("Staff")).is_none(), "names are compared exactly");
    }

    #[test]
    fn the_user_info_fills_what_the_token_lacks() {
        let token = claims(json!({ "sub": "1", "email": "ada@example.org" }), "groups");
        assert!(token.is_incomplete(&provider(json!({}))));
        let info = claims(
            json!({ "sub": "1", "name": "Ada", "email": "other@example.org", "email_verified": true }),
            "groups",
        );
        let both = token.or(info);
        assert_eq!(both.name.as_deref(), Some("Ada"));
        assert_eq!(
            (both.email.as_ref().map(Email::as_str), both.is_email_verified),
            (Some("ada@example.org"), false)
        );
        assert!(!both.is_incomplete(&provider(json!({}))));
        assert!(both.is_incomplete(&provider(json!({ "sign_in_groups": ["staff"] }))));
    }
}
