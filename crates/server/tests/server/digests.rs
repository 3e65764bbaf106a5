//! A replica that differs from its room, which no replica of ours does: here somebody claims it.

use std::fs::File;
use std::time::{Duration, Instant};

use quadrille_protocol::ClientFrame;
use quadrille_protocol::limits::DIGEST_EVERY;

use crate::person::Person;
use crate::support::Server;

#[test]
fn p15_a_replica_that_differs_is_counted_logged_and_given_the_workbook() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let log = data.path().join("log");
    let file = File::create(&log).expect("writable");
    let server = Server::start_logging_to(file.into(), &data.path().join("data"), &["--metrics", "true"]);
    let mut ann = Person::join(&server, "plan", "Ann");
    let mut bob = Person::join(&server, "plan", "Bob");
    // A revision that comes while the workbook is made into bytes for somebody else is passed over.
    let mut number = 0;
    while ann.stated.is_none() {
        for _ in 0..DIGEST_EVERY {
            number += 1;
            ann.types("A1", &number.to_string());
        }
        ann.saves();
        let long_enough = Instant::now() + Duration::from_secs(2);
        while ann.stated.is_none() && Instant::now() < long_enough {
            ann.listens();
        }
        assert!(number < 1_000, "no digest is stated");
    }
    let revision = ann.stated.expect("waited for");
    assert!(server.metric("quadrille_digests_total") >= Some(1.0));
    assert_eq!(server.metric("quadrille_digest_mismatches_total"), Some(0.0));
    let snapshots = server.metric("quadrille_resumes_total{by=\"snapshot\"}");

    // What Bob has not saved is his also when he is given another workbook.
    bob.types("B1", "mine");
    bob.says(&ClientFrame::Digest { revision, digest: 4_711 });
    bob.saves();
    bob.until("he was given the workbook", |_| {
        server.metric("quadrille_resumes_total{by=\"snapshot\"}") > snapshots
    });
    assert_eq!(server.metric("quadrille_digest_mismatches_total"), Some(1.0));
    ann.types("C1", "on");
    for person in [&mut ann, &mut bob] {
        person.sees("A1", f64::from(number));
        person.sees("B1", "mine");
        person.sees("C1", "on");
    }
    assert_eq!(bob.closed_with, None);

    let log = std::fs::read_to_string(&log).expect("written");
    let line = log.lines().find(|line| line.contains("a replica differs from the room"));
    let line = line.unwrap_or_else(|| panic!("no such line in {log:?}"));
    for part in ["room=plan", &format!("revision={}", revision.0), "ours=", "replica=4711"] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
}
