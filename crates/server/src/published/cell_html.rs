//! The content of one cell of a published page. Everything is escaped or, for texts in HTML and the like,
//! sanitised.

use quadrille_rich_text::{pieces, to_html};
use quadrille_viewport::cell_marks::{CellMark, DataBar, RuleIcon};
use quadrille_workbook::TextFormat;

use super::cell_style::hex;
use super::sparkline::sparkline_svg;
use crate::forms::escaped;

/// Schemes of addresses to which links of a published page lead.
const LINK_SCHEMES: [&str; 4] = ["https", "http", "mailto", "tel"];
/// Stars of the highest rating.
const STARS_MAX: u32 = 5;
/// The colors of icons, from the lowest values to the highest.
const ICON_COLORS: [&str; 3] = ["#c5221f", "#b06000", "#188038"];

/// A displayed text, and the text that it is made from if that is HTML or wiki text.
pub struct CellText {
    pub displayed: String,
    pub formatted: Option<(TextFormat, String)>,
    /// The HTML of a text of which parts have fonts of their own.
    pub rich: Option<String>,
}

/// Returns the HTML of a cell with these markers. Notes and comments are not among what is shown.
pub fn cell_html(text: &CellText, mark: Option<&CellMark>) -> String {
    let Some(mark) = mark else { return text_html(text, None) };
    let mut html = String::new();
    if let Some(icon) = &mark.icon {
        html.push_str(&icon_html(icon));
    }
    if let Some(spark) = &mark.spark {
        html.push_str(&sparkline_svg(spark));
    }
    if let Some(is_checked) = mark.is_checked {
        html.push_str(if is_checked { "☑" } else { "☐" });
        return html;
    }
    if let Some(stars) = mark.rating {
        // A blank cell has no rating.
        return if text.displayed.is_empty() { html } else { html + &rating_html(stars) };
    }
    if mark.hides_value == Some(true) {
        return html;
    }
    match &mark.chips {
        Some(_) if text.formatted.is_none() => html.push_str(&chips_html(&text.displayed, mark)),
        _ => html.push_str(&text_html(text, mark.link.as_deref())),
    }
    html
}

/// The background of a data bar as a CSS declaration.
pub fn bar_css(bar: &DataBar) -> String {
    let percent = |fraction: f64| (fraction.clamp(0.0, 1.0) * 100.0).round();
    let (from, to) = (percent(bar.start.min(bar.end)), percent(bar.start.max(bar.end)));
    let color = hex(bar.color);
    format!(
        "background-image:linear-gradient(to right,transparent {from}%,{color}66 {from}%,{color}66 {to}%,transparent {to}%);"
    )
}

fn text_html(text: &CellText, link: Option<&str>) -> String {
    let html = match &text.formatted {
        // Its own links are among its elements. Images are links: a page loads nothing from elsewhere.
        Some((format, source)) => return to_html(&pieces(*format, source), false),
        None => text.rich.clone().unwrap_or_else(|| escaped(&text.displayed)),
    };
    match link.filter(|link| is_web_address(link)) {
        Some(link) => {
            format!("<a href=\"{}\" target=\"_blank\" rel=\"noopener noreferrer\">{html}</a>", escaped(link))
        }
        None => html,
    }
}

/// Whether an address leads out of the workbook, to a page or to a person.
fn is_web_address(link: &str) -> bool {
    let scheme = link.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| LINK_SCHEMES.contains(&scheme.as_str()))
}

fn chips_html(text: &str, mark: &CellMark) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let part = |start: usize, end: usize| String::from_utf16_lossy(units.get(start..end).unwrap_or_default());
    let (mut html, mut at) = (String::new(), 0);
    for chip in mark.chips.iter().flatten() {
        let (start, end) = (chip.start as usize, chip.end.map_or(units.len(), |end| end as usize));
        let background =
            chip.color.map_or(String::new(), |color| format!(" style=\"background:{}\"", hex(color)));
        html.push_str(&escaped(&part(at, start)));
        html.push_str(&format!("<span class=\"chip\"{background}>{}</span>", escaped(&part(start, end))));
        at = end;
    }
    html + &escaped(&part(at, units.len()))
}

