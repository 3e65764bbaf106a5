//! Rules for what cells may hold: whether a value meets them, and what a change would bring that does not.
//!
//! Rules refuse nothing by themselves: a room takes every transaction, so that files, scripts and pasted cells get in,
//! and what does not meet a rule is marked. Who enters by hand is asked before.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, DateSystem, Range, SheetId, Value};
use quadrille_formula::{Host, Template};
use quadrille_number_format::{Typing, read_typed_in};
use quadrille_operation::{Operation, Touch, Transaction, apply};
use quadrille_workbook::{Field, FieldValue, Format, Input, Item, ItemId, ItemKind, Workbook};

use crate::Document;
use crate::find::{FOUND_MAX, Found};

/// Cells of one change that are looked at; those beyond are taken as they come.
const CELLS_MAX: usize = 10_000;
/// Formulas of rules may take this many steps for one change or one screen; cells beyond count as valid.
const STEPS_MAX: u64 = 20_000_000;
/// Cells of a list that are compared.
const LIST_CELLS_MAX: usize = 10_000;

/// The first cell of a change that would not meet its rule.
#[derive(Clone, PartialEq, Debug)]
pub struct InvalidCell {
    pub sheet: SheetId,
    pub cell: CellAddress,
    pub rule: ItemId,
}

/// The rules for entries that are about some cells.
pub struct Validations<'a> {
    document: &'a Document,
    workbook: &'a Workbook,
    sheet: SheetId,
    rules: Vec<(ItemId, &'a Item)>,
    steps_left: Cell<u64>,
    /// What the cells of lists hold, read once.
    lists: RefCell<BTreeMap<(SheetId, Range), BTreeSet<Listed>>>,
}

/// What makes two values of a list one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Listed {
    Text(String),
    Number(u64),
    Boolean(bool),
}

impl Listed {
    fn new(value: &Value) -> Option<Listed> {
        match value {
            Value::Text(text) => Some(Listed::Text(text.to_lowercase())),
            Value::Number(number) => Some(Listed::Number(number.to_bits())),
            Value::Boolean(boolean) => Some(Listed::Boolean(*boolean)),
            Value::Blank | Value::Error(_) => None,
        }
    }
}

impl Document {
    pub fn validations(&self, sheet: SheetId, range: Range) -> Validations<'_> {
        self.validations_in(self.workbook(), sheet, range)
    }

    fn validations_in<'a>(&'a self, workbook: &'a Workbook, sheet: SheetId, range: Range) -> Validations<'a> {
        let items = workbook.sheet(sheet).into_iter();
        let items = items.flat_map(|sheet| sheet.items().of_kind(ItemKind::Validation));
        let is_about = |item: &Item| item.anchors.iter().any(|anchor| anchor.intersects(range));
        let rules = items.filter(|(_, item)| is_about(item)).map(|(id, item)| (id, &**item)).collect();
        Validations {
            document: self,
            workbook,
            sheet,
            rules,
            steps_left: Cell::new(STEPS_MAX),
            lists: RefCell::default(),
        }
    }

    /// Cells of the sheet that hold what their rule does not allow, row by row.
    pub fn invalid_cells(&self, sheet: SheetId) -> Found {
        let mut found = Found::default();
        let used = self.workbook().sheet(sheet).and_then(|sheet| Some((sheet, sheet.used_range()?)));
        let Some((sheet, used)) = used else { return found };
        let rules = self.validations(sheet.id(), used);
        let mut cells: BTreeSet<CellAddress> = BTreeSet::new();
        for (_, item) in &rules.rules {
            let ranges = item.anchors.iter().filter_map(|anchor| anchor.intersection(used));
            for cell in ranges.flat_map(Range::cells) {
                let value = sheet.value(cell);
                if !value.is_blank() && rules.broken(cell, &value).is_some() {
                    cells.insert(cell);
                }
            }
        }
        found.total = cells.len() as u64;
        found.cells = cells.into_iter().take(FOUND_MAX).collect();
        found
    }

    /// The first cell that would not meet its rule after this change of the document.
    pub fn breaks_rule(&self, transaction: &Transaction) -> Option<InvalidCell> {
        let writes = |operation: &Operation| {
            let sheet = operation.sheet().and_then(|sheet| self.workbook().sheet(sheet));
            sheet.is_some_and(|sheet| sheet.items().of_kind(ItemKind::Validation).next().is_some())
        };
        if !transaction.operations.iter().any(writes) {
            return None;
        }
        let mut after = self.snapshot();
        let touched = apply(&mut after, transaction).touched.changes;
        let written = touched.into_iter().filter_map(|touch| match touch {
            Touch::Contents(sheet, range) => Some((sheet, range)),
            _ => None,
        });
        let written: Vec<(SheetId, Range)> = written.collect();
        // Entered formulas show something only when calculated; only what they show is judged.
        for (sheet, range) in &written {
            for cell in range.cells().take(CELLS_MAX) {
                let host = Host { sheet: *sheet, cell };
                let Some(Input::Formula(template)) = after.sheet(*sheet).map(|sheet| sheet.input(cell))
                else {
                    continue;
                };
                let (value, _) = self.evaluate_detached_in(&after, host, &template);
                if let Some(sheet) = after.sheet_mut(*sheet) {
                    sheet.set_computed(cell, value);
                }
            }
        }
        for (sheet, range) in written {
            let rules = self.validations_in(&after, sheet, range);
            if rules.is_empty() {
                continue;
            }
            let found = after.sheet(sheet)?;
            for cell in range.cells().take(CELLS_MAX) {
                if let Some(rule) = rules.broken(cell, &found.value(cell)) {
                    return Some(InvalidCell { sheet, cell, rule });
                }
            }
        }
        None
    }
}

