//! Round trips: every command that serde writes is read back unchanged.

use super::*;

/// Every command with all its fields, as the client and the REST API send it.
/// [`every_command_has_an_example`] fails for a command that is missing.
const COMMANDS: &[&str] = &[
    r#"{"type":"typeText","sheet":1,"cell":"B2","text":"=A1"}"#,
    r#"{"type":"typeTexts","sheet":1,"at":"B2","texts":[["a","b"],[]]}"#,
    r#"{"type":"typeEverywhere","sheet":1,"range":"A1:B2","text":"x"}"#,
    r#"{"type":"setCells","sheet":1,"at":"A1","cells":[["keep","blank",{"number":2.5},{"boolean":true},{"text":"t"},{"typed":"1"},{"formula":"A1"}]]}"#,
    r#"{"type":"appendRows","sheet":1,"rows":[[{"number":-1.0}]]}"#,
    r#"{"type":"clear","sheet":1,"range":"A1","what":"contents"}"#,
    r#"{"type":"copyPaste","fromSheet":1,"source":"A1","sheet":2,"target":"B2","what":"transposed"}"#,
    r#"{"type":"copyPaste","fromSheet":1,"source":"A1:A9","sheet":2,"target":"B2","what":"all","leavingOut":[[2,3]]}"#,
    r#"{"type":"copyToNewSheet","fromSheet":1,"source":"A1:C9","leavingOut":[[2,3]],"position":1}"#,
    r#"{"type":"cutPaste","fromSheet":1,"source":"A1","sheet":2,"target":"B2"}"#,
    r#"{"type":"pasteText","sheet":1,"target":"A1","text":"a\tb"}"#,
    r#"{"type":"fill","sheet":1,"source":"A1","target":"A1:A9","mode":"series"}"#,
    r#"{"type":"fillDown","sheet":1,"range":"A1:A9"}"#,
    r#"{"type":"fillRight","sheet":1,"range":"A1:C1"}"#,
    r#"{"type":"insertRows","sheet":1,"at":2,"count":3}"#,
    r#"{"type":"deleteRows","sheet":1,"at":2,"count":3}"#,
    r#"{"type":"insertColumns","sheet":1,"at":2,"count":3}"#,
    r#"{"type":"deleteColumns","sheet":1,"at":2,"count":3}"#,
    r#"{"type":"resize","sheet":1,"dimension":"rows","first":2,"count":3,"size":40}"#,
    r#"{"type":"resize","sheet":1,"dimension":"columns","first":2,"count":3,"size":null}"#,
    r#"{"type":"sort","sheet":1,"range":"A1:B9","keys":[{"column":1,"descending":true}],"hasHeader":false}"#,
    r#"{"type":"removeDuplicates","sheet":1,"range":"A1:B9","columns":[0,1],"hasHeader":true}"#,
    r#"{"type":"splitText","sheet":1,"range":"A1:A9","separator":","}"#,
    r#"{"type":"trimWhitespace","sheet":1,"range":"A1:A9"}"#,
    r#"{"type":"suggest","command":{"type":"typeText","sheet":1,"cell":"A1","text":"5"},"fields":{"author":"Ada","time":1.0}}"#,
    r#"{"type":"acceptSuggestions","sheet":1,"items":[7,8]}"#,
    r#"{"type":"rejectSuggestions","sheet":1,"items":[]}"#,
    r##"{"type":"format","sheet":1,"range":"A1","format":{"numberFormat":"0.00","bold":true,"italic":false,"underline":true,"strikethrough":true,"wrap":true,"horizontal":"center","vertical":"top","textColor":"#112233","fillColor":null,"borderTop":{"style":"slantDashDot","color":"#000000"},"borderRight":{"style":"thin"},"borderBottom":null,"borderLeft":{"style":"hair"},"fontFamily":"Arial","fontSize":10.5,"indent":3,"rotation":-90,"overflow":"shrink","textFormat":"html"}}"##,
    r#"{"type":"format","sheet":1,"range":"A1","format":{"bold":false,"cellStyle":7}}"#,
    r##"{"type":"format","sheet":1,"range":"A1","format":{"horizontal":"centerContinuous","vertical":"distributed","underlineStyle":"doubleAccounting","script":"superscript","borderDiagonalUp":{"style":"thin","color":"#000000"},"borderDiagonalDown":null,"fillPattern":"gray0625","fillPatternColor":"#ff0000","quotePrefix":true,"readingOrder":"rightToLeft"}}"##,
    r##"{"type":"format","sheet":1,"range":"A1","format":{"textRuns":[{"text":"a","format":{"bold":true,"textColor":null}},{"text":"b","format":{}}]}}"##,
    r##"{"type":"format","sheet":1,"range":"A1","format":{"textRuns":null}}"##,
    r#"{"type":"toggle","sheet":1,"range":"A1","attribute":"strikethrough","active":"A2"}"#,
    r#"{"type":"addSheet","name":"New","position":0}"#,
    r#"{"type":"renameSheet","sheet":1,"name":"x"}"#,
    r#"{"type":"moveSheet","sheet":1,"position":2}"#,
    r#"{"type":"removeSheet","sheet":1}"#,
    r#"{"type":"moveChart","sheet":1,"item":7,"toSheet":"Chart1","ownSheet":true}"#,
    r#"{"type":"duplicateSheet","sheet":1,"name":null}"#,
    r#"{"type":"defineName","name":"rate","definition":"=Sheet1!$A$1","sheet":1,"local":false,"was":null}"#,
    r#"{"type":"defineName","name":"rate","definition":"=7","sheet":2,"local":true,"was":"tax"}"#,
    r#"{"type":"setItem","sheet":null,"item":9007199254740991,"kind":"note","anchors":["A1:B2"],"fields":{"a":null,"b":true,"c":1.5,"d":"x","e":[1.0,[]],"f":{"g":null}}}"#,
    r#"{"type":"removeItem","sheet":1,"item":7}"#,
    r#"{"type":"merge","sheet":1,"range":"A1:B2","how":"columns"}"#,
    r#"{"type":"unmerge","sheet":1,"range":"A1:B2"}"#,
    r#"{"type":"freezePanes","sheet":1,"rows":1,"columns":0}"#,
    r#"{"type":"filterBySlicer","sheet":1,"item":7,"view":null,"shown":["East",""],"from":null,"to":null}"#,
    r#"{"type":"setHidden","sheet":1,"dimension":"rows","first":2,"count":3,"hidden":true}"#,
    r#"{"type":"moveLines","sheet":1,"dimension":"columns","first":2,"count":3,"to":0}"#,
    r#"{"type":"many","commands":[{"type":"removeSheet","sheet":1},{"type":"many","commands":[]}]}"#,
    r#"{"type":"inSight","sheet":1,"from":4,"hidden":[[2,3],[7,1]],"rows":[9,5],"command":{"type":"fillDown","sheet":1,"range":"A1:A9"}}"#,
];

