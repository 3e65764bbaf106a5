//! `docs/functions.md` is made from the registry. `UPDATE_EXPECT=1 cargo test -p quadrille-functions --test page` writes it anew.

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

fn page() -> String {
    let mut by_category: BTreeMap<Category, Vec<&Function>> = BTreeMap::new();
    for function in all() {
        by_category.entry(function.category).or_default().push(function);
    }
    let mut page = format!(
        "# Functions\n\nAll {} functions, made from the registry in `crates/functions`. Arguments in brackets may be left out, `…` repeats. \
         Where Excel and OpenFormula differ, they follow Excel.\n",
        all().len()
    );
    for (category, functions) in by_category {
        let _ = write!(
            page,
            "\n## {}\n\n| function | what it yields | for example | described in |\n|---|---|---|---|\n",
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

#[test]
fn the_page_lists_the_registry() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/functions.md");
    let page = page();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &page).expect("docs can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/functions.md is not what the registry says: run with UPDATE_EXPECT=1");
}
