//! Defined names of OpenDocument files, those of the workbook and those of a sheet, and formulas with
//! names (rule F22).

use std::collections::HashSet;

use quadrille_cell::CellAddress;
use quadrille_formula::{Host, Template, TokenKind, name_scope, print, refers_to_other_workbook, tokens};
use quadrille_workbook::{Sheet, Workbook};

use super::formulas::{from_openformula, quoted, reference_from_openformula, to_openformula};
use super::numbers::escaped;
use crate::contents::{Contents, FormulaSource};
use crate::limits::NAMES_MAX;
use crate::printed_name::printed_name;
use crate::table_references::with_plain_references;
use crate::xlsx::xml::Element;

/// The OpenFormula of a formula, with plain references instead of structured ones, as LibreOffice
/// writes it; `None` if OpenFormula cannot express it. It has references to other files, but not to
/// workbooks of a server.
pub(super) fn openformula(template: &Template, host: Host, workbook: &Workbook) -> Option<String> {
    if refers_to_other_workbook(template) {
        return None;
    }
    let plain = with_plain_references(template, workbook);
    to_openformula(&print(plain.as_ref().unwrap_or(template), host, workbook))
}

/// The names of the workbook, or those of a sheet; empty if there are none.
pub(super) fn named_expressions(workbook: &Workbook, scope: Option<&Sheet>) -> String {
    let base = &workbook.sheets()[0];
    let base_cell = escaped(&format!("${}.$A$1", quoted(base.name())));
    let mut named = String::new();
    for (name, definition) in workbook.names() {
        let (sheet, local) = match name_scope(name) {
            Some((sheet, local)) => (Some(sheet), local),
            None => (None, &**name),
        };
        if sheet != scope.map(Sheet::id) {
            continue;
        }
        let Some(open) = definition_of(local, definition, workbook) else { continue };
        // A name of a range is an address; every other definition is an expression.
        let address = open
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .filter(|inner| !inner.contains('[') && !inner.starts_with('.'));
        let (local, base) = (escaped(local), &base_cell);
        named += &match address {
            Some(address) => format!(
                "<table:named-range table:name=\"{local}\" table:base-cell-address=\"{base}\" \
                 table:cell-range-address=\"{}\"/>",
                escaped(address)
            ),
            None => format!(
                "<table:named-expression table:name=\"{local}\" table:base-cell-address=\"{base}\" \
                 table:expression=\"of:={}\"/>",
                escaped(&open)
            ),
        };
    }
    match named.is_empty() {
        true => named,
        false => format!("<table:named-expressions>{named}</table:named-expressions>"),
    }
}

/// The OpenFormula of a definition; `None` if OpenFormula cannot express the definition or the name.
fn definition_of(name: &str, definition: &Template, workbook: &Workbook) -> Option<String> {
    let host = Host { sheet: workbook.sheets()[0].id(), cell: CellAddress::default() };
    to_openformula(name).and(openformula(definition, host, workbook))
}

/// The defined names that OpenFormula cannot express, sorted.
pub(crate) fn rejected_names(workbook: &Workbook) -> Vec<String> {
    let is_rejected = |name: &str, definition: &Template| {
        let local = name_scope(name).map_or(name, |(_, local)| local);
        definition_of(local, definition, workbook).is_none()
    };
    let rejected = workbook.names().filter(|(name, definition)| is_rejected(name, definition));
    let mut names: Vec<String> = rejected.map(|(name, _)| printed_name(name, workbook)).collect();
    names.sort();
    names
}

/// Whether OpenFormula can express the formula of a cell; otherwise the file has its result.
pub(crate) fn can_express(
    template: &Template,
    sheet: &Sheet,
    cell: CellAddress,
    workbook: &Workbook,
) -> bool {
    openformula(template, Host { sheet: sheet.id(), cell }, workbook).is_some()
}

/// Reads a `named-range` or `named-expression` element, of the last sheet if `is_local`.
pub(super) fn read(contents: &mut Contents, element: &Element, is_local: bool) {
    let definition = match element.attribute("table:cell-range-address") {
        Some(range) => reference_from_openformula(&range),
        None => from_openformula(&element.attribute("table:expression").unwrap_or_default()),
    };
    let Some(name) = element.attribute("table:name") else { return };
    if contents.names.len() >= NAMES_MAX {
        return;
    }
    let name = match contents.sheets.last().filter(|_| is_local) {
        Some(sheet) => format!("{}!{name}", quoted(&sheet.name)),
        None => name,
    };
    contents.names.push((name, definition));
}

/// Gives names of the form `Sheet2.rate` their sheet, when all sheets and names are known: a name
/// can contain a dot.
pub(super) fn resolve_scopes(contents: &mut Contents) {
    let known: HashSet<String> = contents.names.iter().map(|(name, _)| name.to_lowercase()).collect();
    if !known.iter().any(|name| name.contains('!')) {
        return;
    }
    let resolved = |text: &str| {
        let mut written = String::new();
        let mut end = 0;
        for token in tokens(text) {
            let word = &text[token.start..token.end];
            let scoped = word
                .split_once('.')
                .filter(|_| token.kind == TokenKind::Name && !known.contains(&word.to_lowercase()))
                .map(|(sheet, name)| format!("{}!{name}", quoted(sheet)))
                .filter(|scoped| known.contains(&scoped.to_lowercase()));
            if let Some(scoped) = scoped {
                written.push_str(&text[end..token.start]);
                written.push_str(&scoped);
                end = token.end;
            }
        }
        (end > 0).then(|| written + &text[end..])
    };
    for sheet in &mut contents.sheets {
        for formula in &mut sheet.formulas {
            if let FormulaSource::Text(text) | FormulaSource::Legacy(text) = &mut formula.source
                && let Some(resolved) = resolved(text)
            {
                *text = resolved.into();
            }
        }
    }
    for (_, definition) in &mut contents.names {
        if let Some(resolved) = resolved(definition) {
            *definition = resolved;
        }
    }
}
