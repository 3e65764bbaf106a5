//! Changes of access that reach the open sessions of a room.

use quadrille_protocol::SessionId;
use quadrille_room::Event;

use super::client::Client;
use super::open_room::{OpenRoom, ThreadContext};
use crate::access::{DefaultAccess, Document, Revoked};

impl OpenRoom {
    /// Gives each session the role and the expiry that an access document gives its credentials.
    pub(super) fn reauthorize(
        &mut self,
        document: &Document,
        default_access: DefaultAccess,
        context: &mut ThreadContext,
    ) {
        let decide = |(session, client): (&SessionId, &Client)| {
            let decision = client.decision_by(document, default_access);
            client.expiry.set(decision.until_ms);
            (*session, decision.role)
        };
        let decided: Vec<_> = self.clients.iter().map(decide).collect();
        for (session, role) in decided {
            // The session's task waits for the moment at which its role ends.
            if let Some(outbox) = self.sessions.get(&session) {
                outbox.wake();
            }
            self.handle(Event::SetRole { session, role }, context);
        }
    }

    /// Ends the sessions whose identity was proven by what has been revoked.
    pub(super) fn revoke(&mut self, revoked: &Revoked, context: &mut ThreadContext) {
        let concerned = self.clients.iter().filter(|(_, client)| client.identity.is_proven_by(revoked));
        let sessions: Vec<SessionId> = concerned.map(|(session, _)| *session).collect();
        for session in sessions {
            self.handle(Event::CredentialsEnded { session }, context);
        }
    }
}
