//! Buttons and forms in cells: the action formulas of EtherCalc, such as `COPYVALUE(A1,B1,C1)`, whose
//! first argument is the button that was pressed, and the fields that `SUBMIT` sends.

use quadrille_cell::{CellAddress, Range, Value};
use quadrille_files::socialcalc_dialect::to_socialcalc;
use quadrille_files::socialcalc_escapes::encode;
use quadrille_files::socialcalc_styles::type_of_number;
use quadrille_formula::{Expression, Host, Reference, SheetReference, resolve_area};
use quadrille_workbook::{Input, Sheet, Workbook};

/// Cells that the actions of one button copy, test or read commands from, at most.
pub const BUTTON_CELLS_MAX: u64 = 10_000;

/// Fields of a form, at most: columns of SocialCalc, without the one for the time.
pub const FORM_FIELDS_MAX: usize = 701;

const ACTIONS: [&str; 6] = ["COPYVALUE", "COPYFORMULA", "INSERT", "DELETEIF", "COMMAND", "COMMANDIF"];
const FIELDS: [&str; 5] = ["TEXTBOX", "AUTOCOMPLETE", "SELECT", "CHECKBOX", "RADIOBUTTON"];

/// Whether the cell has the button that sends the form of its sheet.
pub fn is_submit(sheet: &Sheet, cell: CellAddress) -> bool {
    let call = sheet.formula(cell).and_then(|template| call(template.expression()));
    call.is_some_and(|(name, _)| name == "SUBMIT")
}

/// A field of a form: its name, such as `textboxB3`, and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormField {
    pub name: String,
    pub value: String,
}

/// The fields of the sheet, row by row.
///
/// # Errors
/// More than [`FORM_FIELDS_MAX`] fields.
pub fn form_fields(sheet: &Sheet) -> Result<Vec<FormField>, String> {
    let cells = calls(sheet, &FIELDS, FORM_FIELDS_MAX as u64)?;
    let field = |CalledCell { cell, function, .. }: CalledCell<'_>| {
        let value = sheet.value(cell);
        let value = match function {
            "CHECKBOX" | "RADIOBUTTON" => text(&Value::Boolean(value != Value::Number(0.0))),
            _ => text(&value),
        };
        FormField { name: format!("{}{cell}", function.to_ascii_lowercase()), value }
    };
    Ok(cells.into_iter().map(field).collect())
}

/// The commands of the actions whose trigger is the cell, for the values as they are; no commands for a
/// button without actions. Of several actions, those of upper rows come first.
///
/// # Errors
/// The cell of the first action whose arguments it cannot have, and why.
pub fn press(workbook: &Workbook, sheet: &Sheet, button: CellAddress) -> Result<Vec<String>, String> {
    let mut commands = Vec::new();
    let mut left = BUTTON_CELLS_MAX;
    for CalledCell { cell, function, arguments } in calls(sheet, &ACTIONS, BUTTON_CELLS_MAX)? {
        let mut action = Action { workbook, sheet, cell, left: &mut left };
        let is_trigger = arguments.first().and_then(|trigger| action.area(trigger));
        if !is_trigger.is_some_and(|(on, range)| on.id() == sheet.id() && range.contains(button)) {
            continue;
        }
        let done =
            action.run(function, arguments).map_err(|reason| format!("{function} in {cell}: {reason}"))?;
        commands.extend(done);
    }
    Ok(commands)
}

/// The function and arguments of a call, also of one with a style, `TEXTBOX("")+STYLE("…")`.
fn call(expression: &Expression) -> Option<(&str, &[Expression])> {
    match expression {
        Expression::Call { function, arguments } => Some((function.text(), arguments)),
        Expression::Binary(_, left, right) if matches!(call(right), Some(("STYLE", _))) => call(left),
        _ => None,
    }
}

/// A cell whose formula is a call.
struct CalledCell<'a> {
    cell: CellAddress,
    function: &'a str,
    arguments: &'a [Expression],
}

