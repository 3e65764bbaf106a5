//! `--trace`: the stages of a transaction in the server.

use serde_json::Value as Json;

use std::path::Path;

use crate::person::Person;
use crate::relay_sessions::Cluster;
use crate::support::Server;

#[test]
fn a_trace_lists_each_stage_of_a_transaction() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let file = data.path().join("trace.json");
    let path = file.to_str().expect("UTF-8").to_owned();
    let server = Server::start_on(&data.path().join("data"), &["--trace", &path]);
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.type_text("A1", "1");
    ann.wait_until_saved();
    let found = first_transaction(&file, &mut ann, 10);
    assert_stages(&found, &["queue", "order", "journal", "wait", "fan-out"]);
    assert!(found.is_sorted_by_key(|event| event.at_us), "{found:?}");
}

#[test]
fn traces_of_two_servers_have_the_whole_way_of_a_relayed_transaction() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let files = ["owner.json", "relay.json"].map(|name| directory.path().join(name));
    let cluster = Cluster::<2>::start_each(|number| {
        vec!["--trace".to_owned(), files[number].to_str().expect("UTF-8").to_owned()]
    });
    let [owner, relay] = &cluster.servers;
    let mut ann = Person::join(owner, "plan", "Ann");
    ann.type_text("A1", "1");
    ann.wait_until_saved();
    let mut ben = Person::join(relay, "plan", "Ben");
    ben.type_text("A2", "2");
    ben.wait_until_saved();
    ann.wait_for_value("A2", 2.0);
    let at_owner = first_transaction(&files[0], &mut ben, 12);
    assert_stages(&at_owner, &["relay", "queue", "order", "journal", "wait", "fan-out"]);
    let at_relay = first_transaction(&files[1], &mut ben, 2);
    assert_stages(&at_relay, &["relay-fan-out"]);
    // The clock of both is the same here.
    assert!(at_owner[0].at_us <= at_relay[0].at_us, "{at_owner:?} {at_relay:?}");
    assert_ne!(at_owner[0].process, at_relay[0].process);
    assert!(at_owner[0].process > 2 && at_relay[0].process > 2);
}

/// An event of a trace.
#[derive(Debug)]
struct TraceEvent {
    name: String,
    phase: String,
    at_us: u64,
    process: u64,
}

/// The events of a person's first transaction in a trace, once there are `count`.
fn first_transaction(file: &Path, person: &mut Person, count: usize) -> Vec<TraceEvent> {
    let id = format!("{:016x}-1", person.replica.replica_id().expect("welcomed").0);
    let mut found = Vec::new();
    person.wait_until("traced", |_| {
        let text = std::fs::read_to_string(file).expect("the trace") + "]";
        // The last event can be written in part.
        let Ok(Json::Array(events)) = serde_json::from_str(&text) else { return false };
        let of_person = events.iter().filter(|event| event["id"] == id.as_str());
        found = of_person
            .map(|event| {
                let text = |name: &str| event[name].as_str().expect("a text").to_owned();
                let number = |name: &str| event[name].as_u64().expect("a number");
                TraceEvent {
                    name: text("name"),
                    phase: text("ph"),
                    at_us: number("ts"),
                    process: number("pid"),
                }
            })
            .collect();
        found.len() == count
    });
    found
}

/// Asserts that these stages begin and end, in this order.
fn assert_stages(found: &[TraceEvent], stages: &[&str]) {
    let order: Vec<(&str, &str)> = found.iter().map(|event| (&*event.name, &*event.phase)).collect();
    let expected: Vec<(&str, &str)> =
        stages.iter().flat_map(|stage| [(*stage, "b"), (*stage, "e")]).collect();
    assert_eq!(order, expected);
}
