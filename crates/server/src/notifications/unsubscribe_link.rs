//! The link of a message that switches off mail about comments, without signing in: the account and a code
//! by the server's own secret. It works for as long as the account exists, because messages stay in
//! mailboxes.

use quadrille_access::AccountId;

use crate::access::{StatePurpose, open_state, seal_state};

/// The secret part of the link of an account. `key` is the server's own secret.
pub fn unsubscribe_link(key: &[u8; 32], account: AccountId) -> String {
    seal_state(key, StatePurpose::Unsubscribe, &account.0.to_be_bytes(), i64::MAX)
}

/// The account of a link; `None` when this server has not made it.
pub fn account_of_unsubscribe_link(key: &[u8; 32], link: &str) -> Option<AccountId> {
    let opened = open_state(key, StatePurpose::Unsubscribe, link, 0).ok()?;
    opened.content.try_into().ok().map(u64::from_be_bytes).map(AccountId)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_for_its_account_and_server() {
        let link = unsubscribe_link(&[1; 32], AccountId(7));
        assert_eq!(account_of_unsubscribe_link(&[1; 32], &link), Some(AccountId(7)));
        assert_eq!(link, unsubscribe_link(&[1; 32], AccountId(7)));
        assert_eq!(account_of_unsubscribe_link(&[2; 32], &link), None);
        let sign_in = seal_state(&[1; 32], StatePurpose::OpenId, &7u64.to_be_bytes(), i64::MAX);
        let other = if link.ends_with('A') { "B" } else { "A" };
        let changed = format!("{}{other}", &link[..link.len() - 1]);
        for link in ["", "x", "ä", &link[1..], &link[..link.len() - 4], &sign_in, &changed] {
            assert_eq!(account_of_unsubscribe_link(&[1; 32], link), None, "{link}");
        }
    }
}
