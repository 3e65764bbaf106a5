//! The store in memory: the model of the promises, for tests and for the simulator.

use std::collections::BTreeMap;

use quadrille_protocol::RoomName;

use crate::access_error::AccessError;
use crate::account::{Account, AccountId, ApiToken, Email, Identity};
use crate::account_session::AccountSession;
use crate::audit::{AuditEntry, AuditFilter, AuditNumber};
use crate::keyed_request::{self, Digest, KeyedRequest};
use crate::memory_webhooks::MemoryWebhooks;
use crate::quota::{Quota, QuotaSubject};
use crate::secret::SecretId;
use crate::store::{
    AccessRequest, AccessStore, Counts, ListedWorkbook, QUOTAS_MAX, REQUESTS_MAX, Version, Versioned,
};
use crate::usage::{Use, WorkbookFacts};
use crate::workbook_access::WorkbookAccess;

/// Keeps everything until it is dropped.
#[derive(Clone, Debug, Default)]
pub struct MemoryAccessStore {
    workbooks: BTreeMap<RoomName, Versioned<WorkbookAccess>>,
    facts: BTreeMap<RoomName, WorkbookFacts>,
    accounts: BTreeMap<AccountId, Versioned<Account>>,
    sessions: BTreeMap<SecretId, AccountSession>,
    tokens: BTreeMap<SecretId, ApiToken>,
    requests: BTreeMap<(String, i64, SecretId), AccessRequest>,
    audit: Vec<AuditEntry>,
    last_number: AuditNumber,
    quotas: BTreeMap<QuotaSubject, Quota>,
    server_secrets: BTreeMap<String, [u8; 32]>,
    pub(crate) keyed_requests: BTreeMap<Digest, KeyedRequest>,
    pub(crate) webhooks: MemoryWebhooks,
}

impl MemoryAccessStore {
    fn find_account(&self, is_wanted: impl Fn(&Account) -> bool) -> Option<Versioned<Account>> {
        self.accounts.values().find(|account| is_wanted(&account.value)).cloned()
    }
}

impl AccessStore for MemoryAccessStore {
    fn workbook(&mut self, room: &RoomName) -> Result<Option<Versioned<WorkbookAccess>>, AccessError> {
        Ok(self.workbooks.get(room).cloned())
    }

    fn put_workbook(
        &mut self,
        room: &RoomName,
        version: Version,
        access: Option<&WorkbookAccess>,
        audit: &[AuditEntry],
    ) -> Result<Version, AccessError> {
        let stored = self.workbooks.get(room).map_or(Version(0), |stored| stored.version);
        if stored != version {
            return Err(AccessError::Conflict);
        }
        match access {
            Some(access) => {
                let value = access.clone();
                self.workbooks.insert(room.clone(), Versioned { version: version.next(), value });
            }
            None => {
                self.workbooks.remove(room);
                self.facts.remove(room);
                self.requests.retain(|(name, ..), _| name != room.as_str());
                keyed_request::forget_room(&mut self.keyed_requests, room);
                self.webhooks.forget_room(room);
            }
        }
        self.append_audit(audit)?;
        Ok(if access.is_some() { version.next() } else { Version(0) })
    }

    fn workbooks_of(
        &mut self,
        account: AccountId,
        email: Option<&Email>,
        after: Option<&RoomName>,
        count: usize,
    ) -> Result<Vec<ListedWorkbook>, AccessError> {
        let is_for = |access: &WorkbookAccess| {
            access.owner == Some(account) || access.grants.iter().any(|grant| grant.person.is(account, email))
        };
        let rooms = self.workbooks.iter().filter(|(room, _)| after.is_none_or(|after| *room > after));
        let rooms = rooms.filter(|(_, stored)| is_for(&stored.value)).take(count);
        Ok(rooms
            .map(|(room, stored)| ListedWorkbook { room: room.clone(), access: stored.value.clone() })
            .collect())
    }

    fn workbooks(
        &mut self,
        after: Option<&RoomName>,
        count: usize,
    ) -> Result<Vec<ListedWorkbook>, AccessError> {
        let rooms = self.workbooks.iter().filter(|(room, _)| after.is_none_or(|after| *room > after));
        let listed = |(room, stored): (&RoomName, &Versioned<WorkbookAccess>)| ListedWorkbook {
            room: room.clone(),
            access: stored.value.clone(),
        };
        Ok(rooms.take(count).map(listed).collect())
    }

