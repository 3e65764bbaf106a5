//! Formulas after structural edits and after cut and paste.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use quadrille_cell::{CellAddress, ColumnIndex, Dimension, EditKind, Range, SheetId, StructuralEdit};
use quadrille_formula::{
    Area, Expression, Host, Reference, SheetReference, Template, rearrange, relocate, resolve_area, retarget,
    split_points, visit_references,
};

use crate::generate;
use crate::notation::{Sheets, edit, host, read, write};

/// Returns the host after the edit; `None` when it is deleted.
fn moved(host: Host, edit: &StructuralEdit) -> Option<Host> {
    if host.sheet != edit.sheet {
        return Some(host);
    }
    Some(Host { cell: edit.map_cell(host.cell)?, ..host })
}

/// Returns the formula at `at` after the edit, prefixed by its new address if it moved.
fn rearranged(at: &str, formula: &str, edit_text: &str) -> String {
    let (before, edit) = (host(at), edit(edit_text));
    let Some(after) = moved(before, &edit) else { return "deleted".to_owned() };
    let template = read(formula, before);
    let rewritten = rearrange(&template, before, &edit).unwrap_or(template);
    let address = if after == before { String::new() } else { format!("{}: ", after.cell) };
    address + &write(&rewritten, after)
}

/// Each line of `expected` is `formula => formula after the edit`.
#[track_caller]
fn check_rearranged(at: &str, edit: &str, expected: Expect) {
    let formulas = expected.data.lines().map(str::trim).filter(|line| !line.is_empty());
    let actual: String = formulas
        .map(|line| line.split(" => ").next().unwrap_or(line))
        .map(|formula| format!("{formula} => {}\n", rearranged(at, formula, edit)))
        .collect();
    expected.assert_eq(&actual);
}

