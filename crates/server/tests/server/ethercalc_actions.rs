//! EtherCalc's commands that act outside the sheet: forms, mail and time triggers.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value as Json, json};

use crate::access::{Restricted, send};
use crate::ethercalc_bot::Bot;
use crate::invitations::MailServer;
use crate::support::{Reply, Server};

fn post(server: &Server, room: &str, commands: &[&str]) -> Reply {
    server.post_json(&format!("/_/{room}"), &json!({ "command": commands }).to_string())
}

#[test]
fn answers_of_a_form_are_rows_of_its_room_for_answers() {
    let server = Server::start();
    server.put("/_/order", "text/csv", "Name,Count\n");
    let location = server.get("/order/form").header("location").to_owned();
    let copy = location.trim_matches('/').trim_end_matches("/app");
    let commands = ["submitform\rAda\r2", "set A2 text t sent"];
    let sent = post(&server, copy, &commands);
    assert_eq!((sent.status, sent.json()), (202, json!({ "command": commands })));
    assert_eq!(post(&server, copy, &["submitform\rBob\\c x\r"]).status, 202);
    assert_eq!(post(&server, "order", &["submitform\rCy\r3"]).status, 202);
    // The first row is for headings.
    assert_eq!(server.get("/order_formdata.csv").text(), ",\nAda,2\n\"Bob: x\",\nCy,3\n");
    assert_eq!(server.get(&format!("/{copy}.csv")).text(), "Name,Count\nsent,\n");
    assert_eq!(server.get("/order.csv").text(), "Name,Count\n");
}

#[test]
fn answers_need_the_permission_to_edit_the_room_for_answers() {
    let server = Server::start();
    let answers = Restricted::new(&server, "order_formdata");
    server.put("/_/order", "text/csv", "Name\n");
    let refused = post(&server, "order", &["set A2 value n 1", "submitform\rAda"]);
    assert_eq!(refused.status, 404, "{refused:?}");
    assert_eq!(server.get("/order.csv").text(), "Name\n");
    let body = json!({ "command": "submitform\rAda" }).to_string();
    let sent = send(&server, &answers.owner_key, "POST", "/_/order", &body);
    assert_eq!(sent.status, 202, "{sent:?}");
}

#[test]
fn a_workbook_sends_mail_when_the_server_allows_it() {
    let mut mail = MailServer::start();
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = mail.sheets(data.path(), &["--ethercalc-mail", "true"]);
    let command = "sendemail ada@example.org Your%20order is%20on%20its%20way";
    let mut bot = Bot::join(&server, "order", "bot");
    assert_eq!(post(&server, "order", &[command]).status, 202);
    assert_eq!(bot.next(), json!({ "type": "confirmemailsent", "message": " [E-mail Sent]" }));
    let (envelope, message) = mail.message();
    assert_eq!(envelope["to"], json!(["ada@example.org"]));
    assert!(message.contains("Subject: Your order\r\n"), "{message}");
    assert!(message.contains("is on its way"), "{message}");
    bot.execute("sendemail bob@example.org Hello Bob");
    assert_eq!(bot.next_of("confirmemailsent")["message"], " [E-mail Sent]");
    assert_eq!(mail.message().0["to"], json!(["bob@example.org"]));
    let mut viewer = Bot::connect(&server, "order", "viewer", "&auth=0");
    viewer.execute("sendemail bob@example.org Hello Bob");
    assert_eq!(viewer.wait_for("error")["message"], "your role does not allow changes");
    for (command, status) in
        [("sendemail nobody Subject Text", 400), ("sendemail ada@example.org Subject", 400)]
    {
        assert_eq!(post(&server, "order", &[command]).status, status, "{command}");
    }
    drop(server);
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = mail.sheets(data.path(), &[]);
    let refused = post(&server, "order", &["set A1 value n 1", command]);
    assert_eq!((refused.status, refused.text().as_str()), (403, "workbooks of this server do not send mail"));
    assert_eq!(server.get("/_exists/order").text(), "false");
}