    fn facts(&mut self, rooms: &[RoomName]) -> Result<Vec<Option<WorkbookFacts>>, AccessError> {
        Ok(rooms.iter().map(|room| self.facts.get(room).cloned()).collect())
    }

    fn trashed_before(&mut self, time_ms: i64, count: usize) -> Result<Vec<RoomName>, AccessError> {
        let trashed = |(room, stored): (&RoomName, &Versioned<WorkbookAccess>)| {
            stored.value.trashed_ms.map(|at| (at, room.clone()))
        };
        let mut rooms: Vec<_> =
            self.workbooks.iter().filter_map(trashed).filter(|(at, _)| *at < time_ms).collect();
        rooms.sort();
        Ok(rooms.into_iter().take(count).map(|(_, room)| room).collect())
    }

    fn account(&mut self, id: AccountId) -> Result<Option<Versioned<Account>>, AccessError> {
        Ok(self.accounts.get(&id).cloned())
    }

    fn account_by_identity(
        &mut self,
        identity: &Identity,
    ) -> Result<Option<Versioned<Account>>, AccessError> {
        Ok(self.find_account(|account| account.identities.contains(identity)))
    }

    fn account_by_email(&mut self, email: &Email) -> Result<Option<Versioned<Account>>, AccessError> {
        Ok(self.find_account(|account| account.is_email_verified && account.email.as_ref() == Some(email)))
    }

    fn account_by_passkey(&mut self, credential: &str) -> Result<Option<Versioned<Account>>, AccessError> {
        Ok(self.find_account(|account| account.passkeys.iter().any(|passkey| passkey.id == credential)))
    }

    fn accounts(&mut self, after: Option<AccountId>, count: usize) -> Result<Vec<Account>, AccessError> {
        let accounts = self.accounts.values().map(|stored| stored.value.clone());
        Ok(accounts.filter(|account| after.is_none_or(|after| account.id > after)).take(count).collect())
    }

    fn put_account(
        &mut self,
        version: Version,
        account: &Account,
        audit: &[AuditEntry],
    ) -> Result<Version, AccessError> {
        let stored = self.accounts.get(&account.id).map_or(Version(0), |stored| stored.version);
        if stored != version {
            return Err(AccessError::Conflict);
        }
        if let Some(what) = taken(self.accounts.values().map(|stored| &stored.value), account) {
            return Err(AccessError::Taken { what });
        }
        let value = account.clone();
        self.accounts.insert(account.id, Versioned { version: version.next(), value });
        self.append_audit(audit)?;
        Ok(version.next())
    }

    fn delete_account(&mut self, id: AccountId, audit: &[AuditEntry]) -> Result<bool, AccessError> {
        let removed = self.accounts.remove(&id);
        let existed = removed.is_some();
        let email = removed.and_then(|stored| stored.value.verified_email());
        self.quotas.remove(&QuotaSubject::Account(id));
        self.sessions.retain(|_, session| session.account != id);
        self.tokens.retain(|_, token| token.account != id);
        self.requests.retain(|_, request| !is_request_of(request, id, email.as_ref()));
        for stored in self.workbooks.values_mut() {
            let access = &mut stored.value;
            let grants = access.grants.len();
            access.grants.retain(|grant| !grant.person.is(id, email.as_ref()));
            let was_owner = access.owner == Some(id);
            if was_owner {
                access.owner = None;
            }
            if was_owner || access.grants.len() < grants {
                stored.version = stored.version.next();
            }
        }
        self.append_audit(audit)?;
        Ok(existed)
    }

    fn session(&mut self, id: SecretId) -> Result<Option<AccountSession>, AccessError> {
        Ok(self.sessions.get(&id).cloned())
    }

    fn sessions_of(&mut self, account: AccountId) -> Result<Vec<AccountSession>, AccessError> {
        let mut sessions: Vec<AccountSession> =
            self.sessions.values().filter(|session| session.account == account).cloned().collect();
        sessions.sort_by_key(|session| std::cmp::Reverse((session.created_ms, session.id)));
        Ok(sessions)
    }

    fn sessions(
        &mut self,
        after: Option<SecretId>,
        count: usize,
    ) -> Result<Vec<AccountSession>, AccessError> {
        let sessions = self.sessions.values().filter(|session| after.is_none_or(|after| session.id > after));
        Ok(sessions.take(count).cloned().collect())
    }

