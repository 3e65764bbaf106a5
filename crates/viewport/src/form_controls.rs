//! Form controls: cells whose formula is a call of one of EtherCalc's functions, such as
//! `=SELECT("red","red,blue")`. A style may be added to it, `=TEXTBOX("")+STYLE("…")`.

use quadrille_cell::Value;
use quadrille_formula::{BinaryOperator, Expression, Template};

/// Bytes of an image within its address, at most: they are sent with every window of cells.
const IMAGE_ADDRESS_BYTES_MAX: usize = 32_768;

/// The control that a formula makes, as [`CellMark::control`](crate::CellMark) names it.
pub(crate) fn control(template: &Template) -> Option<&'static str> {
    let is_style = |expression: &Expression| name(expression) == Some("STYLE");
    let expression = match template.expression() {
        Expression::Binary(BinaryOperator::Add | BinaryOperator::Concatenate, control, style)
            if is_style(style) =>
        {
            control
        }
        expression => expression,
    };
    match name(expression)? {
        "BUTTON" | "IMAGEBUTTON" | "SUBMIT" | "EMAIL" | "EMAILIF" | "EMAILAT" | "EMAILATIF"
        | "EMAILONEDIT" | "EMAILONEDITIF" => Some("button"),
        "TEXTBOX" => Some("field"),
        "SELECT" | "AUTOCOMPLETE" => Some("list"),
        "CHECKBOX" => Some("checkbox"),
        "RADIOBUTTON" => Some("radio"),
        _ => None,
    }
}

/// The image that `IMAGEBUTTON` shows, by its address; `None` for an address that the page does not load.
///
/// Images are loaded from this server and out of the address itself, because other servers would learn
/// who opens the workbook. Vector graphics are left out, which can contain more than an image.
pub(crate) fn image_of_button<'a>(template: &Template, value: &'a Value) -> Option<&'a str> {
    let expression = match template.expression() {
        Expression::Binary(_, control, style) if name(style) == Some("STYLE") => control,
        expression => expression,
    };
    let Value::Text(address) = value else { return None };
    (name(expression) == Some("IMAGEBUTTON") && is_loaded(address)).then_some(&**address)
}

fn is_loaded(address: &str) -> bool {
    let has_type = |types: &[&str]| types.iter().any(|kind| address.starts_with(kind));
    if has_type(&["data:image/png;", "data:image/jpeg;", "data:image/gif;", "data:image/webp;"]) {
        return address.len() <= IMAGE_ADDRESS_BYTES_MAX;
    }
    // `//host/a.png` is of another server. A query or fragment could make it something else.
    let is_own =
        address.starts_with('/') && !address.starts_with("//") && !address.contains(['\\', '?', '#']);
    let name = address.rsplit('/').next().unwrap_or_default();
    let is_stored =
        address.contains("/images/") && name.len() == 64 && name.chars().all(|c| c.is_ascii_hexdigit());
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    is_own && (is_stored || matches!(extension.as_deref(), Some("png" | "jpg" | "jpeg" | "gif" | "webp")))
}

/// The style that a formula adds to a control, with the text of CSS in the formula.
pub(crate) fn control_style(template: &Template) -> Option<&str> {
    let Expression::Binary(_, _, style) = template.expression() else { return None };
    match &**style {
        Expression::Call { function, arguments } if &**function.text() == "STYLE" => {
            match arguments.first()? {
                Expression::Text(css) => Some(css),
                _ => None,
            }
        }
        _ => None,
    }
}

fn name(expression: &Expression) -> Option<&str> {
    match expression {
        Expression::Call { function, .. } => Some(function.text()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_of_this_server_or_in_the_address() {
        let stored = format!("/api/v1/rooms/a/images/{}", "0a".repeat(32));
        for address in ["/go.png", "/static/A.JPEG", "data:image/png;base64,iVBORw0KGgo=", &stored] {
            assert!(is_loaded(address), "{address}");
        }
        for address in [
            "https://example.org/a.png",
            "//example.org/a.png",
            "/\\example.org/a.png",
            "a.png",
            "/_timetrigger",
            "/order/form?a.png",
            "/a.svg",
            "data:image/svg+xml;base64,PHN2Zz4=",
            "javascript:alert(1)",
            &format!("data:image/png;base64,{}", "A".repeat(IMAGE_ADDRESS_BYTES_MAX)),
        ] {
            assert!(!is_loaded(address), "{address}");
        }
    }
}
