//! Function names of German, French and Spanish, with the tables of the client.

use std::collections::BTreeSet;

use proptest::prelude::*;
use quadrille_formula::{FunctionNames, Separators, delocalized, localized};

use crate::generate;
use crate::notation::{host, read, write};

/// A language with its separators, and its table as entries `SUM=SUMME`.
struct Language {
    tag: &'static str,
    separators: Separators,
    entries: Vec<(String, String)>,
    names: FunctionNames,
}

fn languages() -> Vec<Language> {
    let language = |tag, column, table: &str| {
        let table: serde_json::Value = serde_json::from_str(table).expect("the tables are JSON");
        let entries_of = |part: &str| {
            let part = table[part].as_object().expect("a table has functions and errors").clone();
            part.into_iter().map(|(english, local)| (english, local.as_str().expect("a name").to_owned()))
        };
        let entries: Vec<_> = entries_of("functions").chain(entries_of("errors")).collect();
        let texts: Vec<String> =
            entries.iter().map(|(english, local)| format!("{english}={local}")).collect();
        let names = FunctionNames::new(texts.iter().map(String::as_str));
        Language { tag, separators: Separators { decimal: ',', list: ';', column }, entries, names }
    };
    vec![
        language("de", '.', include_str!("../../../../web/app/src/language/function-names/de.json")),
        language("fr", '.', include_str!("../../../../web/app/src/language/function-names/fr.json")),
        language("es", '\\', include_str!("../../../../web/app/src/language/function-names/es.json")),
    ]
}

impl Language {
    fn shown(&self, stored: &str) -> String {
        localized(stored, self.separators, &self.names).into_owned()
    }

    fn stored(&self, typed: &str) -> String {
        delocalized(typed, self.separators, &self.names).into_owned()
    }

    fn functions(&self) -> impl Iterator<Item = (&str, &str)> {
        let functions = self.entries.iter().filter(|(english, _)| !english.starts_with('#'));
        functions.map(|(english, local)| (english.as_str(), local.as_str()))
    }
}

#[test]
fn formulas_are_shown_and_read_as_listed() {
    for line in include_str!("../../../../fixtures/formulas/localized.tsv").lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [tag, direction, stored, shown] = columns[..] else { continue };
        let language =
            languages().into_iter().find(|language| language.tag == tag).expect("a known language");
        if direction == "both" {
            assert_eq!(language.shown(stored), shown, "{tag}");
        }
        assert_eq!(language.stored(shown), stored, "{tag}: {shown}");
    }
}

#[test]
fn every_name_of_a_language_stands_for_one_function() {
    for language in languages() {
        let english: BTreeSet<&str> = language.functions().map(|(english, _)| english).collect();
        let local: BTreeSet<&str> = language.functions().map(|(_, local)| local).collect();
        assert_eq!(local.len(), english.len(), "{}: a name of two functions", language.tag);
        for (english, local) in language.functions() {
            assert_ne!(english, local, "{}: not a translation", language.tag);
            assert_eq!(local, local.to_uppercase(), "{}", language.tag);
        }
    }
}

#[test]
fn every_function_is_shown_and_read_again() {
    for language in languages() {
        for (english, local) in language.functions() {
            let stored = format!("{english}(A1,1.5)");
            assert_eq!(language.shown(&stored), format!("{local}(A1;1,5)"), "{}", language.tag);
            assert_eq!(language.stored(&format!("{local}(A1;1,5)")), stored, "{}", language.tag);
            assert_eq!(
                language.stored(&format!("{}(A1;1,5)", local.to_lowercase())),
                stored,
                "{}",
                language.tag
            );
            for stored in
                [format!("MAP(A1:A3,{english})"), format!("MAP(A1:A3,{local})"), format!("{local}(1)")]
            {
                let shown = language.shown(&stored);
                assert_eq!(language.stored(&shown), stored, "{}: {shown}", language.tag);
            }
        }
    }
}

#[test]
fn english_names_are_accepted_unless_they_are_names_of_the_language() {
    let mut taken = Vec::new();
    for language in languages() {
        for (english, _) in language.functions() {
            let typed = format!("{english}(1)");
            let read = language.stored(&typed);
            if read != typed {
                taken.push(format!("{}: {english} is {}", language.tag, read.trim_end_matches("(1)")));
            }
        }
    }
    // `docs/functions.md` lists them.
    assert_eq!(taken, ["fr: TRIM is MIRR", "fr: VAR.P is VARP", "es: DECIMAL is FIXED"]);
}

#[test]
fn the_formulas_of_the_corpus_are_shown_and_read_again() {
    for line in include_str!("corpus.txt").lines().filter(|line| !line.starts_with("##")) {
        let template = read(line.split(" | ").next().unwrap_or_default(), host("C5"));
        if matches!(template.expression(), quadrille_formula::Expression::Invalid(_)) {
            continue;
        }
        let stored = write(&template, host("C5"));
        for language in languages() {
            let shown = language.shown(&stored);
            assert_eq!(language.stored(&shown), stored, "{}: {shown}", language.tag);
        }
    }
}

proptest! {
    #[test]
    fn reading_undoes_showing(template in generate::template(), host in generate::host()) {
        let stored = write(&template, host);
        // Short names, so that generated functions and names meet those of the language.
        let names = FunctionNames::new(["TRUE=A", "FALSE=B_", "ABCD=EFGH", "MAP=ABCD", "#N/A=#NV"]);
        for language in languages() {
            for names in [&language.names, &names] {
                let shown = localized(&stored, language.separators, names);
                prop_assert_eq!(&*delocalized(&shown, language.separators, names), &*stored, "{}", shown);
            }
        }
    }

    #[test]
    fn any_text_can_be_read(text in generate::formula_like_text()) {
        for language in languages() {
            let _ = language.stored(&text);
            let _ = language.shown(&text);
        }
    }
}
