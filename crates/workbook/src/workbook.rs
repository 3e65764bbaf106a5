//! The workbook: sheets in tab order, defined names, items and structured names.

use std::collections::BTreeMap;
use std::sync::Arc;

use quadrille_cell::{DateSystem, Range, SheetId};
use quadrille_formula::{SheetNames, Template, name_scope, scoped_name};

use crate::items::{Field, FieldValue, Item, ItemId, ItemKind, Items};
use crate::tables::{TableColumns, TableNames};
use crate::{Format, Sheet};

/// A workbook. A clone costs one pointer per sheet and shares its contents until they are written.
#[derive(Clone, Debug)]
pub struct Workbook {
    /// In tab order; never empty.
    sheets: Vec<Arc<Sheet>>,
    /// Number of sheets added so far; see [`Sheet::instance`].
    sheets_added: u64,
    /// Defined names by their name in lower case.
    names: Arc<BTreeMap<String, DefinedName>>,
    /// Items that belong to no sheet, including the workbook's settings.
    items: Arc<Items>,
    /// Structured names of the tables; see [`Workbook::refresh_tables`].
    tables: Arc<TableNames>,
}

/// A defined name.
#[derive(Clone, Debug)]
struct DefinedName {
    /// The name as the user entered it.
    name: Arc<str>,
    definition: Template,
}

impl Default for Workbook {
    fn default() -> Workbook {
        Workbook::new()
    }
}

/// The form in which names of sheets and defined names are compared: lower case.
fn folded(name: &str) -> String {
    name.to_lowercase()
}

impl Workbook {
    /// Creates a workbook with one empty sheet, `Sheet1`.
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

    /// The sheets in tab order; at least one.
    pub fn sheets(&self) -> &[Arc<Sheet>] {
        &self.sheets
    }

    /// The date system of the workbook's settings.
    pub fn date_system(&self) -> DateSystem {
        let settings = self.items.get(ItemId::SETTINGS);
        match settings.and_then(|settings| settings.boolean(Field::Date1904)) {
            Some(true) => DateSystem::From1904,
            _ => DateSystem::From1900,
        }
    }

    /// The title of the workbook, or `None` if it has none.
    pub fn title(&self) -> Option<&str> {
        let title = self.items.get(ItemId::SETTINGS)?.text(Field::Title)?;
        (!title.trim().is_empty()).then_some(title)
    }

    /// Sets the title; `None` removes it.
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

    /// The sheet with this id.
    pub fn sheet(&self, id: SheetId) -> Option<&Sheet> {
        self.sheets.iter().find(|sheet| sheet.id() == id).map(Arc::as_ref)
    }

    /// The sheet with this id, for writing; copies the sheet if it is shared with a snapshot.
    pub fn sheet_mut(&mut self, id: SheetId) -> Option<&mut Sheet> {
        self.sheets.iter_mut().find(|sheet| sheet.id() == id).map(Arc::make_mut)
    }

    /// The sheet with this name; case is ignored.
    pub fn sheet_by_name(&self, name: &str) -> Option<&Sheet> {
        let exact = self.sheets.iter().find(|sheet| **sheet.name() == *name);
        let sheet = exact.or_else(|| {
            let folded_name = folded(name);
            self.sheets.iter().find(|sheet| folded(sheet.name()) == folded_name)
        });
        sheet.map(Arc::as_ref)
    }

    /// Position of a sheet among the tabs, counted from 0.
    pub fn position(&self, id: SheetId) -> Option<usize> {
        self.sheets.iter().position(|sheet| sheet.id() == id)
    }

    /// Adds an empty sheet; a position beyond the end means last. Returns `false` without changing
    /// anything if the id or the name is in use.
    pub fn add_sheet(&mut self, id: SheetId, name: &str, position: usize) -> bool {
        self.insert_sheet(Arc::new(Sheet::new(id, name)), position)
    }

    /// [`add_sheet`](Self::add_sheet) for an existing sheet, read from a file or removed before.
    pub fn insert_sheet(&mut self, mut sheet: Arc<Sheet>, position: usize) -> bool {
        if self.sheet(sheet.id()).is_some() || self.sheet_by_name(sheet.name()).is_some() {
            return false;
        }
        self.sheets_added += 1;
        Arc::make_mut(&mut sheet).instance = self.sheets_added;
        self.sheets.insert(position.min(self.sheets.len()), sheet);
        true
    }

    /// Removes a sheet and returns it. Returns `None` without changing anything if the sheet does
    /// not exist or is the last one.
    pub fn remove_sheet(&mut self, id: SheetId) -> Option<Arc<Sheet>> {
        if self.sheets.len() == 1 {
            return None;
        }
        let position = self.position(id)?;
        Some(self.sheets.remove(position))
    }

