//! Ranges as typed columns over REST. `clients/python/test_data_frames.py` reads them with pandas, polars and
//! DuckDB.

use crate::support::Server;

const CELLS: &str = "/api/v1/rooms/frames/sheets/Sheet1/cells";

fn server() -> Server {
    let server = Server::start();
    server.make_room("frames", "Day,Units,Note\n2024-01-01,3,\"a, b\"\n2024-01-02,=B2/2,\n");
    server
}

#[test]
fn a_range_is_csv_with_full_precision_and_iso_dates() {
    let server = server();
    let columns = server.get(&format!("{CELLS}/A:C?format=csv"));
    assert_eq!(columns.text(), "Day,Units,Note\r\n2024-01-01,3,\"a, b\"\r\n2024-01-02,1.5,\r\n");
    assert_eq!(columns.header("content-type"), "text/csv; charset=utf-8");
    let without_names = server.get(&format!("{CELLS}/A2:B3?format=csv&header=none"));
    assert_eq!(without_names.text(), "2024-01-01,3\r\n2024-01-02,1.5\r\n");
}

#[test]
fn the_query_or_accept_chooses_the_format() {
    let server = server();
    for (format, media_type, begin) in [
        ("parquet", "application/vnd.apache.parquet", &b"PAR1"[..]),
        ("arrow", "application/vnd.apache.arrow.stream", &[0xff; 4]),
        ("json", "application/json", b"{"),
    ] {
        let asked = server.get(&format!("{CELLS}/A1:C3?format={format}"));
        let accepted = server.send("GET", &format!("{CELLS}/A1:C3"), &[("accept", media_type)], b"");
        for reply in [asked, accepted] {
            assert_eq!((reply.status, reply.header("content-type")), (200, media_type));
            assert!(reply.body.starts_with(begin), "{format}");
            let known = [("if-none-match", reply.header("etag")), ("accept", media_type)];
            assert_eq!(server.send("GET", &format!("{CELLS}/A1:C3"), &known, b"").status, 304);
        }
    }
}

#[test]
fn requests_for_columns_that_are_wrong_are_refused() {
    let server = server();
    for (path, code) in [
        (format!("{CELLS}/A1:C3?format=xlsx"), "bad_query"),
        (format!("{CELLS}/A1:C3?format=csv&header=maybe"), "bad_query"),
        (format!("{CELLS}/A1:ZZ100000?format=parquet"), "too_many_cells"),
        ("/api/v1/rooms/frames/sheets/Missing/cells/A1?format=arrow".to_owned(), "no_such_sheet"),
    ] {
        assert_eq!(server.get(&path).code(), code, "{path}");
    }
}
