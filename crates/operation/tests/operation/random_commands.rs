//! Random commands: each plan is refused with a message, or can be applied, encoded and undone.

use crate::content::Content;
use crate::generate::{Kinds, workbook};
use proptest::prelude::*;
use quadrille_cell::SheetId;
use quadrille_operation::{
    Axis, CellContent, ClearScope, Command, FillMode, FormatChange, Limits, PasteScope, SortKey,
    ToggleAttribute, apply, plan, validate,
};

fn range() -> impl Strategy<Value = String> {
    let near = ("[A-F]", 1..9u32, "[A-F]", 1..9u32).prop_map(|(a, b, c, d)| format!("{a}{b}:{c}{d}"));
    let special = prop_oneof![
        Just("A:A"),
        Just("B:D"),
        Just("2:2"),
        Just("3:5"),
        Just("A1"),
        Just("XFD1048576"),
        Just("A1048570:B1048576"),
        Just("A1:XFD1048576"),
        Just("A0"),
        Just("#")
    ];
    prop_oneof![6 => near, 2 => special.prop_map(str::to_owned)]
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![8 => ("[A-F]", 1..9u32).prop_map(|(column, row)| format!("{column}{row}")), 1 => range()]
}

fn sheet() -> impl Strategy<Value = u32> {
    prop_oneof![5 => Just(1u32), 3 => Just(2u32), 1 => 0..5u32]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("=A1+B$2".to_owned()),
        Just("=SUM(Data!A:A)+1:3".to_owned()),
        Just("12%".to_owned()),
        Just("2024-02-30".to_owned()),
        Just("2024-02-29".to_owned()),
        Just("Monday".to_owned()),
        Just("Item 9".to_owned()),
        Just("a\tb\n\"c\nd\"\te".to_owned()),
        "\\PC{0,12}",
        "=\\PC{0,12}",
    ]
}

fn content() -> impl Strategy<Value = CellContent> {
    prop_oneof![
        Just(CellContent::Keep),
        Just(CellContent::Blank),
        any::<f64>().prop_map(CellContent::Number),
        any::<bool>().prop_map(CellContent::Boolean),
        text().prop_map(CellContent::Text),
        text().prop_map(CellContent::Typed),
        text().prop_map(CellContent::Formula),
    ]
}

