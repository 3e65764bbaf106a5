//! Workbooks that import from workbooks of other servers of the database.

use quadrille_cell::{ErrorValue, Value};

use crate::person::Person;
use crate::relay_sessions::Cluster;
use crate::several_servers::assert_owner;

#[test]
fn imports_follow_workbooks_of_another_server() {
    let mut cluster = Cluster::<2>::start(&[]);
    cluster.servers[0].make_room("rates", "1.5,EUR\n2.5,USD\n");
    let mut ann = Person::join(&cluster.servers[0], "rates", "Ann");
    let mut ben = Person::join(&cluster.servers[1], "report", "Ben");
    ben.type_text("A1", r#"=IMPORTRANGE("rates","A1:B2")"#);
    ben.type_text("D1", "='[rates]'!A1*2");
    ben.type_text("E1", r#"=IMPORTRANGE("rates","absent!A1")"#);
    ben.wait_for_value("A2", 2.5);
    ben.wait_for_value("B2", Value::text("USD"));
    ben.wait_for_value("D1", 3.0);
    ben.wait_for_value("E1", Value::Error(ErrorValue::Reference));
    assert_owner(cluster.database, &cluster.url, "rates", &cluster.servers[0]);
    assert_owner(cluster.database, &cluster.url, "report", &cluster.servers[1]);
    ann.type_text("A1", "4");
    ben.wait_for_value("A1", 4.0);
    ben.wait_for_value("D1", 8.0);
    // Another range of the same revision.
    ben.type_text("F1", r#"=IMPORTRANGE("rates","B1")"#);
    ben.wait_for_value("F1", Value::text("EUR"));
    // A workbook that does not exist, until it does.
    ben.type_text("G1", r#"=IMPORTRANGE("later","A1")"#);
    ben.wait_for_value("G1", Value::Error(ErrorValue::Reference));
    // The other way round, both would wait for each other.
    ann.type_text("D1", r#"=IMPORTRANGE("report","H1")"#);
    ann.wait_for_value("D1", Value::Error(ErrorValue::Circular));
    ann.type_text("D1", "");
    ann.wait_until_saved();
    ben.wait_for_value("A1", 4.0);
    // The workbook goes on at this server when the other one is gone.
    drop(ann);
    cluster.servers[0].kill();
    let mut cat = Person::join(&cluster.servers[1], "rates", "Cat");
    cat.type_text("A1", "7");
    ben.wait_for_value("A1", 7.0);
    ben.wait_for_value("D1", 14.0);
    assert!(ben.problems.is_empty(), "{:?}", ben.problems);
}

#[test]
fn sheets_are_named_as_in_ethercalc_also_at_another_server() {
    let cluster = Cluster::<2>::start(&[]);
    let contents = "#url,#title\n/sales.1,North\n/sales.2,South\n";
    assert_eq!(cluster.servers[0].put("/_/sales", "text/csv", contents).status, 201);
    assert_eq!(cluster.servers[0].put("/_/sales.2", "text/csv", "5,6\n").status, 201);
    let mut ann = Person::join(&cluster.servers[0], "sales", "Ann");
    let mut ben = Person::join(&cluster.servers[1], "report", "Ben");
    ben.type_text("A1", r#"=IMPORTRANGE("sales.2","A1:B1")"#);
    ben.type_text("A2", "='[sales.2]'!B1*2");
    ben.type_text("A3", r#"=IMPORTRANGE("=sales","'South'!A1")"#);
    ben.type_text("A4", r#"=IMPORTRANGE("sales.9","A1")"#);
    ben.wait_for_value("B1", 6.0);
    ben.wait_for_value("A2", 12.0);
    ben.wait_for_value("A3", 5.0);
    ben.wait_for_value("A4", Value::Error(ErrorValue::Reference));
    assert_owner(cluster.database, &cluster.url, "sales", &cluster.servers[0]);
    assert_eq!(cluster.servers[0].put("/_/sales.2", "text/csv", "7,8\n").status, 201);
    ben.wait_for_value("A1", 7.0);
    ben.wait_for_value("A2", 16.0);
    // Circular also by that name.
    ann.type_text("D1", r#"=IMPORTRANGE("report","H1")"#);
    ann.wait_for_value("D1", Value::Error(ErrorValue::Circular));
}

#[test]
fn a_source_that_no_server_runs_is_read_by_the_one_that_imports() {
    let mut cluster = Cluster::<2>::start(&[]);
    cluster.servers[0].make_room("rates", "1\n");
    // It runs nowhere from here on.
    cluster.servers[0].kill();
    let mut ben = Person::join(&cluster.servers[1], "report", "Ben");
    ben.type_text("A1", r#"=IMPORTRANGE("rates","A1")"#);
    ben.wait_for_value("A1", 1.0);
}

#[test]
fn sources_are_told_to_servers_only() {
    let cluster = Cluster::<2>::start(&[]);
    cluster.servers[0].make_room("rates", "1\n");
    for server in &cluster.servers {
        let refused = server.get("/internal/import-sources/rates?range=A1");
        assert_eq!((refused.status, refused.code().as_str()), (404, "not_found"), "{refused:?}");
    }
}
