//! Publications: pages that show a workbook, one of its sheets or a named range to anybody with a link, without
//! access to the workbook.
//!
//! A publication is stored in the access document of its workbook, because its link is a permission. The cells
//! stay in the workbook; a range is published by its defined name, which moves with inserted and deleted rows.

use serde::{Deserialize, Serialize};

use crate::secret::SecretId;

/// A published page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Publication {
    pub id: SecretId,
    /// The random number in its link, in base64url.
    pub link: String,
    /// The heading of the page.
    pub title: String,
    pub part: PublishedPart,
    pub created_ms: i64,
}

/// What a page shows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PublishedPart {
    /// All visible sheets, also those that are added later.
    Workbook,
    /// The sheet with this number.
    Sheet(u32),
    /// The range of this defined name.
    Name(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_publications_stay_readable() {
        // A stored publication of any version must always be readable.
        let stored = r#"{"id":"AQEBAQEBAQE","link":"AAAAAAAAAAAAAAAA","title":"Prices","part":{"name":"Published_1"},"created_ms":5}"#;
        let publication: Publication = serde_json::from_str(stored).expect("known shape");
        assert_eq!(publication.part, PublishedPart::Name("Published_1".to_owned()));
        assert_eq!(serde_json::to_string(&publication).expect("plain data"), stored);
        for (part, text) in
            [(PublishedPart::Workbook, r#""workbook""#), (PublishedPart::Sheet(3), r#"{"sheet":3}"#)]
        {
            assert_eq!(serde_json::to_string(&part).expect("plain data"), text);
        }
    }
}
