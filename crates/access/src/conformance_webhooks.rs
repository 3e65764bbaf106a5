//! The part of the test suite about requests with idempotency keys (A6) and webhooks (A7, A8).

use std::collections::BTreeSet;

use quadrille_protocol::RoomName;

use crate::access_error::AccessError;
use crate::audit::{Actor, AuditEntry, AuditEvent, AuditFilter, AuditNumber};
use crate::keyed_request::{Digest, KeyedRequest, RecordedAnswer};
use crate::secret::SecretId;
use crate::store::{AccessStore, Version};
use crate::webhook::{DeadLetter, Webhook, WebhookEvent, WebhookPosition};

fn room(name: &str) -> RoomName {
    RoomName::new(name).expect("a valid name")
}

fn keyed(key: u8, name: &str, created_ms: i64) -> KeyedRequest {
    KeyedRequest {
        key: Digest([key; 32]),
        room: name.into(),
        fingerprint: Digest([7; 32]),
        number: 4_711,
        after: 12,
        created_ms,
        answer: None,
    }
}

fn webhook(id: u64, name: Option<&str>) -> Webhook {
    Webhook {
        id: SecretId(id),
        room: name.map(str::to_owned),
        url: "https://example.org/hook".into(),
        label: "stock".into(),
        events: BTreeSet::from([WebhookEvent::RangeChanged]),
        sheet: Some(1),
        range: Some("A1:B9".into()),
        is_paused: false,
        created_ms: id as i64,
    }
}

fn position(name: &str, up_to: Option<u64>, after: u64) -> WebhookPosition {
    WebhookPosition { room: room(name), up_to, after }
}

fn letter(first: u64) -> DeadLetter {
    DeadLetter {
        number: 0,
        room: "sales".into(),
        first,
        last: first + 4,
        attempts: 8,
        failed_ms: 99,
        reason: "500".into(),
    }
}

pub(crate) fn keys_belong_to_their_first_request(store: &mut dyn AccessStore) {
    let first = keyed(1, "sales", 100);
    assert_eq!(store.begin_keyed_request(&first, 0, 10), Ok(None));
    let other = KeyedRequest { number: 9, created_ms: 200, ..first.clone() };
    assert_eq!(store.begin_keyed_request(&other, 100, 10), Ok(Some(first.clone())));
    let answer = RecordedAnswer { status: 200, etag: Some("\"13\"".into()), body: "{}".into() };
    store.answer_keyed_request(first.key, &answer).expect("stored");
    let answered = KeyedRequest { answer: Some(answer.clone()), ..first };
    assert_eq!(store.begin_keyed_request(&other, 100, 10), Ok(Some(answered)));
    assert_eq!(store.begin_keyed_request(&other, 101, 10), Ok(None), "an old key can be used again");
    assert_eq!(store.begin_keyed_request(&other, 101, 10), Ok(Some(other)));
    store.answer_keyed_request(Digest([9; 32]), &answer).expect("an unknown key is ignored");
}

pub(crate) fn keys_are_kept_up_to_a_limit_and_an_age(store: &mut dyn AccessStore) {
    for key in 1..=4 {
        assert_eq!(store.begin_keyed_request(&keyed(key, "sales", i64::from(key)), 0, 3), Ok(None));
    }
    store.begin_keyed_request(&keyed(9, "other", 1), 0, 3).expect("stored");
    let mut is_stored = |key, name: &str| {
        let found = store.begin_keyed_request(&keyed(key, name, 50), 0, 100).expect("readable");
        found.is_some()
    };
    assert!(is_stored(9, "other") && is_stored(4, "sales") && is_stored(2, "sales"));
    assert!(!is_stored(1, "sales"), "the oldest one of the room");
    assert_eq!(store.forget_keyed_requests_before(4, 2), Ok(2));
    assert_eq!(store.forget_keyed_requests_before(4, 10), Ok(1), "1 of the other room, 2 and 3");
    let access = store.put_workbook(&room("sales"), Version(0), None, &[]);
    assert_eq!(access, Ok(Version(0)));
    assert_eq!(store.begin_keyed_request(&keyed(4, "sales", 60), 0, 10), Ok(None), "the room was deleted");
}