#[test]
fn moving_rows_moves_references() {
    check_rearranged(
        "A1",
        "move rows 3:4 before 7",
        expect![[r#"
            A2 => A2
            A3 => A5
            $A$5 => $A$3
            A3:A4 => A5:A6
            A1:A9 => A1:A9
            A1:A4 => A1:A2
            A5:A9 => A3:A9
            A9:A5 => A9:A3
            A:A => A:A
            3:4 => 5:6
            Sheet2!A3 => Sheet2!A3
        "#]],
    );
    check_rearranged(
        "B4",
        "move rows 3:4 before 7",
        expect![[r#"
            A4 => B6: A6
            $A$4+A5 => B6: $A$6+A3
        "#]],
    );
    check_rearranged(
        "B4",
        "move columns B before E",
        expect![[r#"
            A4 => D4: A4
            B1:C1 => D4: B1:B1
        "#]],
    );
}

#[test]
fn inserting_rows_moves_and_expands_references() {
    check_rearranged(
        "A1",
        "insert rows 3:4",
        expect![[r#"
            A2 => A2
            A3 => A5
            $A$3 => $A$5
            A$3+$A3 => A$5+$A5
            A1:A2 => A1:A2
            A2:A3 => A2:A5
            A3:A5 => A5:A7
            A5:A2 => A7:A2
            $A$5:A2 => $A$7:A2
            A:A => A:A
            2:3 => 2:5
            $3:3 => $5:5
            B2:D9 => B2:D11
            A1048576 => #REF!
            A1048574 => A1048576
            A3:A1048576 => A5:A1048576
            A1048575:A1048576 => #REF!
            1:1048576 => 1:1048576
            Sheet1!A3 => Sheet1!A5
            Sheet2!A3 => Sheet2!A3
            Sheet1:Sheet3!A3 => Sheet1:Sheet3!A3
            Missing!A3 => Missing!A3
            SUM(A1,A2:A3) => SUM(A1,A2:A5)
            A3# => A5#
            @A1:A9 => @A1:A11
            LAMBDA(x,x+A3)(A4) => LAMBDA(x,x+A5)(A6)
            IF(A2,"A3",) => IF(A2,"A3",)
            A1+A2 => A1+A2
            #REF! => #REF!
            {1,2} => {1,2}
            rate => rate
            A3+ => A3+
        "#]],
    );
}

#[test]
fn deleting_rows_moves_shrinks_and_invalidates_references() {
    check_rearranged(
        "A1",
        "delete rows 3:4",
        expect![[r#"
            A2 => A2
            A3 => #REF!
            A4 => #REF!
            A5 => A3
            $A$5 => $A$3
            A1:A2 => A1:A2
            A1:A3 => A1:A2
            A3:A5 => A3:A3
            A4:A3 => #REF!
            A2:A9 => A2:A7
            A9:A2 => A7:A2
            A3:A4 => #REF!
            A:A => A:A
            3:4 => #REF!
            2:3 => 2:2
            4:9 => 3:7
            1:1048576 => 1:1048576
            B3:D9 => B3:D7
            A1048576 => A1048574
            Sheet2!A3 => Sheet2!A3
            Sheet1!A3 => #REF!
            Sheet1:Sheet3!A3 => Sheet1:Sheet3!A3
            SUM(A3,A1) => SUM(#REF!,A1)
            A3# => #REF!#
            A3:A5:B9 => A3:A3:B7
            A3:INDEX(B3:B9,1) => #REF!:INDEX(B3:B7,1)
            (A3,A9) => (#REF!,A7)
            -A3% => -#REF!%
        "#]],
    );
}

#[test]
fn editing_columns_changes_references_like_editing_rows() {
    check_rearranged(
        "A1",
        "insert columns B",
        expect![[r#"
            A1 => A1
            B1 => C1
            $B$1 => $C$1
            A1:B2 => A1:C2
            B:B => C:C
            A:$C => A:$D
            1:1 => 1:1
            XFD1 => #REF!
            XFC1:XFD1 => XFD1:XFD1
            A1:XFD1 => A1:XFD1
            Sheet2!B1 => Sheet2!B1
        "#]],
    );
    check_rearranged(
        "A1",
        "delete columns B:C",
        expect![[r#"
            A1 => A1
            B1 => #REF!
            C1:B2 => #REF!
            D1 => B1
            A1:C3 => A1:A3
            C3:E5 => B3:C5
            B:C => #REF!
            A:B => A:A
            1:1 => 1:1
            Sheet2!B1 => Sheet2!B1
        "#]],
    );
}

#[test]
fn moved_formulas_keep_their_targets() {
    check_rearranged(
        "C5",
        "insert rows 3:4",
        expect![[r#"
            A1 => C7: A1
            A5 => C7: A7
            A4:A6 => C7: A6:A8
            $A$1+A$9 => C7: $A$1+A$11
            2:2 => C7: 2:2
            5:5 => C7: 7:7
            C:C => C7: C:C
            Sheet2!C5 => C7: Sheet2!C5
            Sheet1:Sheet3!C5 => C7: Sheet1:Sheet3!C5
            Missing!C5 => C7: Missing!C5
            1 => C7: 1
        "#]],
    );
    check_rearranged(
        "C5",
        "delete rows 3:4",
        expect![[r#"
            A1 => C3: A1
            A5 => C3: A3
            A3 => C3: #REF!
            A4:A6 => C3: A3:A4
            A2:A5 => C3: A2:A3
            Sheet2!C5 => C3: Sheet2!C5
            Sheet1:Sheet3!C5 => C3: Sheet1:Sheet3!C5
        "#]],
    );
    check_rearranged(
        "Sheet2!C5",
        "insert rows 3:4",
        expect![[r#"
            A5 => A5
            Sheet1!A5 => Sheet1!A7
            Sheet2!A5 => Sheet2!A5
        "#]],
    );
    check_rearranged(
        "C5",
        "delete rows 5",
        expect![[r#"
            A1 => deleted
        "#]],
    );
}

/// Fills a formula into `rows` of column B and returns, for each part of the split run, the first
/// cell and its formula after the edit.
fn split_parts(rows: &str, formula: &str, edit_text: &str) -> String {
    let (first, last) = rows.split_once(':').expect("two row numbers");
    let row = |text: &str| text.parse::<u32>().expect("a row number") - 1;
    let (first, last) = (row(first), row(last));
    let (sheet, column) = (SheetId(1), ColumnIndex::clamped(1));
    let host_at = |row| Host { sheet, cell: CellAddress::clamped(row, 1) };
    let template = read(formula, host_at(first));
    let edit = edit(edit_text);
    let mut starts = vec![first];
    starts.extend(split_points(&template, sheet, column, (first, last), &edit));
    let parts: Vec<String> = starts
        .into_iter()
        .map(|row| match moved(host_at(row), &edit) {
            Some(after) => {
                let rewritten = rearrange(&template, host_at(row), &edit).unwrap_or_else(|| template.clone());
                format!("{}: {}", after.cell, write(&rewritten, after))
            }
            None => format!("row {} deleted", row + 1),
        })
        .collect();
    parts.join(" | ")
}

#[test]
fn runs_are_split_where_results_differ() {
    for (rows, formula, edit, expected) in [
        ("1:9", "A1*2", "insert rows 5", expect!["B1: A1*2"]),
        ("1:9", "$A$1*2", "insert rows 5", expect!["B1: $A$1*2"]),
        ("1:9", "$A$7*2", "insert rows 5", expect!["B1: $A$8*2"]),
        ("2:9", "B1+1", "insert rows 5", expect!["B2: B1+1 | B6: B4+1 | B7: B6+1"]),
        ("1:9", "B2+1", "insert rows 5", expect!["B1: B2+1 | B4: B6+1 | B6: B7+1"]),
        ("1:9", "SUM(A$1:A1)", "insert rows 5", expect!["B1: SUM(A$1:A1)"]),
        ("1:9", "SUM(A1:A3)", "insert rows 5", expect!["B1: SUM(A1:A3) | B3: SUM(A3:A6) | B6: SUM(A6:A8)"]),
        ("1:9", "Sheet2!A1", "insert rows 5", expect!["B1: Sheet2!A1 | B6: Sheet2!A5"]),
        ("1:9", "Sheet2!A1", "insert Sheet2 rows 5", expect!["B1: Sheet2!A1 | B5: Sheet2!A6"]),
        ("1:9", "A1+SUM(A:A)", "insert Sheet2 rows 5", expect!["B1: A1+SUM(A:A)"]),
        ("1:9", "SUM(A:A)", "insert rows 5", expect!["B1: SUM(A:A)"]),
        ("1:9", "A1*2", "insert columns A", expect!["C1: B1*2"]),
        ("1:9", "A1*2", "delete rows 3:4", expect!["B1: A1*2 | row 3 deleted | B3: A3*2"]),
        ("1:9", "A2*2", "delete rows 3:4", expect!["B1: A2*2 | B2: #REF!*2 | row 3 deleted | B3: A4*2"]),
        (
            "1:9",
            "SUM(A1:A3)",
            "delete rows 4:5",
            expect!["B1: SUM(A1:A3) | B2: SUM(A2:A3) | B3: SUM(A3:A3) | row 4 deleted | B4: SUM(A4:A6)"],
        ),
        (
            "1:9",
            "SUM(A$1:A1)",
            "delete rows 4:5",
            expect!["B1: SUM(A$1:A1) | row 4 deleted | B4: SUM(A$1:A4)"],
        ),
        (
            "1:9",
            "Sheet2!A1:A3",
            "delete Sheet2 rows 4:6",
            expect![
                "B1: Sheet2!A1:A3 | B2: Sheet2!A2:A3 | B3: Sheet2!A3:A3 | B4: #REF! | B5: Sheet2!A4:A4 | B6: Sheet2!A4:A5 | B7: Sheet2!A4:A6"
            ],
        ),
        ("1:9", "1+2", "insert rows 5", expect!["B1: 1+2"]),
        ("1:1048576", "A1*2", "insert rows 500000", expect!["B1: A1*2 | row 1048576 deleted"]),
        (
            "1:1048576",
            "SUM(A1:A9)",
            "delete rows 500000",
            expect![
                "B1: SUM(A1:A9) | B499992: SUM(A499992:A499999) | row 500000 deleted | B500000: SUM(A500000:A500008) | B1048568: SUM(#REF!)"
            ],
        ),
    ] {
        expected.assert_eq(&split_parts(rows, formula, edit));
    }
}

#[test]
fn references_follow_cut_and_pasted_cells() {
    let check = |at: &str, formula: &str, from: &str, to: &str, expected: &str| {
        let split = |text: &str| {
            let (sheet, range) = text.split_once('!').unwrap_or(("Sheet1", text));
            let sheet = quadrille_formula::SheetNames::sheet_id(&Sheets, sheet).expect("a sheet of the test");
            (sheet, Range::parse_a1(range).expect("a valid range"))
        };
        let (to_sheet, to_range) = split(to);
        let template = read(formula, host(at));
        let moved = retarget(&template, host(at), split(from), (to_sheet, to_range.first()));
        assert_ne!(moved.as_ref(), Some(&template), "unchanged is None");
        let displayed = moved.map_or_else(|| "stays".to_owned(), |moved| write(&moved, host(at)));
        assert_eq!(displayed, expected, "{formula} in {at}, {from} to {to}");
    };
    check("A1", "B2", "B2", "D5", "D5");
    check("A1", "$B$2+B$2+$B2", "B2:C3", "D5", "$D$5+D$5+$D5");
    check("A1", "B2:C3", "B2:C3", "A9", "A9:B10");
    check("A1", "C3:B2", "B2:C3", "A9", "B10:A9");
    check("A1", "B2:C4", "B2:C3", "A9", "stays");
    check("A1", "SUM(B2,B9)", "B2", "B3", "SUM(B3,B9)");
    check("A1", "B2", "B2", "Sheet2!B2", "Sheet2!B2");
    check("A1", "Sheet1!B2", "B2", "Sheet2!C3", "Sheet2!C3");
    check("A1", "Sheet2!B2", "B2", "C3", "stays");
    check("A1", "Sheet2!B2", "Sheet2!A1:C3", "B1", "C2");
    check("A1", "Sheet2!B2", "Sheet2!A1:C3", "Sheet3!B1", "Sheet3!C2");
    check("Sheet2!A1", "B2", "B2", "C3", "stays");
    check("A1", "B:B", "B:C", "D1", "D:D");
    check("A1", "B:B", "B1:C9", "D1", "stays");
    check("A1", "$2:3", "1:5", "A11", "$12:13");
    check("A1", "B2", "B2", "B2", "stays");
    check("A1", "Sheet1:Sheet3!B2", "B2", "C3", "stays");
    check("A1", "Missing!B2", "B2", "C3", "stays");
    check("A1", "B3", "B2:B3", "B1048576", "#REF!");
}

#[test]
fn cut_and_pasted_formulas_keep_their_targets() {
    let check = |from: &str, formula: &str, to: &str, expected: &str| {
        let moved = relocate(&read(formula, host(from)), host(from), host(to));
        assert_eq!(write(&moved, host(to)), expected, "{formula} from {from} to {to}");
    };
    check("C5", "A1+$A$1+A:A+3:$4", "F9", "A1+$A$1+A:A+3:$4");
    check("C5", "A1:C4", "A1", "A1:C4");
    check("C5", "A1", "C5", "A1");
    check("C5", "A1+$A$1", "Sheet2!A1", "Sheet1!A1+Sheet1!$A$1");
    check("C5", "Sheet2!A1+Sheet3!A1+A1", "Sheet2!A1", "A1+Sheet3!A1+Sheet1!A1");
    check("C5", "Jan:Mar!A1+Missing!A1", "Sheet2!A9", "Jan:Mar!A1+Missing!A1");
    check("C5", "1+rate", "A1", "1+rate");
}

/// The target of a reference, to compare before and after a change.
#[derive(Debug, PartialEq)]
enum Target {
    Cells(SheetId, Range),
    /// Several sheets or an unknown sheet.
    Fixed(SheetReference, Range),
    Outside,
    Broken,
}

fn targets(template: &Template, host: Host) -> Vec<Target> {
    let mut all = Vec::new();
    quadrille_formula::visit(template.expression(), &mut |node| match node {
        Expression::Reference(Reference { sheet, area }) => {
            all.push(match (resolve_area(area, host.cell), sheet) {
                (None, _) => Target::Outside,
                (Some(range), None) => Target::Cells(host.sheet, range),
                (Some(range), Some(SheetReference::Sheet(id))) => Target::Cells(*id, range),
                (Some(range), Some(other)) => Target::Fixed(other.clone(), range),
            })
        }
        Expression::Error(_) => all.push(Target::Broken),
        _ => {}
    });
    all
}

/// Returns the expected target after an edit, computed with ranges only.
fn expected_after(target: Target, edit: &StructuralEdit) -> Target {
    match target {
        Target::Cells(sheet, range) if sheet == edit.sheet => match edit.map_range(range) {
            Some(range) => Target::Cells(sheet, range),
            None => Target::Broken,
        },
        other => other,
    }
}

fn has_outside(template: &Template, host: Host) -> bool {
    targets(template, host).contains(&Target::Outside)
}

proptest! {
    #![proptest_config(generate::config())]

    #[test]
    fn rearranged_references_keep_their_cells(
        template in generate::template(),
        host in generate::host(),
        edit in generate::edit(),
    ) {
        let Some(after) = moved(host, &edit) else {
            prop_assert_eq!(rearrange(&template, host, &edit), None);
            return Ok(());
        };
        prop_assume!(!has_outside(&template, host));
        let rewritten = rearrange(&template, host, &edit);
        prop_assert_ne!(rewritten.as_ref(), Some(&template));
        let rewritten = rewritten.unwrap_or_else(|| template.clone());
        let expected: Vec<Target> =
            targets(&template, host).into_iter().map(|target| expected_after(target, &edit)).collect();
        prop_assert_eq!(targets(&rewritten, after), expected);
    }

    #[test]
    fn deleting_inserted_rows_restores_the_formula(
        template in generate::template(),
        host in generate::host(),
        edit in generate::edit(),
    ) {
        prop_assume!(edit.kind == EditKind::Insert && !has_outside(&template, host));
        let Some(after) = moved(host, &edit) else { return Ok(()) };
        let inserted = rearrange(&template, host, &edit).unwrap_or_else(|| template.clone());
        // References clipped at the end of the sheet cannot be restored.
        let end = i64::from(edit.dimension.len_max()) - 1;
        let mut fits = true;
        visit_references(&template, &mut |reference| {
            if let Some(range) = resolve_area(&reference.area, host.cell) {
                fits &= i64::from(range.last().index(edit.dimension)) + i64::from(edit.count) < end
                    || is_whole(&reference.area, range, edit.dimension);
            }
        });
        prop_assume!(fits);
        let delete = StructuralEdit { kind: EditKind::Delete, ..edit };
        let restored = rearrange(&inserted, after, &delete).unwrap_or(inserted);
        prop_assert_eq!(restored, template);
    }

    #[test]
    fn all_cells_of_a_split_part_have_the_same_result(
        template in generate::template(),
        sheet in 1u32..4,
        first in generate::index(quadrille_cell::ROWS_MAX),
        length in 1u32..40,
        column in generate::index(quadrille_cell::COLUMNS_MAX),
        edit in generate::edit(),
    ) {
        let last = (first + length - 1).min(quadrille_cell::ROWS_MAX - 1);
        let sheet = SheetId(sheet);
        let column_index = ColumnIndex::clamped(column);
        let host_at = |row: u32| Host { sheet, cell: CellAddress::clamped(row, column) };
        let points = split_points(&template, sheet, column_index, (first, last), &edit);
        prop_assert!(points.is_sorted() && points.iter().all(|point| first < *point && *point <= last));

        let mut start = first;
        for row in first..=last {
            if points.contains(&row) {
                // Rows above and below a split differ, or one of them is deleted.
                let differs = rearrange(&template, host_at(row - 1), &edit)
                    != rearrange(&template, host_at(row), &edit)
                    || moved(host_at(row - 1), &edit).is_none() != moved(host_at(row), &edit).is_none();
                prop_assert!(differs, "needless split at {}", row);
                start = row;
            }
            prop_assert_eq!(
                rearrange(&template, host_at(row), &edit),
                rearrange(&template, host_at(start), &edit),
                "row {} in the piece from {}", row, start
            );
        }
    }

    #[test]
    fn relocate_keeps_targets(
        template in generate::template(),
        from in generate::host(),
        to in generate::host(),
    ) {
        let moved = relocate(&template, from, to);
        prop_assert_eq!(targets(&moved, to), targets(&template, from));
        if from.sheet == to.sheet {
            prop_assert_eq!(relocate(&moved, to, from), template);
        }
    }

    #[test]
    fn retarget_moves_references_inside_the_moved_range(
        template in generate::template(),
        host in generate::host(),
        from_sheet in 1u32..4,
        to_sheet in 1u32..4,
        corners in (0u32..20, 0u32..20, 0u32..20, 0u32..20),
        to in (0u32..20, 0u32..20),
    ) {
        let from = Range::new(CellAddress::clamped(corners.0, corners.1), CellAddress::clamped(corners.2, corners.3));
        let (from_sheet, to_sheet) = (SheetId(from_sheet), SheetId(to_sheet));
        let to = CellAddress::clamped(to.0, to.1);
        let moved = retarget(&template, host, (from_sheet, from), (to_sheet, to));
        prop_assert_ne!(moved.as_ref(), Some(&template));
        let moved = moved.unwrap_or_else(|| template.clone());
        let shift = |range: Range| {
            let shifted = |cell: CellAddress| CellAddress::clamped(
                cell.row.get() - from.first().row.get() + to.row.get(),
                cell.column.get() - from.first().column.get() + to.column.get(),
            );
            Range::new(shifted(range.first()), shifted(range.last()))
        };
        let expected: Vec<Target> = targets(&template, host)
            .into_iter()
            .map(|target| match target {
                Target::Cells(sheet, range) if sheet == from_sheet && from.contains_range(range) => {
                    Target::Cells(to_sheet, shift(range))
                }
                other => other,
            })
            .collect();
        prop_assert_eq!(targets(&moved, host), expected);
    }
}

fn is_whole(area: &Area, range: Range, dimension: Dimension) -> bool {
    let across = matches!(
        (area, dimension),
        (Area::Rows(..), Dimension::Columns) | (Area::Columns(..), Dimension::Rows)
    );
    let spans_all = match dimension {
        Dimension::Rows => range.is_whole_columns(),
        Dimension::Columns => range.is_whole_rows(),
    };
    across || spans_all
}