    fn put_session(&mut self, session: &AccountSession, audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.sessions.insert(session.id, session.clone());
        self.append_audit(audit)
    }

    fn delete_sessions(&mut self, ids: &[SecretId], audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.sessions.retain(|id, _| !ids.contains(id));
        self.append_audit(audit)
    }

    fn token(&mut self, id: SecretId) -> Result<Option<ApiToken>, AccessError> {
        Ok(self.tokens.get(&id).cloned())
    }

    fn tokens_of(&mut self, account: AccountId) -> Result<Vec<ApiToken>, AccessError> {
        let mut tokens: Vec<ApiToken> =
            self.tokens.values().filter(|token| token.account == account).cloned().collect();
        tokens.sort_by_key(|token| std::cmp::Reverse((token.created_ms, token.id)));
        Ok(tokens)
    }

    fn tokens(&mut self, after: Option<SecretId>, count: usize) -> Result<Vec<ApiToken>, AccessError> {
        let tokens = self.tokens.values().filter(|token| after.is_none_or(|after| token.id > after));
        Ok(tokens.take(count).cloned().collect())
    }

    fn put_token(&mut self, token: &ApiToken, audit: &[AuditEntry]) -> Result<(), AccessError> {
        self.tokens.insert(token.id, token.clone());
        self.append_audit(audit)
    }

    fn delete_token(&mut self, id: SecretId, audit: &[AuditEntry]) -> Result<bool, AccessError> {
        let existed = self.tokens.remove(&id).is_some();
        self.append_audit(audit)?;
        Ok(existed)
    }

    fn requests(&mut self, room: &RoomName) -> Result<Vec<AccessRequest>, AccessError> {
        Ok(self.requests.values().filter(|request| request.room == room.as_str()).cloned().collect())
    }

    fn requests_of(
        &mut self,
        account: AccountId,
        email: Option<&Email>,
    ) -> Result<Vec<AccessRequest>, AccessError> {
        let is_theirs = |request: &&AccessRequest| is_request_of(request, account, email);
        Ok(self.requests.values().filter(is_theirs).cloned().collect())
    }

    fn put_request(&mut self, request: &AccessRequest, audit: &[AuditEntry]) -> Result<(), AccessError> {
        let waiting = self.requests.values().filter(|other| other.room == request.room).count();
        if waiting >= REQUESTS_MAX {
            return Err(AccessError::TooMany { what: "requests for access", max: REQUESTS_MAX });
        }
        self.requests.insert((request.room.clone(), request.created_ms, request.id), request.clone());
        self.append_audit(audit)
    }

    fn delete_request(
        &mut self,
        room: &RoomName,
        id: SecretId,
        audit: &[AuditEntry],
    ) -> Result<bool, AccessError> {
        let before = self.requests.len();
        self.requests.retain(|(name, _, request), _| !(name == room.as_str() && *request == id));
        self.append_audit(audit)?;
        Ok(self.requests.len() < before)
    }

    fn append_audit(&mut self, entries: &[AuditEntry]) -> Result<(), AccessError> {
        for entry in entries {
            self.last_number = AuditNumber(self.last_number.0 + 1);
            self.audit.push(AuditEntry { number: self.last_number, ..entry.clone() });
        }
        Ok(())
    }

    fn audit(&mut self, filter: &AuditFilter, count: usize) -> Result<Vec<AuditEntry>, AccessError> {
        let mut wanted: Vec<AuditEntry> =
            self.audit.iter().filter(|entry| filter.includes(entry)).cloned().collect();
        if filter.newest_first {
            wanted.reverse();
        }
        wanted.truncate(count);
        Ok(wanted)
    }

    fn forget_audit_before(&mut self, time_ms: i64, count: usize) -> Result<u64, AccessError> {
        let mut forgotten = 0;
        self.audit.retain(|entry| {
            let is_kept = entry.time_ms >= time_ms || forgotten == count as u64;
            forgotten += u64::from(!is_kept);
            is_kept
        });
        Ok(forgotten)
    }

    fn quotas(&mut self) -> Result<Vec<(QuotaSubject, Quota)>, AccessError> {
        Ok(self.quotas.iter().map(|(subject, quota)| (subject.clone(), *quota)).collect())
    }

