//! Digests: the reaction of the room to a session that reports a differing digest.

use std::fs::File;
use std::time::{Duration, Instant};

use quadrille_protocol::ClientFrame;
use quadrille_protocol::limits::DIGEST_EVERY;

use crate::person::Person;
use crate::support::Server;

#[test]
fn p15_a_differing_replica_is_counted_logged_and_sent_a_snapshot() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let log = data.path().join("log");
    let file = File::create(&log).expect("writable");
    let server = Server::start_logging_to(file.into(), &data.path().join("data"), &["--metrics", "true"]);
    let mut ann = Person::join(&server, "plan", "Ann");
    let mut bob = Person::join(&server, "plan", "Bob");
    // The room skips the digest of a revision that arrives while it encodes a snapshot.
    let mut number = 0;
    while ann.digest_revision.is_none() {
        for _ in 0..DIGEST_EVERY {
            number += 1;
            ann.type_text("A1", &number.to_string());
        }
        ann.wait_until_saved();
        let deadline = Instant::now() + Duration::from_secs(2);
        while ann.digest_revision.is_none() && Instant::now() < deadline {
            ann.receive();
        }
        assert!(number < 1_000, "the room sends no digest");
    }
    let revision = ann.digest_revision.expect("received above");
    assert!(server.metric("quadrille_digests_total") >= Some(1.0));
    assert_eq!(server.metric("quadrille_digest_mismatches_total"), Some(0.0));
    let snapshots = server.metric("quadrille_resumes_total{by=\"snapshot\"}");

    // Bob's unconfirmed edit survives the snapshot.
    bob.type_text("B1", "mine");
    bob.send_frame(&ClientFrame::Digest { revision, digest: 4_711 });
    bob.wait_until_saved();
    bob.wait_until("Bob is sent a snapshot", |_| {
        server.metric("quadrille_resumes_total{by=\"snapshot\"}") > snapshots
    });
    assert_eq!(server.metric("quadrille_digest_mismatches_total"), Some(1.0));
    ann.type_text("C1", "on");
    for person in [&mut ann, &mut bob] {
        person.wait_for_value("A1", f64::from(number));
        person.wait_for_value("B1", "mine");
        person.wait_for_value("C1", "on");
    }
    assert_eq!(bob.closed_with, None);

    let log = std::fs::read_to_string(&log).expect("written");
    let line = log.lines().find(|line| line.contains("a replica differs from the room"));
    let line = line.unwrap_or_else(|| panic!("no such line in {log:?}"));
    for part in ["room=plan", &format!("revision={}", revision.0), "ours=", "replica=4711"] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
}
