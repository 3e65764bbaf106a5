//! The connection over which all sessions of a room are relayed: broadcasts go through it once, and neither a
//! client that does not read nor one that sends much holds up the others.

use tungstenite::Message;

use crate::person::{Person, socket, socket_with};
use crate::relay_sessions::Cluster;
use crate::several_servers::assert_owner;

/// People who join at the second server a room of the first.
fn listeners(cluster: &Cluster<2>, count: usize) -> Vec<Person> {
    (0..count)
        .map(|number| Person::join(&cluster.servers[1], "plan", &format!("Listener {number}")))
        .collect()
}

#[test]
fn a_broadcast_is_sent_once_to_the_server_that_relays_it_to_many() {
    const LISTENERS: usize = 10;
    const TEXT_BYTES: usize = 30_000;
    let cluster = Cluster::<2>::start(&[]);
    let [owner, relay] = &cluster.servers;
    let mut ann = Person::join(owner, "plan", "Ann");
    ann.type_text("A1", "a first text");
    ann.wait_until_saved();
    let mut listeners = listeners(&cluster, LISTENERS);
    cluster.wait_for_relayed(1, LISTENERS as f64);
    assert_eq!(relay.metric("quadrille_room_streams"), Some(1.0));
    let sent =
        |server: &crate::support::Server| server.metric("quadrille_sent_bytes_total").expect("a metric");
    let before = [sent(owner), sent(relay)];
    // No two letters are alike for long, so that compression would not explain few bytes.
    let text: String = (0..TEXT_BYTES / 5).map(|number| format!(" {number:04}")).collect();
    ann.type_text("A2", &text);
    for listener in &mut listeners {
        listener.wait_for_value("A2", text.as_str());
    }
    let owners = (sent(owner) - before[0]) / TEXT_BYTES as f64;
    assert!(owners < 3.0, "the owner has sent {owners} times the bytes of the text, to Ann and to the relay");
    let relays = (sent(relay) - before[1]) / TEXT_BYTES as f64;
    assert!(relays >= LISTENERS as f64, "the relay has sent {relays} times the bytes of the text");
    drop(listeners);
    cluster.wait_for_relayed(1, 0.0);
    // The next session opens another one.
    let mut ben = Person::join(relay, "plan", "Ben");
    ben.wait_for_value("A2", text.as_str());
    assert_eq!(relay.metric("quadrille_room_streams"), Some(1.0));
}

#[test]
fn rooms_have_streams_of_their_own() {
    let cluster = Cluster::<2>::start(&[]);
    let [owner, relay] = &cluster.servers;
    let mut people = Vec::new();
    for room in ["plan", "sales", "pl%C3%A4ne"] {
        let mut ann = Person::join(owner, room, "Ann");
        ann.type_text("A1", room);
        ann.wait_until_saved();
        let mut ben = Person::join(relay, room, "Ben");
        ben.wait_for_value("A1", room);
        people.extend([ann, ben]);
    }
    assert_eq!(relay.metric("quadrille_room_streams"), Some(3.0));
    for person in &mut people {
        person.type_text("B1", "edited");
    }
    people.iter_mut().for_each(Person::wait_until_saved);
}

/// As `a_stalled_session_delays_nobody_and_catches_up`, at a server that relays.
#[test]
fn a_stalled_session_at_another_server_delays_nobody_and_catches_up() {
    let cluster = Cluster::<2>::start(&["--outbox-bytes-max", "1000000"]);
    let [owner, relay] = &cluster.servers;
    let mut ann = Person::join(owner, "plan", "Ann");
    let mut stalled = Person::join(relay, "plan", "Stalled");
    let mut ben = Person::join(relay, "plan", "Ben");
    assert_owner(cluster.database, &cluster.url, "plan", owner);
    // More bytes than fit into the queue and the kernel's buffers.
    let text = "x".repeat(30_000);
    for row in 1..=600 {
        ann.type_text(&format!("A{row}"), &format!("{row}{text}"));
        ann.receive();
        if row % 20 == 0 {
            // The connection between the servers has a queue of the same length.
            ben.wait_for_value(&format!("A{row}"), format!("{row}{text}").as_str());
        }
    }
    ann.wait_until_saved();
    assert_eq!(ben.closed_with, None, "a neighbour that does not read is not its concern");
    stalled.wait_until("caught up or asked to connect again", |stalled| {
        stalled.value("A600") == format!("600{text}").as_str().into() || stalled.closed_with == Some(4429)
    });
    if stalled.closed_with.is_some() {
        stalled.connect(relay, "plan", "");
    }
    stalled.wait_for_value("A600", format!("600{text}").as_str());
    stalled.wait_for_value("A1", format!("1{text}").as_str());
    // It is a listener as any other again.
    ann.type_text("B1", "the last one");
    stalled.wait_for_value("B1", "the last one");
    assert!(stalled.problems.is_empty(), "{:?}", stalled.problems);
}

/// More than the window of a client (`RELAY_WINDOW_BYTES`).
#[test]
fn much_that_one_client_sends_arrives_beside_the_edits_of_another() {
    let cluster = Cluster::<2>::start(&[]);
    let [owner, relay] = &cluster.servers;
    let mut ann = Person::join(owner, "plan", "Ann");
    let mut ben = Person::join(relay, "plan", "Ben");
    let mut cat = Person::join(relay, "plan", "Cat");
    let text = "y".repeat(30_000);
    for row in 1..=60 {
        ben.type_text(&format!("A{row}"), &format!("{row}{text}"));
        if row % 20 == 0 {
            cat.type_text(&format!("B{row}"), "short");
            cat.wait_until_saved();
        }
    }
    ben.wait_until_saved();
    for person in [&mut ann, &mut cat] {
        person.wait_for_value("A60", format!("60{text}").as_str());
        person.wait_for_value("B60", "short");
    }
}

#[test]
fn clients_cannot_open_streams_nor_sessions_in_them() {
    let cluster = Cluster::<2>::start(&[]);
    let [owner, relay] = &cluster.servers;
    let _ann = Person::join(owner, "plan", "Ann");
    let _ben = Person::join(relay, "plan", "Ben");
    for server in [owner, relay] {
        let headers = [("connection", "upgrade"), ("upgrade", "quadrille-room-stream/1")];
        let refused = server.send("GET", "/internal/room-streams/plan", &headers, b"");
        assert_eq!((refused.status, refused.code().as_str()), (404, "not_found"), "{refused:?}");
        // The header has no meaning in a client's request, whichever server it reaches.
        let named = [("quadrille-room-stream", "00000000000000000000000000000000 1")];
        let mut pinging = socket_with(server, "plan", "", &named);
        pinging.send(Message::Ping(b"1".to_vec().into())).expect("open");
        assert_eq!(pinging.read().expect("an answer"), Message::Pong(b"1".to_vec().into()));
    }
    // A client that leaves before it has said anything leaves nothing behind.
    drop(socket(relay, "plan", ""));
    cluster.wait_for_relayed(1, 1.0);
}
