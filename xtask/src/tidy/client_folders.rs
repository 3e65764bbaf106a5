//! Checks that a file in one folder of `web/app/src` imports another folder only through that
//! folder's `index.ts`.
//!
//! Exceptions are deferred imports (`import("../sort/SortDialog.tsx")`), which load a component
//! when it is first needed, and style sheets. `docs/client-state.md` describes the rule.

use std::path::{Component, Path, PathBuf};

use crate::project::Project;
use crate::tidy::violation::{Violation, read};

const SOURCES: &str = "web/app/src";

/// Names every static import that passes another folder's `index.ts`.
pub fn check(project: &Project, files: &[PathBuf]) -> Result<Vec<Violation>, String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| is_client_source(file)) {
        violations.extend(bypassing_imports(file, &read(project, file)?));
    }
    Ok(violations)
}

fn is_client_source(file: &Path) -> bool {
    file.starts_with(SOURCES)
        && file.extension().is_some_and(|extension| extension == "ts" || extension == "tsx")
}

/// Static imports of a file that do not go through the `index.ts` of another folder.
fn bypassing_imports(file: &Path, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(target) = imported_address(line).and_then(|address| resolve(file, address)) else {
            continue;
        };
        let reason = match (folder(file), folder(&target)) {
            (_, None) => continue,
            (Some(own), Some(other)) if own == other => {
                if target == Path::new(SOURCES).join(own).join("index.ts") {
                    "imports the index.ts of its own folder"
                } else {
                    continue;
                }
            }
            (_, Some(other)) => {
                let is_style = target.extension().is_some_and(|extension| extension == "css");
                if is_style || target == Path::new(SOURCES).join(other).join("index.ts") {
                    continue;
                }
                "imports past the index.ts of another folder"
            }
        };
        violations.push(format!("{}:{}: {reason}: {}", file.display(), index + 1, target.display()));
    }
    violations
}

/// The relative address of a static `import` or `export … from`. A statement over several lines is recognized by its
/// last line.
fn imported_address(line: &str) -> Option<&str> {
    let starts = ["import ", "export ", "}"].iter().any(|start| line.starts_with(start));
    let after = match line.strip_prefix("import \"") {
        Some(rest) => rest,
        None if starts => line.split_once(" from \"")?.1,
        None => return None,
    };
    let address = after.split('"').next()?;
    address.starts_with('.').then_some(address)
}

fn resolve(file: &Path, address: &str) -> Option<PathBuf> {
    let mut path = file.parent()?.to_path_buf();
    for component in Path::new(address).components() {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path.starts_with(SOURCES).then_some(path)
}

/// The first folder below `web/app/src`; none for files that are in `web/app/src` itself.
fn folder(file: &Path) -> Option<&str> {
    let mut parts = file.strip_prefix(SOURCES).ok()?.iter();
    let first = parts.next()?.to_str()?;
    parts.next().map(|_| first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, text: &str) -> Vec<String> {
        bypassing_imports(Path::new(file), text)
    }

    #[test]
    fn importing_past_the_index_of_another_folder_is_a_violation() {
        let text = "import { t } from \"../language/language.ts\";\n";
        assert_eq!(
            found("web/app/src/find/FindPanel.tsx", text),
            ["web/app/src/find/FindPanel.tsx:1: imports past the index.ts of another folder: \
                 web/app/src/language/language.ts"]
        );
        assert_eq!(found("web/app/src/main.tsx", "import { t } from \"./language/language.ts\";").len(), 1);
    }

    #[test]
    fn type_imports_reexports_and_imports_over_several_lines_follow_the_same_rule() {
        let type_import = "import type { Views } from \"../filter/filter-views.ts\";";
        let reexport = "export { viewName } from \"../filter/filter-views.ts\";";
        let several_lines = "import {\n  viewName,\n  Views,\n} from \"../filter/filter-views.ts\";";
        for text in [type_import, reexport, several_lines] {
            assert_eq!(found("web/app/src/state/signals.ts", text).len(), 1, "{text}");
        }
    }

    #[test]
    fn an_index_and_the_own_folder_can_be_imported() {
        let text = "import { t } from \"../../language/index.ts\";\n\
                    import { borders } from \"../borders.ts\";\n\
                    import { ruleKinds } from \"./rule-kinds.ts\";\n\
                    import { cellName } from \"@quadrille/grid\";\n";
        assert_eq!(found("web/app/src/formatting/conditional/RuleForm.tsx", text), Vec::<String>::new());
        assert_eq!(found("web/app/src/main.tsx", "import { App } from \"./App.tsx\";"), Vec::<String>::new());
    }

    #[test]
    fn deferred_imports_and_style_sheets_can_be_imported_by_their_path() {
        let text = "import \"../style/start.css\";\n\
                    const Sort = lazy(() => import(\"../sort/SortDialog.tsx\"));\n\
                    type Menus = typeof import(\"../menus/entries.tsx\");\n";
        assert_eq!(found("web/app/src/workbook/WorkbookPage.tsx", text), Vec::<String>::new());
    }

    #[test]
    fn a_file_does_not_import_the_index_of_its_own_folder() {
        let text = "import { find } from \"./index.ts\";";
        assert_eq!(found("web/app/src/find/FindPanel.tsx", text).len(), 1);
        assert_eq!(found("web/app/src/find/index.ts", "export { find } from \"./find.ts\";").len(), 0);
    }
}
