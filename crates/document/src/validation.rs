//! Data validation: whether values meet the rules of their cells, and which cells of a transaction
//! do not.
//!
//! Rules never reject a transaction: a room accepts files, scripts and pasted cells, and invalid
//! cells are marked. The client asks before it sends an entry that is typed.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{CellAddress, DateSystem, Range, SheetId, Value};
use quadrille_formula::{Host, Template};
use quadrille_number_format::{InputContext, parse_input_with};
use quadrille_operation::{Operation, Touch, Transaction, apply};
use quadrille_workbook::{Field, FieldValue, Format, Input, Item, ItemId, ItemKind, Workbook};

use crate::Document;
use crate::find::{MATCHES_MAX, SearchMatches};
use crate::list_values::{ListValue, SELECTED_CHOICES_MAX, selected_choices};

/// Cells of a transaction that are checked; further cells count as valid.
const CELLS_MAX: usize = 10_000;
/// Steps for the formulas of rules per transaction or request; further cells count as valid.
const STEPS_MAX: u64 = 20_000_000;
/// Cells of a list range that are compared.
const LIST_CELLS_MAX: usize = 10_000;

/// The first cell of a transaction that does not meet its rule.
#[derive(Clone, PartialEq, Debug)]
pub struct InvalidCell {
    pub sheet: SheetId,
    pub cell: CellAddress,
    pub rule: ItemId,
}

/// The validation rules that apply to a range.
pub struct Validations<'a> {
    document: &'a Document,
    workbook: &'a Workbook,
    sheet: SheetId,
    rules: Vec<(ItemId, &'a Item)>,
    steps_left: Cell<u64>,
    /// Values of list ranges, each read once.
    lists: RefCell<BTreeMap<(SheetId, Range), BTreeSet<ListValue>>>,
}

impl Document {
    /// Returns the validation rules that apply to cells of `range`.
    pub fn validations(&self, sheet: SheetId, range: Range) -> Validations<'_> {
        self.validations_in(self.workbook(), sheet, range)
    }

    fn validations_in<'a>(&'a self, workbook: &'a Workbook, sheet: SheetId, range: Range) -> Validations<'a> {
        let items = workbook.sheet(sheet).into_iter();
        let items = items.flat_map(|sheet| sheet.items().of_kind(ItemKind::Validation));
        let applies_to = |item: &Item| item.anchors.iter().any(|anchor| anchor.intersects(range));
        let rules = items.filter(|(_, item)| applies_to(item)).map(|(id, item)| (id, &**item)).collect();
        Validations {
            document: self,
            workbook,
            sheet,
            rules,
            steps_left: Cell::new(STEPS_MAX),
            lists: RefCell::default(),
        }
    }

    /// Returns the cells of the sheet that do not meet their rule, in row order.
    pub fn invalid_cells(&self, sheet: SheetId) -> SearchMatches {
        let mut found = SearchMatches::default();
        let used = self.workbook().sheet(sheet).and_then(|sheet| Some((sheet, sheet.used_range()?)));
        let Some((sheet, used)) = used else { return found };
        let rules = self.validations(sheet.id(), used);
        let mut cells: BTreeSet<CellAddress> = BTreeSet::new();
        for (_, item) in &rules.rules {
            let ranges = item.anchors.iter().filter_map(|anchor| anchor.intersection(used));
            for cell in ranges.flat_map(Range::cells) {
                let value = sheet.value(cell);
                if !value.is_blank() && rules.violated_rule(cell, &value).is_some() {
                    cells.insert(cell);
                }
            }
        }
        found.total = cells.len() as u64;
        found.cells = cells.into_iter().take(MATCHES_MAX).collect();
        found
    }

    /// Returns the first cell that would not meet its rule after the transaction.
    pub fn first_invalid_cell(&self, transaction: &Transaction) -> Option<InvalidCell> {
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
        // A formula is validated by its value, so it is evaluated first.
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
                if let Some(rule) = rules.violated_rule(cell, &found.value(cell)) {
                    return Some(InvalidCell { sheet, cell, rule });
                }
            }
        }
        None
    }
}

