//! Named cell styles: cells follow their style, except in the attributes that they set themselves.
//! Expected results are those of Excel's "Modify Cell Style" and "Delete".

use crate::content::Content;
use quadrille_cell::{CellAddress, Range, SheetId};
use quadrille_operation::{
    Command, Operation, Transaction, apply, apply_operation, plan, rebase_pair, rebase_undo,
};
use quadrille_workbook::{Color, Field, FieldValue, Format, FormatPatch, Item, ItemId, ItemKind, Workbook};

const STYLE: ItemId = ItemId(7);
const RED: Color = Color(0xff_0000);
const BLUE: Color = Color(0x00_00ff);

fn style(fields: &[(Field, FieldValue)]) -> Item {
    let format = FieldValue::Record(fields.iter().cloned().collect());
    Item { fields: [(Field::Format, format)].into(), ..Item::new(ItemKind::CellStyle) }
}

fn put_style(fields: &[(Field, FieldValue)]) -> Transaction {
    Operation::PutItem { sheet: None, item: STYLE, content: style(fields).into() }.into()
}

fn fill(color: Color) -> (Field, FieldValue) {
    (Field::FillColor, FieldValue::Color(color))
}

fn bold() -> (Field, FieldValue) {
    (Field::Bold, FieldValue::Boolean(true))
}

/// A workbook with the style bold on red.
fn workbook_with_style() -> Workbook {
    let mut workbook = Workbook::new();
    apply(&mut workbook, &put_style(&[bold(), fill(RED)]));
    workbook
}

fn set(range: &str, patch: FormatPatch) -> Transaction {
    let range = Range::parse_a1(range).expect("a range");
    Operation::SetFormat { sheet: SheetId(1), range, patch }.into()
}

fn apply_style(range: &str) -> Transaction {
    set(range, FormatPatch { cell_style: Some(Some(STYLE)), ..FormatPatch::default() })
}

fn not_bold() -> FormatPatch {
    FormatPatch { bold: Some(false), ..FormatPatch::default() }
}

fn format(workbook: &Workbook, cell: &str) -> Format {
    workbook.sheets()[0].format(CellAddress::parse_a1(cell).expect("a cell")).clone()
}

/// Whether a cell is bold, and its fill color.
fn look(workbook: &Workbook, cell: &str) -> (bool, Option<Color>) {
    let format = format(workbook, cell);
    (format.bold, format.fill_color)
}

#[test]
fn cells_follow_their_style_except_in_what_they_set() {
    let mut workbook = workbook_with_style();
    apply(&mut workbook, &apply_style("A1:A9"));
    apply(&mut workbook, &set("A2", not_bold()));
    assert_eq!(look(&workbook, "A1"), (true, Some(RED)));
    assert_eq!(look(&workbook, "A2"), (false, Some(RED)));
    // Only the fill color, which A2 does not set, changes there.
    apply(&mut workbook, &put_style(&[bold(), fill(BLUE), (Field::Italic, FieldValue::Boolean(true))]));
    assert_eq!(look(&workbook, "A1"), (true, Some(BLUE)));
    assert_eq!(look(&workbook, "A2"), (false, Some(BLUE)));
    assert!(format(&workbook, "A2").italic);
    assert_eq!(format(&workbook, "B1"), Format::default());
}

#[test]
fn changing_and_removing_a_style_are_undone_exactly() {
    let mut workbook = workbook_with_style();
    apply(&mut workbook, &apply_style("A1:B5"));
    // The cell sets what the style will become: it must not follow when the change is undone.
    apply(&mut workbook, &set("A2", FormatPatch { fill_color: Some(Some(BLUE)), ..FormatPatch::default() }));
    let before = Content::of(&workbook);
    for change in [put_style(&[fill(BLUE)]), Operation::RemoveItem { sheet: None, item: STYLE }.into()] {
        let applied = apply(&mut workbook, &change);
        assert_ne!(Content::of(&workbook), before);
        apply(&mut workbook, &applied.inverse);
        assert_eq!(Content::of(&workbook), before);
    }
    assert_eq!(look(&workbook, "A2"), (true, Some(BLUE)));
}

#[test]
fn a_cell_of_a_removed_style_is_normal_and_keeps_what_it_sets() {
    let mut workbook = workbook_with_style();
    apply(&mut workbook, &apply_style("A1:A2"));
    apply(&mut workbook, &set("A2", FormatPatch { italic: Some(true), ..FormatPatch::default() }));
    apply(&mut workbook, &Operation::RemoveItem { sheet: None, item: STYLE }.into());
    assert_eq!(look(&workbook, "A1"), (false, None));
    assert!(format(&workbook, "A2").italic);
}

