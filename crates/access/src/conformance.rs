//! The test suite of [`AccessStore`]: an engine's tests call [`run`] with a way to open an empty store.
//!
//! Engines add what this cannot know: that changes survive a restart, and that damage is found.

use std::collections::BTreeSet;

use quadrille_protocol::{Role, RoomName};

use crate::access_error::AccessError;
use crate::account::{Account, AccountId, ApiToken, Email, Identity, Scope, StoredPasskey};
use crate::account_session::AccountSession;
use crate::audit::{Actor, AuditEntry, AuditEvent, AuditFilter, AuditNumber};
use crate::conformance_webhooks;
use crate::quota::{Quota, QuotaSubject};
use crate::secret::{Secret, SecretId, SecretKind};
use crate::store::{AccessRequest, AccessStore, Counts, QUOTAS_MAX, REQUESTS_MAX, Version, is_last_admin};
use crate::usage::{Use, WorkbookFacts};
use crate::workbook_access::{GeneralAccess, Grant, Person, ShareLink, WorkbookAccess};

/// Runs the suite; each part gets an empty store.
///
/// # Panics
/// When the engine breaks a promise.
pub fn run(open: &mut dyn FnMut() -> Box<dyn AccessStore>) {
    for part in [
        documents_are_changed_by_compare_and_set,
        removing_a_document_starts_over,
        workbooks_are_listed_for_owners_and_people,
        the_trash_is_listed_by_age,
        everything_is_listed_in_pages_and_counted,
        quotas_are_kept_up_to_a_limit,
        accounts_are_found_by_identity_address_and_passkey,
        identities_and_verified_addresses_belong_to_one_account,
        deleting_an_account_removes_what_is_its_own,
        sessions_and_tokens_end,
        requests_wait_in_order_up_to_a_limit,
        the_audit_log_is_numbered_and_filtered,
        a_refused_change_leaves_no_audit_entry,
        uses_are_counted_without_a_new_version,
        the_last_reported_facts_count,
        server_secrets_are_chosen_once,
        conformance_webhooks::keys_belong_to_their_first_request,
        conformance_webhooks::keys_are_kept_up_to_a_limit_and_an_age,
        conformance_webhooks::webhooks_are_kept_with_their_positions,
        conformance_webhooks::dead_letters_are_kept_up_to_a_limit,
    ] {
        part(&mut *open());
    }
}

const ADA: AccountId = AccountId(0xada);
const BOB: AccountId = AccountId(0xb0b);

fn room(name: &str) -> RoomName {
    RoomName::new(name).expect("a valid name")
}

fn email(text: &str) -> Email {
    Email::parse(text).expect("a valid address")
}

fn secret(kind: SecretKind, byte: u8) -> Secret {
    Secret::new(kind, [byte; 24])
}

fn entry(event: AuditEvent, name: Option<&str>, time_ms: i64) -> AuditEntry {
    AuditEntry {
        number: AuditNumber(0),
        time_ms,
        actor: Actor::Account(ADA),
        event,
        room: name.map(str::to_owned),
        target: "target".into(),
        address: "192.0.2.1".into(),
    }
}

fn account(id: AccountId, address: &str) -> Account {
    Account {
        id,
        name: format!("Person {id}"),
        email: Some(email(address)),
        is_email_verified: true,
        is_admin: false,
        is_disabled: false,
        identities: BTreeSet::new(),
        password_hash: None,
        passkeys: Vec::new(),
        sign_in_link: None,
        recovery_link: None,
        refuses_notification_mail: false,
        created_ms: 1,
        last_seen_ms: 1,
    }
}

fn grant(person: Person) -> Grant {
    Grant { person, role: Role::Edit, created_ms: 3, last_seen_ms: 0 }
}

fn owned_by(owner: AccountId) -> WorkbookAccess {
    WorkbookAccess::with_owner(owner, GeneralAccess::Restricted, 2)
}

