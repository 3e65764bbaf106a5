//! Backups, restores and migrations of rooms in several databases.

use quadrille_test_database::TestDatabase;

use crate::access::{Restricted, send};
use crate::backup::{run, text};
use crate::backup_chains::succeed;
use crate::person::Person;
use crate::several_servers::csv;
use crate::support::{Server, TIMEOUT};

/// Names of rooms, of which less than one in 500 runs has all in one of two databases.
const ROOMS: usize = 10;

fn list(urls: &[String]) -> String {
    urls.join(" ")
}

fn start(storage: &str) -> Server {
    Server::start_on(&std::env::temp_dir(), &["--storage", storage])
}

fn stop(mut server: Server) {
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
}

fn room(number: usize) -> String {
    format!("room-{number}")
}

/// The numbers of the rooms of each database.
fn numbers(database: &TestDatabase, urls: &[String]) -> Vec<Vec<u64>> {
    let of = |url: &String| {
        let numbers = database.sql(url, "SELECT id FROM quadrille.room ORDER BY id");
        numbers.lines().map(|number| number.parse().expect("a number")).collect()
    };
    urls.iter().map(of).collect()
}

/// Checks that rooms are in each of the databases, and that no two have the same number. Returns how many there are.
fn check_spread(database: &TestDatabase, urls: &[String]) -> usize {
    let numbers = numbers(database, urls);
    assert!(numbers.iter().filter(|numbers| !numbers.is_empty()).count() > 1, "{numbers:?}");
    let mut all = numbers.concat();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count, "{numbers:?}");
    count
}

fn digest(output: &str) -> &str {
    output.split("SHA-256 ").nth(1).expect("a digest").split_whitespace().next().expect("a digest")
}

fn check_rooms(server: &Server, expected: impl Fn(usize) -> String) {
    for number in 0..ROOMS {
        assert_eq!(csv(server, &room(number)), expected(number), "{number}");
    }
}

#[test]
fn a_running_server_over_several_databases_is_backed_up_and_restored_into_another_list() {
    let database = TestDatabase::shared();
    let urls: Vec<String> = (0..2).map(|_| database.create()).collect();
    let storage = list(&urls);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [backups, data, restored] = ["backups", "data", "restored"].map(|name| directory.path().join(name));
    let server = start(&storage);
    let secret = Restricted::new(&server, "secret");
    for number in 0..ROOMS {
        server.make_room(&room(number), &format!("{number}\n"));
    }
    check_spread(database, &urls);
    let back_up = || succeed(&["backup", text(&backups), "--data", text(&data), "--storage", &storage]);
    let full = back_up();
    assert!(full.contains(&format!("full, {} rooms", ROOMS + 1)), "{full}");
    let mut ann = Person::join(&server, &room(0), "Ann");
    let mut bob = Person::join(&server, &room(1), "Bob");
    for person in [&mut ann, &mut bob] {
        person.type_text("A2", "later");
        person.wait_until_saved();
    }
    // A room that was moved keeps its number: only its new records are added.
    let target = urls.iter().find(|url| {
        database.sql(url, &format!("SELECT count(*) FROM quadrille.room WHERE name = '{}'", room(0))) == "0"
    });
    succeed(&["move-room", &room(0), target.expect("the other one"), "--storage", &storage]);
    let increment = back_up();
    assert!(increment.contains("increment 2, 2 rooms changed"), "{increment}");
    assert_eq!(server.delete(&format!("/api/v1/rooms/{}", room(ROOMS - 1))).status, 204);
    server.make_room(&room(ROOMS - 1), "again\n");
    let increment = back_up();
    assert!(increment.contains("increment 3, 2 rooms changed"), "{increment}");
    // What the server stores beside edits, such as what was used of quotas, may come later.
    let began = std::time::Instant::now();
    while !back_up().starts_with("unchanged\t") {
        assert!(began.elapsed() < TIMEOUT, "nothing changes any more");
    }
    assert!(succeed(&["backup", text(&backups), "--verify"]).starts_with("ok\t"));
    let expected = |number| match number {
        0 | 1 => format!("{number}\nlater\n"),
        number if number == ROOMS - 1 => "again\n".to_owned(),
        number => format!("{number}\n"),
    };
    check_rooms(&server, expected);
    stop(server);

    let (code, _, error) = run(&["restore", text(&backups), "--storage", &storage]);
    assert!(code == 1 && error.contains("it already has rooms or accounts"), "{error}");
    let longer: Vec<String> = (0..3).map(|_| database.create()).collect();
    succeed(&["restore", text(&backups), "--storage", &list(&longer)]);
    assert_eq!(check_spread(database, &longer), ROOMS + 1);
    let server = start(&list(&longer));
    check_rooms(&server, expected);
    assert_eq!(server.get("/api/v1/rooms/secret").status, 404, "still hidden from strangers");
    assert_eq!(send(&server, &secret.owner_key, "GET", "/api/v1/rooms/secret", "").status, 200);
    server.make_room("new", "1\n");
    stop(server);
    succeed(&["restore", text(&backups), "--data", text(&restored)]);
    check_rooms(&Server::start_on(&restored, &[]), expected);

    // One room, beside others; and a whole copy.
    let again =
        ["restore", text(&backups), "--room", "room-2", "--as", "room-2b", "--storage", &list(&longer)];
    assert!(succeed(&again).starts_with("restored\troom-2b\t"));
    assert_eq!(csv(&start(&list(&longer)), "room-2b"), "2\n");
    let whole = directory.path().join("whole");
    let copied = succeed(&["backup", text(&whole), "--whole", "--storage", &storage]);
    assert!(copied.contains(&format!("{} rooms", ROOMS + 1)), "{copied}");
}

