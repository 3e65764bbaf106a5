//! Coverage of the functions of other spreadsheet programs.
//!
//! `names.tsv` has program, function name and, for unsupported functions, the reason; separated by
//! tabs. Excel's names are those of Microsoft's list of functions (compared with the npm package
//! `@univerjs/engine-formula` 1.0.0), Google's those that only Google Sheets has, EtherCalc's and
//! SocialCalc's those of their function lists.

use std::collections::BTreeMap;

use quadrille_functions::lookup;

#[test]
fn every_function_is_supported_or_has_a_reason() {
    let mut wrong = Vec::new();
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for line in include_str!("names.tsv").lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let (program, name, reason) = (fields[0], fields[1], fields.get(2));
        let count = counts.entry(program).or_default();
        count.0 += u32::from(lookup(name).is_some());
        count.1 += 1;
        match (lookup(name), reason) {
            (None, None) => wrong.push(format!("{program}: {name} is missing")),
            (Some(_), Some(_)) => {
                wrong.push(format!("{program}: {name} is supported but has a reason for being unsupported"))
            }
            _ => {}
        }
    }
    for (program, (known, all)) in counts {
        println!("{program}: {known} of {all} functions");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn functions_are_found_by_their_upper_case_names_only() {
    for function in quadrille_functions::all() {
        let found = lookup(function.name).map(std::ptr::from_ref);
        assert_eq!(found, Some(std::ptr::from_ref(function)), "{}", function.name);
        assert!(lookup(&function.name.to_lowercase()).is_none(), "{} in small letters", function.name);
    }
    for name in ["", "SU", "SUMM", " SUM", "ÄRGER", "_XLFN.SUM"] {
        assert!(lookup(name).is_none(), "{name:?}");
    }
}
