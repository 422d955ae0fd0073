use std::time::Duration;

use retry_primitives::{Decision, Outcome, Policy, RetryState, backoff::Curve};
use rusqlite::{Connection, OptionalExtension, Result, params};

/// Three columns are the retry's state, and `retry_at` is when somebody has to look at the job; none, when nobody has
/// to.
pub const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS jobs (
        id            INTEGER PRIMARY KEY,
        payload       TEXT NOT NULL,
        attempts      INTEGER NOT NULL,
        started_at    REAL NOT NULL,
        prev_delay_ms REAL NOT NULL,
        retry_at      REAL,
        gave_up       TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS jobs_due ON jobs (retry_at) WHERE retry_at IS NOT NULL;";

/// Longer than any attempt takes. A worker that dies with a job in its hands gives it back after this.
pub const LEASE: Duration = Duration::from_secs(60);

pub struct Job {
    pub id: i64,
    pub payload: String,
    pub state: RetryState,
}

/// Adds a job that is due at once.
pub fn enqueue<C: Curve>(jobs: &Connection, policy: &Policy<C>, payload: &str, now: f64) -> Result<i64> {
    let RetryState { attempts, started_at, prev_delay_ms } = policy.init(now);
    jobs.execute(
        "INSERT INTO jobs (payload, attempts, started_at, prev_delay_ms, retry_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![payload, attempts as i64, started_at, prev_delay_ms, now],
    )?;
    Ok(jobs.last_insert_rowid())
}

/// Takes the job that has been due for longest. One statement, so that two workers never take the same.
pub fn claim(jobs: &Connection, now: f64) -> Result<Option<Job>> {
    let claim = "
        UPDATE jobs SET retry_at = ?2
        WHERE id = (SELECT id FROM jobs WHERE retry_at <= ?1 ORDER BY retry_at LIMIT 1)
        RETURNING id, payload, attempts, started_at, prev_delay_ms";
    jobs.query_row(claim, params![now, now + LEASE.as_millis() as f64], |row| {
        let attempts: i64 = row.get(2)?;
        let state = RetryState { attempts: attempts as u64, started_at: row.get(3)?, prev_delay_ms: row.get(4)? };
        Ok(Job { id: row.get(0)?, payload: row.get(1)?, state })
    })
    .optional()
}

/// Writes how the attempt went, and when the next one is due.
pub fn settle<C: Curve>(
    jobs: &Connection,
    job: &Job,
    policy: &Policy<C>,
    now: f64,
    result: std::result::Result<(), Outcome>,
    random: impl FnMut() -> f64,
) -> Result<()> {
    let Err(outcome) = result else {
        jobs.execute("DELETE FROM jobs WHERE id = ?1", [job.id])?;
        return Ok(());
    };
    let (state, decision) = policy.next(job.state, now, outcome, random);
    match decision {
        Decision::Retry { .. } => jobs.execute(
            "UPDATE jobs SET attempts = ?2, prev_delay_ms = ?3, retry_at = ?4 WHERE id = ?1",
            params![job.id, state.attempts as i64, state.prev_delay_ms, decision.retry_at(now)],
        ),
        Decision::Stop { reason, attempts, .. } => jobs.execute(
            "UPDATE jobs SET attempts = ?2, retry_at = NULL, gave_up = ?3 WHERE id = ?1",
            params![job.id, attempts as i64, reason.as_str()],
        ),
    }?;
    Ok(())
}
