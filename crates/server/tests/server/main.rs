//! Tests of the `quadrille` binary, which runs on a free port with its own data directory.
//!
//! `support` starts the binary and sends HTTP requests; `person` edits a room over a WebSocket with
//! the client's `Replica`.

mod access;
mod accounts;
mod admin;
mod attacks;
mod audit;
mod bad_input;
mod changes;
mod chat;
mod commands;
mod crowd;
mod database;
mod digests;
mod documentation;
mod durability;
mod ethercalc;
mod ethercalc_bot;
mod ethercalc_commands;
mod ethercalc_links;
mod ethercalc_socialcalc;
mod ethercalc_socket;
mod ethercalc_workbooks;
mod exports_audit;
mod fairness;
mod fake_provider;
mod history;
mod host_tokens;
mod images;
mod invitations;
mod items;
mod joining;
mod lifecycle;
mod mcp;
mod openapi;
mod openid;
mod passkeys;
mod person;
mod prepared_accounts;
mod privacy;
mod protection;
mod proxy_sign_in;
mod quotas;
mod rates;
mod recovery;
mod rest;
mod sessions;
mod soft_authenticator;
mod support;
mod systemd_unit;
mod tenant_paths;
mod tls;
mod traces;
mod trash;
mod workbooks;