#[test]
fn commands_round_trip_through_json() {
    for json in COMMANDS {
        let command: Command = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
        assert_eq!(serde_json::to_string(&command).expect("JSON"), *json);
        let tree = Json::parse(json.as_bytes()).expect(json);
        assert_eq!(Command::from_json(&tree), Ok(command), "{json}");
    }
}

#[test]
fn every_command_has_an_example() {
    use ts_rs::TS;
    let declaration = Command::decl(&ts_rs::Config::default());
    let types: Vec<&str> = declaration.split("\"type\": \"").skip(1).collect();
    assert!(types.len() > 30, "{declaration}");
    for rest in types {
        let name = rest.split('"').next().expect("split yields something");
        let start = format!("{{\"type\":\"{name}\"");
        assert!(COMMANDS.iter().any(|command| command.starts_with(&start)), "no example of {name}");
    }
}

#[test]
fn optional_arguments_can_be_omitted() {
    let read = |json: &str| serde_json::from_str::<Command>(json).map_err(|error| error.to_string());
    let none =
        Command::SetItem { sheet: None, item: None, kind: None, anchors: None, fields: BTreeMap::new() };
    assert_eq!(read(r#"{"type":"setItem"}"#), Ok(none));
    assert_eq!(read(r#"{"type":"addSheet","more":1}"#), Ok(Command::AddSheet { name: None, position: None }));
    let format = read(r#"{"type":"format","sheet":0,"range":"A1","format":{}}"#);
    let nothing = FormatChange::default();
    assert_eq!(format, Ok(Command::Format { sheet: 0, range: "A1".to_owned(), format: Box::new(nothing) }));
}

#[test]
fn errors_name_the_field() {
    let error_of = |json: &str| match serde_json::from_str::<Command>(json) {
        Ok(command) => panic!("{command:?}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(error_of("[]"), "expected an object, found an array");
    assert_eq!(error_of("{}"), "missing field `type`");
    assert_eq!(error_of(r#"{"type":"undo"}"#), "unknown command: undo");
    assert_eq!(error_of(r#"{"type":"removeSheet"}"#), "missing field `sheet`");
    assert_eq!(
        error_of(r#"{"type":"removeSheet","sheet":1.5}"#),
        "sheet: expected an integer from 0 to 4294967295, found another number"
    );
    assert_eq!(
        error_of(r#"{"type":"clear","sheet":1,"range":"A1","what":"everything"}"#),
        "what: unknown name `everything`, expected one of contents, formats, all"
    );
    assert_eq!(
        error_of(r#"{"type":"setCells","sheet":1,"at":"A1","cells":[[{"number":"1"}]]}"#),
        "cells: expected a number, found a string"
    );
    assert_eq!(
        error_of(r#"{"type":"setCells","sheet":1,"at":"A1","cells":[[{"keep":1}]]}"#),
        "cells: this kind of content has no value"
    );
    assert!(
        error_of(r#"{"type":"format","sheet":1,"range":"A1","format":{"bolt":true}}"#)
            .starts_with("unknown field `bolt`, expected one of numberFormat, bold,")
    );
    assert_eq!(
        error_of(r#"{"type":"many","commands":[{"type":"fillDown","sheet":1}]}"#),
        "commands: missing field `range`"
    );
    assert_eq!(
        error_of(
            r#"{"type":"inSight","sheet":1,"hidden":[[1]],"command":{"type":"fillDown","sheet":1,"range":"A1"}}"#
        ),
        "hidden: expected two numbers, the first row and the number of rows"
    );
}