#[test]
fn everything_moves_between_one_database_and_lists_of_them() {
    let database = TestDatabase::shared();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let one = database.create();
    let two: Vec<String> = (0..2).map(|_| database.create()).collect();
    let three: Vec<String> = (0..3).map(|_| database.create()).collect();
    let (back, home) = (database.create(), directory.path().join("home"));
    let server = start(&one);
    let secret = Restricted::new(&server, "secret");
    for number in 0..ROOMS {
        server.make_room(&room(number), &format!("{number}\n"));
    }
    let migrate = |from: &str, to: &str, more: &[&str]| succeed(&[&["migrate", from, to], more].concat());
    let mut ann = Person::join(&server, &room(0), "Ann");
    // While the server runs; then what came later.
    let live = migrate(&one, &list(&two), &["--live"]);
    assert!(live.starts_with("copied\t") && live.contains(&format!("\t{} rooms, ", ROOMS + 1)), "{live}");
    ann.type_text("A2", "later");
    ann.wait_until_saved();
    server.make_room("new", "1\n");
    let (code, _, error) = run(&["migrate", &one, &list(&two)]);
    assert!(code == 1 && error.contains(&format!("http://{} uses the database", server.address)), "{error}");
    let (code, _, error) = run(&["export", "new", "/tmp/new.csv", "--storage", &list(&two)]);
    assert!(code == 1 && error.contains("is not complete"), "{error}");
    stop(server);
    ann.lose_connection();
    ann.type_text("A3", "meanwhile");
    let to_two = migrate(&one, &list(&two), &[]);
    assert!(to_two.starts_with("migrated\t"), "{to_two}");
    let count = check_spread(database, &two);
    assert_eq!(count, ROOMS + 2);

    // Clients go on, rooms are created, and one is moved away from where its name places it.
    let server = start(&list(&two));
    ann.connect(&server, &room(0), "");
    ann.wait_until_saved();
    assert_eq!(csv(&server, &room(0)), "0\nlater\nmeanwhile\n");
    assert_eq!(send(&server, &secret.owner_key, "GET", "/api/v1/rooms/secret", "").status, 200);
    for number in ROOMS..ROOMS + 6 {
        server.make_room(&room(number), &format!("{number}\n"));
    }
    assert_eq!(check_spread(database, &two), count + 6);
    let is_here =
        |url: &&String| database.sql(url, "SELECT count(*) FROM quadrille.room WHERE name = 'new'") == "0";
    succeed(&["move-room", "new", two.iter().find(is_here).expect("the other"), "--storage", &list(&two)]);
    ann.lose_connection();
    stop(server);
    // The digests of all copies of the same data are the same.
    let to_three = migrate(&list(&two), &list(&three), &[]);
    let to_one = migrate(&list(&three), &back, &[]);
    let to_home = migrate(&back, text(&home), &[]);
    assert_eq!((digest(&to_three), digest(&to_one)), (digest(&to_home), digest(&to_home)));
    let again: Vec<String> = (0..2).map(|_| database.create()).collect();
    let from_home = migrate(text(&home), &list(&again), &[]);
    assert_eq!(digest(&from_home), digest(&to_home));
    for urls in [&three, &again] {
        let server = start(&list(urls));
        check_rooms(&server, |number| match number {
            0 => "0\nlater\nmeanwhile\n".to_owned(),
            number => format!("{number}\n"),
        });
        assert_eq!(csv(&server, "new"), "1\n");
        for number in 0..8 {
            server.make_room(&format!("later-{number}"), "1\n");
        }
        stop(server);
        assert_eq!(check_spread(database, urls), count + 14, "new rooms have numbers of their own");
    }
    // The first one alone, or the list in another order.
    let (code, _, error) = run(&["migrate", &two[0], &database.create()]);
    assert_eq!(code, 1, "rooms would be left behind");
    assert!(error.contains("one of several databases"), "{error}");
    let (code, _, error) = run(&["migrate", &list(&[two[1].clone(), two[0].clone()]), &database.create()]);
    assert!(code == 1 && error.contains("the first one first"), "{error}");
}
