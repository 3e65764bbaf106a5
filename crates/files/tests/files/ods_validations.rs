//! Data validation of OpenDocument files.

use crate::notation::{commanded, import, items};
use crate::page_setup::part;
use quadrille_files::{FileFormat, WriteOptions, write};

/// A validation of each kind, and the condition that OpenDocument 1.3, part 3, 19.599 has for it.
const CASES: [(&str, &str); 9] = [
    (r#"{"rule":"list","choices":["yes","say \"no\""]}"#, r#"cell-content-is-in-list("yes";"say ""no""")"#),
    (r#"{"rule":"list","formula1":"=$H$1:$H$3"}"#, "cell-content-is-in-list([.$H$1:.$H$3])"),
    (
        r#"{"rule":"whole","operator":"between","formula1":"=1","formula2":"=MAX(H1,9)"}"#,
        "cell-content-is-whole-number() and cell-content-is-between(1,MAX([.H1];9))",
    ),
    (
        r#"{"rule":"decimal","operator":"greaterOrEqual","formula1":"=0.5"}"#,
        "cell-content-is-decimal-number() and cell-content()>=0.5",
    ),
    (
        r#"{"rule":"date","operator":"notBetween","formula1":"=45000","formula2":"=45001"}"#,
        "cell-content-is-date() and cell-content-is-not-between(45000,45001)",
    ),
    (
        r#"{"rule":"time","operator":"less","formula1":"=0.5"}"#,
        "cell-content-is-time() and cell-content()<0.5",
    ),
    (r#"{"rule":"textLength","operator":"notEqual","formula1":"=3"}"#, "cell-content-text-length()!=3"),
    (
        r#"{"rule":"textLength","operator":"between","formula1":"=1","formula2":"=5"}"#,
        "cell-content-text-length-is-between(1,5)",
    ),
    (r#"{"rule":"formula","formula1":"=ISODD(A9)"}"#, "is-true-formula(ISODD([.A9]))"),
];

#[test]
fn conditions_are_written_as_in_the_standard_and_read_again() {
    for (fields, condition) in CASES {
        let fields = fields.replacen('{', r#"{"strictness":"warning","#, 1);
        let workbook = commanded(&format!(
            r#"[{{"type":"setItem","sheet":1,"kind":"validation","anchors":["A9:B12","D9"],"fields":{fields}}}]"#
        ));
        let file = write(&workbook, FileFormat::Ods, &WriteOptions::default()).expect("written");
        let escaped = condition.replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
        let content = part(&file, "content.xml");
        assert!(content.contains(&format!(r#"table:condition="of:{escaped}""#)), "{condition}\n{content}");
        let again = import(FileFormat::Ods, &file).expect("readable");
        assert_eq!(again.warnings, [] as [String; 0]);
        assert_eq!(items(&again.workbook, &["validation"]), items(&workbook, &["validation"]), "{condition}");
    }
}

#[test]
fn whole_columns_and_messages_survive_a_round_trip() {
    let workbook = commanded(
        r#"[{"type":"setCells","sheet":1,"at":"A1","cells":[[{"text":"x"}],[{"text":"y"}]]},
        {"type":"setItem","sheet":1,"kind":"validation","anchors":["B:C"],"fields":{"rule":"any","allowBlank":false,
          "promptTitle":"Title & more","prompt":"two\nlines","errorTitle":"Wrong","errorMessage":"Try again","strictness":"information"}},
        {"type":"setItem","sheet":1,"kind":"validation","anchors":["E3:E1048576"],"fields":{"rule":"list","choices":["a"],"showDropdown":false,"strictness":"stop"}}]"#,
    );
    let file = write(&workbook, FileFormat::Ods, &WriteOptions::default()).expect("written");
    let again = import(FileFormat::Ods, &file).expect("readable");
    assert_eq!(items(&again.workbook, &["validation"]), items(&workbook, &["validation"]));
}

/// LibreOffice 7.4 wrote the file after reading one with these items that Quadrille wrote.
#[test]
fn validations_and_page_breaks_of_libreoffice_are_read() {
    let read = import(FileFormat::Ods, include_bytes!("../fixtures/validations.ods")).expect("readable");
    assert_eq!(
        items(&read.workbook, &["validation", "pageBreak"]),
        [
            r#"pageBreak 4:4 {}"#,
            r#"pageBreak C:C {}"#,
            r#"validation E2:E5 {"choices":["yes","say \"no\""],"prompt":"Choose","promptTitle":"T","rule":"list","strictness":"stop"}"#,
            r#"validation F:F {"formula1":"=1","formula2":"=MAX($B$2:$B$4,10)","operator":"between","rule":"whole","strictness":"warning"}"#,
            r#"validation G2:G4 {"formula1":"=5","operator":"lessOrEqual","rule":"textLength","strictness":"stop"}"#,
            r#"validation H2:H4 {"formula1":"=ISODD(B2)","rule":"formula","strictness":"stop"}"#,
            r#"validation I2:I4 {"formula1":"=$A$2:$A$4","rule":"list","strictness":"stop"}"#,
            r#"validation J2:J4 {"formula1":"=45000","operator":"greater","rule":"date","strictness":"stop"}"#,
        ]
    );
}
