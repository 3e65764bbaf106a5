//! How this page looks at the workbook. Nobody else sees or hears of it.

use std::collections::BTreeMap;

use quadrille_cell::SheetId;
use quadrille_workbook::ItemId;

/// Sheets whose view is remembered; beyond, the page asks for it again.
const VIEWS_MAX: usize = 1_000;

#[derive(Default)]
pub struct ViewSettings {
    /// Cells show their formulas instead of what these give.
    pub shows_formulas: bool,
    filter_views: BTreeMap<SheetId, ItemId>,
}

impl ViewSettings {
    /// The view through which this page sees the sheet, in place of the filter that all share.
    pub fn filter_view(&self, sheet: SheetId) -> Option<ItemId> {
        self.filter_views.get(&sheet).copied()
    }

    pub fn open_filter_view(&mut self, sheet: SheetId, view: Option<ItemId>) {
        match view {
            Some(view) if self.filter_views.len() < VIEWS_MAX => {
                self.filter_views.insert(sheet, view);
            }
            _ => {
                self.filter_views.remove(&sheet);
            }
        }
    }
}
