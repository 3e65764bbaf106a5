//! `--trace`: the way of a transaction through the server, stage by stage.

use serde_json::Value as Json;

use crate::person::Person;
use crate::support::Server;

#[test]
fn a_trace_shows_each_stage_of_a_transaction_under_its_identity() {
    let data = tempfile::tempdir().expect("a temporary directory");
    let file = data.path().join("trace.json");
    let path = file.to_str().expect("UTF-8").to_owned();
    let server = Server::start_on(&data.path().join("data"), &["--trace", &path]);
    let mut ann = Person::join(&server, "plan", "Ann");
    ann.types("A1", "1");
    ann.saves();
    let id = format!("{:016x}-1", ann.replica.replica_id().expect("welcomed").0);
    let mut found: Vec<(String, String, u64)> = Vec::new();
    ann.until("traced", |_| {
        let text = std::fs::read_to_string(&file).expect("the trace") + "]";
        // The last event may be half written.
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
