//! Checks that source files do not import one another in cycles.
//!
//! An edge leads from a file to the file that *defines* an item that it uses. A re-export (`pub use`,
//! `export … from`) is followed to the definition, so a parent module that only lists its children is in
//! no cycle. Dynamic imports (`import("./dialog")` in TypeScript) and inline test modules are not edges.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::project::Project;
use crate::tidy::import_cycles::imports::Imports;
use crate::tidy::violation::{Violation, read};

mod imports;
mod rust;
mod typescript;

pub fn check(project: &Project, files: &[PathBuf]) -> Result<Vec<Violation>, String> {
    let mut sources = BTreeMap::new();
    for file in files.iter().filter(|file| is_source(file)) {
        sources.insert(file.clone(), read(project, file)?);
    }
    let mut imports = rust::imports(&sources);
    imports.extend(typescript::imports(&sources));
    Ok(cycles(&imports).iter().map(|cycle| describe(cycle, &imports)).collect())
}

fn is_source(file: &Path) -> bool {
    let is_generated = file.iter().any(|part| part == "generated");
    file.extension().is_some_and(|extension| extension == "rs" || extension == "ts" || extension == "tsx")
        && !is_generated
}

/// Describes a cycle by its edges, so that the edge to remove can be found.
fn describe(cycle: &[PathBuf], imports: &Imports) -> Violation {
    let mut text = format!("{} files import one another", cycle.len());
    for file in cycle {
        let targets: Vec<String> = imports[file]
            .iter()
            .filter(|target| cycle.contains(target))
            .map(|target| target.file_name().unwrap_or_default().to_string_lossy().into_owned())
            .collect();
        text.push_str(&format!("\n        {} imports {}", file.display(), targets.join(", ")));
    }
    text
}

/// Strongly connected components of more than one file, by Tarjan's algorithm with an explicit stack.
fn cycles(imports: &Imports) -> Vec<Vec<PathBuf>> {
    let files: Vec<&PathBuf> = imports.keys().collect();
    let index_of: BTreeMap<&PathBuf, usize> =
        files.iter().enumerate().map(|(index, file)| (*file, index)).collect();
    let edges: Vec<Vec<usize>> = imports
        .values()
        .map(|targets| targets.iter().filter_map(|target| index_of.get(target).copied()).collect())
        .collect();

    const UNVISITED: usize = usize::MAX;
    let mut order = vec![UNVISITED; files.len()];
    let mut lowest = vec![0; files.len()];
    let mut is_open = vec![false; files.len()];
    let (mut open, mut found, mut counter) = (Vec::new(), Vec::new(), 0);
    for root in 0..files.len() {
        if order[root] != UNVISITED {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some((node, edge)) = path.pop() {
            if edge == 0 {
                (order[node], lowest[node]) = (counter, counter);
                counter += 1;
                open.push(node);
                is_open[node] = true;
            } else {
                let child = edges[node][edge - 1];
                if is_open[child] {
                    lowest[node] = lowest[node].min(lowest[child]);
                }
            }
            if let Some(next) = (edge..edges[node].len()).find(|&next| {
                let child = edges[node][next];
                if order[child] != UNVISITED && is_open[child] {
                    lowest[node] = lowest[node].min(order[child]);
                }
                order[child] == UNVISITED
            }) {
                path.push((node, next + 1));
                path.push((edges[node][next], 0));
                continue;
            }
            if lowest[node] == order[node] {
                let start =
                    open.iter().rposition(|&other| other == node).expect("an open node is on the stack");
                let members: Vec<usize> = open.split_off(start);
                members.iter().for_each(|&member| is_open[member] = false);
                if members.len() > 1 {
                    let mut cycle: Vec<PathBuf> =
                        members.iter().map(|&member| files[member].clone()).collect();
                    cycle.sort();
                    found.push(cycle);
                }
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(files: &[(&str, &str)]) -> BTreeMap<PathBuf, String> {
        files.iter().map(|(file, text)| (PathBuf::from(file), (*text).to_owned())).collect()
    }

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let sources = sources(files);
        let mut imports = rust::imports(&sources);
        imports.extend(typescript::imports(&sources));
        cycles(&imports)
            .iter()
            .map(|cycle| cycle.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn a_parent_and_a_child_that_use_each_other_are_a_cycle() {
        let cycle = found(&[
            ("crates/a/src/lib.rs", "mod child;\npub struct Shared;\npub fn run() { child::work(Shared) }"),
            ("crates/a/src/child.rs", "use crate::Shared;\npub fn work(_: Shared) {}"),
        ]);
        assert_eq!(cycle, ["crates/a/src/child.rs crates/a/src/lib.rs"]);
    }

    #[test]
    fn a_parent_that_only_reexports_its_children_is_in_no_cycle() {
        let reexports = "mod child;\nmod shared;\npub use child::work;\npub use shared::Shared;";
        let cycle = found(&[
            ("crates/a/src/lib.rs", reexports),
            ("crates/a/src/child.rs", "use crate::Shared;\npub fn work(_: Shared) {}"),
            ("crates/a/src/shared.rs", "pub struct Shared;"),
        ]);
        assert_eq!(cycle, Vec::<String>::new());
    }

    #[test]
    fn siblings_that_name_one_another_through_a_reexport_are_a_cycle() {
        let cycle = found(&[
            ("crates/a/src/lib.rs", "mod one;\nmod two;\npub use one::One;\npub use two::*;"),
            ("crates/a/src/one.rs", "use super::Two;\npub struct One(Box<Two>);"),
            ("crates/a/src/two.rs", "pub struct Two(crate::One);"),
        ]);
        assert_eq!(cycle, ["crates/a/src/one.rs crates/a/src/two.rs"]);
    }

    #[test]
    fn inline_tests_comments_and_strings_are_not_imports() {
        let cycle = found(&[
            ("crates/a/src/lib.rs", "pub mod one;\npub mod two;"),
            ("crates/a/src/one.rs", "use crate::two::Two;\npub struct One(Two);"),
            (
                "crates/a/src/two.rs",
                "// crate::one::One\npub struct Two;\nconst T: &str = \"crate::one::One\";\n#[cfg(test)]\nmod tests { use crate::one::One; }",
            ),
        ]);
        assert_eq!(cycle, Vec::<String>::new());
    }

    #[test]
    fn typescript_follows_reexports_and_ignores_deferred_imports() {
        let cycle = found(&[
            ("web/app/src/find/index.ts", "export { find } from \"./find.ts\";"),
            ("web/app/src/find/find.ts", "import { model } from \"../state\";\nexport const find = model;"),
            ("web/app/src/state/index.ts", "export { model } from \"./model.ts\";"),
            (
                "web/app/src/state/model.ts",
                "const later = () => import(\"../find/find.ts\");\nexport const model = later;",
            ),
        ]);
        assert_eq!(cycle, Vec::<String>::new());
        let cycle = found(&[
            ("web/app/src/a.ts", "import { b } from \"./b.ts\";\nexport const a = b;"),
            ("web/app/src/b.tsx", ""),
            ("web/app/src/b.ts", "import {\n  a,\n} from \"./a.ts\";\nexport const b = 1;"),
        ]);
        assert_eq!(cycle, ["web/app/src/a.ts web/app/src/b.ts"]);
        let cycle = found(&[
            ("web/app/src/a.ts", "import { b } from \"./b.ts\";\nexport const a = b;"),
            ("web/app/src/b.ts", "import type { a } from \"./a.ts\";\nexport const b = 1;"),
        ]);
        assert_eq!(cycle, Vec::<String>::new());
    }
}