impl Validations<'_> {
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rule that the cell does not meet with this value. Of several rules the last counts.
    pub fn broken(&self, cell: CellAddress, value: &Value) -> Option<ItemId> {
        let is_about = |item: &Item| item.anchors.iter().any(|anchor| anchor.contains(cell));
        let (id, item) = self.rules.iter().rev().find(|(_, item)| is_about(item))?;
        (!self.allows(item, cell, value)).then_some(*id)
    }

    fn allows(&self, item: &Item, cell: CellAddress, value: &Value) -> bool {
        let allows_blank = item.boolean(Field::AllowBlank) != Some(false);
        if value.is_blank() || matches!(value, Value::Text(text) if text.is_empty()) {
            return allows_blank;
        }
        match item.text(Field::Rule).map_or("any", |rule| &**rule) {
            "list" => self.is_listed(item, cell, value),
            "whole" => match value {
                Value::Number(number) => number.fract() == 0.0 && self.compares(item, cell, *number),
                _ => false,
            },
            "decimal" | "date" | "time" => match value {
                Value::Number(number) => self.compares(item, cell, *number),
                _ => false,
            },
            "textLength" => self.compares(item, cell, self.text(value).chars().count() as f64),
            "formula" => match self.formula(item, cell, Field::Formula1) {
                None | Some(Value::Boolean(true)) => true,
                Some(Value::Number(number)) => number != 0.0,
                Some(Value::Blank) => allows_blank,
                Some(_) => false,
            },
            "checkbox" => {
                let text = |field| item.text(field).map(|text| &**text);
                match (text(Field::CheckedValue), text(Field::UncheckedValue)) {
                    (None, None) => matches!(value, Value::Boolean(_)),
                    (checked, unchecked) => {
                        let is = |wanted: Option<&str>| {
                            wanted.is_some_and(|wanted| means(wanted, value, self.workbook.date_system()))
                        };
                        is(checked) || is(unchecked) || matches!(value, Value::Boolean(_))
                    }
                }
            }
            "email" => is_email(&self.text(value)),
            "url" => is_url(&self.text(value)),
            _ => true,
        }
    }

    fn text(&self, value: &Value) -> String {
        self.document.display_value(value, &Format::default()).text
    }

    /// What a formula of the rule gives for this cell; `None` without one, or when too much was calculated already.
    fn formula(&self, item: &Item, cell: CellAddress, field: Field) -> Option<Value> {
        let (_, template) = item.formula(field)?;
        if self.steps_left.get() == 0 {
            return None;
        }
        let host = Host { sheet: self.sheet, cell };
        // A formula makes zero of a blank cell; here that cell is blank.
        if let Some((sheet, range)) =
            self.document.range_of(host, template).filter(|(_, range)| range.cell_count() == 1)
        {
            return self.workbook.sheet(sheet).map(|sheet| sheet.value(range.first()));
        }
        let (value, steps) = self.document.evaluate_detached_in(self.workbook, host, template);
        self.steps_left.set(self.steps_left.get().saturating_sub(steps));
        Some(value)
    }

    /// A limit that is missing or blank limits nothing, as in Excel; one that is no number is never met.
    fn compares(&self, item: &Item, cell: CellAddress, number: f64) -> bool {
        let meets = |field, is_met: &dyn Fn(f64, f64) -> bool| match self.formula(item, cell, field) {
            None | Some(Value::Blank) => true,
            Some(Value::Number(limit)) => is_met(number, limit),
            Some(_) => false,
        };
        let between = || {
            meets(Field::Formula1, &|number, limit| number >= limit)
                && meets(Field::Formula2, &|number, limit| number <= limit)
        };
        let first = Field::Formula1;
        match item.text(Field::Operator).map_or("between", |operator| &**operator) {
            "equal" => meets(first, &|number, limit| number == limit),
            "notEqual" => meets(first, &|number, limit| number != limit),
            "greater" => meets(first, &|number, limit| number > limit),
            "greaterOrEqual" => meets(first, &|number, limit| number >= limit),
            "less" => meets(first, &|number, limit| number < limit),
            "lessOrEqual" => meets(first, &|number, limit| number <= limit),
            "notBetween" => !between(),
            _ => between(),
        }
    }

    /// Texts that are written down are compared as they are, those in cells without regard to case, as in Excel.
    fn is_listed(&self, item: &Item, cell: CellAddress, value: &Value) -> bool {
        if let Some(FieldValue::List(choices)) = item.fields.get(&Field::Choices) {
            return choices
                .iter()
                .any(|choice| matches!(choice, FieldValue::Text(choice) if means(choice, value, self.workbook.date_system())));
        }
        let Some((_, template)) = item.formula(Field::Formula1) else { return true };
        let Some((sheet, range)) = self.listed_cells(template, cell) else { return true };
        let mut lists = self.lists.borrow_mut();
        let list = lists.entry((sheet, range)).or_insert_with(|| self.read_list(sheet, range));
        Listed::new(value).is_some_and(|value| list.contains(&value))
    }

    fn read_list(&self, sheet: SheetId, range: Range) -> BTreeSet<Listed> {
        let Some(sheet) = self.workbook.sheet(sheet) else { return BTreeSet::new() };
        let used = sheet.used_range().and_then(|used| used.intersection(range));
        let cells = used.into_iter().flat_map(Range::cells).take(LIST_CELLS_MAX);
        cells.filter_map(|cell| Listed::new(&sheet.value(cell))).collect()
    }

    fn listed_cells(&self, template: &Template, cell: CellAddress) -> Option<(SheetId, Range)> {
        self.document.range_of(Host { sheet: self.sheet, cell }, template)
    }
}

