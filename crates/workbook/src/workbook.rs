//! The workbook: sheets in tab order, and names.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{DateSystem, Range, SheetId};
use quadrille_formula::{SheetNames, Template, name_scope, scoped_name};

use crate::Sheet;
use crate::items::{Field, FieldValue, Item, ItemId, ItemKind, Items};
use crate::tables::{TableColumns, TableNames};

/// A workbook. Cloning costs one pointer per sheet; what a clone shares is copied when written.
#[derive(Clone, Debug)]
pub struct Workbook {
    /// In tab order; never empty through this interface.
    sheets: Vec<Arc<Sheet>>,
    /// How many sheets were ever put in; see [`Sheet::instance`].
    sheets_added: u64,
    /// By name in lower case.
    names: Arc<BTreeMap<String, DefinedName>>,
    /// What belongs to no sheet, its settings among it.
    items: Arc<Items>,
    /// Of tables, as they are; see [`Workbook::refresh_tables`].
    tables: Arc<TableNames>,
}

#[derive(Clone, Debug)]
struct DefinedName {
    /// As it was written.
    name: Arc<str>,
    definition: Template,
}

impl Default for Workbook {
    fn default() -> Workbook {
        Workbook::new()
    }
}

/// The form in which names of sheets and defined names are compared.
fn folded(name: &str) -> String {
    name.to_lowercase()
}

impl Workbook {
    /// One empty sheet, `Sheet1`.
    pub fn new() -> Workbook {
        let first = Arc::new(Sheet::new(SheetId(1), "Sheet1"));
        Workbook {
            sheets: vec![first],
            sheets_added: 0,
            names: Arc::default(),
            items: Arc::default(),
            tables: Arc::default(),
        }
    }

    /// In tab order; at least one.
    pub fn sheets(&self) -> &[Arc<Sheet>] {
        &self.sheets
    }

    /// From which day dates count, as the settings say.
    pub fn date_system(&self) -> DateSystem {
        let settings = self.items.get(ItemId::SETTINGS);
        match settings.and_then(|settings| settings.boolean(Field::Date1904)) {
            Some(true) => DateSystem::From1904,
            _ => DateSystem::From1900,
        }
    }

    /// What its people call it; `None` when they have not said.
    pub fn title(&self) -> Option<&str> {
        let title = self.items.get(ItemId::SETTINGS)?.text(Field::Title)?;
        (!title.trim().is_empty()).then_some(title)
    }

    pub fn set_title(&mut self, title: Option<&str>) {
        let before = self.items.get(ItemId::SETTINGS).map(|settings| Item::clone(settings));
        let mut settings = before.unwrap_or_else(|| Item::new(ItemKind::WorkbookSettings));
        match title {
            Some(title) => settings.fields.insert(Field::Title, FieldValue::Text(title.into())),
            None => settings.fields.remove(&Field::Title),
        };
        let is_empty = settings.fields.is_empty();
        self.set_item(None, ItemId::SETTINGS, (!is_empty).then_some(settings));
    }

    pub fn sheet(&self, id: SheetId) -> Option<&Sheet> {
        self.sheets.iter().find(|sheet| sheet.id() == id).map(Arc::as_ref)
    }

    pub fn sheet_mut(&mut self, id: SheetId) -> Option<&mut Sheet> {
        self.sheets.iter_mut().find(|sheet| sheet.id() == id).map(Arc::make_mut)
    }

    /// Without regard to case.
    pub fn sheet_by_name(&self, name: &str) -> Option<&Sheet> {
        let exact = self.sheets.iter().find(|sheet| **sheet.name() == *name);
        let found = exact.or_else(|| {
            let folded_name = folded(name);
            self.sheets.iter().find(|sheet| folded(sheet.name()) == folded_name)
        });
        found.map(Arc::as_ref)
    }

    /// Zero-based place among the tabs.
    pub fn position(&self, id: SheetId) -> Option<usize> {
        self.sheets.iter().position(|sheet| sheet.id() == id)
    }

    /// An empty sheet; a position beyond the end means last. `false`, and nothing done, when the identity or
    /// the name is taken.
    pub fn add_sheet(&mut self, id: SheetId, name: &str, position: usize) -> bool {
        self.insert_sheet(Arc::new(Sheet::new(id, name)), position)
    }

    /// As [`add_sheet`](Self::add_sheet) for a sheet that exists: one read from a file, or one removed before.
    pub fn insert_sheet(&mut self, mut sheet: Arc<Sheet>, position: usize) -> bool {
        if self.sheet(sheet.id()).is_some() || self.sheet_by_name(sheet.name()).is_some() {
            return false;
        }
        self.sheets_added += 1;
        Arc::make_mut(&mut sheet).instance = self.sheets_added;
        self.sheets.insert(position.min(self.sheets.len()), sheet);
        true
    }

