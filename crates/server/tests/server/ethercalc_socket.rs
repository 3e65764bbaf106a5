//! EtherCalc's live protocol over `/_ws/{room}`: the scenarios of its authors, and clients of it beside
//! the web client.

use quadrille_cell::Value;
use serde_json::{Value as Json, json};
use tungstenite::Message;

use crate::access::{Restricted, send};
use crate::ethercalc_bot::Bot;
use crate::ethercalc_links::{Keyed, code};
use crate::person::Person;
use crate::support::Server;

/// A room with a cell, as the scenarios begin.
fn server_with_room() -> Server {
    let server = Server::start();
    server.make_room("r", "seed");
    server
}

#[test]
fn the_log_is_the_save_of_the_room() {
    let server = server_with_room();
    let mut bot = Bot::connect(&server, "r", "bot", "");
    bot.send(json!({ "type": "ask.log" }));
    let log = bot.wait_for("log");
    assert_eq!((&log["room"], &log["log"], &log["chat"]), (&json!("r"), &json!([]), &json!([])));
    assert_eq!(log["snapshot"].as_str(), Some(server.get("/_/r").text().as_str()));
    bot.send(json!({ "type": "ask.recalc" }));
    assert_eq!(bot.wait_for("recalc")["snapshot"], log["snapshot"]);
}

#[test]
fn a_room_that_does_not_exist_has_no_save_and_the_first_command_makes_it() {
    let server = Server::start();
    let mut bot = Bot::connect(&server, "new", "bot", "");
    bot.send(json!({ "type": "ask.log" }));
    assert_eq!(bot.wait_for("log")["snapshot"], Json::Null);
    assert_eq!(server.get("/_exists/new").text(), "false");
    bot.execute("set A1 text t first");
    bot.send(json!({ "type": "ask.log" }));
    assert!(bot.wait_for("log")["snapshot"].as_str().expect("a save").contains("cell:A1:t:first"));
}

#[test]
fn commands_reach_the_web_client_and_other_clients_but_not_their_sender() {
    let server = server_with_room();
    let (mut ann, mut bob) = (Bot::join(&server, "r", "ann"), Bot::join(&server, "r", "bob"));
    let mut web = Person::join(&server, "r", "Web");
    ann.execute("set A1 value n 5\nset A2 formula a1*2");
    let told = json!({
        "type": "execute",
        "room": "r",
        "user": "ann",
        "cmdstr": "set A1 value n 5\nset A2 formula a1*2",
        "saveundo": true,
    });
    assert_eq!(bob.next(), told);
    web.wait_for_value("A2", 10.0);
    bob.execute("set A3 text t from bob");
    assert_eq!(ann.next_of("execute")["cmdstr"], "set A3 text t from bob");
}

#[test]
fn edits_of_the_web_client_arrive_as_commands_in_their_order() {
    let server = server_with_room();
    let mut bot = Bot::join(&server, "r", "bot");
    let mut web = Person::join(&server, "r", "Web");
    for (cell, text) in [("B1", "7"), ("B2", "=B1+1"), ("B3", "50%"), ("B4", "TRUE"), ("B5", "a:b")] {
        web.type_text(cell, text);
    }
    let sheet = web.sheet();
    web.execute(quadrille_operation::Command::InsertRows { sheet, at: 1, count: 1 });
    web.wait_until_saved();
    let mut commands = Vec::new();
    while !commands.iter().any(|command: &String| command.starts_with("insertrow")) {
        let message = bot.wait_for("execute");
        commands.extend(message["cmdstr"].as_str().expect("a text").lines().map(str::to_owned));
    }
    let contents: Vec<&String> =
        commands.iter().filter(|command| !command.contains(" nontextvalueformat ")).collect();
    assert_eq!(
        contents,
        [
            "set B1 value n 7",
            "set B2 formula B1+1",
            "set B3 value n 0.5",
            "set B4 constant nl 1 TRUE",
            "set B5 text t a\\cb",
            "insertrow A2",
            "set B3 formula B1+1",
        ]
    );
}

#[test]
fn a_client_gets_its_cell_again_when_somebody_else_wrote_it_at_the_same_time() {
    let server = server_with_room();
    let (mut ann, mut bob) = (Bot::join(&server, "r", "ann"), Bot::join(&server, "r", "bob"));
    ann.execute("set A1 value n 1");
    assert_eq!(bob.wait_for("execute")["cmdstr"], "set A1 value n 1");
    // The server cannot know whether Bob had seen it.
    bob.execute("set A1 value n 2");
    assert_eq!(bob.wait_for("execute")["cmdstr"], "set A1 value n 2");
    assert_eq!(ann.wait_for("execute")["cmdstr"], "set A1 value n 2");
    assert_eq!(server.csv("r"), "2\n");
}

