//! Groups of rows and columns of OpenDocument files (OpenDocument 1.3, part 3, 9.1.9 and 9.1.10): elements
//! around the rows and columns.

use std::collections::{BTreeMap, BTreeSet};

use quadrille_cell::{ColumnIndex, Dimension, Range, RowIndex};
use quadrille_workbook::{Field, ItemId, ItemKind, Sheet};

use crate::contents::{Contents, FieldTexts, ItemContents};
use crate::xlsx::xml::Element;

/// Groups within one another, at most, as in Excel and LibreOffice.
const LEVELS_MAX: usize = 7;
/// Rows of groups are written one by one; groups that end below are left out.
const ROWS_MAX: u32 = 100_000;

/// The groups of rows, or of columns, that are being read.
pub(super) struct OpenGroups {
    dimension: Dimension,
    open: Vec<OpenGroup>,
    /// Groups within the deepest level, which are left out.
    deeper: usize,
}

struct OpenGroup {
    first: u32,
    is_collapsed: bool,
    has_visible: bool,
}

impl OpenGroups {
    /// No groups yet.
    pub fn new(dimension: Dimension) -> OpenGroups {
        OpenGroups { dimension, open: Vec::new(), deeper: 0 }
    }

    /// Begins a group before the row or column `first`.
    pub fn begin(&mut self, element: &Element, first: u32) {
        if self.open.len() == LEVELS_MAX {
            self.deeper += 1;
            return;
        }
        let is_collapsed = element.flag("table:display") == Some(false);
        self.open.push(OpenGroup { first, is_collapsed, has_visible: false });
    }

    /// Notes a row or column within the groups.
    pub fn add(&mut self, visibility: Option<&str>) {
        if visibility.is_none_or(|visibility| visibility == "visible") {
            self.open.iter_mut().for_each(|group| group.has_visible = true);
        }
    }

    /// Ends the innermost group before the row or column `end`, and adds it to the sheet added last.
    pub fn end(&mut self, end: u32, contents: &mut Contents) {
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let Some(OpenGroup { first, is_collapsed, has_visible }) = self.open.pop() else { return };
        let last = end.min(self.dimension.len_max()).saturating_sub(1);
        if last < first {
            return;
        }
        let (name, range) = match self.dimension {
            Dimension::Rows => {
                let [first, last] = [first, last].map(RowIndex::new);
                ("rows", first.zip(last).map(|(first, last)| Range::rows(first, last)))
            }
            Dimension::Columns => {
                let [first, last] = [first, last].map(ColumnIndex::new);
                ("columns", first.zip(last).map(|(first, last)| Range::columns(first, last)))
            }
        };
        let Some(range) = range else { return };
        let mut fields = FieldTexts::default();
        fields.text(Field::Dimension, Some(name));
        fields.flag(Field::Collapsed, Some(is_collapsed || !has_visible), false);
        let anchors = vec![range];
        contents.put_item(ItemContents { kind: ItemKind::OutlineGroup, anchors, fields, parent: None });
    }
}

/// The groups of rows, or of columns, that a file has: those within one another, not those that overlap.
pub(crate) struct Groups {
    dimension: Dimension,
    groups: BTreeSet<ItemId>,
    /// The first and last row or column of collapsed groups that are not within others.
    hidden: BTreeMap<u32, u32>,
    /// Elements that begin before a row or column.
    starts: BTreeMap<u32, String>,
    /// Elements that end after a row or column.
    ends: BTreeMap<u32, String>,
}

struct Group {
    id: ItemId,
    first: u32,
    last: u32,
    is_collapsed: bool,
}

impl Groups {
    /// The groups of a sheet.
    pub fn of(sheet: &Sheet, dimension: Dimension) -> Groups {
        let mut found: Vec<Group> = Vec::new();
        for (id, item) in sheet.items().of_kind(ItemKind::OutlineGroup) {
            let of_rows = item.text(Field::Dimension).is_none_or(|name| &**name == "rows");
            let Some(anchor) = item.anchors.first().filter(|_| of_rows == (dimension == Dimension::Rows))
            else {
                continue;
            };
            let (first, last) = match dimension {
                Dimension::Rows => (anchor.first().row.get(), anchor.last().row.get()),
                Dimension::Columns => (anchor.first().column.get(), anchor.last().column.get()),
            };
            let is_collapsed = item.boolean(Field::Collapsed) == Some(true);
            found.push(Group { id, first, last, is_collapsed });
        }
        found.sort_by_key(|group| (group.first, std::cmp::Reverse(group.last)));
        let mut groups = Groups {
            dimension,
            groups: BTreeSet::new(),
            hidden: BTreeMap::new(),
            starts: BTreeMap::new(),
            ends: BTreeMap::new(),
        };
        // The last index of the groups around, outermost first.
        let mut around: Vec<u32> = Vec::new();
        for group in found {
            around.retain(|last| *last >= group.first);
            let is_within = around.last().is_none_or(|last| *last >= group.last);
            if is_within && around.len() < LEVELS_MAX && group.last < ROWS_MAX {
                around.push(group.last);
                groups.put(group);
            }
        }
        groups
    }

    fn put(&mut self, group: Group) {
        let name = match self.dimension {
            Dimension::Rows => "table:table-row-group",
            Dimension::Columns => "table:table-column-group",
        };
        let display = if group.is_collapsed { " table:display=\"false\"" } else { "" };
        *self.starts.entry(group.first).or_default() += &format!("<{name}{display}>");
        *self.ends.entry(group.last).or_default() += &format!("</{name}>");
        if group.is_collapsed && !self.hides(group.first) {
            self.hidden.insert(group.first, group.last);
        }
        self.groups.insert(group.id);
    }

    /// Whether the file has this group.
    pub fn contains(&self, id: ItemId) -> bool {
        self.groups.contains(&id)
    }

    /// The index after the last one of a group.
    pub fn end(&self) -> u32 {
        self.ends.keys().next_back().map_or(0, |last| last + 1)
    }

    /// Whether a collapsed group hides the row or column.
    pub fn hides(&self, index: u32) -> bool {
        self.hidden.range(..=index).next_back().is_some_and(|(_, last)| *last >= index)
    }

    /// The elements that begin before a row or column.
    pub fn starts(&self, index: u32) -> &str {
        self.starts.get(&index).map_or("", String::as_str)
    }

    /// The elements that end after a row or column.
    pub fn ends(&self, index: u32) -> &str {
        self.ends.get(&index).map_or("", String::as_str)
    }
}
