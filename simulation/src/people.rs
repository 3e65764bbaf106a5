//! The people of a run: the owner, two with an account and one without, as protected ranges name
//! them (`P22`).

use std::sync::Arc;

use quadrille_operation::EditorIdentity;
use quadrille_protocol::{Author, Role};

const OWNER: &str = "account:owner";
const ONE: &str = "account:1";
const TWO: &str = "account:2";
const EMAIL_OF_TWO: &str = "two@example.org";

/// Lists of editors for protections. Addresses are compared in lower case.
pub(crate) const EDITORS: [&[&str]; 4] =
    [&["owner", "account:1"], &["account:2 Two"], &["Two@example.org", "account:1"], &["owner"]];

/// Whom the server has verified in the sessions of a client.
pub(crate) struct Person {
    pub role: Role,
    pub author: Option<Author>,
    pub email: Option<Arc<str>>,
}

/// The person of the client with this index.
pub(crate) fn person_of(client: usize) -> Person {
    let (role, account) = match client % 4 {
        0 => (Role::Owner, Some(OWNER)),
        1 => (Role::Edit, Some(ONE)),
        2 => (Role::Edit, Some(TWO)),
        _ => (Role::Edit, None),
    };
    let author = account.map(|id| Author { id: id.into(), name: format!("person {client}").into() });
    Person { role, author, email: (account == Some(TWO)).then(|| EMAIL_OF_TWO.into()) }
}

/// The author of the owner's changes by REST.
pub(crate) fn owner_by_rest() -> Author {
    Author { id: OWNER.into(), name: "REST".into() }
}

/// The person who made a record, by the account in it.
pub(crate) fn editor_of(author: &Author) -> EditorIdentity {
    EditorIdentity {
        is_owner: &*author.id == OWNER,
        account: author.id.clone(),
        email: (&*author.id == TWO).then(|| EMAIL_OF_TWO.into()),
    }
}