#[test]
fn a_refused_command_gives_an_error_and_the_sheet() {
    let server = server_with_room();
    let mut bot = Bot::join(&server, "r", "bot");
    bot.execute("set A1 valu n 1");
    assert!(bot.wait_for("snapshot")["snapshot"].as_str().expect("a save").contains("cell:A1:t:seed"));
    let error = bot.wait_for("error");
    assert!(error["message"].as_str().expect("a text").contains("valu"), "{error}");
    assert_eq!(server.csv("r"), "seed\n");
}

/// A page carries out commands later than it shows a snapshot, which contains them.
#[test]
fn a_page_gets_the_sheet_again_after_a_conflict() {
    let server = server_with_room();
    let origin = format!("http://{}", server.address);
    let mut page = Bot::connect_with(&server, "r", "ann", "", &[("origin", &*origin)]);
    page.load();
    let mut other = Bot::join(&server, "r", "bob");
    other.execute("insertrow A1");
    other.catch_up();
    // Given before it has answered that it has seen the row.
    page.execute("deletecol B");
    for _ in 0..2 {
        let save = page.wait_for("snapshot");
        assert!(save["snapshot"].as_str().expect("a save").contains("cell:A2:t:seed"), "{save}");
    }
    // `unmerge` of a cell that is not merged is not told: another client may have it merged.
    page.execute("unmerge A1\nunmerge B2");
    page.execute("redisplay");
    assert_eq!(other.next_of("execute")["cmdstr"], "deletecol B1:B1");
    assert_eq!(other.next_of("execute")["cmdstr"], "redisplay");
}

#[test]
fn who_may_only_look_gets_an_error() {
    let server = server_with_room();
    let mut bot = Bot::connect(&server, "r", "bot", "&auth=0");
    bot.send(json!({ "type": "ask.log" }));
    bot.wait_for("log");
    bot.execute("set A1 text t no");
    assert_eq!(bot.wait_for("error")["message"], "your role does not allow changes");
    assert_eq!(server.csv("r"), "seed\n");
}

#[test]
fn malformed_messages_give_errors_and_the_connection_stays() {
    let server = server_with_room();
    let mut bot = Bot::join(&server, "r", "bot");
    for bad in [
        "",
        "{",
        "[]",
        "5",
        "{\"type\":7}",
        "{\"type\":\"nope\"}",
        "{\"type\":\"execute\"}",
        "{\"type\":\"chat\"}",
    ] {
        bot.socket.send(Message::Text(bad.into())).expect("the server reads");
        assert!(bot.wait_for("error")["message"].is_string(), "{bad}");
    }
    bot.send(json!({ "type": "ask.recalc" }));
    bot.wait_for("recalc");
    let big = Message::Text("x".repeat((1 << 20) + 1).into());
    _ = bot.socket.send(big);
    assert_eq!(bot.close_code(), 1009);
}

