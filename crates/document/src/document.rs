//! The document: a workbook that knows what of it needs calculating.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_calc::{Budget, Calculation, Cancel, EvaluationContext};
use quadrille_cell::{SheetId, Value};
use quadrille_formula::{Host, Template};
use quadrille_number_format::{Locale, NumberFormat, date};
use quadrille_operation::{Touch, Transaction, apply_operation};
use quadrille_workbook::{Field, ItemId, Workbook};

use crate::Changes;
use crate::conditional_formats::Aggregate;
use crate::filter::SheetFilters;

/// A workbook with its calculation. Same transactions in the same order give the same document everywhere.
pub struct Document {
    workbook: Workbook,
    calculation: Calculation,
    /// Time and seed of the last transaction; what `NOW` and `RAND` see.
    time_and_seed: EvaluationContext,
    /// For which everything was last calculated.
    stamp_calculated: Option<EvaluationContext>,
    /// How the person writes who this document is shown to; no part of what it holds.
    pub(crate) locale: Locale,
    /// Formulas are shown in R1C1 notation.
    pub(crate) is_r1c1: bool,
    /// Number formats already read, by code, for the workbook's dates. Only a cache.
    pub(crate) number_formats: RefCell<BTreeMap<Arc<str>, NumberFormat>>,
    /// What rules know of all their cells, until something changes. Only a cache.
    pub(crate) aggregates: RefCell<BTreeMap<(SheetId, ItemId), Arc<Aggregate>>>,
}

/// What applying a transaction did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    /// Takes the transaction back when applied right after it.
    pub inverse: Transaction,
    /// What was written. Formulas that depend on it follow with `evaluate`.
    pub changes: Changes,
}

/// Cells that arrays may allocate in one evaluation, whatever its budget of steps.
const ARRAY_CELLS_MAX: u64 = 16_000_000;

impl Default for Document {
    fn default() -> Document {
        Document::new()
    }
}

impl Document {
    /// One empty sheet, `Sheet1`.
    pub fn new() -> Document {
        Document::from_workbook(Workbook::new())
    }

    /// Everything in it is yet to be calculated.
    pub fn from_workbook(workbook: Workbook) -> Document {
        let calculation = Calculation::new(&workbook).with_filters(&SheetFilters);
        Document {
            workbook,
            calculation,
            time_and_seed: EvaluationContext::default(),
            stamp_calculated: None,
            locale: Locale::STORED,
            is_r1c1: false,
            number_formats: RefCell::default(),
            aggregates: RefCell::default(),
        }
    }

    pub fn workbook(&self) -> &Workbook {
        &self.workbook
    }

    /// Shows everything as it is written there from now on.
    pub fn set_locale(&mut self, locale: Locale) {
        self.locale = locale;
    }

    /// Shows formulas in R1C1 notation from now on, or in A1.
    pub fn set_r1c1(&mut self, is_r1c1: bool) {
        self.is_r1c1 = is_r1c1;
    }

    pub fn locale(&self) -> Locale {
        self.locale
    }

    pub(crate) fn calculation(&self) -> &Calculation {
        &self.calculation
    }

    /// The document as it is now, unaffected by what follows. Costs a pointer per sheet.
    pub fn snapshot(&self) -> Workbook {
        self.workbook.clone()
    }

    /// Writes inputs, formats and structure, and marks what depends on them; calculates nothing.
    pub fn apply(&mut self, transaction: &Transaction, time_and_seed: EvaluationContext) -> Applied {
        self.time_and_seed = time_and_seed;
        self.aggregates.borrow_mut().clear();
        let dates = self.workbook.date_system();
        let mut changes = Changes::default();
        let mut inverses = Vec::with_capacity(transaction.operations.len());
        for operation in &transaction.operations {
            let step = apply_operation(&mut self.workbook, operation);
            inverses.push(step.inverse.operations);
            for touch in &step.touched.changes {
                self.mark(touch);
                changes.add_touch(touch);
            }
        }
        if self.workbook.date_system() != dates {
            // Every number may be a date, and shows another one now.
            self.number_formats.borrow_mut().clear();
            for sheet in self.workbook.sheets() {
                if let Some(used) = sheet.used_range() {
                    changes.add_range(sheet.id(), used);
                }
            }
        }
        changes.finished = self.is_calculated();
        let operations = inverses.into_iter().rev().flatten().collect();
        Applied { inverse: Transaction { operations }, changes }
    }

