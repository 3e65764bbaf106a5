//! Which role a request has in a workbook: a pure function of the access document, the credentials and the time.

use std::sync::Arc;

use quadrille_protocol::Role;

use crate::account::{AccountId, Email, Scope};
use crate::permission::highest;
use crate::secret::Secret;
use crate::workbook_access::{GeneralAccess, Person, WorkbookAccess};

/// What a request presents and the server has verified, except for the secrets of the workbook itself.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    /// The account that is signed in, by session, token, proxy or identity provider.
    pub account: Option<SignedIn>,
    /// Owner keys and share links of this workbook. A link with a password counts only when the server lists
    /// it in `unlocked`.
    pub secrets: Vec<Secret>,
    /// Identifiers of links whose password was given correctly.
    pub unlocked: Vec<crate::SecretId>,
    /// The role that a signed token of a host application gives in this workbook. It decides alone: whatever
    /// else is presented, and the general access, neither raise nor outlast it.
    pub asserted: Option<AssertedRole>,
    /// EtherCalc's link for editing, by which the server's default role is at least `edit`.
    pub has_ethercalc_code: bool,
    /// The tenant at whose host name the request was made; `None` at the other names of the server.
    pub tenant: Option<Arc<str>>,
}

/// A person who has signed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedIn {
    pub id: AccountId,
    /// Only an address that was verified.
    pub email: Option<Email>,
    pub is_admin: bool,
    /// For a program: the most that its token allows.
    pub scope: Option<Scope>,
}

/// A role that somebody else vouches for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AssertedRole {
    pub role: Role,
    pub expires_ms: Option<i64>,
}

/// The role of a request, and how long that is true without looking again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    pub role: Option<Role>,
    /// The first moment at which the answer may differ without a change of the document.
    pub until_ms: Option<i64>,
}

/// Decides the role of a request. `access` is `None` for an unclaimed workbook; `default` is the server's
/// role for those, `None` when they are closed.
///
/// The highest role of all credentials wins. A token's scope limits the result, whatever else is presented, and
/// the signed token of a host application decides alone.
/// Nobody has a role in a workbook of another tenant. A workbook without a document belongs to none, so that the
/// caller asks with a tenant only for workbooks that do not exist yet.
pub fn decide(
    access: Option<&WorkbookAccess>,
    default: Option<Role>,
    credentials: &Credentials,
    now_ms: i64,
) -> Decision {
    if access.is_some_and(|access| access.tenant.as_deref() != credentials.tenant.as_deref()) {
        return Decision { role: None, until_ms: None };
    }
    let is_trashed = access.is_some_and(|access| access.trashed_ms.is_some());
    if let Some(asserted) = credentials.asserted {
        let is_valid = asserted.expires_ms.is_none_or(|expires_ms| now_ms < expires_ms);
        let role = Some(asserted.role).filter(|role| is_valid && (!is_trashed || *role == Role::Owner));
        return Decision { role, until_ms: asserted.expires_ms.filter(|_| is_valid) };
    }
    let mut role = None;
    let mut until_ms: Option<i64> = None;
    let mut expires = |moment: Option<i64>| {
        until_ms = match (until_ms, moment) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    };
    match access {
        None => role = highest(role, default),
        Some(access) => {
            role = highest(role, general_role(access, default));
            role = highest(role, owner_role(access, credentials));
            if let Some(signed_in) = &credentials.account {
                role = highest(role, granted_role(access, signed_in));
            }
            for secret in &credentials.secrets {
                let Some(link) = access.link(secret.id()) else { continue };
                let is_unlocked = link.password_hash.is_none() || credentials.unlocked.contains(&link.id);
                if link.is_valid(now_ms) && is_unlocked && link.hash.matches(secret) {
                    role = highest(role, Some(link.role));
                    expires(link.expires_ms);
                }
            }
            if is_trashed {
                // Its owner may look and restore; everybody else sees nothing.
                role = role.filter(|role| *role == Role::Owner);
            }
        }
    }
    if let Some(scope) = credentials.account.as_ref().and_then(|account| account.scope) {
        role = role.map(|role| role.max(scope_role(scope)));
    }
    Decision { role, until_ms }
}

fn general_role(access: &WorkbookAccess, default: Option<Role>) -> Option<Role> {
    match access.general {
        GeneralAccess::ServerDefault => default,
        GeneralAccess::Restricted => None,
        // Nobody becomes an owner by knowing an address.
        GeneralAccess::Anyone(role) => Some(role.max(Role::Edit)),
    }
}

fn owner_role(access: &WorkbookAccess, credentials: &Credentials) -> Option<Role> {
    let is_account = access.owner.is_some()
        && credentials.account.as_ref().is_some_and(|account| Some(account.id) == access.owner);
    let has_key = credentials
        .secrets
        .iter()
        .any(|secret| access.owner_keys.iter().any(|key| key.id == secret.id() && key.hash.matches(secret)));
    (is_account || has_key).then_some(Role::Owner)
}