/// Somebody applies the style, and sets an attribute, while somebody else changes it: in either order
/// the cell has the new style.
#[test]
fn applying_and_changing_a_style_at_once_converge() {
    let given = workbook_with_style();
    let change = put_style(&[fill(BLUE)]);
    for edit in [apply_style("A1:A3"), set("A1", not_bold())] {
        for (later, earlier) in [(&edit, &change), (&change, &edit)] {
            let (later_after, earlier_after) = rebase_pair(later, earlier);
            let mut confirmed = given.clone();
            apply(&mut confirmed, earlier);
            apply(&mut confirmed, &later_after);
            let mut optimistic = given.clone();
            apply(&mut optimistic, later);
            apply(&mut optimistic, &earlier_after);
            assert_eq!(Content::of(&confirmed), Content::of(&optimistic));
        }
    }
    let mut workbook = given;
    apply(&mut workbook, &change);
    apply(&mut workbook, &apply_style("A1"));
    assert_eq!(look(&workbook, "A1"), (false, Some(BLUE)));
}

#[test]
fn an_attribute_set_while_a_style_is_applied_is_set_again() {
    let given = workbook_with_style();
    let (earlier, later) = (apply_style("A1:A3"), set("A1", not_bold()));
    let (later_after, earlier_after) = rebase_pair(&later, &earlier);
    let mut optimistic = given.clone();
    apply(&mut optimistic, &later);
    apply(&mut optimistic, &earlier_after);
    let mut confirmed = given;
    apply(&mut confirmed, &earlier);
    apply(&mut confirmed, &later_after);
    assert_eq!(Content::of(&optimistic), Content::of(&confirmed));
    assert_eq!(look(&confirmed, "A1"), (false, Some(RED)));
    assert_eq!(look(&confirmed, "A2"), (true, Some(RED)));
}

#[test]
fn undoing_a_style_keeps_what_others_set_since() {
    let mut workbook = workbook_with_style();
    let applied = apply(&mut workbook, &apply_style("A1:A2"));
    let italic = set("A1", FormatPatch { italic: Some(true), ..FormatPatch::default() });
    apply(&mut workbook, &italic);
    let undo = rebase_undo(&applied.inverse, &italic);
    apply(&mut workbook, &undo);
    assert_eq!(look(&workbook, "A1"), (false, None));
    assert!(format(&workbook, "A1").italic);
    assert_eq!(format(&workbook, "A2"), Format::default());
}

/// Excel's style "Percent" sets the number format only.
#[test]
fn a_partial_style_keeps_the_other_attributes() {
    let mut workbook = Workbook::new();
    let mut percent = style(&[(Field::NumberFormat, FieldValue::Text("0%".into()))]);
    percent.fields.insert(Field::Partial, FieldValue::Boolean(true));
    apply_operation(&mut workbook, &Operation::PutItem { sheet: None, item: STYLE, content: percent.into() });
    apply(&mut workbook, &set("A1", FormatPatch { bold: Some(true), ..FormatPatch::default() }));
    let json = r#"{"type":"format","sheet":1,"range":"A1:A2","format":{"cellStyle":7}}"#;
    let command: Command = serde_json::from_str(json).expect("a command");
    let transaction = plan(&command, &workbook, &mut || SheetId(9)).expect("the range is valid");
    apply(&mut workbook, &transaction);
    let (first, second) = (format(&workbook, "A1"), format(&workbook, "A2"));
    assert_eq!(
        (first.bold, first.number_format.as_deref(), first.cell_style),
        (true, Some("0%"), Some(STYLE))
    );
    assert_eq!((second.bold, second.number_format.as_deref()), (false, Some("0%")));
}

#[test]
fn copies_have_the_style_and_clearing_formats_removes_it() {
    let mut workbook = workbook_with_style();
    apply(&mut workbook, &apply_style("A1"));
    for json in [
        r#"{"type":"copyPaste","fromSheet":1,"source":"A1","sheet":1,"target":"C3","what":"all"}"#,
        r#"{"type":"clear","sheet":1,"range":"A1","what":"formats"}"#,
    ] {
        let command: Command = serde_json::from_str(json).expect("a command");
        let transaction = plan(&command, &workbook, &mut || SheetId(9)).expect("the range is valid");
        apply(&mut workbook, &transaction);
    }
    apply(&mut workbook, &put_style(&[fill(BLUE)]));
    assert_eq!(format(&workbook, "A1"), Format::default());
    assert_eq!(look(&workbook, "C3"), (false, Some(BLUE)));
}
