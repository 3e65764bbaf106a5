//! The page around a drawing. It is complete without scripts; `web/published/src/published.ts` shows the
//! changes that follow.

use std::fmt::Write;

use quadrille_cell::SheetId;

use super::chart_texts::chart_texts;
use super::drawing::Drawing;
use super::texts::texts;
use crate::forms::escaped;
use crate::mail::MailLanguage;

/// How a page is shown.
pub struct PageOptions<'a> {
    pub title: &'a str,
    pub language: MailLanguage,
    /// Within another page: without a visible heading.
    pub is_embedded: bool,
    /// The query of the page without its sheet, for the links of the tabs; empty or beginning with `&`.
    pub query: &'a str,
}

/// A tab of the page.
struct SheetTab<'a> {
    sheet: SheetId,
    name: &'a str,
    is_current: bool,
}

/// The beginning and the end of the page of a drawing; its table is between them.
pub fn published_page(drawing: &Drawing, options: &PageOptions<'_>) -> (String, String) {
    let texts = texts(options.language);
    let current = drawing.sheets.iter().find(|(sheet, _)| Some(*sheet) == drawing.sheet);
    let name = current.map_or("", |(_, name)| name);
    let mut start = head(options.title, options.language, options.is_embedded);
    // Embedded, it is for screen readers only: the page around has a title of its own.
    _ = write!(start, "<header><h1 dir=\"auto\">{}</h1></header>", escaped(options.title));
    _ = write!(
        start,
        "<p class=\"status\" id=\"status\" role=\"status\" data-offline=\"{}\" data-stopped=\"{}\"></p>\
         <main id=\"page\" data-version=\"{}\"",
        escaped(texts.offline),
        escaped(texts.stopped),
        drawing.version,
    );
    if !drawing.charts.is_empty() {
        let texts = serde_json::to_string(chart_texts(options.language)).expect("texts are JSON");
        _ = write!(start, " data-charts=\"{}\"", escaped(&texts));
    }
    start.push('>');
    let direction = if drawing.is_right_to_left { "rtl" } else { "ltr" };
    // With tabs the region is one of several; the name of the sheet of a range is not published.
    let label = if drawing.sheets.len() > 1 { name } else { options.title };
    _ = write!(
        start,
        "<div class=\"sheet\" dir=\"{direction}\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">",
        escaped(label)
    );
    let mut end = "</div>".to_owned();
    let notes = [
        (drawing.sheet.is_none(), texts.empty),
        (drawing.are_rows_left_out, texts.cut),
        (drawing.charts_left_out > 0, texts.charts),
    ];
    for (_, note) in notes.iter().filter(|(is_shown, _)| *is_shown) {
        _ = write!(end, "<p class=\"note\">{}</p>", escaped(note));
    }
    if !drawing.charts.is_empty() {
        let note = escaped(texts.charts_need_scripts);
        // The script of the page removes it.
        _ = write!(end, "<p class=\"note\" id=\"charts-note\">{note}</p>");
    }
    if drawing.sheets.len() > 1 {
        _ = write!(end, "<nav aria-label=\"{}\">", escaped(texts.sheets));
        for (sheet, name) in &drawing.sheets {
            let is_current = Some(*sheet) == drawing.sheet;
            tab(&mut end, &SheetTab { sheet: *sheet, name, is_current }, options.query);
        }
        end.push_str("</nav>");
    }
    end.push_str("</main></body></html>\n");
    (start, end)
}

/// The page when there is no such publication.
pub fn missing_page(language: MailLanguage) -> String {
    let texts = texts(language);
    head(texts.missing, language, false)
        + &format!(
            "<main class=\"missing\"><h1>{}</h1><p>{}</p></main></body></html>\n",
            escaped(texts.missing),
            escaped(texts.missing_hint)
        )
}

fn tab(html: &mut String, tab: &SheetTab<'_>, query: &str) {
    let current = if tab.is_current { " aria-current=\"page\"" } else { "" };
    _ = write!(
        html,
        "<a href=\"?sheet={}{}\"{current} dir=\"auto\">{}</a>",
        tab.sheet.0,
        escaped(query),
        escaped(tab.name)
    );
}

fn head(title: &str, language: MailLanguage, is_embedded: bool) -> String {
    let direction = if language.is_right_to_left() { "rtl" } else { "ltr" };
    let class = if is_embedded { " class=\"embedded\"" } else { "" };
    format!(
        "<!doctype html>\n<html lang=\"{}\" dir=\"{direction}\"{class}><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\"><meta name=\"robots\" content=\"noindex\">\
         <title>{}</title><link rel=\"icon\" href=\"../logo.svg\"><link rel=\"stylesheet\" href=\"../published.css\">\
         <script src=\"../published.js\" defer></script></head><body>",
        language.tag(),
        escaped(title)
    )
}