fn granted_role(access: &WorkbookAccess, signed_in: &SignedIn) -> Option<Role> {
    let is_for = |person: &Person| match person {
        Person::Account(id) => *id == signed_in.id,
        Person::Email(email) => Some(email) == signed_in.email.as_ref(),
    };
    access
        .grants
        .iter()
        .filter(|grant| is_for(&grant.person))
        .fold(None, |role, grant| highest(role, Some(grant.role)))
}

/// The highest role that a program may use.
pub fn scope_role(scope: Scope) -> Role {
    match scope {
        Scope::Read => Role::View,
        Scope::Write => Role::Edit,
        Scope::Admin => Role::Owner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::SecretKind;
    use crate::workbook_access::{Grant, ShareLink};

    const NOW_MS: i64 = 1_000;
    const OWNER: AccountId = AccountId(1);
    const FRIEND: AccountId = AccountId(2);

    fn secret(kind: SecretKind, byte: u8) -> Secret {
        Secret::new(kind, [byte; 24])
    }

    fn link(byte: u8, role: Role) -> ShareLink {
        let secret = secret(SecretKind::ShareLink, byte);
        ShareLink {
            id: secret.id(),
            hash: secret.hash(),
            role,
            label: String::new(),
            person: None,
            expires_ms: None,
            password_hash: None,
            created_ms: 0,
            uses: 0,
            last_used_ms: 0,
        }
    }

    /// Owned by an account and by a key; a friend comments, Ada edits; one link to view.
    fn workbook() -> WorkbookAccess {
        let grant = |person, role| Grant { person, role, created_ms: 0, last_seen_ms: 0 };
        let key = secret(SecretKind::OwnerKey, 1);
        WorkbookAccess {
            owner: Some(OWNER),
            grants: vec![
                grant(Person::Account(FRIEND), Role::Comment),
                grant(Person::Email(Email::parse("ada@example.org").expect("valid")), Role::Edit),
            ],
            links: vec![link(2, Role::View)],
            ..WorkbookAccess::with_owner_key(&key, GeneralAccess::Restricted, 0)
        }
    }

    fn signed_in(id: AccountId) -> Credentials {
        let account = SignedIn { id, email: None, is_admin: false, scope: None };
        Credentials { account: Some(account), ..Credentials::default() }
    }

    fn with(secrets: &[Secret]) -> Credentials {
        Credentials { secrets: secrets.to_vec(), ..Credentials::default() }
    }

    fn role(access: &WorkbookAccess, credentials: &Credentials) -> Option<Role> {
        decide(Some(access), Some(Role::Edit), credentials, NOW_MS).role
    }

    #[test]
    fn each_credential_gives_its_role() {
        let workbook = workbook();
        assert_eq!(role(&workbook, &Credentials::default()), None);
        assert_eq!(role(&workbook, &signed_in(OWNER)), Some(Role::Owner));
        assert_eq!(role(&workbook, &signed_in(FRIEND)), Some(Role::Comment));
        assert_eq!(role(&workbook, &signed_in(AccountId(3))), None);
        assert_eq!(role(&workbook, &with(&[secret(SecretKind::OwnerKey, 1)])), Some(Role::Owner));
        assert_eq!(role(&workbook, &with(&[secret(SecretKind::ShareLink, 2)])), Some(Role::View));
        assert_eq!(role(&workbook, &with(&[secret(SecretKind::ShareLink, 3)])), None);
    }

    #[test]
    fn a_link_does_not_own_and_an_identifier_alone_proves_nothing() {
        let workbook = workbook();
        // The identifier of the owner key with other random bits.
        let mut bytes = [1; 24];
        bytes[23] = 0;
        assert_eq!(role(&workbook, &with(&[Secret::new(SecretKind::OwnerKey, bytes)])), None);
    }

    #[test]
    fn an_address_counts_when_it_is_verified() {
        let mut credentials = signed_in(AccountId(9));
        assert_eq!(role(&workbook(), &credentials), None);
        credentials.account.as_mut().expect("signed in").email = Email::parse("ADA@example.org");
        assert_eq!(role(&workbook(), &credentials), Some(Role::Edit));
    }

    #[test]
    fn the_highest_of_several_credentials_wins() {
        let mut credentials = signed_in(FRIEND);
        credentials.secrets.push(secret(SecretKind::ShareLink, 2));
        assert_eq!(role(&workbook(), &credentials), Some(Role::Comment));
    }

    #[test]
    fn general_access_is_for_everybody_but_never_owns() {
        let mut workbook = workbook();
        workbook.general = GeneralAccess::Anyone(Role::Owner);
        assert_eq!(role(&workbook, &Credentials::default()), Some(Role::Edit));
        workbook.general = GeneralAccess::ServerDefault;
        assert_eq!(decide(Some(&workbook), None, &Credentials::default(), NOW_MS).role, None);
    }

    #[test]
    fn unclaimed_workbooks_have_the_servers_default() {
        let decision = decide(None, Some(Role::Comment), &Credentials::default(), NOW_MS);
        assert_eq!(decision, Decision { role: Some(Role::Comment), until_ms: None });
    }

    #[test]
    fn a_link_ends_at_its_expiry() {
        let mut workbook = workbook();
        workbook.links[0].expires_ms = Some(NOW_MS + 5);
        let credentials = with(&[secret(SecretKind::ShareLink, 2)]);
        let decision = decide(Some(&workbook), None, &credentials, NOW_MS);
        assert_eq!(decision, Decision { role: Some(Role::View), until_ms: Some(NOW_MS + 5) });
        assert_eq!(decide(Some(&workbook), None, &credentials, NOW_MS + 5).role, None);
    }

    #[test]
    fn a_link_with_a_password_counts_when_it_is_unlocked() {
        let mut workbook = workbook();
        workbook.links[0].password_hash = Some("$argon2id$…".into());
        let mut credentials = with(&[secret(SecretKind::ShareLink, 2)]);
        assert_eq!(role(&workbook, &credentials), None);
        credentials.unlocked.push(workbook.links[0].id);
        assert_eq!(role(&workbook, &credentials), Some(Role::View));
    }

    #[test]
    fn a_token_is_limited_by_its_scope_whatever_else_is_presented() {
        for (scope, expected) in
            [(Scope::Read, Role::View), (Scope::Write, Role::Edit), (Scope::Admin, Role::Owner)]
        {
            let mut credentials = signed_in(OWNER);
            credentials.account.as_mut().expect("signed in").scope = Some(scope);
            credentials.secrets.push(secret(SecretKind::OwnerKey, 1));
            assert_eq!(role(&workbook(), &credentials), Some(expected), "{scope:?}");
        }
    }

    #[test]
    fn the_trash_is_open_to_owners_only() {
        let workbook =
            WorkbookAccess { trashed_ms: Some(5), general: GeneralAccess::Anyone(Role::Edit), ..workbook() };
        assert_eq!(role(&workbook, &Credentials::default()), None);
        assert_eq!(role(&workbook, &signed_in(FRIEND)), None);
        assert_eq!(role(&workbook, &signed_in(OWNER)), Some(Role::Owner));
    }

    #[test]
    fn a_workbook_of_another_tenant_is_closed_whatever_is_presented() {
        let workbook = WorkbookAccess {
            tenant: Some("a.example.org".into()),
            general: GeneralAccess::Anyone(Role::Edit),
            ..workbook()
        };
        for tenant in [None, Some("b.example.org")] {
            let credentials = Credentials { tenant: tenant.map(Arc::from), ..signed_in(OWNER) };
            assert_eq!(role(&workbook, &credentials), None, "{tenant:?}");
        }
        let credentials = Credentials { tenant: Some("a.example.org".into()), ..signed_in(OWNER) };
        assert_eq!(role(&workbook, &credentials), Some(Role::Owner));
    }

    #[test]
    fn an_asserted_role_ends_at_its_expiry() {
        let credentials = Credentials {
            asserted: Some(AssertedRole { role: Role::Edit, expires_ms: Some(NOW_MS) }),
            ..Credentials::default()
        };
        let decided = |now_ms: i64| decide(Some(&workbook()), None, &credentials, now_ms);
        let valid = Decision { role: Some(Role::Edit), until_ms: Some(NOW_MS) };
        assert_eq!(decided(NOW_MS - 1), valid);
        assert_eq!(decided(NOW_MS), Decision { role: None, until_ms: None });
    }

    #[test]
    fn an_asserted_role_decides_alone() {
        let asserted = AssertedRole { role: Role::View, expires_ms: Some(NOW_MS) };
        let credentials = Credentials { asserted: Some(asserted), ..signed_in(OWNER) };
        let open = WorkbookAccess { general: GeneralAccess::Anyone(Role::Edit), ..workbook() };
        for access in [None, Some(&open)] {
            let decided = |now_ms: i64| decide(access, Some(Role::Edit), &credentials, now_ms).role;
            assert_eq!(decided(NOW_MS - 1), Some(Role::View));
            assert_eq!(decided(NOW_MS), None, "nothing else counts after it");
        }
        let trashed = WorkbookAccess { trashed_ms: Some(5), ..workbook() };
        assert_eq!(decide(Some(&trashed), None, &credentials, NOW_MS - 1).role, None);
    }
}