/// Whether typing `text` gives this value.
fn means(text: &str, value: &Value, dates: DateSystem) -> bool {
    match value {
        Value::Text(other) => *text == **other,
        _ => match read_typed_in(text, Typing::stored(dates)).value {
            Value::Number(number) => *value == Value::number(number),
            Value::Boolean(boolean) => *value == Value::Boolean(boolean),
            _ => false,
        },
    }
}

/// One `@` with something before it and a name with a dot after it, nothing blank.
fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else { return false };
    let is_clean = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c == '@');
    is_clean(name) && is_clean(domain) && is_dotted(domain)
}

/// `http` or `https`, or nothing before the host's name; nothing blank.
fn is_url(text: &str) -> bool {
    let lower = text.to_lowercase();
    let rest = ["https://", "http://"].iter().find_map(|scheme| lower.strip_prefix(scheme));
    let host = rest.unwrap_or(&lower).split(['/', '?', '#', ':']).next().unwrap_or_default();
    let is_known = rest.is_some() || !lower.contains("://");
    is_known
        && !lower.contains(char::is_whitespace)
        && (is_dotted(host) || rest.is_some() && host == "localhost")
}

fn is_dotted(host: &str) -> bool {
    host.contains('.') && host.split('.').all(|part| !part.is_empty())
}
