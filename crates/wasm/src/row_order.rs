//! The answer to [`Query::RowOrder`](crate::Query::RowOrder).

use quadrille_cell::{Range, SheetId};
use quadrille_document::Document;
use quadrille_operation::{SortKey, sorted_rows};
use quadrille_viewport::sheet_dimensions::hidden_rows;
use quadrille_workbook::ItemId;

use crate::messages::RowOrder;

/// The order of the rows of a view, with those that are hidden last. `None` if there is nothing to order, or
/// a key is outside the range.
pub fn row_order(
    document: &Document,
    sheet: SheetId,
    range: Range,
    keys: &[SortKey],
    view: Option<ItemId>,
) -> Option<RowOrder> {
    let (sorted, order) = sorted_rows(document.workbook().sheet(sheet)?, range, keys, true).ok()??;
    let first = sorted.first().row.get();
    let mut hidden = vec![false; order.len()];
    for (row, count) in hidden_rows(document, sheet, view) {
        let end = (row + count).saturating_sub(first) as usize;
        let start = row.saturating_sub(first) as usize;
        hidden[start.min(order.len())..end.min(order.len())].fill(true);
    }
    let (last, mut rows): (Vec<u32>, Vec<u32>) = order.into_iter().partition(|row| hidden[*row as usize]);
    rows.extend(last);
    Some(RowOrder { first, rows: rows.into_iter().map(|row| first + row).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_documents;
    use quadrille_cell::Dimension;

    /// The order by these columns, each with whether it is descending, with these rows hidden.
    fn order(cells: &str, hidden: &[u32], keys: &[(u32, bool)]) -> Option<(u32, Vec<u32>)> {
        let mut workbook = test_documents::document(cells).snapshot();
        let sheet = workbook.sheet_mut(SheetId(1)).expect("the first sheet has number 1");
        for row in hidden {
            sheet.set_hidden(Dimension::Rows, *row, 1, true);
        }
        let keys: Vec<SortKey> = keys
            .iter()
            .map(|(column, descending)| SortKey { column: *column, descending: *descending })
            .collect();
        let range = Range::parse_a1("A1:B10").expect("a range");
        let order = row_order(&Document::from_workbook(workbook), SheetId(1), range, &keys, None)?;
        Some((order.first, order.rows))
    }

    #[test]
    fn rows_are_ordered_for_a_sorted_view() {
        let cells = "A1: name | A2: b | A3: a | A4: c | B1: n | B2: 2 | B3: 1 | B4: 2";
        assert_eq!(order(cells, &[], &[(0, false)]), Some((1, vec![2, 1, 3])));
        assert_eq!(order(cells, &[], &[(1, true), (0, true)]), Some((1, vec![3, 1, 2])));
        // Hidden rows come last, in their order.
        assert_eq!(order(cells, &[0, 2, 7], &[(0, false)]), Some((1, vec![1, 3, 2])));
        assert_eq!(order(cells, &[1, 2], &[(0, false)]), Some((1, vec![3, 2, 1])));
        // A key outside the range, no key, and nothing below the header.
        assert_eq!(order(cells, &[], &[(2, false)]), None);
        assert_eq!(order(cells, &[], &[]), None);
        assert_eq!(order("A1: name", &[], &[(0, false)]), None);
    }
}