impl Validations<'_> {
    /// Whether no rule applies.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the rule that the cell does not meet with this value. Of several rules the last one
    /// counts.
    pub fn violated_rule(&self, cell: CellAddress, value: &Value) -> Option<ItemId> {
        let applies_to = |item: &Item| item.anchors.iter().any(|anchor| anchor.contains(cell));
        let (id, item) = self.rules.iter().rev().find(|(_, item)| applies_to(item))?;
        (!self.allows(item, cell, value)).then_some(*id)
    }

    fn allows(&self, item: &Item, cell: CellAddress, value: &Value) -> bool {
        let allows_blank = item.boolean(Field::AllowBlank) != Some(false);
        if value.is_blank() || matches!(value, Value::Text(text) if text.is_empty()) {
            return allows_blank;
        }
        match item.text(Field::Rule).map_or("any", |rule| &**rule) {
            "list" => self.is_in_list(item, cell, value),
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
                            wanted.is_some_and(|wanted| {
                                equals_typed(wanted, value, self.workbook.date_system())
                            })
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

    /// The value of a rule's formula for this cell; `None` when it has none or the step limit is
    /// reached.
    fn formula(&self, item: &Item, cell: CellAddress, field: Field) -> Option<Value> {
        let (_, template) = item.formula(field)?;
        if self.steps_left.get() == 0 {
            return None;
        }
        let host = Host { sheet: self.sheet, cell };
        // A formula would turn a blank cell into zero; a reference to one cell is read directly.
        if let Some((sheet, range)) =
            self.document.referenced_range(host, template).filter(|(_, range)| range.cell_count() == 1)
        {
            return self.workbook.sheet(sheet).map(|sheet| sheet.value(range.first()));
        }
        let (value, steps) = self.document.evaluate_detached_in(self.workbook, host, template);
        self.steps_left.set(self.steps_left.get().saturating_sub(steps));
        Some(value)
    }

    /// Compares with the rule's limits. A missing or blank limit does not restrict, as in Excel; a
    /// limit that is not a number is never met.
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

    /// Whether the value is a choice or, where several may be selected, consists of choices.
    fn is_in_list(&self, item: &Item, cell: CellAddress, value: &Value) -> bool {
        if self.is_choice(item, cell, value) {
            return true;
        }
        let text = match value {
            Value::Text(text) if item.boolean(Field::AllowMultiple) == Some(true) => text,
            _ => return false,
        };
        let parts = selected_choices(text);
        let is_known = |part: &str| {
            let typed = parse_input_with(part, InputContext::invariant(self.workbook.date_system())).value;
            self.is_choice(item, cell, &Value::text(part)) || self.is_choice(item, cell, &typed)
        };
        parts.len() <= SELECTED_CHOICES_MAX && parts.iter().all(|part| is_known(&text[part.clone()]))
    }

    /// Lists of texts in the rule are case-sensitive, lists in cells are not, as in Excel.
    fn is_choice(&self, item: &Item, cell: CellAddress, value: &Value) -> bool {
        if let Some(FieldValue::List(choices)) = item.fields.get(&Field::Choices) {
            return choices
                .iter()
                .any(|choice| matches!(choice, FieldValue::Text(choice) if equals_typed(choice, value, self.workbook.date_system())));
        }
        let Some((_, template)) = item.formula(Field::Formula1) else { return true };
        let Some((sheet, range)) = self.list_range(template, cell) else { return true };
        let mut lists = self.lists.borrow_mut();
        let list = lists.entry((sheet, range)).or_insert_with(|| self.read_list(sheet, range));
        ListValue::new(value).is_some_and(|value| list.contains(&value))
    }

    fn read_list(&self, sheet: SheetId, range: Range) -> BTreeSet<ListValue> {
        let Some(sheet) = self.workbook.sheet(sheet) else { return BTreeSet::new() };
        let used = sheet.used_range().and_then(|used| used.intersection(range));
        let cells = used.into_iter().flat_map(Range::cells).take(LIST_CELLS_MAX);
        quadrille_cell::collect_by_insertion(cells.filter_map(|cell| ListValue::new(&sheet.value(cell))))
    }

    fn list_range(&self, template: &Template, cell: CellAddress) -> Option<(SheetId, Range)> {
        self.document.referenced_range(Host { sheet: self.sheet, cell }, template)
    }
}

/// Whether entering `text` gives this value.
fn equals_typed(text: &str, value: &Value, dates: DateSystem) -> bool {
    match value {
        Value::Text(other) => *text == **other,
        _ => match parse_input_with(text, InputContext::invariant(dates)).value {
            Value::Number(number) => *value == Value::number(number),
            Value::Boolean(boolean) => *value == Value::Boolean(boolean),
            _ => false,
        },
    }
}

/// One `@` with a name before it and a dotted domain after it, without spaces.
pub fn is_email(text: &str) -> bool {
    let Some((name, domain)) = text.split_once('@') else { return false };
    let is_clean = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c == '@');
    is_clean(name) && is_clean(domain) && is_dotted(domain)
}

/// A dotted host or `localhost`, with `http`, `https` or no scheme, without spaces.
pub fn is_url(text: &str) -> bool {
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