/// The stars of a rating, with their number for screen readers.
fn rating_html(stars: u32) -> String {
    let signs: String = (0..STARS_MAX).map(|star| if star < stars { '★' } else { '☆' }).collect();
    format!("<span role=\"img\" aria-label=\"{stars}/{STARS_MAX}\">{signs}</span>")
}

/// An icon of a set as a sign in a color: three or more steps from the lowest values to the highest.
fn icon_html(icon: &RuleIcon) -> String {
    let digits: String = icon.set.chars().take_while(char::is_ascii_digit).collect();
    let steps = digits.parse::<u32>().unwrap_or(3).clamp(2, 5);
    let level = f64::from(icon.index.min(steps - 1)) / f64::from(steps - 1);
    let sign = match (icon.set.contains("Arrows"), icon.set.contains("Triangles")) {
        (true, _) => ["↓", "↘", "→", "↗", "↑"][(level * 4.0).round() as usize],
        (_, true) => ["▼", "▬", "▲"][(level * 2.0).round() as usize],
        _ => "●",
    };
    let color = match icon.set.contains("Gray") {
        true => "#5f6368",
        false => ICON_COLORS[(level * 2.0).round() as usize],
    };
    format!("<span class=\"icon\" style=\"color:{color}\" aria-hidden=\"true\">{sign}</span> ")
}

#[cfg(test)]
mod tests {
    use quadrille_viewport::cell_marks::ChipMark;

    use super::*;

    fn plain(text: &str) -> CellText {
        CellText { displayed: text.to_owned(), formatted: None, rich: None }
    }

    #[test]
    fn texts_and_links_cannot_add_markup_or_scripts() {
        assert_eq!(cell_html(&plain("<img src=x onerror=a()>"), None), "&lt;img src=x onerror=a()&gt;");
        let linked = |link: &str| {
            let mark = CellMark { link: Some(link.to_owned()), ..CellMark::default() };
            cell_html(&plain("x"), Some(&mark))
        };
        assert_eq!(
            linked("https://example.org/?a=\"b"),
            "<a href=\"https://example.org/?a=&quot;b\" target=\"_blank\" rel=\"noopener noreferrer\">x</a>"
        );
        for link in ["javascript:alert(1)", "#Sheet2!A1", "data:text/html,x", "/secret", "JavaScript:x"] {
            assert_eq!(linked(link), "x", "{link}");
        }
        let html = CellText {
            displayed: "a".to_owned(),
            formatted: Some((TextFormat::Html, "<b onclick=x()>a</b><script>b()</script>".to_owned())),
            rich: None,
        };
        let html = cell_html(&html, None);
        assert!(
            html.starts_with("<b>a</b>") && !html.contains("script") && !html.contains("onclick"),
            "{html}"
        );
    }

    #[test]
    fn ratings_are_stars_and_people_are_chips() {
        let rated = CellMark { rating: Some(3), ..CellMark::default() };
        assert_eq!(
            cell_html(&plain("3"), Some(&rated)),
            "<span role=\"img\" aria-label=\"3/5\">★★★☆☆</span>"
        );
        let blank = CellMark { rating: Some(0), ..CellMark::default() };
        assert_eq!(cell_html(&plain(""), Some(&blank)), "");
        let chip = ChipMark { start: 0, end: None, color: None };
        let person = CellMark { chips: Some(vec![chip]), control: Some("people"), ..CellMark::default() };
        assert_eq!(cell_html(&plain("Ada"), Some(&person)), "<span class=\"chip\">Ada</span>");
    }

    #[test]
    fn notes_are_not_shown() {
        let mark = CellMark { note: Some("secret".to_owned()), ..CellMark::default() };
        assert_eq!(cell_html(&plain("x"), Some(&mark)), "x");
    }
}