/// The cells whose formulas are calls of these functions, row by row.
fn calls<'a>(sheet: &'a Sheet, functions: &[&str], count_max: u64) -> Result<Vec<CalledCell<'a>>, String> {
    let mut found = Vec::new();
    for (column, first, last, template) in sheet.formula_runs(Range::whole_sheet()) {
        let Some((function, arguments)) = call(template.expression()) else { continue };
        if !functions.contains(&function) {
            continue;
        }
        for row in first..=last {
            if found.len() as u64 == count_max {
                return Err(format!("the sheet has more than {count_max} of these formulas"));
            }
            found.push(CalledCell { cell: CellAddress::clamped(row, column.get()), function, arguments });
        }
    }
    found.sort_by_key(|called| (called.cell.row, called.cell.column));
    Ok(found)
}

/// An action formula while its commands are made.
struct Action<'a> {
    workbook: &'a Workbook,
    sheet: &'a Sheet,
    cell: CellAddress,
    /// Cells that the actions of this button may still read.
    left: &'a mut u64,
}

impl<'a> Action<'a> {
    fn run(&mut self, name: &str, arguments: &[Expression]) -> Result<Vec<String>, String> {
        match (name, arguments) {
            ("COPYVALUE", [_, target, source]) => {
                let target = self.target(target)?.first();
                self.copy(source, target, false)
            }
            ("COPYFORMULA", [_, target, source]) => {
                let target = self.target(target)?.first();
                self.copy(source, target, true)
            }
            ("INSERT", [_, target, sources @ ..]) => self.insert(target, sources),
            ("DELETEIF", [_, criterion, tested]) => self.delete(criterion, tested),
            ("COMMAND", [_, commands]) => self.commands(None, commands),
            ("COMMANDIF", [_, conditions, commands]) => self.commands(Some(conditions), commands),
            _ => Err("the number of arguments is wrong".to_owned()),
        }
    }

    /// The sheet and range of an argument; `None` when it is not a reference.
    fn area(&self, argument: &Expression) -> Option<(&'a Sheet, Range)> {
        let Expression::Reference(Reference { sheet, area }) = argument else { return None };
        let sheet = match sheet {
            None => self.sheet,
            Some(SheetReference::Sheet(sheet)) => self.workbook.sheet(*sheet)?,
            Some(SheetReference::Sheets(..) | SheetReference::Unknown(_)) => return None,
        };
        Some((sheet, resolve_area(area, self.cell)?))
    }

    /// A range of the sheet itself, which the commands change.
    fn target(&self, argument: &Expression) -> Result<Range, String> {
        match self.area(argument) {
            Some((sheet, range)) if sheet.id() == self.sheet.id() => Ok(range),
            _ => Err("the target is not a range of this sheet".to_owned()),
        }
    }

    /// A range whose cells are read.
    fn read(&mut self, argument: &Expression) -> Result<(&'a Sheet, Range), String> {
        let (sheet, range) = self.area(argument).ok_or("an argument is not a range")?;
        *self.left = self
            .left
            .checked_sub(range.cell_count())
            .ok_or_else(|| format!("the actions of a button can read {BUTTON_CELLS_MAX} cells"))?;
        Ok((sheet, range))
    }

    /// The values of a range, column by column, or of a literal.
    fn values(&mut self, argument: &Expression) -> Result<Vec<Value>, String> {
        if let Some(value) = literal(argument) {
            return Ok(vec![value]);
        }
        let (sheet, range) = self.read(argument)?;
        Ok(by_columns(range).map(|cell| sheet.value(cell)).collect())
    }

