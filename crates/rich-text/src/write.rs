//! Writes pieces as HTML.

use crate::piece::Piece;

/// The HTML of pieces. Links open in a new window that has no access to this one. With `has_images` images
/// are loaded from their addresses when somebody opens the page; without, they are links.
pub fn to_html(pieces: &[Piece], has_images: bool) -> String {
    let mut html = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => html.push_str(&escaped(text)),
            Piece::End(name) => html.push_str(&format!("</{name}>")),
            Piece::Start(element) if element.name == "img" && !has_images => {
                let source = element.attribute("src").unwrap_or_default();
                let text = element.attribute("alt").filter(|alt| !alt.is_empty()).unwrap_or(source);
                if !source.is_empty() {
                    html.push_str(&format!(
                        "<a href=\"{}\"{NEW_WINDOW}>{}</a>",
                        escaped(source),
                        escaped(text)
                    ));
                }
            }
            Piece::Start(element) => {
                html.push_str(&format!("<{}", element.name));
                for attribute in &element.attributes {
                    html.push_str(&format!(" {}=\"{}\"", attribute.name, escaped(&attribute.value)));
                }
                if element.attribute("href").is_some() {
                    html.push_str(NEW_WINDOW);
                }
                html.push('>');
            }
        }
    }
    html
}

const NEW_WINDOW: &str = " target=\"_blank\" rel=\"noopener noreferrer\"";

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
