//! An established connection: statements and transactions on it. The calls block.

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use crate::error::Failure;

/// How long a statement may take before its connection counts as lost. Long enough for the records of a
/// large room over a slow network.
pub const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// The parameters of a statement.
pub type Parameters<'a> = [&'a (dyn ToSql + Sync)];

/// An established connection.
pub struct Open {
    client: Client,
    statements: HashMap<&'static str, Statement>,
}

/// An established connection in use. After a failed statement the caller passes the error on.
pub struct Session<'a> {
    runtime: &'a Runtime,
    open: &'a mut Open,
    is_lost: bool,
}

impl Open {
    /// Wraps a new connection.
    pub fn new(client: Client) -> Open {
        Open { client, statements: HashMap::new() }
    }

    /// Whether the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}

impl<'a> Session<'a> {
    /// Uses a connection.
    pub fn new(runtime: &'a Runtime, open: &'a mut Open) -> Session<'a> {
        Session { runtime, open, is_lost: false }
    }

    /// Whether the connection can no longer be used.
    pub fn is_lost(&self) -> bool {
        self.is_lost || self.open.is_closed()
    }

    /// Runs a query and returns its rows.
    pub fn query(&mut self, sql: &'static str, parameters: &Parameters<'_>) -> Result<Vec<Row>, Failure> {
        let Session { runtime, open, .. } = self;
        let rows = block_on(runtime, async {
            let statement = open.prepared(sql).await?;
            open.client.query(&statement, parameters).await
        });
        self.noted(rows)
    }

    /// Runs a query that gives at most one row.
    pub fn query_opt(
        &mut self,
        sql: &'static str,
        parameters: &Parameters<'_>,
    ) -> Result<Option<Row>, Failure> {
        Ok(self.query(sql, parameters)?.into_iter().next())
    }

    /// Runs a query whose text is not always the same.
    pub fn query_once(&mut self, sql: &str, parameters: &Parameters<'_>) -> Result<Vec<Row>, Failure> {
        let rows = block_on(self.runtime, self.open.client.query(sql, parameters));
        self.noted(rows)
    }

    /// Runs a statement and returns the number of affected rows.
    pub fn execute(&mut self, sql: &'static str, parameters: &Parameters<'_>) -> Result<u64, Failure> {
        let Session { runtime, open, .. } = self;
        let count = block_on(runtime, async {
            let statement = open.prepared(sql).await?;
            open.client.execute(&statement, parameters).await
        });
        self.noted(count)
    }

    /// Runs statements without parameters.
    pub fn batch(&mut self, sql: &str) -> Result<(), Failure> {
        let done = block_on(self.runtime, self.open.client.batch_execute(sql));
        self.noted(done)
    }

    /// Runs two queries in one transaction, and sends everything at once. Returns the rows of the second.
    pub fn pipelined(
        &mut self,
        first: (&'static str, &Parameters<'_>),
        second: (&'static str, &Parameters<'_>),
    ) -> Result<Vec<Row>, Failure> {
        let Session { runtime, open, .. } = self;
        let rows = block_on(runtime, async {
            let statements = [open.prepared(first.0).await?, open.prepared(second.0).await?];
            let client = &open.client;
            // A future sends its statement when it is polled first, and `join!` polls in this order. After a
            // failed statement `COMMIT` rolls back.
            let (begun, first, rows, committed) = tokio::join!(
                biased;
                client.batch_execute("BEGIN"),
                client.query(&statements[0], first.1),
                client.query(&statements[1], second.1),
                client.batch_execute("COMMIT"),
            );
            begun?;
            first?;
            let rows = rows?;
            committed?;
            Ok(rows)
        });
        self.noted(rows)
    }

    /// Runs statements in one transaction, which is durable when this returns `Ok`.
    pub fn transaction<T, E: From<Failure>>(
        &mut self,
        work: impl FnOnce(&mut Session<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.batch("BEGIN")?;
        match work(self) {
            Ok(value) => {
                self.batch("COMMIT")?;
                Ok(value)
            }
            Err(error) => {
                if !self.is_lost && self.batch("ROLLBACK").is_err() {
                    self.is_lost = true;
                }
                Err(error)
            }
        }
    }

    fn noted<T>(&mut self, result: Result<T, Failure>) -> Result<T, Failure> {
        // The server became a standby: another address, or the same one later, has the primary.
        self.is_lost |= matches!(result, Err(Failure::Away(_) | Failure::ReadOnly));
        result
    }
}

impl Open {
    async fn prepared(&mut self, sql: &'static str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

fn block_on<T>(
    runtime: &Runtime,
    statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Failure> {
    match runtime.block_on(async { tokio::time::timeout(ANSWER_TIMEOUT, statement).await }) {
        Ok(result) => Ok(result?),
        Err(_) => Err(timed_out()),
    }
}

/// The failure of a statement that has no answer.
pub fn timed_out() -> Failure {
    Failure::Away("no answer".into())
}
