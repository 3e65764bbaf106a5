//! `--trace`: the stages of a transaction in the server.

use serde_json::Value as Json;

use crate::person::Person;
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
    let id = format!("{:016x}-1", ann.replica.replica_id().expect("welcomed").0);
    let mut found: Vec<(String, String, u64)> = Vec::new();
    ann.wait_until("traced", |_| {
        let text = std::fs::read_to_string(&file).expect("the trace") + "]";
        // The last event can be written in part.
        let Ok(Json::Array(events)) = serde_json::from_str(&text) else { return false };
        let of_ann = events.iter().filter(|event| event["id"] == id.as_str());
        found = of_ann
            .map(|event| {
                let text = |name: &str| event[name].as_str().expect("a text").to_owned();
                (text("name"), text("ph"), event["ts"].as_u64().expect("a time"))
            })
            .collect();
        found.len() == 10
    });
    let order: Vec<(&str, &str)> = found.iter().map(|(name, phase, _)| (&**name, &**phase)).collect();
    let stages = ["queue", "order", "journal", "wait", "fan-out"];
    let expected: Vec<(&str, &str)> =
        stages.iter().flat_map(|stage| [(*stage, "b"), (*stage, "e")]).collect();
    assert_eq!(order, expected);
    assert!(found.is_sorted_by_key(|(.., at)| *at), "{found:?}");
}