    /// `None`, and nothing done, when there is no such sheet or it is the last one.
    pub fn remove_sheet(&mut self, id: SheetId) -> Option<Arc<Sheet>> {
        if self.sheets.len() == 1 {
            return None;
        }
        let position = self.position(id)?;
        Some(self.sheets.remove(position))
    }

    /// `false`, and nothing done, when there is no such sheet or another one has the name.
    pub fn rename_sheet(&mut self, id: SheetId, name: &str) -> bool {
        if self.sheet_by_name(name).is_some_and(|other| other.id() != id) {
            return false;
        }
        let Some(sheet) = self.sheet_mut(id) else { return false };
        sheet.name = name.into();
        true
    }

    /// `position` counts the tabs without this sheet; beyond the end means last.
    pub fn move_sheet(&mut self, id: SheetId, position: usize) -> bool {
        let Some(from) = self.position(id) else { return false };
        let sheet = self.sheets.remove(from);
        self.sheets.insert(position.min(self.sheets.len()), sheet);
        true
    }

    /// Defined names as they were written, in the order of their lower-case forms; those of one sheet alone are
    /// spelled as [`scoped_name`] says, and come first.
    pub fn names(&self) -> impl Iterator<Item = (&Arc<str>, &Template)> {
        self.names.values().map(|defined| (&defined.name, &defined.definition))
    }

    /// Without regard to case.
    pub fn name(&self, name: &str) -> Option<&Template> {
        if self.names.is_empty() && self.tables.names.is_empty() {
            return None;
        }
        let folded_name = folded(name);
        let defined = self.names.get(&folded_name).map(|defined| &defined.definition);
        defined.or_else(|| self.tables.names.get(&folded_name))
    }

    /// As a formula on `sheet` sees it: a name of that sheet alone goes before one of the whole workbook, which
    /// `Sheet2!rate` stands for when the sheet has none.
    pub fn name_seen_from(&self, sheet: SheetId, name: &str) -> Option<&Template> {
        let local = |name: &str| self.names.get(&folded(name)).map(|defined| &defined.definition);
        // Their spelling sorts before every other name.
        let has_scoped = self.names.keys().next().is_some_and(|name| name_scope(name).is_some());
        match name_scope(name) {
            Some((_, plain)) => local(name).or_else(|| self.name(plain)),
            None if has_scoped => local(&scoped_name(sheet, name)).or_else(|| self.name(name)),
            None => self.name(name),
        }
    }

    /// Defines a name, or with `None` removes it; yields what it meant before.
    pub fn define_name(&mut self, name: &str, definition: Option<Template>) -> Option<Template> {
        let names = Arc::make_mut(&mut self.names);
        let before = match definition {
            Some(definition) => names.insert(folded(name), DefinedName { name: name.into(), definition }),
            None => names.remove(&folded(name)),
        };
        before.map(|defined| defined.definition)
    }

    /// Brings up to date what references to tables stand for, after items, header cells or rows and columns have
    /// changed; yields whether any stands for something else now.
    pub fn refresh_tables(&mut self) -> bool {
        let tables = TableNames::of(self.sheets.iter().map(Arc::as_ref));
        let is_changed = tables != *self.tables;
        if is_changed {
            self.tables = Arc::new(tables);
        }
        is_changed
    }

    /// All tables with their columns.
    pub fn table_columns(&self) -> Vec<TableColumns> {
        self.sheets.iter().flat_map(|sheet| TableColumns::of_sheet(sheet)).collect()
    }

    /// Whether a table's column may be called otherwise when the cells of `range` change.
    pub fn has_table_headers(&self, sheet: SheetId, range: Range) -> bool {
        self.tables.headers.iter().any(|(of, header)| *of == sheet && header.intersects(range))
    }

    /// Items of the workbook as a whole.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// Items of a sheet, or with `None` of the workbook as a whole; `None` when there is no such sheet.
    pub fn items_of(&self, sheet: Option<SheetId>) -> Option<&Items> {
        match sheet {
            Some(sheet) => self.sheet(sheet).map(Sheet::items),
            None => Some(&self.items),
        }
    }

    /// Puts an item in, or with `None` takes it out; yields what was there. Does nothing for a sheet that is gone.
    pub fn set_item(&mut self, sheet: Option<SheetId>, id: ItemId, item: Option<Item>) -> Option<Arc<Item>> {
        match sheet {
            Some(sheet) => self.sheet_mut(sheet)?.set_item(id, item),
            None => Arc::make_mut(&mut self.items).set(id, item),
        }
    }
}

impl SheetNames for Workbook {
    fn sheet_id(&self, name: &str) -> Option<SheetId> {
        self.sheet_by_name(name).map(Sheet::id)
    }

    fn sheet_name(&self, id: SheetId) -> Option<&str> {
        self.sheet(id).map(|sheet| &**sheet.name())
    }
}
