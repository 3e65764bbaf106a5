//! Generates `docs/functions.md` and the client's help (`web/protocol/src/functions.ts`) from the
//! registry and fails when they differ: `UPDATE_EXPECT=1 cargo test -p quadrille-functions --test
//! functions documentation` writes them. The client loads its file on demand, since the WebAssembly engine
//! has no descriptions.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use quadrille_functions::{Category, Function, all};

fn title(category: Category) -> &'static str {
    match category {
        Category::Mathematics => "Mathematics",
        Category::Statistics => "Statistics",
        Category::Logical => "Logic",
        Category::Information => "Information",
        Category::Text => "Text",
        Category::DateAndTime => "Date and time",
        Category::Lookup => "Lookup and reference",
        Category::Array => "Arrays",
        Category::Financial => "Finance",
    }
}

/// The conflicts are those that `formula/tests/formula/function_names.rs` finds.
const NAMES: &str = "
## Names in other languages

Pages in German, French and Spanish show and read the function names of Excel in these languages
([guide](guide/formulas.md#function-names-in-your-language)); formulas are stored, exported and sent
with the English names below. Functions that Excel does not have or does not translate keep their
English names. The tables are in `web/app/src/language/function-names`. English names are accepted
as well, except these, which are names of other functions in the language:

| language | typed | is | the other function |
|---|---|---|---|
| French | `TRIM` | MIRR | TRIM is `SUPPRESPACE` |
| French | `VAR.P` | VARP | VAR.P is `VAR.P.N` |
| Spanish | `DECIMAL` | FIXED | DECIMAL is `CONV.DECIMAL` |
";

fn page() -> String {
    let mut by_category: BTreeMap<Category, Vec<&Function>> = BTreeMap::new();
    for function in all() {
        by_category.entry(function.category).or_default().push(function);
    }
    let mut page = format!(
        "# Functions\n\nAll {} functions, generated from the registry in `crates/functions`. Arguments in brackets are\n\
         optional; `…` repeats. Where Excel and OpenFormula differ, functions follow Excel.\n",
        all().len()
    );
    page.push_str(NAMES);
    for (category, functions) in by_category {
        let _ = write!(
            page,
            "\n## {}\n\n| function | result | example | source |\n|---|---|---|---|\n",
            title(category)
        );
        for function in functions {
            let (formula, result) = function.examples.first().copied().unwrap_or_default();
            let escaped = |text: &str| text.replace('|', "\\|");
            let example = if result.is_empty() {
                format!("`{}`", escaped(formula))
            } else {
                format!("`{}` → `{}`", escaped(formula), escaped(result))
            };
            let _ = writeln!(
                page,
                "| `{}({})` | {} | {example} | {} |",
                function.name, function.arguments, function.summary, function.source
            );
        }
    }
    page
}

/// Title of a category in the client's help.
fn short_title(category: Category) -> &'static str {
    match category {
        Category::Logical => "Logical",
        Category::Lookup => "Lookup",
        Category::Array => "Array",
        Category::Financial => "Financial",
        other => title(other),
    }
}

fn help() -> String {
    let mut module = String::from(
        "// Generated from the registry in crates/functions by its test `documentation`; do not edit.\n\n\
         export interface FunctionDetails {\n  readonly name: string;\n  readonly arguments: string;\n  \
         readonly category: string;\n  readonly summary: string;\n}\n\n\
         const LINES: readonly (readonly [string, string, string, string])[] = [\n",
    );
    for function in all() {
        let line = [function.name, function.arguments, short_title(function.category), function.summary];
        // Rust's escapes of these texts are valid in JavaScript.
        let _ = writeln!(module, "  {line:?},");
    }
    module.push_str(
        "];\n\n/** All functions, sorted by name. */\n\
         export const FUNCTIONS: readonly FunctionDetails[] = LINES.map(([name, args, category, summary]) => ({\n  \
         name,\n  arguments: args,\n  category,\n  summary,\n}));\n",
    );
    module
}

fn check(file: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, expected).expect("the file can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == expected, "{file} differs from the registry: run with UPDATE_EXPECT=1");
}

#[test]
fn the_document_matches_the_registry() {
    check("docs/functions.md", &page());
}

#[test]
fn the_clients_help_matches_the_registry() {
    check("web/protocol/src/functions.ts", &help());
}