fn put(store: &mut dyn AccessStore, name: &str, access: &WorkbookAccess) -> Version {
    let stored = store.workbook(&room(name)).expect("readable");
    let version = stored.map_or(Version(0), |stored| stored.version);
    store.put_workbook(&room(name), version, Some(access), &[]).expect("no conflict")
}

fn put_account(store: &mut dyn AccessStore, account: &Account) {
    let stored = store.account(account.id).expect("readable");
    let version = stored.map_or(Version(0), |stored| stored.version);
    store.put_account(version, account, &[]).expect("no conflict");
}

fn session(byte: u8, account: AccountId, expires_ms: i64) -> AccountSession {
    let secret = secret(SecretKind::Session, byte);
    AccountSession {
        id: secret.id(),
        hash: secret.hash(),
        account,
        created_ms: i64::from(byte),
        expires_ms,
        last_used_ms: 0,
        user_agent: "browser".into(),
        address: "192.0.2.1".into(),
        renewed_ms: 0,
        provider: None,
        next: None,
        previous: None,
    }
}

fn token(byte: u8, account: AccountId, expires_ms: Option<i64>) -> ApiToken {
    let secret = secret(SecretKind::ApiToken, byte);
    ApiToken {
        id: secret.id(),
        hash: secret.hash(),
        account,
        label: "script".into(),
        scope: Scope::Write,
        rooms: Some(BTreeSet::from(["sales".to_owned()])),
        created_ms: i64::from(byte),
        expires_ms,
        last_used_ms: 0,
    }
}

fn documents_are_changed_by_compare_and_set(store: &mut dyn AccessStore) {
    let first = owned_by(ADA);
    assert_eq!(store.workbook(&room("sales")), Ok(None));
    assert_eq!(store.put_workbook(&room("sales"), Version(0), Some(&first), &[]), Ok(Version(1)));
    let second = WorkbookAccess { general: GeneralAccess::Anyone(Role::View), ..first.clone() };
    for stale in [Version(0), Version(2)] {
        let refused = store.put_workbook(&room("sales"), stale, Some(&second), &[]);
        assert_eq!(refused, Err(AccessError::Conflict));
    }
    let stored = store.workbook(&room("sales")).expect("readable").expect("stored");
    assert_eq!((stored.version, stored.value), (Version(1), first));
    assert_eq!(store.put_workbook(&room("sales"), Version(1), Some(&second), &[]), Ok(Version(2)));
    assert_eq!(store.workbook(&room("other")), Ok(None));
}

fn removing_a_document_starts_over(store: &mut dyn AccessStore) {
    put(store, "sales", &owned_by(ADA));
    assert_eq!(store.put_workbook(&room("sales"), Version(1), None, &[]), Ok(Version(0)));
    assert_eq!(store.workbook(&room("sales")), Ok(None));
    assert_eq!(store.workbooks_of(ADA, None, None, 10), Ok(vec![]));
    assert_eq!(put(store, "sales", &owned_by(BOB)), Version(1));
}

fn workbooks_are_listed_for_owners_and_people(store: &mut dyn AccessStore) {
    let mut shared = owned_by(BOB);
    shared.grants.push(grant(Person::Account(ADA)));
    let mut invited = owned_by(BOB);
    invited.grants.push(grant(Person::Email(email("ada@example.org"))));
    put(store, "b-shared", &shared);
    put(store, "c-invited", &invited);
    put(store, "a-own", &owned_by(ADA));
    put(store, "d-not-hers", &owned_by(BOB));
    let mut names = |address: Option<&Email>, after: Option<&str>, count| {
        let after = after.map(room);
        let listed = store.workbooks_of(ADA, address, after.as_ref(), count).expect("readable");
        listed.iter().map(|listed| listed.room.as_str().to_owned()).collect::<Vec<_>>()
    };
    let address = email("ada@example.org");
    assert_eq!(names(Some(&address), None, 10), ["a-own", "b-shared", "c-invited"]);
    assert_eq!(names(None, None, 10), ["a-own", "b-shared"]);
    assert_eq!(names(Some(&address), Some("a-own"), 1), ["b-shared"]);
    // Somebody who was removed no longer sees it.
    put(store, "b-shared", &owned_by(BOB));
    let listed = store.workbooks_of(ADA, None, None, 10).expect("readable");
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].access, owned_by(ADA));
}

