//! Conditional formats of OpenDocument files, which are an extension of LibreOffice.

use crate::notation::{commanded, import, items};
use crate::page_setup::part;
use quadrille_files::{FileFormat, WriteOptions, write};
use quadrille_operation::ItemValue;
use std::collections::BTreeMap;

/// Rules, and the elements that LibreOffice 7.4 writes for them when it converts an `.xlsx` file with
/// the same rule (bars of its defaults aside).
const CASES: [(&str, &str); 20] = [
    (r#"{"rule":"cell","operator":"greater","formula1":"=5"}"#, r#"calcext:value="&gt;5""#),
    (
        r#"{"rule":"cell","operator":"between","formula1":"=2","formula2":"=B$2*2"}"#,
        r#"calcext:value="between(2,[.B$2]*2)""#,
    ),
    (
        r#"{"rule":"cell","operator":"notBetween","formula1":"=2","formula2":"=MAX(A1,9)"}"#,
        r#"calcext:value="not-between(2,MAX([.A1];9))""#,
    ),
    (r#"{"rule":"cell","operator":"equal","formula1":"=\"yes\""}"#, r#"calcext:value="=&quot;yes&quot;""#),
    (
        r#"{"rule":"formula","formula1":"=AND(B9>2,$A9<\"b\")"}"#,
        r#"calcext:value="formula-is(AND([.B9]&gt;2;[.$A9]&lt;&quot;b&quot;))""#,
    ),
    (
        r#"{"rule":"text","operator":"notContains","text":"ab"}"#,
        r#"calcext:value="not-contains-text(&quot;ab&quot;)""#,
    ),
    (
        r#"{"rule":"text","operator":"beginsWith","text":"ab"}"#,
        r#"calcext:value="begins-with(&quot;ab&quot;)""#,
    ),
    (r#"{"rule":"text","operator":"endsWith","text":"ab"}"#, r#"calcext:value="ends-with(&quot;ab&quot;)""#),
    (r#"{"rule":"blank"}"#, r#"calcext:value="formula-is(LEN(TRIM([.A9]))=0)""#),
    (r#"{"rule":"notError"}"#, r#"calcext:value="is-no-error""#),
    (r#"{"rule":"duplicate"}"#, r#"calcext:value="duplicate""#),
    (r#"{"rule":"unique"}"#, r#"calcext:value="unique""#),
    (r#"{"rule":"top","rank":20,"percent":true}"#, r#"calcext:value="top-percent(20)""#),
    (r#"{"rule":"bottom","rank":4}"#, r#"calcext:value="bottom-elements(4)""#),
    (r#"{"rule":"aboveAverage","orEqual":true}"#, r#"calcext:value="above-equal-average""#),
    (r#"{"rule":"belowAverage"}"#, r#"calcext:value="below-average""#),
    (
        r#"{"rule":"date","period":"last7Days"}"#,
        r#"<calcext:date-is calcext:style="ConditionalStyle_1" calcext:date="last-7-days"/>"#,
    ),
    (
        r##"{"rule":"colorScale","stops":[{"at":"formula","formula":"=$A$3","color":"#ffffff"},{"at":"percentile","value":50,"color":"#ffeb84"},{"at":"maximum","color":"#63be7b"}]}"##,
        r##"<calcext:color-scale><calcext:color-scale-entry calcext:value="=[.$A$3]" calcext:type="formula" calcext:color="#ffffff"/><calcext:color-scale-entry calcext:value="50" calcext:type="percentile" calcext:color="#ffeb84"/><calcext:color-scale-entry calcext:value="0" calcext:type="maximum" calcext:color="#63be7b"/></calcext:color-scale>"##,
    ),
    (
        r##"{"rule":"dataBar","color":"#638ec6","gradient":true,"showValue":false,"stops":[{"at":"number","value":2},{"at":"automatic"}]}"##,
        r#"calcext:show-value="false"><calcext:formatting-entry calcext:value="2" calcext:type="number"/><calcext:formatting-entry calcext:value="0" calcext:type="auto-maximum"/></calcext:data-bar>"#,
    ),
    (
        r#"{"rule":"iconSet","iconSet":"3Arrows","showValue":false,"stops":[{"at":"percent","value":0},{"at":"percent","value":33},{"at":"number","value":67}]}"#,
        r#"<calcext:icon-set calcext:icon-set-type="3Arrows"><calcext:formatting-entry calcext:show-value="false" calcext:value="0" calcext:type="percent"/><calcext:formatting-entry calcext:value="33" calcext:type="percent"/><calcext:formatting-entry calcext:value="67" calcext:type="number"/></calcext:icon-set>"#,
    ),
];

#[test]
fn rules_are_written_as_libreoffice_does_and_read_again() {
    for (fields, element) in CASES {
        let is_drawn = fields.contains("stops");
        let format = r##""format":{"bold":true,"fillColor":"#ffc7ce","numberFormat":"0.0%"},"##;
        let more = format!("{{\"priority\":1,{}", if is_drawn { "" } else { format });
        let fields = fields.replacen('{', &more, 1);
        let workbook = commanded(&format!(
            r#"[{{"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["A9:B12","D:D"],"fields":{fields}}}]"#
        ));
        let file = write(&workbook, FileFormat::Ods, &WriteOptions::default()).expect("written");
        let content = part(&file, "content.xml");
        assert!(content.contains(element), "{element}\n{content}");
        let again = import(FileFormat::Ods, &file).expect("readable");
        assert_eq!(again.warnings, [] as [String; 0]);
        assert_eq!(items(&again.workbook, &["conditionalRule"]), items(&workbook, &["conditionalRule"]));
    }
}

/// In LibreOffice, the conditions of one element exclude each other; those of two do not.
#[test]
fn a_rule_that_stops_shares_an_element_with_the_next_one() {
    let rule = |priority: u32, stop: bool| {
        format!(
            r#"{{"type":"setItem","sheet":1,"kind":"conditionalRule","anchors":["A1:A9"],"fields":{{"rule":"cell",
            "operator":"less","formula1":"={priority}","priority":{priority}{}}}}}"#,
            if stop { r#","stop":true"# } else { "" }
        )
    };
    let commands = [rule(3, false), rule(1, true), rule(2, false)].join(",");
    let workbook = commanded(&format!("[{commands}]"));
    let file = write(&workbook, FileFormat::Ods, &WriteOptions::default()).expect("written");
    let content = part(&file, "content.xml");
    let elements: Vec<usize> = content
        .split("<calcext:conditional-format ")
        .skip(1)
        .map(|element| element.matches("<calcext:condition ").count())
        .collect();
    assert_eq!(elements, [2, 1]);
    let again = import(FileFormat::Ods, &file).expect("readable");
    assert_eq!(items(&again.workbook, &["conditionalRule"]), items(&workbook, &["conditionalRule"]));
}

/// LibreOffice 7.4 wrote the file from one of openpyxl with a rule of each kind. LibreOffice has no
/// standard deviations and no reversed icons; it gives rules of one range to one element.
#[test]
fn conditional_formats_of_libreoffice_are_read() {
    let read =
        import(FileFormat::Ods, include_bytes!("../fixtures/conditional-formats.ods")).expect("readable");
    assert_eq!(read.warnings, [] as [String; 0]);
    let filled = r##""format":{"fillColor":"#ffc7ce"}"##;
    let marked = r##""format":{"bold":true,"fillColor":"#ffc7ce","italic":true,"strikethrough":true,"textColor":"#9c0006","underline":true}"##;
    let mut expected: Vec<(&str, String)> = vec![
        ("A1:A10", format!(r#"{{{marked},"formula1":"=5","operator":"greater","rule":"cell","stop":true}}"#)),
        ("A1:A10", format!(r#"{{{filled},"formula1":"=2","operator":"less","rule":"cell"}}"#)),
        (
            "B1:B10",
            format!(r#"{{{filled},"formula1":"=2","formula2":"=B$2*2","operator":"between","rule":"cell"}}"#),
        ),
        (
            "C1:C10",
            format!(
                r#"{{{filled},"formula1":"=2","formula2":"='My sheet'!$A$1","operator":"notBetween","rule":"cell"}}"#
            ),
        ),
        ("D1:D10", format!(r#"{{{filled},"formula1":"=\"yes\"","operator":"equal","rule":"cell"}}"#)),
        ("E1:E10", format!(r#"{{{filled},"formula1":"=AND(E1>2,$A1<\"b\")","rule":"formula"}}"#)),
        ("F1:F10", format!(r#"{{{marked},"operator":"contains","rule":"text","text":"a\"b"}}"#)),
        ("G1:G10", format!(r#"{{{marked},"operator":"notContains","rule":"text","text":"ab"}}"#)),
        ("H1:H10", format!(r#"{{{marked},"operator":"beginsWith","rule":"text","text":"ab"}}"#)),
        ("I1:I10", format!(r#"{{{marked},"operator":"endsWith","rule":"text","text":"ab"}}"#)),
    ];
    for (range, rule) in [
        ("J1:J10", r#""rule":"blank""#),
        ("K1:K10", r#""rule":"notBlank""#),
        ("L1:L10", r#""rule":"error""#),
        ("M1:M10", r#""rule":"notError""#),
        ("N1:N10", r#""rule":"duplicate""#),
        ("O1:O10", r#""rule":"unique""#),
        ("P1:P10", r#""rank":3,"rule":"top""#),
        ("Q1:Q10", r#""percent":true,"rank":20,"rule":"top""#),
        ("R1:R10", r#""rank":4,"rule":"bottom""#),
        ("S1:S10", r#""percent":true,"rank":15,"rule":"bottom""#),
        ("T1:T10", r#""rule":"aboveAverage""#),
        ("U1:U10", r#""rule":"belowAverage""#),
        ("V1:V10", r#""orEqual":true,"rule":"aboveAverage""#),
        ("W1:W10", r#""orEqual":true,"rule":"belowAverage""#),
        ("X1:X10", r#""rule":"aboveAverage""#),
        ("Y1:Y10", r#""period":"today","rule":"date","stop":true"#),
        ("Y1:Y10", r#""period":"yesterday","rule":"date","stop":true"#),
        ("Y1:Y10", r#""period":"tomorrow","rule":"date","stop":true"#),
        ("Y1:Y10", r#""period":"last7Days","rule":"date","stop":true"#),
        ("Y1:Y10", r#""period":"thisWeek","rule":"date","stop":true"#),
        ("Y1:Y10", r#""period":"lastWeek","rule":"date","stop":true"#),
        ("Y1:Y10", r#""period":"nextWeek","rule":"date","stop":true"#),
        ("Y1:Y10", r#""period":"thisMonth","rule":"date","stop":true"#),
        ("Y1:Y10", r#""period":"lastMonth","rule":"date","stop":true"#),
        ("Y1:Y10", r#""period":"nextMonth","rule":"date""#),
    ] {
        expected.push((range, format!("{{{marked},{rule}}}")));
    }
    for (ranges, rule) in [
        (
            "AA1:AA10 AC2:AC5",
            r##"{"rule":"colorScale","stops":[{"at":"minimum","color":"#f8696b"},{"at":"percentile","color":"#ffeb84","value":50},{"at":"maximum","color":"#63be7b"}]}"##,
        ),
        (
            "AB1:AB10",
            r##"{"rule":"colorScale","stops":[{"at":"number","color":"#ffffff","value":2},{"at":"percent","color":"#63be7b","value":90}]}"##,
        ),
        (
            "AD1:AD10",
            r##"{"rule":"colorScale","stops":[{"at":"formula","color":"#ffffff","formula":"=$A$3"},{"at":"maximum","color":"#63be7b"}]}"##,
        ),
        (
            "AE1:AE10",
            r##"{"color":"#638ec6","gradient":true,"negativeColor":"#ff0000","rule":"dataBar","showValue":false,"stops":[{"at":"minimum"},{"at":"maximum"}]}"##,
        ),
        (
            "AF1:AF10",
            r##"{"color":"#638ec6","gradient":true,"negativeColor":"#ff0000","rule":"dataBar","stops":[{"at":"number","value":2},{"at":"percentile","value":90}]}"##,
        ),
        (
            "AG1:AG10",
            r##"{"iconSet":"3Arrows","rule":"iconSet","showValue":false,"stops":[{"at":"percent","value":0},{"at":"percent","value":33},{"at":"percent","value":67}]}"##,
        ),
        (
            "AH1:AH10",
            r##"{"iconSet":"5Rating","rule":"iconSet","stops":[{"at":"number","value":0},{"at":"number","value":2},{"at":"number","value":4},{"at":"number","value":6},{"at":"number","value":8}]}"##,
        ),
    ] {
        expected.push((ranges, rule.to_owned()));
    }
    let mut expected: Vec<String> = (1_u32..)
        .zip(expected)
        .map(|(priority, (ranges, fields))| {
            let mut fields: BTreeMap<String, ItemValue> = serde_json::from_str(&fields).expect("a record");
            fields.insert("priority".to_owned(), ItemValue::Number(f64::from(priority)));
            format!("conditionalRule {ranges} {}", serde_json::to_string(&fields).expect("text keys"))
        })
        .collect();
    expected.sort();
    assert_eq!(items(&read.workbook, &["conditionalRule"]), expected);
}