    /// Renames a sheet. Returns `false` without changing anything if the sheet does not exist or
    /// another sheet has the name.
    pub fn rename_sheet(&mut self, id: SheetId, name: &str) -> bool {
        if self.sheet_by_name(name).is_some_and(|other| other.id() != id) {
            return false;
        }
        let Some(sheet) = self.sheet_mut(id) else { return false };
        sheet.name = name.into();
        true
    }

    /// Moves a sheet to a position among the other tabs; a position beyond the end means last.
    /// Returns `false` if the sheet does not exist.
    pub fn move_sheet(&mut self, id: SheetId, position: usize) -> bool {
        let Some(from) = self.position(id) else { return false };
        let sheet = self.sheets.remove(from);
        self.sheets.insert(position.min(self.sheets.len()), sheet);
        true
    }

    /// The defined names as entered, in the order of their lower-case forms. Names of a single
    /// sheet come first, in the form of [`scoped_name`].
    pub fn names(&self) -> impl Iterator<Item = (&Arc<str>, &Template)> {
        self.names.values().map(|defined| (&defined.name, &defined.definition))
    }

    /// The definition of a name, or the reference of a structured name; case is ignored.
    pub fn name(&self, name: &str) -> Option<&Template> {
        if self.names.is_empty() && self.tables.names.is_empty() {
            return None;
        }
        let folded_name = folded(name);
        let defined = self.names.get(&folded_name).map(|defined| &defined.definition);
        defined.or_else(|| self.tables.names.get(&folded_name))
    }

    /// Resolves a name in a formula on `sheet`: a name of that sheet has precedence over a name of
    /// the workbook. `Sheet2!rate` also finds the workbook's name if that sheet has no such name.
    pub fn resolve_name(&self, sheet: SheetId, name: &str) -> Option<&Template> {
        let local = |name: &str| self.names.get(&folded(name)).map(|defined| &defined.definition);
        // Scoped names sort before every other name.
        let has_scoped = self.names.keys().next().is_some_and(|name| name_scope(name).is_some());
        match name_scope(name) {
            Some((_, plain)) => local(name).or_else(|| self.name(plain)),
            None if has_scoped => local(&scoped_name(sheet, name)).or_else(|| self.name(name)),
            None => self.name(name),
        }
    }

    /// Defines a name, or removes it if `definition` is `None`. Returns the previous definition.
    pub fn define_name(&mut self, name: &str, definition: Option<Template>) -> Option<Template> {
        let names = Arc::make_mut(&mut self.names);
        let before = match definition {
            Some(definition) => names.insert(folded(name), DefinedName { name: name.into(), definition }),
            None => names.remove(&folded(name)),
        };
        before.map(|defined| defined.definition)
    }

    /// Updates the structured names after a change of items, header cells, rows or columns. Returns
    /// whether any of them changed.
    pub fn refresh_tables(&mut self) -> bool {
        let tables = TableNames::of(self.sheets.iter().map(Arc::as_ref));
        let is_changed = tables != *self.tables;
        if is_changed {
            self.tables = Arc::new(tables);
        }
        is_changed
    }

    /// All tables of the workbook with the names of their columns.
    pub fn table_columns(&self) -> Vec<TableColumns> {
        self.sheets.iter().flat_map(|sheet| TableColumns::of_sheet(sheet)).collect()
    }

    /// Whether `range` contains header cells of a table, so that a change of its cells can rename
    /// table columns.
    pub fn has_table_headers(&self, sheet: SheetId, range: Range) -> bool {
        self.tables.headers.iter().any(|(of, header)| *of == sheet && header.intersects(range))
    }

    /// The items that belong to no sheet.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// The items of a sheet, or the workbook's items if `sheet` is `None`. Returns `None` if the
    /// sheet does not exist.
    pub fn items_of(&self, sheet: Option<SheetId>) -> Option<&Items> {
        match sheet {
            Some(sheet) => self.sheet(sheet).map(Sheet::items),
            None => Some(&self.items),
        }
    }

    /// Sets an item of a sheet, or of the workbook if `sheet` is `None`; removes it if `item` is
    /// `None`. Returns the previous item. Does nothing if the sheet does not exist.
    pub fn set_item(&mut self, sheet: Option<SheetId>, id: ItemId, item: Option<Item>) -> Option<Arc<Item>> {
        match sheet {
            Some(sheet) => self.sheet_mut(sheet)?.set_item(id, item),
            None => Arc::make_mut(&mut self.items).set(id, item),
        }
    }
}

impl Workbook {
    /// Updates the attributes that cells have from their styles; `style` gives the formats of the
    /// styles that changed. Returns the sheets whose cells changed.
    pub fn restyle(&mut self, style: &dyn Fn(ItemId) -> Option<Format>) -> Vec<SheetId> {
        let mut changed = Vec::new();
        for sheet in &mut self.sheets {
            if sheet.has_outdated_formats(style) {
                Arc::make_mut(sheet).restyle(style);
                changed.push(sheet.id());
            }
        }
        changed
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
