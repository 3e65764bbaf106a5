//! Notation of the tests: hosts, sheets, edits and trees as text.

use quadrille_cell::{CellAddress, ColumnIndex, Dimension, EditKind, RowIndex, SheetId, StructuralEdit};
use quadrille_formula::{
    BinaryOperator, Expression, Host, SheetNames, Template, UnaryOperator, parse, print,
};

/// The sheets of the test workbook.
pub struct Sheets;

const SHEETS: [&str; 10] =
    ["Sheet1", "Sheet2", "Sheet3", "My Sheet", "it's", "Jan", "Feb", "Mar", "Übersicht", "2024"];

impl SheetNames for Sheets {
    fn sheet_id(&self, name: &str) -> Option<SheetId> {
        let position = SHEETS.iter().position(|sheet| sheet.eq_ignore_ascii_case(name))?;
        Some(SheetId(position as u32 + 1))
    }

    fn sheet_name(&self, id: SheetId) -> Option<&str> {
        SHEETS.get(id.0 as usize - 1).copied()
    }
}

/// Parses a host: `B7` is on Sheet1, `Sheet2!B7` on another sheet.
pub fn host(text: &str) -> Host {
    let (sheet, cell) = text.split_once('!').unwrap_or(("Sheet1", text));
    Host {
        sheet: Sheets.sheet_id(sheet).expect("one of the test's sheets"),
        cell: CellAddress::parse_a1(cell).expect("a valid cell"),
    }
}

pub fn read(formula: &str, host: Host) -> Template {
    parse(formula, host, &Sheets)
}

pub fn write(template: &Template, host: Host) -> String {
    print(template, host, &Sheets)
}

/// Parses an edit: `insert rows 3:4`, `delete columns B`, `insert Sheet2 rows 3`,
/// `move rows 3:4 before 7`.
pub fn edit(text: &str) -> StructuralEdit {
    let (text, to) = text.split_once(" before ").unwrap_or((text, ""));
    let words: Vec<&str> = text.split(' ').collect();
    let (kind, sheet, dimension, span) = match words[..] {
        [kind, dimension, span] => (kind, "Sheet1", dimension, span),
        [kind, sheet, dimension, span] => (kind, sheet, dimension, span),
        _ => panic!("not an edit: {text}"),
    };
    let dimension = match dimension {
        "rows" => Dimension::Rows,
        "columns" => Dimension::Columns,
        _ => panic!("not an edit: {text}"),
    };
    let (first, last) = span.split_once(':').unwrap_or((span, span));
    let index = |text: &str| match dimension {
        Dimension::Rows => text.parse::<u32>().expect("a row number") - 1,
        Dimension::Columns => quadrille_cell::parse_column_name(text).expect("column letters").get(),
    };
    let kind = match kind {
        "insert" => EditKind::Insert,
        "delete" => EditKind::Delete,
        "move" => EditKind::Move { to: index(to) },
        _ => panic!("not an edit: {text}"),
    };
    let (at, last) = (index(first), index(last));
    let sheet = Sheets.sheet_id(sheet).expect("one of the test's sheets");
    StructuralEdit { sheet, dimension, kind, at, count: last - at + 1 }
}

pub fn cell(row: u32, column: u32) -> CellAddress {
    CellAddress {
        row: RowIndex::new(row).expect("a row of the sheet"),
        column: ColumnIndex::new(column).expect("a column of the sheet"),
    }
}

/// Returns the tree as an S-expression with references relative to `host`: `(+ A1 (* B2 3))`.
pub fn tree(expression: &Expression, host: Host) -> String {
    let all = |expressions: &[Expression]| -> String {
        expressions.iter().map(|expression| format!(" {}", tree(expression, host))).collect()
    };
    match expression {
        Expression::Number(_) | Expression::Text(_) | Expression::Boolean(_) | Expression::Error(_) => {
            write(&Template::new(expression.clone()), host)
        }
        Expression::Reference(_) => write(&Template::new(expression.clone()), host),
        Expression::Name(name) => format!("name:{name}"),
        Expression::Missing => "_".to_owned(),
        Expression::Invalid(_) => "invalid".to_owned(),
        Expression::Call { function, arguments } => format!("({function}{})", all(arguments)),
        Expression::Apply { callee, arguments } => {
            format!("(apply {}{})", tree(callee, host), all(arguments))
        }
        Expression::Unary(operator, operand) => {
            let operator = match operator {
                UnaryOperator::Minus => "neg",
                UnaryOperator::Plus => "pos",
                UnaryOperator::Percent => "%",
                UnaryOperator::ImplicitIntersection => "@",
                UnaryOperator::Spill => "#",
            };
            format!("({operator} {})", tree(operand, host))
        }
        Expression::Binary(operator, left, right) => {
            let operator = match operator {
                BinaryOperator::Add => "+",
                BinaryOperator::Subtract => "-",
                BinaryOperator::Multiply => "*",
                BinaryOperator::Divide => "/",
                BinaryOperator::Power => "^",
                BinaryOperator::Concatenate => "&",
                BinaryOperator::Equal => "=",
                BinaryOperator::NotEqual => "<>",
                BinaryOperator::Less => "<",
                BinaryOperator::LessOrEqual => "<=",
                BinaryOperator::Greater => ">",
                BinaryOperator::GreaterOrEqual => ">=",
                BinaryOperator::Range => ":",
                BinaryOperator::Union => "union",
                BinaryOperator::Intersection => "intersect",
            };
            format!("({operator} {} {})", tree(left, host), tree(right, host))
        }
        Expression::Parenthesised(inner) => format!("[{}]", tree(inner, host)),
        Expression::Array(rows) => {
            let rows: Vec<String> = rows.iter().map(|row| format!("({})", all(row).trim_start())).collect();
            format!("{{{}}}", rows.join(" "))
        }
    }
}