    /// Commands that copy values, or formulas whose references follow.
    fn copy(
        &mut self,
        source: &Expression,
        target: CellAddress,
        formulas: bool,
    ) -> Result<Vec<String>, String> {
        if let Some(value) = literal(source) {
            return Ok(vec![set(target, &value, "n")]);
        }
        let (sheet, range) = self.read(source)?;
        let first = range.first();
        let mut commands = Vec::new();
        for cell in by_columns(range) {
            let row = target.row.get() + cell.row.get() - first.row.get();
            let column = target.column.get() + cell.column.get() - first.column.get();
            let target = Range::from_indices(row, column, row, column);
            let target = target.ok_or("the copy does not fit into the sheet")?.first();
            let format = type_of_number(sheet.format(cell));
            commands.push(match sheet.input(cell) {
                Input::Formula(template) if formulas => {
                    let host = Host { sheet: sheet.id(), cell: target };
                    let formula = to_socialcalc(&template, host, self.workbook).replace(['\n', '\r'], " ");
                    format!("set {target} formula {formula}")
                }
                _ => set(target, &sheet.value(cell), format),
            });
        }
        Ok(commands)
    }

    /// Inserts a row or column before the second one of the target, and fills it with formulas and values
    /// by turns.
    fn insert(&mut self, target: &Expression, sources: &[Expression]) -> Result<Vec<String>, String> {
        let target = self.target(target)?;
        let (row, column) = (target.first().row.get(), target.first().column.get());
        let is_row = target.row_count() > 1;
        if !is_row && target.column_count() == 1 {
            return Err("the target is a single cell".to_owned());
        }
        let at = if is_row { (row + 1, column) } else { (row, column + 1) };
        let mut at = CellAddress::clamped(at.0, at.1);
        let mut commands = vec![format!("{} {at}", if is_row { "insertrow" } else { "insertcol" })];
        for (index, source) in sources.iter().enumerate() {
            let width = self.area(source).map(|(_, range)| (range.column_count(), range.row_count()));
            let (columns, rows) = width.unwrap_or((1, 1));
            commands.extend(self.copy(source, at, index % 2 == 0)?);
            at = match is_row {
                true => CellAddress::clamped(at.row.get(), at.column.get() + columns),
                false => CellAddress::clamped(at.row.get() + rows, at.column.get()),
            };
        }
        Ok(commands)
    }

    /// Deletes the rows or columns of a range that meet a criterion, except for the first and the last.
    fn delete(&mut self, criterion: &Expression, tested: &Expression) -> Result<Vec<String>, String> {
        let criterion = Criterion::new(&text(self.values(criterion)?.first().unwrap_or(&Value::Blank)));
        let (sheet, range) = self.read(tested)?;
        if sheet.id() != self.sheet.id() {
            return Err("the range is not on this sheet".to_owned());
        }
        let command = match (range.row_count(), range.column_count()) {
            (_, 1) => "deleterow",
            (1, _) => "deletecol",
            _ => return Err("the range has more than one row and column".to_owned()),
        };
        let cells: Vec<CellAddress> = range.cells().collect();
        let within = cells.get(1..cells.len().max(2) - 1).unwrap_or_default();
        // From the end, so that addresses stay valid.
        let met = within.iter().rev().filter(|cell| criterion.is_met(&sheet.value(**cell)));
        Ok(met.map(|cell| format!("{command} {cell}")).collect())
    }