fn rows<T: std::fmt::Debug>(cell: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<Vec<T>>> {
    prop::collection::vec(prop::collection::vec(cell, 0..4), 0..4)
}

fn line() -> impl Strategy<Value = u32> + Clone {
    prop_oneof![6 => 0..10u32, 1 => any::<u32>(), 1 => Just(1_048_570), 1 => Just(16_380)]
}

fn hidden() -> impl Strategy<Value = Vec<(u32, u32)>> + Clone {
    prop::collection::vec((line(), line()), 0..4)
}

fn command_in_sight() -> impl Strategy<Value = Command> {
    let command = prop_oneof![2 => contents_command(), 1 => other_command()];
    let commands = prop::collection::vec(command, 1..3).prop_map(|mut commands| match commands.pop() {
        Some(command) if commands.is_empty() => command,
        last => Command::Many { commands: commands.into_iter().chain(last).collect() },
    });
    let rows = prop::collection::vec(line(), 0..4);
    (sheet(), prop::option::of(line()), hidden(), rows, commands).prop_map(
        |(sheet, from, hidden, rows, command)| Command::VisibleRows {
            sheet,
            from,
            hidden,
            rows,
            command: Box::new(command),
        },
    )
}

fn contents_command() -> BoxedStrategy<Command> {
    let clear = prop_oneof![Just(ClearScope::Contents), Just(ClearScope::Formats), Just(ClearScope::All)];
    let paste = prop_oneof![
        Just(PasteScope::All),
        Just(PasteScope::Contents),
        Just(PasteScope::Values),
        Just(PasteScope::Formats),
        Just(PasteScope::Transposed)
    ];
    let excluded_rows = prop_oneof![2 => Just(Vec::new()), 1 => hidden()];
    let rows_left_out = excluded_rows.clone();
    let mode = prop_oneof![Just(FillMode::Series), Just(FillMode::Copy)];
    prop_oneof![
        (sheet(), cell(), text()).prop_map(|(sheet, cell, text)| Command::TypeText { sheet, cell, text }),
        (sheet(), cell(), rows(text())).prop_map(|(sheet, at, texts)| Command::TypeTexts {
            sheet,
            at,
            texts
        }),
        (sheet(), range(), text()).prop_map(|(sheet, range, text)| Command::TypeEverywhere {
            sheet,
            range,
            text
        }),
        (sheet(), cell(), rows(content())).prop_map(|(sheet, at, cells)| Command::SetCells {
            sheet,
            at,
            cells
        }),
        (sheet(), rows(content())).prop_map(|(sheet, rows)| Command::AppendRows { sheet, rows }),
        (sheet(), range(), clear).prop_map(|(sheet, range, what)| Command::Clear { sheet, range, what }),
        (sheet(), range(), sheet(), range(), paste, excluded_rows).prop_map(
            |(from_sheet, source, sheet, target, what, excluded_rows)| Command::CopyPaste {
                from_sheet,
                source,
                sheet,
                target,
                what,
                excluded_rows
            }
        ),
        (sheet(), range(), rows_left_out, prop::option::of(line())).prop_map(
            |(from_sheet, source, excluded_rows, position)| Command::CopyToNewSheet {
                from_sheet,
                source,
                excluded_rows,
                position
            }
        ),
        (sheet(), range(), sheet(), range()).prop_map(|(from_sheet, source, sheet, target)| {
            Command::CutPaste { from_sheet, source, sheet, target }
        }),
        (sheet(), range(), text()).prop_map(|(sheet, target, text)| Command::PasteText {
            sheet,
            target,
            text
        }),
        (sheet(), range(), 0..4u32, 0..4u32, mode).prop_map(|(sheet, source, down, right, mode)| {
            let target = extended(&source, down, right);
            Command::Fill { sheet, source, target, mode }
        }),
        (sheet(), range()).prop_map(|(sheet, range)| Command::FillDown { sheet, range }),
        (sheet(), range()).prop_map(|(sheet, range)| Command::FillRight { sheet, range }),
    ]
    .boxed()
}

fn extended(source: &str, down: u32, right: u32) -> String {
    match quadrille_cell::Range::parse_a1(source) {
        Ok(range) => {
            let last = range.last();
            let last = quadrille_cell::CellAddress::clamped(last.row.get() + down, last.column.get() + right);
            quadrille_cell::Range::new(range.first(), last).to_string()
        }
        Err(_) => source.to_owned(),
    }
}

fn other_command() -> BoxedStrategy<Command> {
    let keys = prop::collection::vec(
        (0..7u32, any::<bool>()).prop_map(|(column, descending)| SortKey { column, descending }),
        0..3,
    );
    let axis = prop_oneof![Just(Axis::Rows), Just(Axis::Columns)];
    let format = prop_oneof![
        Just(FormatChange { bold: Some(true), ..FormatChange::default() }),
        Just(FormatChange { text_color: Some(None), ..FormatChange::default() }),
        "\\PC{0,8}"
            .prop_map(|code| FormatChange { number_format: Some(Some(code)), ..FormatChange::default() }),
        "\\PC{0,8}"
            .prop_map(|color| FormatChange { fill_color: Some(Some(color)), ..FormatChange::default() }),
    ];
    let name = prop_oneof![Just("rate".to_owned()), Just("Data".to_owned()), "\\PC{0,8}"];
    prop_oneof![
        (sheet(), line(), line()).prop_map(|(sheet, at, count)| Command::InsertRows { sheet, at, count }),
        (sheet(), line(), line()).prop_map(|(sheet, at, count)| Command::DeleteRows { sheet, at, count }),
        (sheet(), line(), line()).prop_map(|(sheet, at, count)| Command::InsertColumns { sheet, at, count }),
        (sheet(), line(), line()).prop_map(|(sheet, at, count)| Command::DeleteColumns { sheet, at, count }),
        (sheet(), axis, line(), line(), any::<Option<u16>>()).prop_map(
            |(sheet, dimension, first, count, size)| Command::Resize { sheet, dimension, first, count, size }
        ),
        (sheet(), range(), keys, any::<bool>()).prop_map(|(sheet, range, keys, has_header)| Command::Sort {
            sheet,
            range,
            keys,
            has_header
        }),
        (sheet(), range(), format).prop_map(|(sheet, range, format)| Command::Format {
            sheet,
            range,
            format: Box::new(format),
        }),
        (sheet(), range(), prop::option::of(cell())).prop_map(|(sheet, range, active)| Command::Toggle {
            sheet,
            range,
            attribute: ToggleAttribute::Bold,
            active,
        }),
        (prop::option::of(name.clone()), prop::option::of(line()))
            .prop_map(|(name, position)| Command::AddSheet { name, position }),
        (sheet(), name.clone()).prop_map(|(sheet, name)| Command::RenameSheet { sheet, name }),
        (sheet(), line()).prop_map(|(sheet, position)| Command::MoveSheet { sheet, position }),
        sheet().prop_map(|sheet| Command::RemoveSheet { sheet }),
        (name.clone(), prop::option::of(text()), sheet(), any::<bool>(), prop::option::of(name)).prop_map(
            |(name, definition, sheet, local, was)| Command::DefineName {
                name,
                definition,
                sheet,
                local,
                was
            }
        ),
        (sheet(), any::<bool>(), line(), 0..4u32, line()).prop_map(|(sheet, rows, first, count, to)| {
            let dimension = if rows { Axis::Rows } else { Axis::Columns };
            Command::MoveDimension { sheet, dimension, first, count, to }
        }),
    ]
    .boxed()
}

proptest! {
    // Some commands write a million cells.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    #[test]
    fn commands_are_planned_or_refused(
        workbook in workbook(Kinds::ALL),
        commands in prop::collection::vec(
            prop_oneof![2 => contents_command(), 1 => other_command(), 1 => command_in_sight()],
            1..6,
        ),
    ) {
        let mut workbook = workbook;
        let mut next = 10;
        for command in commands {
            let json = serde_json::to_string(&command).expect("commands are JSON");
            let mut new_sheet = || { next += 1; SheetId(next) };
            let transaction = match plan(&command, &workbook, &mut new_sheet) {
                Ok(transaction) => transaction,
                Err(error) => {
                    let message = error.to_string();
                    prop_assert!(!message.is_empty(), "{json}");
                    continue;
                }
            };
            prop_assert_eq!(validate(&transaction, &Limits::DEFAULT), Ok(()));
            let before = Content::of(&workbook);
            let inverse = apply(&mut workbook, &transaction).inverse;
            prop_assert_eq!(validate(&inverse, &Limits::DEFAULT), Ok(()), "{}", json);
            let mut undone = workbook.clone();
            apply(&mut undone, &inverse);
            prop_assert_eq!(Content::of(&undone), before, "{}", json);
        }
    }
}