#[test]
fn chat_goes_both_ways() {
    let server = server_with_room();
    let (mut ann, mut bob) = (Bot::join(&server, "r", "ann"), Bot::join(&server, "r", "bob"));
    ann.send(json!({ "type": "chat", "msg": "hello" }));
    let chat = bob.next();
    assert_eq!(chat, json!({ "type": "chat", "room": "r", "user": "ann", "msg": "hello" }));
    let posted = server.post_json("/api/v1/rooms/r/chat", r#"{"text":"from the API"}"#);
    assert!(posted.status < 300, "{}", posted.text());
    assert_eq!(ann.wait_for("chat")["msg"], "from the API");
    let mut late = Bot::connect(&server, "r", "late", "");
    late.send(json!({ "type": "ask.log" }));
    assert_eq!(late.wait_for("log")["chat"], json!(["hello", "from the API"]));
    // As in EtherCalc, a room that is replaced by its API begins a new chat.
    assert_eq!(server.put("/_/r", "text/csv", "new").status, 201);
    assert_eq!(Bot::connect(&server, "r", "later", "").load()["chat"], json!([]));
    let kept = server.get("/api/v1/rooms/r/chat").json();
    assert_eq!(kept["remarks"].as_array().map(Vec::len), Some(2));
}

#[test]
fn cursors_are_told_to_the_others() {
    let server = server_with_room();
    let (mut ann, mut bob) = (Bot::join(&server, "r", "ann"), Bot::join(&server, "r", "bob"));
    ann.send(json!({ "type": "ask.ecell" }));
    assert_eq!(bob.next(), json!({ "type": "ask.ecell", "room": "r", "user": "ann" }));
    bob.send(json!({ "type": "ecell", "ecell": "C3", "to": "ann" }));
    let answer = json!({ "type": "ecell", "room": "r", "user": "bob", "ecell": "C3", "to": "ann" });
    assert_eq!(ann.next(), answer);
    ann.send(json!({ "type": "ecell", "ecell": "C4", "original": "B2", "auth": "x" }));
    let moved = json!({
        "type": "ecell", "room": "r", "user": "ann", "ecell": "C4", "original": "B2", "auth": "x",
    });
    assert_eq!(bob.next(), moved);
    ann.send(json!({ "type": "my.ecell", "ecell": "B2" }));
    ann.catch_up();
    bob.send(json!({ "type": "ask.ecells" }));
    assert_eq!(bob.next_of("ecells")["ecells"], json!({ "ann": "B2", "bob": "C3" }));
}

#[test]
fn stop_huddle_deletes_the_room() {
    let server = server_with_room();
    let (mut ann, mut bob) = (Bot::join(&server, "r", "ann"), Bot::join(&server, "r", "bob"));
    ann.send(json!({ "type": "stopHuddle", "auth": "x" }));
    assert_eq!(bob.next(), json!({ "type": "stopHuddle", "room": "r", "user": "ann", "auth": "x" }));
    assert_eq!(bob.close_code(), 4410);
    assert_eq!(server.get("/_exists/r").text(), "false");
}

#[test]
fn a_code_is_not_told_to_others() {
    let keyed = Keyed::start(&[]);
    let (server, code) = (&keyed.server, code("r"));
    let put = server.put(&format!("/_/r?auth={code}"), "text/csv", "seed");
    assert_eq!(put.status, 201, "{put:?}");
    let mut ann = Bot::connect(server, "r", "ann", &format!("&auth={code}"));
    ann.load();
    let mut bob = Bot::join(server, "r", "bob");
    ann.send(json!({ "type": "ecell", "ecell": "C3", "auth": code }));
    assert_eq!(bob.next(), json!({ "type": "ecell", "room": "r", "user": "ann", "ecell": "C3" }));
    ann.send(json!({ "type": "execute", "cmdstr": "set A2 value n 1", "auth": code }));
    let told = json!({ "type": "execute", "room": "r", "user": "ann", "cmdstr": "set A2 value n 1" });
    assert_eq!(bob.next(), told);
    // Without the code, the role is that of everybody.
    bob.execute("set A2 value n 2");
    assert_eq!(bob.wait_for("error")["message"], "your role does not allow changes");
}

#[test]
fn the_answer_to_a_command_before_the_log_is_the_log() {
    let server = server_with_room();
    let mut bot = Bot::connect(&server, "r", "bot", "&auth=x");
    bot.execute("set A1 text t first");
    assert!(bot.load()["snapshot"].as_str().expect("a save").contains("cell:A1:t:first"));
}

#[test]
fn what_a_program_has_read_is_no_conflict() {
    let server = server_with_room();
    let (mut ann, mut bob) = (Bot::join(&server, "r", "ann"), Bot::join(&server, "r", "bob"));
    ann.execute("insertrow A1\nset A1 value n 1");
    assert_eq!(bob.next_of("execute")["user"], "ann");
    bob.catch_up();
    bob.execute("set A1 value n 2");
    assert_eq!(ann.next_of("execute")["cmdstr"], "set A1 value n 2");
    // Nothing of its own comes back.
    bob.send(json!({ "type": "ask.recalc" }));
    bob.next_of("recalc");
    assert_eq!(server.csv("r"), "2\nseed\n");
}

#[test]
fn commands_without_effect_on_cells_reach_the_other_clients() {
    let server = server_with_room();
    let (mut ann, mut bob) = (Bot::join(&server, "r", "ann"), Bot::join(&server, "r", "bob"));
    for ignored in ["set sheet defaulttextvalueformat text-wiki", "copy A1:A1 all"] {
        ann.execute(ignored);
    }
    ann.execute("recalc");
    assert_eq!(bob.next_of("execute")["cmdstr"], "recalc");
}

#[test]
fn a_form_that_is_sent_becomes_a_row_of_the_room_that_collects_them() {
    let server = server_with_room();
    let mut form = Bot::join(&server, "r_k3j2", "visitor");
    let mut owner = Bot::connect(&server, "r_formdata", "owner", "");
    assert_eq!(owner.load()["snapshot"], Json::Null);
    for (row, name) in [(2, "Ada"), (3, "Bo")] {
        form.execute(&format!("submitform\r{name}\r5"));
        let commands = format!("set A{row} text t {name}\nset B{row} text t 5");
        let added = form.next_of("execute");
        assert_eq!((&added["room"], &added["cmdstr"]), (&json!("r_formdata"), &json!(commands)));
        let told = owner.next_of("execute")["cmdstr"].as_str().expect("a text").to_owned();
        assert!(told.starts_with(&commands), "{told}");
    }
    assert_eq!(server.csv("r_formdata"), ",\nAda,5\nBo,5\n");
}

#[test]
fn a_client_is_told_of_changes_in_rooms_that_its_formulas_refer_to() {
    let server = server_with_room();
    server.make_room("rates", "7\n");
    let mut bot = Bot::join(&server, "r", "bot");
    let ask = json!({ "type": "ask.recalc", "room": "rates", "user": "bot" }).to_string();
    bot.socket.send(Message::Text(ask.into())).expect("the server reads");
    assert!(bot.next_of("recalc")["snapshot"].as_str().expect("a save").contains("cell:A1:v:7"));
    for value in [8, 9] {
        assert_eq!(
            server.post_json("/_/rates", &format!(r#"{{"command":"set A1 value n {value}"}}"#)).status,
            202
        );
        let told = bot.next_of("recalc");
        assert_eq!((&told["room"], &told["force"]), (&json!("rates"), &json!(true)));
        assert!(told["snapshot"].as_str().expect("a save").contains(&format!("cell:A1:v:{value}")));
    }
    // A room that nobody may read any longer has nothing to tell.
    assert_eq!(server.delete("/_/rates").status, 201);
    assert_eq!(bot.next_of("recalc")["snapshot"], Json::Null);
}

#[test]
fn a_revoked_link_ends_the_session() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "plan");
    let bearer = |credential: &str| format!("Bearer {credential}");
    let join = |credential: &str| {
        let headers = [("authorization", &*bearer(credential))];
        let mut bot = Bot::connect_with(&server, "plan", "bot", "", &headers);
        bot.load();
        bot
    };
    let change = |method: &str, body: &str| {
        let link = workbook.path(&format!("/access/links/{}", workbook.id("link")));
        let reply = send(&server, &workbook.owner_key, method, &link, body);
        assert_eq!(reply.status, 204, "{reply:?}");
    };
    let (mut link, mut editor) = (join(workbook.view_link()), join(&workbook.edit));
    change("PUT", r#"{"role":"comment"}"#);
    assert_eq!(link.close_code(), 4412);
    let mut link = join(workbook.view_link());
    change("DELETE", "");
    assert_eq!(link.close_code(), 4403);
    let refused = [("authorization", &*bearer(workbook.view_link()))];
    assert_eq!(Bot::connect_with(&server, "plan", "bot", "", &refused).close_code(), 4403);
    assert_eq!(Bot::connect(&server, "plan", "bot", "").close_code(), 4403);
    // Others cannot read the workbook through a session of another one, and who may stays.
    server.make_room("open", "1");
    let mut other = Bot::join(&server, "open", "other");
    for kind in ["ask.recalc", "ask.log"] {
        let ask = json!({ "type": kind, "room": "plan" }).to_string();
        other.socket.send(Message::Text(ask.into())).expect("the server reads");
        assert_eq!(other.next()["snapshot"], Json::Null);
    }
    editor.catch_up();
}

#[test]
fn a_client_that_connects_again_gets_the_sheet_without_asking() {
    let server = server_with_room();
    let mut bot = Bot::connect(&server, "r", "bot", "");
    bot.execute("set A2 value n 4");
    assert!(bot.wait_for("snapshot")["snapshot"].as_str().expect("a save").contains("cell:A1:t:seed"));
    let mut web = Person::join(&server, "r", "Web");
    web.wait_for_value("A2", 4.0);
    assert_eq!(web.value("A1"), Value::text("seed"));
}
