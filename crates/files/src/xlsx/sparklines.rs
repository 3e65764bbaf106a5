//! Reads sparklines, which are an extension of the worksheet part.

use quadrille_workbook::{Field, ItemKind};

use super::archive::Part;
use super::colors::Theme;
use super::conditional_formats::ranges;
use super::xml::{Element, Node};
use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::error::FileError;

/// Reads an `extLst` element up to its end; other extensions are skipped.
pub fn read(part: &mut Part, theme: &Theme, contents: &mut Contents) -> Result<(), FileError> {
    let mut group = Group::default();
    let mut is_in_sparkline = false;
    let mut source = None;
    // Nested extension lists.
    let mut depth = 0;
    loop {
        match part.next()? {
            Node::Start(element) => match element.name() {
                "extLst" => depth += 1,
                "sparklineGroup" => group = Group::read(&element),
                "sparkline" => (is_in_sparkline, source) = (true, None),
                "f" if is_in_sparkline => source = Some(part.text()?),
                "sqref" if is_in_sparkline => {
                    let anchors = ranges(&part.text()?);
                    let mut fields = group.fields.clone();
                    fields.text(Field::Source, source.take().map(|source| format!("={source}")));
                    contents.put_item(ItemContents {
                        kind: ItemKind::Sparkline,
                        anchors,
                        fields,
                        parent: None,
                    });
                }
                name => {
                    if let Some((field, _)) = group.colors.iter().find(|(_, color)| *color == name) {
                        group.fields.color(*field, theme.color(&element));
                    }
                }
            },
            node if node.ends("sparkline") => is_in_sparkline = false,
            node if node.ends("extLst") && depth == 0 => return Ok(()),
            node if node.ends("extLst") => depth -= 1,
            Node::EndOfPart => return Ok(()),
            _ => {}
        }
    }
}

/// The common properties of the sparklines of a group.
#[derive(Default)]
struct Group {
    fields: FieldTexts,
    /// Color fields and the elements that contain them. A file also contains colors of points that
    /// are not marked, which are ignored.
    colors: Vec<(Field, &'static str)>,
}

impl Group {
    fn read(element: &Element) -> Group {
        let mut fields = FieldTexts::default();
        fields.text(
            Field::Type,
            Some(match element.attribute("type").as_deref() {
                Some("column") => "column",
                Some("stacked") => "winLoss",
                _ => "line",
            }),
        );
        let is_on = |name: &str| element.flag(name) == Some(true);
        fields.flag(Field::Markers, Some(is_on("markers")), false);
        let bound = |kind: &str, value: &str| match element.attribute(kind).as_deref() {
            Some("custom") => element.number::<f64>(value),
            _ => None,
        };
        fields.number(Field::YMin, bound("minAxisType", "manualMin"));
        fields.number(Field::YMax, bound("maxAxisType", "manualMax"));
        let marked = [
            ("negative", Field::NegativeColor, "colorNegative"),
            ("high", Field::HighColor, "colorHigh"),
            ("low", Field::LowColor, "colorLow"),
            ("first", Field::FirstColor, "colorFirst"),
            ("last", Field::LastColor, "colorLast"),
        ];
        let marked = marked.into_iter().filter(|(name, ..)| is_on(name));
        let mut colors = vec![(Field::Color, "colorSeries")];
        colors.extend(marked.map(|(_, field, color)| (field, color)));
        Group { fields, colors }
    }
}