fn the_trash_is_listed_by_age(store: &mut dyn AccessStore) {
    put(store, "kept", &owned_by(ADA));
    put(store, "old", &WorkbookAccess { trashed_ms: Some(10), ..owned_by(ADA) });
    put(store, "new", &WorkbookAccess { trashed_ms: Some(20), ..owned_by(ADA) });
    assert_eq!(store.trashed_before(20, 10), Ok(vec![room("old")]));
    assert_eq!(store.trashed_before(21, 1), Ok(vec![room("old")]), "the longest first");
    // Restored.
    put(store, "old", &owned_by(ADA));
    assert_eq!(store.trashed_before(20, 10), Ok(vec![]));
}

fn everything_is_listed_in_pages_and_counted(store: &mut dyn AccessStore) {
    assert_eq!(store.counts(), Ok(Counts::default()));
    for name in ["a", "b", "c"] {
        put(store, name, &owned_by(ADA));
    }
    put(store, "d", &WorkbookAccess { trashed_ms: Some(10), ..owned_by(ADA) });
    let page = store.workbooks(Some(&room("a")), 2).expect("readable");
    assert_eq!(page.iter().map(|listed| listed.room.as_str()).collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(store.workbooks(None, 9).expect("readable").len(), 4);
    put_account(store, &Account { is_admin: true, ..account(ADA, "ada@example.org") });
    let disabled = Account { is_admin: true, is_disabled: true, ..account(BOB, "bob@example.org") };
    put_account(store, &disabled);
    for byte in [1, 2, 3] {
        store.put_session(&session(byte, ADA, 100), &[]).expect("stored");
        store.put_token(&token(byte, ADA, None), &[]).expect("stored");
    }
    let sessions = store.sessions(Some(session(1, ADA, 100).id), 9).expect("readable");
    assert_eq!(sessions, [session(2, ADA, 100), session(3, ADA, 100)]);
    assert_eq!(store.sessions(None, 1), Ok(vec![session(1, ADA, 100)]));
    let tokens = store.tokens(Some(token(1, ADA, None).id), 1).expect("readable");
    assert_eq!(tokens, [token(2, ADA, None)]);
    let expected = Counts {
        accounts: 2,
        admins: 1,
        disabled_accounts: 1,
        sessions: 3,
        tokens: 3,
        workbooks: 3,
        trashed_workbooks: 1,
    };
    assert_eq!(store.counts(), Ok(expected));
    assert_eq!([is_last_admin(store, ADA), is_last_admin(store, BOB)], [Ok(true), Ok(false)]);
    put_account(store, &Account { is_disabled: false, ..disabled });
    assert_eq!(is_last_admin(store, ADA), Ok(false));
}

fn quotas_are_kept_up_to_a_limit(store: &mut dyn AccessStore) {
    let tenant = |number: usize| QuotaSubject::Tenant(format!("t{number:05}.example.org"));
    let quota = Quota { bytes: Some(5), ..Quota::default() };
    let audit = [entry(AuditEvent::QuotaChanged, None, 1)];
    store.put_quota(&tenant(0), Some(&Quota::default()), &audit).expect("stored");
    for number in 0..QUOTAS_MAX {
        store.put_quota(&tenant(number), Some(&quota), &[]).expect("stored");
    }
    let refused = store.put_quota(&tenant(QUOTAS_MAX), Some(&quota), &audit);
    assert!(matches!(refused, Err(AccessError::TooMany { max: QUOTAS_MAX, .. })));
    let quotas = store.quotas().expect("readable");
    assert_eq!((quotas.len(), &quotas[0]), (QUOTAS_MAX, &(tenant(0), quota)));
    assert_eq!(store.audit(&AuditFilter::default(), 10).expect("readable").len(), 1);
    store.put_quota(&tenant(0), None, &[]).expect("removed");
    store.put_quota(&tenant(0), None, &[]).expect("removing a missing one is no error");
    assert_eq!(store.quotas().expect("readable").len(), QUOTAS_MAX - 1);
}

fn accounts_are_found_by_identity_address_and_passkey(store: &mut dyn AccessStore) {
    let identity = Identity { issuer: "https://login.example.org".into(), subject: "42".into() };
    let mut ada = account(ADA, "ada@example.org");
    ada.identities.insert(identity.clone());
    ada.passkeys.push(StoredPasskey {
        id: "AQID".into(),
        label: "laptop".into(),
        credential: serde_json::json!({"counter": 1}),
        created_ms: 1,
        last_used_ms: 0,
    });
    put_account(store, &ada);
    put_account(store, &account(BOB, "bob@example.org"));
    let unverified = Account { is_email_verified: false, ..account(AccountId(0xca7), "carol@example.org") };
    put_account(store, &unverified);
    let found = |stored: Result<Option<crate::Versioned<Account>>, AccessError>| {
        stored.expect("readable").map(|stored| stored.value.id)
    };
    assert_eq!(found(store.account_by_identity(&identity)), Some(ADA));
    assert_eq!(found(store.account_by_email(&email("ADA@example.org"))), Some(ADA));
    assert_eq!(found(store.account_by_passkey("AQID")), Some(ADA));
    assert_eq!(found(store.account_by_email(&email("carol@example.org"))), None);
    assert_eq!(found(store.account_by_passkey("AQIE")), None);
    let other = Identity { subject: "43".into(), ..identity };
    assert_eq!(found(store.account_by_identity(&other)), None);
    assert_eq!(store.account(ADA).expect("readable").expect("stored").value, ada);
    let ids = |accounts: Vec<Account>| accounts.iter().map(|account| account.id).collect::<Vec<_>>();
    assert_eq!(ids(store.accounts(None, 2).expect("readable")), [ADA, BOB]);
    assert_eq!(ids(store.accounts(Some(ADA), 9).expect("readable")), [BOB, unverified.id]);
}

fn identities_and_verified_addresses_belong_to_one_account(store: &mut dyn AccessStore) {
    let identity = Identity { issuer: "https://login.example.org".into(), subject: "42".into() };
    let mut ada = account(ADA, "ada@example.org");
    ada.identities.insert(identity.clone());
    put_account(store, &ada);
    let mut bob = account(BOB, "bob@example.org");
    bob.identities.insert(identity);
    assert!(matches!(store.put_account(Version(0), &bob, &[]), Err(AccessError::Taken { .. })));
    let same_address = account(BOB, "ada@example.org");
    assert!(matches!(store.put_account(Version(0), &same_address, &[]), Err(AccessError::Taken { .. })));
    let unproven = Account { is_email_verified: false, ..same_address };
    assert_eq!(store.put_account(Version(0), &unproven, &[]), Ok(Version(1)));
    assert_eq!(store.put_account(Version(0), &unproven, &[]), Err(AccessError::Conflict));
}

fn deleting_an_account_removes_what_is_its_own(store: &mut dyn AccessStore) {
    put_account(store, &account(ADA, "ada@example.org"));
    put_account(store, &account(BOB, "bob@example.org"));
    let mut shared = owned_by(BOB);
    shared.grants.extend([grant(Person::Account(ADA)), grant(Person::Account(BOB))]);
    shared.grants.push(grant(Person::Email(email("ada@example.org"))));
    let version = put(store, "shared", &shared);
    put(store, "own", &owned_by(ADA));
    store.put_session(&session(1, ADA, 100), &[]).expect("stored");
    store.put_session(&session(2, BOB, 100), &[]).expect("stored");
    store.put_token(&token(3, ADA, None), &[]).expect("stored");
    let quota = Quota { bytes: Some(5), ..Quota::default() };
    store.put_quota(&QuotaSubject::Account(ADA), Some(&quota), &[]).expect("stored");
    let asks = |number, account, address: Option<&str>| AccessRequest {
        id: SecretId(number),
        room: "shared".into(),
        account,
        name: "Ada".into(),
        email: address.map(email),
        message: String::new(),
        created_ms: number as i64,
    };
    let requests = [
        asks(1, Some(ADA), None),
        asks(2, None, Some("ada@example.org")),
        asks(3, None, Some("carol@example.org")),
    ];
    for request in &requests {
        store.put_request(request, &[]).expect("stored");
    }
    let hers = store.requests_of(ADA, Some(&email("ada@example.org")));
    assert_eq!(hers, Ok(requests[..2].to_vec()));
    assert_eq!(store.requests_of(ADA, None), Ok(requests[..1].to_vec()));
    assert_eq!(store.delete_account(ADA, &[entry(AuditEvent::AccountDeleted, None, 9)]), Ok(true));
    assert_eq!(store.delete_account(ADA, &[]), Ok(false));
    assert_eq!(store.account(ADA), Ok(None));
    assert_eq!(store.sessions_of(ADA), Ok(vec![]));
    assert_eq!(store.tokens_of(ADA), Ok(vec![]));
    assert_eq!(store.quotas(), Ok(vec![]));
    assert_eq!(store.requests(&room("shared")), Ok(requests[2..].to_vec()));
    assert_eq!(store.sessions_of(BOB).expect("readable").len(), 1);
    assert_eq!(store.workbooks_of(ADA, None, None, 10), Ok(vec![]));
    let stored = store.workbook(&room("shared")).expect("readable").expect("stored");
    assert_eq!(stored.value.grants, [grant(Person::Account(BOB))]);
    assert_eq!(stored.version, version.next(), "a document that changed has a new version");
    assert_eq!(store.workbook(&room("own")).expect("readable").expect("stored").value.owner, None);
    // Its address is free again.
    put_account(store, &account(AccountId(0xada2), "ada@example.org"));
}

fn sessions_and_tokens_end(store: &mut dyn AccessStore) {
    for (byte, expires_ms) in [(1, 50), (2, 60), (3, 70)] {
        store.put_session(&session(byte, ADA, expires_ms), &[]).expect("stored");
    }
    store.put_token(&token(4, ADA, Some(50)), &[]).expect("stored");
    store.put_token(&token(5, ADA, None), &[]).expect("stored");
    let ids = |sessions: Vec<AccountSession>| sessions.iter().map(|s| s.created_ms).collect::<Vec<_>>();
    assert_eq!(ids(store.sessions_of(ADA).expect("readable")), [3, 2, 1]);
    assert_eq!(store.session(session(2, ADA, 60).id), Ok(Some(session(2, ADA, 60))));
    assert_eq!(store.token(token(4, ADA, None).id), Ok(Some(token(4, ADA, Some(50)))));
    assert_eq!(store.delete_expired(50), Ok(2));
    assert_eq!(ids(store.sessions_of(ADA).expect("readable")), [3, 2]);
    store.delete_sessions(&[session(3, ADA, 0).id, SecretId(99)], &[]).expect("deleted");
    assert_eq!(ids(store.sessions_of(ADA).expect("readable")), [2]);
    assert_eq!(store.delete_token(token(5, ADA, None).id, &[]), Ok(true));
    assert_eq!(store.delete_token(token(5, ADA, None).id, &[]), Ok(false));
}

fn requests_wait_in_order_up_to_a_limit(store: &mut dyn AccessStore) {
    let request = |number: usize| AccessRequest {
        id: SecretId(number as u64),
        room: "sales".into(),
        account: Some(ADA),
        name: "Ada".into(),
        email: None,
        message: format!("please {number}"),
        created_ms: number as i64,
    };
    for number in (0..REQUESTS_MAX).rev() {
        store.put_request(&request(number), &[]).expect("stored");
    }
    let refused = store.put_request(&request(REQUESTS_MAX), &[]);
    assert!(matches!(refused, Err(AccessError::TooMany { max: REQUESTS_MAX, .. })));
    let waiting = store.requests(&room("sales")).expect("readable");
    assert_eq!(waiting.len(), REQUESTS_MAX);
    assert_eq!(waiting[1], request(1));
    assert_eq!(store.delete_request(&room("sales"), SecretId(1), &[]), Ok(true));
    assert_eq!(store.delete_request(&room("sales"), SecretId(1), &[]), Ok(false));
    assert_eq!(store.delete_request(&room("other"), SecretId(2), &[]), Ok(false));
    assert_eq!(store.requests(&room("other")), Ok(vec![]));
}

fn the_audit_log_is_numbered_and_filtered(store: &mut dyn AccessStore) {
    let entries = [
        entry(AuditEvent::LinkCreated, Some("sales"), 10),
        entry(AuditEvent::LinkRevoked, Some("sales"), 20),
        AuditEntry { actor: Actor::Operator, ..entry(AuditEvent::AccountCreated, None, 30) },
    ];
    store.append_audit(&entries[..2]).expect("stored");
    store.append_audit(&entries[2..]).expect("stored");
    let all = store.audit(&AuditFilter::default(), 10).expect("readable");
    assert_eq!(all.iter().map(|entry| entry.number.0).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(all[1], AuditEntry { number: AuditNumber(2), ..entries[1].clone() });
    let mut count = |filter: AuditFilter| store.audit(&filter, 10).expect("readable").len();
    assert_eq!(count(AuditFilter { after: AuditNumber(1), ..AuditFilter::default() }), 2);
    assert_eq!(count(AuditFilter { room: Some("sales".into()), ..AuditFilter::default() }), 2);
    assert_eq!(count(AuditFilter { actor: Some(Actor::Operator), ..AuditFilter::default() }), 1);
    assert_eq!(count(AuditFilter { event: Some(AuditEvent::LinkRevoked), ..AuditFilter::default() }), 1);
    assert_eq!(count(AuditFilter { before: Some(AuditNumber(3)), ..AuditFilter::default() }), 2);
    assert_eq!(count(AuditFilter { since_ms: Some(20), until_ms: Some(30), ..AuditFilter::default() }), 1);
    assert_eq!(count(AuditFilter { account: Some(ADA), ..AuditFilter::default() }), 2);
    assert_eq!(count(AuditFilter { account: Some(BOB), ..AuditFilter::default() }), 0);
    assert_eq!(store.audit(&AuditFilter::default(), 2).expect("readable").len(), 2);
    let newest = AuditFilter { newest_first: true, ..AuditFilter::default() };
    let newest = store.audit(&newest, 2).expect("readable");
    assert_eq!(newest.iter().map(|entry| entry.number.0).collect::<Vec<_>>(), [3, 2]);
    let about = AuditEntry { target: BOB.to_string(), ..entry(AuditEvent::AccountChanged, None, 5) };
    store.append_audit(&[about]).expect("stored");
    let of_bob = AuditFilter { account: Some(BOB), ..AuditFilter::default() };
    assert_eq!(store.audit(&of_bob, 10).expect("readable").len(), 1);
    assert_eq!(store.forget_audit_before(30, 1), Ok(1), "the oldest first");
    assert_eq!(store.forget_audit_before(30, 10), Ok(2));
    store.append_audit(&entries[..1]).expect("stored");
    let numbers = store.audit(&AuditFilter::default(), 10).expect("readable");
    assert_eq!(numbers.iter().map(|entry| entry.number.0).collect::<Vec<_>>(), [3, 5]);
}

fn a_refused_change_leaves_no_audit_entry(store: &mut dyn AccessStore) {
    let audit = [entry(AuditEvent::GeneralAccessChanged, Some("sales"), 1)];
    store.put_workbook(&room("sales"), Version(0), Some(&owned_by(ADA)), &audit).expect("stored");
    let refused = store.put_workbook(&room("sales"), Version(0), Some(&owned_by(BOB)), &audit);
    assert_eq!(refused, Err(AccessError::Conflict));
    assert_eq!(store.audit(&AuditFilter::default(), 10).expect("readable").len(), 1);
}

fn uses_are_counted_without_a_new_version(store: &mut dyn AccessStore) {
    let secret = secret(SecretKind::ShareLink, 8);
    let mut access = owned_by(BOB);
    access.grants.push(grant(Person::Account(ADA)));
    access.links.push(ShareLink {
        id: secret.id(),
        hash: secret.hash(),
        role: Role::View,
        label: "for the board".into(),
        person: None,
        expires_ms: None,
        password_hash: None,
        created_ms: 1,
        uses: 0,
        last_used_ms: 0,
    });
    let version = put(store, "sales", &access);
    put_account(store, &account(ADA, "ada@example.org"));
    store.put_session(&session(1, ADA, 100), &[]).expect("stored");
    store.put_token(&token(2, ADA, None), &[]).expect("stored");
    let used = |count, time_ms| Use::Link { room: room("sales"), id: secret.id(), count, time_ms };
    store
        .record_uses(&[
            used(2, 30),
            used(1, 20),
            Use::Grant { room: room("sales"), account: ADA, email: None, time_ms: 40 },
            Use::Account { id: ADA, time_ms: 50 },
            Use::Session { id: session(1, ADA, 0).id, time_ms: 60 },
            Use::Token { id: token(2, ADA, None).id, time_ms: 70 },
            Use::Token { id: SecretId(404), time_ms: 70 },
        ])
        .expect("stored");
    let stored = store.workbook(&room("sales")).expect("readable").expect("stored");
    assert_eq!((stored.version, stored.value.links[0].uses), (version, 3));
    assert_eq!((stored.value.links[0].last_used_ms, stored.value.grants[0].last_seen_ms), (30, 40));
    assert_eq!(store.account(ADA).expect("readable").expect("stored").value.last_seen_ms, 50);
    assert_eq!(store.sessions_of(ADA).expect("readable")[0].last_used_ms, 60);
    assert_eq!(store.tokens_of(ADA).expect("readable")[0].last_used_ms, 70);
}

fn the_last_reported_facts_count(store: &mut dyn AccessStore) {
    let facts =
        |title: Option<&str>, changed_ms| WorkbookFacts { title: title.map(str::to_owned), changed_ms };
    let report = |name: &str, facts: Option<WorkbookFacts>| Use::Workbook { room: room(name), facts };
    let reports = [
        report("sales", Some(facts(Some("2026"), 1))),
        report("sales", Some(facts(Some("2027"), 2))),
        report("plan", Some(facts(None, 3))),
    ];
    store.record_uses(&reports).expect("stored");
    let rooms = [room("plan"), room("other"), room("sales")];
    let expected = vec![Some(facts(None, 3)), None, Some(facts(Some("2027"), 2))];
    assert_eq!(store.facts(&rooms), Ok(expected));
    store.record_uses(&[report("plan", None)]).expect("stored");
    put(store, "sales", &owned_by(ADA));
    store.put_workbook(&room("sales"), Version(1), None, &[]).expect("no conflict");
    assert_eq!(store.facts(&rooms), Ok(vec![None, None, None]));
}

fn server_secrets_are_chosen_once(store: &mut dyn AccessStore) {
    assert_eq!(store.server_secret("state", &[1; 32]), Ok([1; 32]));
    assert_eq!(store.server_secret("state", &[2; 32]), Ok([1; 32]));
    assert_eq!(store.server_secret("other", &[3; 32]), Ok([3; 32]));
}