#[test]
fn a_mail_formula_sends_its_messages_when_it_is_pressed() {
    let mut mail = MailServer::start();
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = mail.sheets(data.path(), &["--ethercalc-mail", "true"]);
    let commands = [
        "set A1 formula EMAIL(C1,\"Your order\",\"It is \"&\"ready\")",
        "set A2 formula EMAIL(C1:C2,\"Your order\",D1:D2)+STYLE(\"color:red\")",
        "set A3 formula EMAILIF(E1,C1,\"Never\",D1)",
        "set A4 formula EMAIL(D1,\"To nobody\",D1)",
        "set C1 text t ada@example.org",
        "set C2 text t bob@example.org",
        "set D1 text t on its way",
        "set D2 text t delivered",
        "set E1 value n 0",
    ];
    assert_eq!(post(&server, "order", &commands).status, 202);
    let press = |server: &Server, cell: &str| {
        server.send("POST", &format!("/api/v1/rooms/order/sheets/Sheet1/buttons/{cell}"), &[], b"")
    };
    for (cell, count) in [("A2", 2), ("A3", 0), ("A4", 0)] {
        let reply = press(&server, cell);
        assert_eq!((reply.status, &reply.json()["messages"]), (200, &json!(count)), "{cell}");
    }
    let mut received: Vec<(Json, bool)> = Vec::new();
    for _ in 0..2 {
        let (envelope, message) = mail.message();
        assert!(message.contains("Subject: Your order\r\n"), "{message}");
        received.push((envelope["to"].clone(), message.contains("delivered")));
    }
    received.sort_by_key(|(to, _)| to.to_string());
    assert_eq!(received, [(json!(["ada@example.org"]), false), (json!(["bob@example.org"]), true)]);
    // `MAILS_PER_ADDRESS` in a day.
    let refused = (0..20).map(|_| press(&server, "A2")).find(|reply| reply.status != 200);
    assert_eq!(refused.expect("a limit").status, 429);
    drop(server);
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = mail.sheets(data.path(), &[]);
    assert_eq!(post(&server, "order", &commands).status, 202);
    let refused = press(&server, "A2");
    assert_eq!((refused.status, refused.code().as_str()), (403, "mail_disabled"));
}

#[test]
fn mail_formulas_are_carried_out_at_their_times() {
    let mut mail = MailServer::start();
    let data = tempfile::tempdir().expect("a temporary directory");
    let server = mail.sheets(data.path(), &["--ethercalc-mail", "true"]);
    let formula = "set A1 formula EMAILAT(B1,C1:C2,\"Reminder\",D1:D2)";
    let commands = [
        "set C1 text t ada@example.org",
        "set C2 text t bob@example.org",
        "set D1 text t pay",
        "set D2 text t deliver",
        formula,
    ];
    assert_eq!(post(&server, "plan", &commands).status, 202);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    // The minute may end before the server has read the command: then the next one is due.
    let now = since.as_secs() / 60;
    let later = now + 1_000_000;
    let times = format!("settimetrigger A1 {now},{},{},{later}", now + 1, now + 2);
    assert_eq!(post(&server, "plan", &[&times]).status, 202);
    let all = server.get("/_timetrigger");
    assert_eq!((all.status, all.header("content-type")), (200, "application/json; charset=utf-8"));
    let listed = all.json()["plan!A1"].as_str().expect("times").to_owned();
    assert!(listed.ends_with(&format!("{},{later}", now + 2)), "{listed}");
    let mut received: Vec<(Json, bool)> = Vec::new();
    for _ in 0..2 {
        let (envelope, message) = mail.message();
        assert!(message.contains("Subject: Reminder\r\n"), "{message}");
        received.push((envelope["to"].clone(), message.contains("deliver")));
    }
    received.sort_by_key(|(to, _)| to.to_string());
    assert_eq!(received, [(json!(["ada@example.org"]), false), (json!(["bob@example.org"]), true)]);
    assert_eq!(post(&server, "plan", &["settimetrigger A1 "]).status, 202);
    assert_eq!(server.get("/_timetrigger").json(), json!({}));
}

#[test]
fn a_deleted_room_loses_its_triggers_and_a_room_named_like_its_sheet_keeps_them() {
    let server = Server::start();
    for room in ["plan", "plan.2"] {
        server.put(&format!("/_/{room}"), "text/csv", "1\n");
        assert_eq!(post(&server, room, &["settimetrigger A1 99999999"]).status, 202);
    }
    assert_eq!(server.delete("/_/plan").status, 201);
    assert_eq!(server.get("/_timetrigger").json(), json!({ "plan.2!A1": "99999999" }));
    assert_eq!(server.delete("/_/plan.2").status, 201);
    assert_eq!(server.get("/_timetrigger").json(), json!({}));
}

#[test]
fn deleting_a_room_that_has_only_a_trigger_removes_the_trigger() {
    let server = Server::start();
    assert_eq!(post(&server, "bell", &["settimetrigger A1 99999999"]).status, 202);
    assert_eq!(server.get("/_timetrigger").json(), json!({ "bell!A1": "99999999" }));
    assert_eq!(server.get("/_exists/bell").json(), json!(false));
    assert_eq!(server.delete("/_/bell").status, 201);
    assert_eq!(server.get("/_timetrigger").json(), json!({}));
}

#[test]
fn triggers_are_listed_to_those_who_may_open_the_room() {
    let server = Server::start();
    let workbook = Restricted::new(&server, "secret");
    let body = json!({ "command": "settimetrigger A1 99999999" }).to_string();
    assert_eq!(send(&server, &workbook.owner_key, "POST", "/_/secret", &body).status, 202);
    assert_eq!(server.get("/_timetrigger").json(), json!({}));
    let seen = send(&server, &workbook.owner_key, "GET", "/_timetrigger", "").json();
    assert_eq!(seen, json!({ "secret!A1": "99999999" }));
    // The secret of a cron job for EtherCalc proves nothing.
    let cron = server.send("GET", "/_timetrigger", &[("authorization", "Bearer cron-secret")], b"");
    assert_eq!((cron.status, cron.json()), (200, json!({})));
}