    fn mark(&mut self, touch: &Touch) {
        match touch {
            Touch::Contents(sheet, range) => {
                self.calculation.inputs_changed(&self.workbook, *sheet, *range);
            }
            Touch::Restructured(edit) => self.calculation.restructured(&self.workbook, edit),
            Touch::Sheets => self.calculation.sheets_changed(&self.workbook),
            Touch::Names => self.calculation.names_changed(&self.workbook),
            // The workbook's clock may have been set to another time zone, or circular references are to be calculated.
            Touch::Items(None) => {
                self.stamp_calculated = None;
                self.calculation.settings_changed(&self.workbook);
            }
            Touch::Items(Some(sheet)) => self.calculation.filters_changed(*sheet),
            Touch::Formats(sheet, range) => self.calculation.formats_changed(*sheet, *range),
            Touch::Hidden(sheet, first, last) => self.calculation.rows_hidden(*sheet, *first, *last),
            // Rewritten formulas are looked at with what was restructured.
            Touch::Rewritten(..) | Touch::Sizes(..) => {}
        }
    }

    /// Calculates what is dirty, for about `steps` cells or calls. Call again while the result is not finished.
    pub fn evaluate(&mut self, steps: u64) -> Changes {
        self.evaluate_until(steps, &Cancel::NEVER)
    }

    /// As [`evaluate`](Self::evaluate), and ends soon after somebody requests it.
    pub fn evaluate_until(&mut self, steps: u64, cancel: &Cancel) -> Changes {
        let mut changes = Changes::default();
        if self.is_calculated() {
            return changes;
        }
        self.aggregates.borrow_mut().clear();
        let mut budget = Budget { steps_left: steps, cells_left: ARRAY_CELLS_MAX, cancel: cancel.clone() };
        let time_and_seed = self.local_context();
        let evaluated = self.calculation.evaluate(&mut self.workbook, time_and_seed, &mut budget);
        for (sheet, range) in evaluated.changed {
            changes.add_range(sheet, range);
        }
        changes.finished = evaluated.finished;
        if evaluated.finished {
            self.stamp_calculated = Some(self.time_and_seed);
        }
        changes
    }

    /// The time as the workbook's own clock shows it: `NOW` must say the same to everybody.
    fn local_context(&self) -> EvaluationContext {
        let settings = self.workbook.items().get(ItemId::SETTINGS);
        let minutes = settings.and_then(|item| item.number(Field::TimeZoneOffset)).unwrap_or(0.0);
        let time_ms = self.time_and_seed.time_ms.saturating_add(minutes as i64 * 60_000);
        EvaluationContext { time_ms, ..self.time_and_seed }
    }

    /// What a formula that stands in no cell would show in `host`, and the steps that took.
    pub fn evaluate_detached(&self, host: Host, template: &Template) -> (Value, u64) {
        self.calculation.evaluate_detached(&self.workbook, self.local_context(), host, template)
    }

    /// All the values of such a formula, row by row.
    pub(crate) fn evaluate_range_detached(&self, host: Host, template: &Template) -> Vec<Value> {
        self.calculation.evaluate_range_detached(&self.workbook, self.local_context(), host, template)
    }

    /// As [`evaluate_detached`](Self::evaluate_detached), in a workbook that this one might become.
    pub(crate) fn evaluate_detached_in(
        &self,
        workbook: &Workbook,
        host: Host,
        template: &Template,
    ) -> (Value, u64) {
        self.calculation.evaluate_detached(workbook, self.local_context(), host, template)
    }

    /// The day of the last transaction by the workbook's clock, counted from 1900.
    pub(crate) fn today(&self) -> f64 {
        date::serial_from_unix_ms(self.local_context().time_ms).floor()
    }

    /// Whether every value is up to date. What depends on time or chance is calculated anew after each
    /// transaction.
    pub fn is_calculated(&self) -> bool {
        let is_current = self.stamp_calculated == Some(self.time_and_seed) || !self.calculation.is_volatile();
        is_current && self.calculation.is_clean()
    }
}
