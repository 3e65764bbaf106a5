//! Agents at another server than that of their room: their messages are relayed as requests over REST are.

use quadrille_test_database::TestDatabase;
use serde_json::json;

use crate::access::Restricted;
use crate::mcp::{call, error};
use crate::person::Person;
use crate::several_servers::{assert_owner, start};

#[test]
fn agents_work_in_rooms_of_other_servers() {
    let database = TestDatabase::shared();
    let url = database.create();
    let (mut first, second) = (start(&url), start(&url));
    first.make_room("plan", "1\n2\n");
    let mut ann = Person::join(&first, "plan", "Ann");
    let read = json!({ "room": "plan", "range": "A1:A3" });

    let described = call(&second, "", "describe_workbook", json!({ "room": "plan" }));
    assert_eq!(described["people"][0]["name"], "Ann");
    assert_owner(database, &url, "plan", &first);
    let rows = json!([["=SUM(A1:A2)"]]);
    call(&second, "", "write_range", json!({ "room": "plan", "at": "A3", "rows": rows }));
    ann.wait_for_value("A3", 3.0);
    assert_eq!(call(&first, "", "read_range", read.clone())["rows"], json!([[1], [2], [3]]));
    // It is one agent, whichever server a message reaches.
    assert_eq!(call(&first, "", "undo", json!({ "room": "plan" }))["undone"], 1);
    assert_eq!(call(&second, "", "read_range", read.clone())["rows"], json!([[1], [2], [null]]));

    // The owner decides about access.
    let secret = Restricted::new(&first, "secret");
    let written = json!({ "room": "secret", "at": "A1", "rows": [[5]] });
    call(&first, &secret.owner_key, "write_range", written);
    let hidden = json!({ "room": "secret", "range": "A1" });
    assert_eq!(
        error(&second, "", "read_range", hidden.clone()),
        error(&first, "", "read_range", hidden.clone())
    );
    assert_eq!(call(&second, &secret.owner_key, "read_range", hidden)["rows"], json!([[5]]));

    // A message without a room is answered where it arrives.
    assert!(error(&second, "", "list_workbooks", json!({})).starts_with("sign_in_required: "));
    // The other server takes the room over.
    first.kill();
    assert_eq!(call(&second, "", "read_range", read)["rows"], json!([[1], [2], [null]]));
    assert_owner(database, &url, "plan", &second);
}
