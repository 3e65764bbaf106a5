//! The client half of a session: optimistic document, unconfirmed transactions, resume.