    /// The commands of cells or of a text, where the condition is met.
    fn commands(
        &mut self,
        conditions: Option<&Expression>,
        commands: &Expression,
    ) -> Result<Vec<String>, String> {
        let commands = self.values(commands)?;
        let conditions = match conditions {
            Some(conditions) => self.values(conditions)?,
            None => vec![Value::Boolean(true); commands.len()],
        };
        if conditions.len() != commands.len() {
            return Err("there are not as many conditions as commands".to_owned());
        }
        let is_met = |condition: &Value| {
            !matches!(condition, Value::Blank | Value::Boolean(false)) && *condition != Value::Number(0.0)
        };
        let met = conditions.iter().zip(commands).filter(|(condition, _)| is_met(condition));
        let texts = met.filter_map(|(_, command)| match command {
            Value::Text(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            _ => None,
        });
        Ok(texts.collect())
    }
}

/// What `DELETEIF` looks for: `apple`, `>5`, `<>0`. Texts are compared without regard to case.
struct Criterion {
    comparison: String,
    operand: String,
}

impl Criterion {
    fn new(text: &str) -> Criterion {
        let is_sign = |c: char| matches!(c, '<' | '>' | '=');
        let signs = text.chars().take_while(|c| is_sign(*c)).take(2).count();
        let signs =
            if matches!(&text[..signs], "<" | ">" | "=" | "<=" | ">=" | "<>") { signs } else { signs.min(1) };
        let comparison = if signs == 0 { "=" } else { &text[..signs] };
        Criterion { comparison: comparison.to_owned(), operand: text[signs..].to_owned() }
    }