pub(crate) fn webhooks_are_kept_with_their_positions(store: &mut dyn AccessStore) {
    let (own, server) = (webhook(1, Some("sales")), webhook(2, None));
    let created = AuditEntry {
        number: AuditNumber(0),
        time_ms: 5,
        actor: Actor::Operator,
        event: AuditEvent::WebhookCreated,
        room: None,
        target: own.id.to_string(),
        address: String::new(),
    };
    let following = position("sales", None, 12);
    store.put_webhook(&own, Some(&following), 2, std::slice::from_ref(&created)).expect("stored");
    store.put_webhook(&server, None, 1, &[]).expect("stored");
    assert_eq!(store.webhooks(Some(&room("sales"))), Ok(vec![own.clone()]));
    assert_eq!(store.webhooks(None), Ok(vec![server.clone()]));
    assert_eq!(store.all_webhooks(), Ok(vec![own.clone(), server.clone()]));
    assert_eq!(store.audit(&AuditFilter::default(), 10).map(|entries| entries.len()), Ok(1));
    let refused = store.put_webhook(&webhook(3, None), None, 1, std::slice::from_ref(&created));
    assert_eq!(refused, Err(AccessError::TooMany { what: "webhooks", max: 1 }));
    assert_eq!(store.audit(&AuditFilter::default(), 10).map(|entries| entries.len()), Ok(1));
    let paused = Webhook { is_paused: true, ..server };
    store.put_webhook(&paused, None, 1, &[]).expect("the same one");
    assert_eq!(store.webhooks(None), Ok(vec![paused.clone()]));
    // A replay beside the position that follows the workbook.
    store.move_webhook(own.id, &position("sales", Some(10), 3), None, 9).expect("stored");
    let both = vec![position("sales", Some(10), 3), following.clone()];
    assert_eq!(store.webhook_positions(own.id), Ok(both));
    store.move_webhook(own.id, &position("sales", Some(10), 10), None, 9).expect("stored");
    assert_eq!(store.webhook_positions(own.id), Ok(vec![following]), "the replay has reached its end");
    assert_eq!(store.delete_webhook(own.id, &[]), Ok(true));
    assert_eq!(store.delete_webhook(own.id, &[]), Ok(false));
    assert_eq!(store.webhook_positions(own.id), Ok(vec![]));
    store.move_webhook(own.id, &position("sales", None, 9), Some(&letter(1)), 9).expect("ignored");
    assert_eq!(store.webhook_positions(own.id), Ok(vec![]));
    assert_eq!(store.dead_letters(own.id, 0, 10), Ok(vec![]));
}

pub(crate) fn dead_letters_are_kept_up_to_a_limit(store: &mut dyn AccessStore) {
    let (own, server) = (webhook(1, Some("sales")), webhook(2, None));
    for webhook in [&own, &server] {
        store.put_webhook(webhook, None, 9, &[]).expect("stored");
    }
    for first in [1, 6, 11] {
        store
            .move_webhook(own.id, &position("sales", None, first + 4), Some(&letter(first)), 2)
            .expect("stored");
    }
    store.move_webhook(server.id, &position("sales", None, 5), Some(&letter(1)), 2).expect("stored");
    assert_eq!(store.webhook_positions(own.id), Ok(vec![position("sales", None, 15)]));
    let letters = store.dead_letters(own.id, 0, 10).expect("readable");
    assert_eq!(letters.iter().map(|letter| letter.first).collect::<Vec<_>>(), [6, 11], "the newest two");
    assert!(letters[0].number < letters[1].number);
    assert_eq!(letters[1], DeadLetter { number: letters[1].number, ..letter(11) });
    assert_eq!(store.dead_letters(own.id, letters[0].number, 1), Ok(vec![letters[1].clone()]));
    assert_eq!(store.delete_dead_letter(own.id, letters[0].number), Ok(true));
    assert_eq!(store.delete_dead_letter(own.id, letters[0].number), Ok(false));
    assert_eq!(store.dead_letters(own.id, 0, 10).map(|letters| letters.len()), Ok(1));
    // A deleted workbook takes its webhooks along, but not those of the server.
    store.put_workbook(&room("sales"), Version(0), None, &[]).expect("removed");
    assert_eq!(store.all_webhooks(), Ok(vec![server.clone()]));
    assert_eq!(store.dead_letters(own.id, 0, 10), Ok(vec![]));
    assert_eq!(store.webhook_positions(server.id), Ok(vec![]));
}
