//! View settings of one client: they are neither stored nor sent to others.

use quadrille_cell::{Range, SheetId, SmallMap};
use quadrille_workbook::{ItemId, Sheet};

use crate::panels;

/// Sheets whose filter view is remembered; beyond that, a client must open the view again.
const VIEWS_MAX: usize = 1_000;

/// View settings of one client.
#[derive(Default)]
pub struct ViewSettings {
    /// Whether cells show their formulas instead of the results.
    pub shows_formulas: bool,
    /// Whether only the panels of a sheet are shown, as in EtherCalc's view `/app`.
    pub shows_panels: bool,
    /// The formulas have not been calculated since the workbook was opened.
    pub is_opening: bool,
    filter_views: SmallMap<SheetId, ItemId>,
}

impl ViewSettings {
    /// The ranges of which the rows and columns are shown; `None` for the whole sheet.
    pub fn shown_ranges(&self, sheet: &Sheet) -> Option<Vec<Range>> {
        self.shows_panels.then(|| panels::shown_ranges(sheet, self.is_opening)).flatten()
    }

    /// The filter view that replaces the sheet's shared filter for this client.
    pub fn filter_view(&self, sheet: SheetId) -> Option<ItemId> {
        self.filter_views.get(&sheet).copied()
    }

    /// Opens a filter view for a sheet; `None` closes it. Beyond `VIEWS_MAX` sheets nothing is
    /// opened.
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
