//! The document: a workbook together with its calculation.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_calc::{Budget, Calculation, Cancel, EvaluationContext};
use quadrille_cell::{SheetId, Value};
use quadrille_formula::{FunctionNames, Host, Template};
use quadrille_number_format::{Locale, NumberFormat, date};
use quadrille_operation::{Touch, Transaction, apply_operation};
use quadrille_workbook::{Field, ItemId, Workbook};

use crate::changes::Changes;
use crate::conditional_formats::aggregates::Aggregate;
use crate::filter::sheet_filters::SheetFilters;

/// A workbook with its calculation. The same transactions in the same order give the same document
/// on every replica.
pub struct Document {
    workbook: Workbook,
    calculation: Calculation,
    /// Time and seed of the last transaction, used by NOW and RAND.
    time_and_seed: EvaluationContext,
    /// Time and seed with which everything was last evaluated.
    calculated_context: Option<EvaluationContext>,
    /// The locale of the user to whom the document is displayed; not part of the contents.
    pub(crate) locale: Locale,
    /// Whether formulas are displayed in R1C1 notation.
    pub(crate) is_r1c1: bool,
    /// The function names in which formulas are displayed.
    pub(crate) names: Arc<FunctionNames>,
    /// Cache of parsed number formats by code, for the workbook's date system.
    pub(crate) number_formats: RefCell<BTreeMap<Arc<str>, NumberFormat>>,
    /// Cache of the aggregates of conditional formats, cleared by every change.
    pub(crate) aggregates: RefCell<BTreeMap<(SheetId, ItemId), Arc<Aggregate>>>,
}

/// The result of applying a transaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    /// Undoes the transaction when applied directly after it.
    pub inverse: Transaction,
    /// What the transaction wrote. Changes of dependent formulas are reported by `evaluate`.
    pub changes: Changes,
}

/// Array cells per evaluation, independent of its budget of steps.
const ARRAY_CELLS_MAX: u64 = 16_000_000;

impl Default for Document {
    fn default() -> Document {
        Document::new()
    }
}

impl Document {
    /// Creates a document with one empty sheet, `Sheet1`.
    pub fn new() -> Document {
        Document::from_workbook(Workbook::new())
    }

    /// Creates a document in which every formula is dirty.
    pub fn from_workbook(workbook: Workbook) -> Document {
        let calculation = Calculation::new(&workbook).with_filters(&SheetFilters);
        Document {
            workbook,
            calculation,
            time_and_seed: EvaluationContext::default(),
            calculated_context: None,
            locale: Locale::INVARIANT,
            is_r1c1: false,
            names: Arc::default(),
            number_formats: RefCell::default(),
            aggregates: RefCell::default(),
        }
    }

    /// The workbook.
    pub fn workbook(&self) -> &Workbook {
        &self.workbook
    }

    /// Sets the locale in which cells and formulas are displayed.
    pub fn set_locale(&mut self, locale: Locale) {
        self.locale = locale;
    }

    /// Sets whether formulas are displayed in R1C1 or A1 notation.
    pub fn set_r1c1(&mut self, is_r1c1: bool) {
        self.is_r1c1 = is_r1c1;
    }

    /// Sets the function names in which formulas are displayed.
    pub fn set_function_names(&mut self, names: Arc<FunctionNames>) {
        self.names = names;
    }

    /// The locale in which cells and formulas are displayed.
    pub fn locale(&self) -> Locale {
        self.locale
    }

    pub(crate) fn calculation(&self) -> &Calculation {
        &self.calculation
    }

    /// Returns a copy of the workbook that later transactions do not affect. O(number of sheets).
    pub fn snapshot(&self) -> Workbook {
        self.workbook.clone()
    }

    /// Returns a document with a copy of the workbook, the same locale and the same time, for
    /// calculations that this document must not see. Every formula is dirty.
    pub(crate) fn scratch_copy(&self) -> Document {
        Document {
            time_and_seed: self.time_and_seed,
            locale: self.locale,
            is_r1c1: self.is_r1c1,
            names: self.names.clone(),
            ..Document::from_workbook(self.snapshot())
        }
    }

    /// As [`apply`](Self::apply), at the time and with the seed of the last transaction.
    pub(crate) fn apply_at_same_time(&mut self, transaction: &Transaction) -> Applied {
        self.apply(transaction, self.time_and_seed)
    }

    /// Applies a transaction to inputs, formats and structure and marks dependents dirty. Evaluates
    /// nothing.
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
            // Every number may be a date, which is displayed differently now.
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
            // The time zone or the settings of iterative calculation may have changed.
            Touch::Items(None) => {
                self.calculated_context = None;
                self.calculation.settings_changed(&self.workbook);
            }
            Touch::Items(Some(sheet)) => {
                self.calculation.filters_changed(*sheet);
                self.calculation.pivots_changed(&self.workbook, *sheet);
            }
            Touch::Import(import) => self.calculation.import_changed(*import),
            Touch::Formats(sheet, range) => self.calculation.formats_changed(*sheet, *range),
            Touch::Hidden(sheet, first, last) => self.calculation.rows_hidden(*sheet, *first, *last),
            // Rewritten formulas are handled with the structural edit.
            Touch::Rewritten(..) | Touch::Sizes(..) => {}
        }
    }

    /// Evaluates dirty cells within a budget of about `steps` cells or calls. Call again until
    /// [`Changes::finished`].
    pub fn evaluate(&mut self, steps: u64) -> Changes {
        self.evaluate_until(steps, &Cancel::NEVER)
    }

    /// As [`evaluate`](Self::evaluate), and returns soon after `cancel` is requested.
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
            self.calculated_context = Some(self.time_and_seed);
        }
        changes
    }

    /// The evaluation context in the workbook's time zone, so that NOW gives the same value to
    /// every user.
    pub(crate) fn local_context(&self) -> EvaluationContext {
        let settings = self.workbook.items().get(ItemId::SETTINGS);
        let minutes = settings.and_then(|item| item.number(Field::TimeZoneOffset)).unwrap_or(0.0);
        let time_ms = self.time_and_seed.time_ms.saturating_add(minutes as i64 * 60_000);
        EvaluationContext { time_ms, ..self.time_and_seed }
    }

    /// Evaluates a formula as if it were in `host`; also returns the number of steps.
    pub fn evaluate_detached(&self, host: Host, template: &Template) -> (Value, u64) {
        self.calculation.evaluate_detached(&self.workbook, self.local_context(), host, template)
    }

    /// Evaluates a formula as if it were in `host` and returns all its values, row by row.
    pub(crate) fn evaluate_range_detached(&self, host: Host, template: &Template) -> Vec<Value> {
        self.calculation.evaluate_range_detached(&self.workbook, self.local_context(), host, template)
    }

    /// As [`evaluate_detached`](Self::evaluate_detached) on a modified copy of the workbook.
    pub(crate) fn evaluate_detached_in(
        &self,
        workbook: &Workbook,
        host: Host,
        template: &Template,
    ) -> (Value, u64) {
        self.calculation.evaluate_detached(workbook, self.local_context(), host, template)
    }

    /// The day of the last transaction in the workbook's time zone, as a serial number from 1900.
    pub(crate) fn today(&self) -> f64 {
        date::serial_from_unix_ms(self.local_context().time_ms).floor()
    }

    /// Whether every value is up to date. Volatile formulas become dirty with each transaction.
    pub fn is_calculated(&self) -> bool {
        let is_current =
            self.calculated_context == Some(self.time_and_seed) || !self.calculation.is_volatile();
        is_current && self.calculation.is_clean()
    }
}
