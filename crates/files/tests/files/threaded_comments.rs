//! Threaded comments of Excel 365.

use crate::notation::{commanded, import, items, with_changed_part};
use crate::page_setup::part;
use quadrille_files::{FileFormat, WriteOptions, write};

const KINDS: [&str; 3] = ["commentThread", "comment", "note"];

/// Two threads, one of them resolved, and a note. The times are those of `date -u -d @1767258000`:
/// 2026-01-01 09:00:00.
const COMMANDS: &str = r#"[
  {"type":"setItem","sheet":1,"item":5,"kind":"commentThread","anchors":["B2"],"fields":{"resolved":true,"author":"Ann","time":1767258000000}},
  {"type":"setItem","sheet":1,"item":6,"kind":"comment","fields":{"parent":5,"text":"Is this <right>?","author":"Ann","time":1767258000000}},
  {"type":"setItem","sheet":1,"item":7,"kind":"comment","fields":{"parent":5,"text":"Yes","author":"Bob","time":1767258060000}},
  {"type":"setItem","sheet":1,"item":8,"kind":"commentThread","anchors":["C3"],"fields":{"author":"Bob","time":1767258120000}},
  {"type":"setItem","sheet":1,"item":9,"kind":"comment","fields":{"parent":8,"text":"Why?","author":"Bob","time":1767258120000}},
  {"type":"setItem","sheet":1,"item":10,"kind":"note","anchors":["D4"],"fields":{"text":"counted","author":"Ann"}}
]"#;

#[test]
fn threads_survive_a_round_trip_with_replies_authors_times_and_state() {
    let workbook = commanded(COMMANDS);
    let file = write(&workbook, FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let again = import(FileFormat::Xlsx, &file).expect("readable");
    assert_eq!(again.warnings, [] as [String; 0]);
    assert_eq!(items(&again.workbook, &KINDS), items(&workbook, &KINDS));
}

/// The parts, attributes and relationships of [MS-XLSX] 2.1.30, 2.1.31, 2.6.205 and 2.6.208.
#[test]
fn threads_are_written_as_excel_writes_them() {
    let file = write(&commanded(COMMANDS), FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let threads = part(&file, "xl/threadedComments/threadedComment1.xml");
    let persons = part(&file, "xl/persons/person.xml");
    let attribute = |text: &str, name: &str| {
        let value = text.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
        value.map(str::to_owned)
    };
    let comments: Vec<&str> = threads.split("<threadedComment ").skip(1).collect();
    let of =
        |name: &str| comments.iter().map(|text| attribute(&format!(" {text}"), name)).collect::<Vec<_>>();
    let some = |texts: [&str; 3]| texts.map(|text| (!text.is_empty()).then(|| text.to_owned()));
    assert_eq!(of("ref"), some(["B2", "B2", "C3"]));
    assert_eq!(
        of("dT"),
        some(["2026-01-01T09:00:00.000", "2026-01-01T09:01:00.000", "2026-01-01T09:02:00.000"])
    );
    assert_eq!(of("done"), some(["1", "", ""]));
    let (ids, parents, authors) = (of("id"), of("parentId"), of("personId"));
    assert_eq!(parents, [None, ids[0].clone(), None]);
    assert_eq!(authors[1], authors[2]);
    assert!(comments[0].contains("<text>Is this &lt;right&gt;?</text>"), "{threads}");
    for (name, id) in [("Ann", &authors[0]), ("Bob", &authors[1])] {
        let person = format!(r#"<person displayName="{name}" id="{}""#, id.as_deref().expect("a person"));
        assert!(persons.contains(&person), "{persons}");
    }
    // Older programs show notes, which name their threads.
    let notes = part(&file, "xl/comments1.xml");
    let id = ids[0].as_deref().expect("an identity");
    assert!(notes.contains(&format!("<author>tc={id}</author>")), "{notes}");
    assert!(notes.contains(&format!(r#"xr:uid="{id}""#)), "{notes}");
    assert!(notes.contains("Comment:\n    Is this &lt;right&gt;?\nReply:\n    Yes"), "{notes}");
    let links = part(&file, "xl/worksheets/_rels/sheet1.xml.rels");
    let kind = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment";
    assert!(links.contains(kind) && links.contains("../threadedComments/threadedComment1.xml"), "{links}");
    assert!(part(&file, "xl/_rels/workbook.xml.rels").contains("2017/10/relationships/person"));
    let types = part(&file, "[Content_Types].xml");
    for kind in ["application/vnd.ms-excel.threadedcomments+xml", "application/vnd.ms-excel.person+xml"] {
        assert!(types.contains(kind), "{types}");
    }
}

/// A reply without its thread, an unknown author and a time that does not exist.
#[test]
fn damaged_threads_are_read_as_far_as_possible() {
    let file = write(&commanded(COMMANDS), FileFormat::Xlsx, &WriteOptions::default()).expect("written");
    let damaged = with_changed_part(&file, "xl/threadedComments/threadedComment1.xml", |_| {
        r#"<ThreadedComments><threadedComment ref="B2" dT="2026-02-30T00:00:00" personId="{x}" id="{1}" parentId="{0}"><text>lost</text></threadedComment>
           <threadedComment ref="nowhere" id="{2}"><text>no cell</text></threadedComment><threadedComment ref="B3" id="{3}"/></ThreadedComments>"#.to_owned()
    });
    let read = import(FileFormat::Xlsx, &damaged).expect("readable");
    assert_eq!(
        items(&read.workbook, &["commentThread", "comment"]),
        ["comment  {\"text\":\"lost\"}", "comment  {}", "commentThread B2 {}", "commentThread B3 {}"]
    );
}