    fn is_met(&self, value: &Value) -> bool {
        let shown = text(value);
        let order = match (number(&shown), number(&self.operand)) {
            (Some(value), Some(operand)) => value.total_cmp(&operand),
            // A text is neither less nor more than a number.
            (Some(_), None) | (None, Some(_)) if !matches!(&*self.comparison, "=" | "<>") => return false,
            _ => shown.to_lowercase().cmp(&self.operand.to_lowercase()),
        };
        match &*self.comparison {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            "<>" => order.is_ne(),
            _ => order.is_eq(),
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// The text of a value as the fields of a form have it.
fn text(value: &Value) -> String {
    match value {
        Value::Blank => String::new(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        Value::Boolean(boolean) => if *boolean { "TRUE" } else { "FALSE" }.to_owned(),
        Value::Error(error) => error.text().to_owned(),
    }
}

/// SocialCalc reads ranges column by column.
fn by_columns(range: Range) -> impl Iterator<Item = CellAddress> {
    let (rows, first) = (range.row_count(), range.first());
    let columns = range.column_count();
    (0..columns).flat_map(move |column| {
        (0..rows).map(move |row| CellAddress::clamped(first.row.get() + row, first.column.get() + column))
    })
}

fn literal(expression: &Expression) -> Option<Value> {
    match expression {
        Expression::Number(number) => Some(Value::Number(*number)),
        Expression::Text(text) => Some(Value::Text(text.clone())),
        Expression::Boolean(boolean) => Some(Value::Boolean(*boolean)),
        _ => None,
    }
}

/// The command that sets a value. `number_type` is SocialCalc's type of a number.
fn set(cell: CellAddress, value: &Value, number_type: &str) -> String {
    match value {
        Value::Blank => format!("set {cell} empty"),
        Value::Number(number) => format!("set {cell} value {number_type} {number}"),
        Value::Boolean(boolean) => format!("set {cell} value nl {}", u8::from(*boolean)),
        Value::Text(text) => format!("set {cell} text t {}", encode(text)),
        Value::Error(error) => format!("set {cell} constant e{error} 0 {error}"),
    }
}

#[cfg(test)]
mod tests {
    use quadrille_cell::SheetId;

    use super::*;
    use crate::{parse, plan};

    /// A workbook that commands have made. Formulas have no values: nothing calculates them here.
    fn workbook(commands: &str) -> Workbook {
        let mut workbook = Workbook::new();
        let sheet = workbook.sheets()[0].id();
        let planned = plan(&parse(commands).expect("commands"), &workbook, sheet, None, &mut || SheetId(9));
        quadrille_operation::apply(&mut workbook, &planned.expect("a plan").transaction);
        workbook
    }

    fn pressed(commands: &str, button: &str) -> Result<Vec<String>, String> {
        let workbook = workbook(commands);
        press(&workbook, &workbook.sheets()[0], CellAddress::parse_a1(button).expect("a cell"))
    }

    // SocialCalc 2.3 (npm) schedules these commands for this sheet when `TriggerIoAction.Button` is called.
    #[test]
    fn a_button_carries_out_the_actions_that_it_triggers() {
        for (action, expected) in [
            ("COPYVALUE(A1,D1,C1:C3)", vec!["set D1 text t pear", "set D2 value n 5", "set D3 empty"]),
            ("COPYVALUE($A$1,D1,\"a:b\")", vec!["set D1 text t a\\cb"]),
            ("COPYFORMULA(A1,D5,C4)", vec!["set D5 formula D4*2"]),
            (
                "INSERT(A1,D1:D3,C4,C1,C4,7)",
                vec![
                    "insertrow D2",
                    "set D2 formula D1*2",
                    "set E2 text t pear",
                    "set F2 formula F1*2",
                    "set G2 value n 7",
                ],
            ),
            ("INSERT(A1,D1:F1,C4)", vec!["insertcol E1", "set E1 formula #REF!*2"]),
            ("DELETEIF(A1,\">1\",E1:E5)", vec!["deleterow E4", "deleterow E2"]),
            ("DELETEIF(A1,C1,E1:E5)", vec!["deleterow E3"]),
            ("COMMAND(A1,F1:F2)", vec!["set G1 value n 1", "set G2 value n 2"]),
            ("COMMAND(A1,\"recalc\")", vec!["recalc"]),
            ("COMMANDIF(A1,F3:F4,F1:F2)", vec!["set G2 value n 2"]),
            ("COPYVALUE(A2,D1,C1)", vec![]),
        ] {
            let sheet = "set A1 formula BUTTON(\"Go\")\nset C1 text t pear\nset C2 value n 5\nset C4 formula C3*2\n\
                         set E1 value n 9\nset E2 value n 2\nset E3 text t Pear\nset E4 value n 3\n\
                         set E5 value n 9\nset F1 text t set G1 value n 1\nset F2 text t set G2 value n 2\n\
                         set F3 value n 0\nset F4 value n 1\n";
            let commands = pressed(&format!("{sheet}set B9 formula {action}"), "A1");
            assert_eq!(commands, Ok(expected.into_iter().map(str::to_owned).collect()), "{action}");
        }
    }

    #[test]
    fn an_action_with_wrong_arguments_is_named() {
        for (action, reason) in [
            ("COPYVALUE(A1,D1)", "COPYVALUE in B1: the number of arguments is wrong"),
            ("COPYVALUE(A1,5,C1)", "COPYVALUE in B1: the target is not a range of this sheet"),
            ("INSERT(A1,D1,C1)", "INSERT in B1: the target is a single cell"),
            ("DELETEIF(A1,1,C1:D2)", "DELETEIF in B1: the range has more than one row and column"),
            ("COMMANDIF(A1,C1:C2,D1)", "COMMANDIF in B1: there are not as many conditions as commands"),
            ("COPYVALUE(A1,D1,C:C)", "COPYVALUE in B1: the actions of a button can read 10000 cells"),
        ] {
            assert_eq!(
                pressed(&format!("set B1 formula {action}"), "A1"),
                Err(reason.to_owned()),
                "{action}"
            );
        }
    }

    #[test]
    fn the_fields_of_a_form_are_named_by_their_cells() {
        let commands = "set B3 formula TEXTBOX(\"\")\nset A3 formula CHECKBOX(\"TRUE\")+STYLE(\"margin:0\")\n\
                        set A5 formula SUBMIT()";
        let workbook = workbook(commands);
        let sheet = &workbook.sheets()[0];
        let names: Vec<String> =
            form_fields(sheet).expect("few fields").into_iter().map(|field| field.name).collect();
        assert_eq!(names, ["checkboxA3", "textboxB3"]);
        assert!(is_submit(sheet, CellAddress::parse_a1("A5").expect("a cell")));
        assert!(!is_submit(sheet, CellAddress::parse_a1("B3").expect("a cell")));
    }
}