    fn put_quota(
        &mut self,
        subject: &QuotaSubject,
        quota: Option<&Quota>,
        audit: &[AuditEntry],
    ) -> Result<(), AccessError> {
        match quota {
            Some(_) if self.quotas.len() >= QUOTAS_MAX && !self.quotas.contains_key(subject) => {
                return Err(AccessError::TooMany { what: "quotas", max: QUOTAS_MAX });
            }
            Some(quota) => _ = self.quotas.insert(subject.clone(), *quota),
            None => _ = self.quotas.remove(subject),
        }
        self.append_audit(audit)
    }

    fn counts(&mut self) -> Result<Counts, AccessError> {
        let accounts = || self.accounts.values().map(|stored| &stored.value);
        let is_trashed = |stored: &&Versioned<WorkbookAccess>| stored.value.trashed_ms.is_some();
        let trashed = self.workbooks.values().filter(is_trashed).count() as u64;
        Ok(Counts {
            accounts: accounts().count() as u64,
            admins: accounts().filter(|account| account.is_admin && !account.is_disabled).count() as u64,
            disabled_accounts: accounts().filter(|account| account.is_disabled).count() as u64,
            sessions: self.sessions.len() as u64,
            tokens: self.tokens.len() as u64,
            workbooks: self.workbooks.len() as u64 - trashed,
            trashed_workbooks: trashed,
        })
    }

    fn record_uses(&mut self, uses: &[Use]) -> Result<(), AccessError> {
        for used in uses {
            match used {
                Use::Link { room, .. } | Use::Grant { room, .. } => {
                    if let Some(stored) = self.workbooks.get_mut(room) {
                        stored.value.record_use(used);
                    }
                }
                Use::Account { id, time_ms } => {
                    if let Some(stored) = self.accounts.get_mut(id) {
                        stored.value.last_seen_ms = stored.value.last_seen_ms.max(*time_ms);
                    }
                }
                Use::Session { id, time_ms } => {
                    if let Some(session) = self.sessions.get_mut(id) {
                        session.last_used_ms = session.last_used_ms.max(*time_ms);
                    }
                }
                Use::Workbook { room, facts: Some(facts) } => {
                    self.facts.insert(room.clone(), facts.clone());
                }
                Use::Workbook { room, facts: None } => _ = self.facts.remove(room),
                Use::Token { id, time_ms } => {
                    if let Some(token) = self.tokens.get_mut(id) {
                        token.last_used_ms = token.last_used_ms.max(*time_ms);
                    }
                }
            }
        }
        Ok(())
    }

    fn server_secret(&mut self, name: &str, fresh: &[u8; 32]) -> Result<[u8; 32], AccessError> {
        Ok(*self.server_secrets.entry(name.to_owned()).or_insert(*fresh))
    }

    fn delete_expired(&mut self, time_ms: i64) -> Result<u64, AccessError> {
        let before = self.sessions.len() + self.tokens.len();
        self.sessions.retain(|_, session| session.expires_ms > time_ms);
        self.tokens.retain(|_, token| token.expires_ms.is_none_or(|expires_ms| expires_ms > time_ms));
        Ok((before - self.sessions.len() - self.tokens.len()) as u64)
    }
}

fn is_request_of(request: &AccessRequest, account: AccountId, email: Option<&Email>) -> bool {
    request.account == Some(account) || (email.is_some() && request.email.as_ref() == email)
}

/// What of an account already belongs to another one (A5).
fn taken<'a>(others: impl Iterator<Item = &'a Account>, account: &Account) -> Option<String> {
    for other in others.filter(|other| other.id != account.id) {
        if let Some(identity) = other.identities.intersection(&account.identities).next() {
            return Some(format!("{} at {}", identity.subject, identity.issuer));
        }
        let are_verified = other.is_email_verified && account.is_email_verified;
        if are_verified && account.email.is_some() && other.email == account.email {
            return account.email.as_ref().map(Email::to_string);
        }
        let is_theirs = |id: &str| other.passkeys.iter().any(|passkey| passkey.id == id);
        if let Some(passkey) = account.passkeys.iter().find(|passkey| is_theirs(&passkey.id)) {
            return Some(format!("passkey {}", passkey.id));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #[test]
    fn memory_keeps_the_promises() {
        crate::conformance::run(&mut || Box::<super::MemoryAccessStore>::default());
    }
}
