//! The recipe of a `retry_at` column, on a real SQLite file.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use retry_primitives::{
    Outcome, Policy, RetryState,
    backoff::{DecorrelatedJitter, Exponential, Jitter, decorrelated_jitter, exponential},
};
use rusqlite::{Connection, OptionalExtension};

#[allow(unreachable_pub, reason = "part of the documentation, where it is a crate")]
#[path = "../src/recipes/job_table.rs"]
mod job_table;

use job_table::{LEASE, SCHEMA, claim, enqueue, settle};

/// Milliseconds since 1970, fractions and all.
const STARTED: f64 = 1_758_124_800_000.25;
const DOWN: Result<(), Outcome> = Err(Outcome::RETRYABLE);

/// A database in a file of its own, gone with the test.
struct Database(PathBuf);

impl Database {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("retry-primitives-{name}-{}.sqlite", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let database = Self(path);
        database.open().execute_batch(SCHEMA).unwrap();
        database
    }

    fn open(&self) -> Connection {
        let connection = Connection::open(Path::new(&self.0)).unwrap();
        connection.busy_timeout(Duration::from_secs(30)).unwrap();
        connection
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn doubling() -> Policy<Exponential> {
    exponential(Duration::from_secs(1)).max_attempts(4).jitter(Jitter::None).build().unwrap()
}

fn retry_at(jobs: &Connection) -> Option<f64> {
    jobs.query_row("SELECT retry_at FROM jobs", [], |row| row.get(0)).optional().unwrap().flatten()
}

/// Each step on a connection of its own: what is between two of them is what the file holds.
#[test]
fn a_job_lives_in_its_row() {
    let database = Database::new("life");
    let policy = doubling();
    enqueue(&database.open(), &policy, "work", STARTED).unwrap();
    let mut now = STARTED;
    for (attempts, wait) in [(0, 1_000.0), (1, 2_000.0), (2, 4_000.0)] {
        assert!(claim(&database.open(), now - 0.25).unwrap().is_none(), "not due before {now}");
        let job = claim(&database.open(), now).unwrap().expect("due");
        assert_eq!((job.payload.as_str(), job.state.attempts, job.state.started_at), ("work", attempts, STARTED));
        settle(&database.open(), &job, &policy, now + 40.0, DOWN, || unreachable!("no jitter")).unwrap();
        now += 40.0 + wait;
        assert_eq!(retry_at(&database.open()), Some(now));
    }
    let job = claim(&database.open(), now).unwrap().expect("due");
    settle(&database.open(), &job, &policy, now, DOWN, || 0.0).unwrap();
    assert!(claim(&database.open(), f64::MAX).unwrap().is_none());
    let row = database.open().query_row("SELECT attempts, gave_up, payload FROM jobs", [], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    });
    assert_eq!(row.unwrap(), (4, "maxAttempts".into(), "work".into()), "kept, for somebody to look into");
}

#[test]
fn a_job_that_is_done_is_gone() {
    let jobs = Connection::open_in_memory().unwrap();
    jobs.execute_batch(SCHEMA).unwrap();
    enqueue(&jobs, &doubling(), "work", STARTED).unwrap();
    let job = claim(&jobs, STARTED).unwrap().unwrap();
    settle(&jobs, &job, &doubling(), STARTED, Ok(()), || 0.0).unwrap();
    assert_eq!(jobs.query_row("SELECT COUNT(*) FROM jobs", [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

/// The waits are those of the same policy in memory: no bit of the state is lost in its columns.
#[test]
fn the_columns_hold_the_whole_state() {
    let policy: Policy<DecorrelatedJitter> =
        decorrelated_jitter(Duration::from_millis(137)).max_attempts(30).build().unwrap();
    let draws = |step: u32| f64::from(step % 7) / 7.0;
    let database = Database::new("bits");
    enqueue(&database.open(), &policy, "", STARTED).unwrap();
    let (mut state, mut now) = (policy.init(STARTED), STARTED);
    for step in 0..29 {
        let job = claim(&database.open(), now).unwrap().expect("due");
        assert_eq!(job.state, state);
        settle(&database.open(), &job, &policy, now, DOWN, || draws(step)).unwrap();
        let (next, decision) = policy.next(state, now, Outcome::RETRYABLE, || draws(step));
        assert_eq!(retry_at(&database.open()), decision.retry_at(now));
        (state, now) = (next, decision.retry_at(now).unwrap());
    }
    assert_eq!(state.attempts, 29);
}

#[test]
fn what_the_server_asks_for_is_waited() {
    let jobs = Connection::open_in_memory().unwrap();
    jobs.execute_batch(SCHEMA).unwrap();
    enqueue(&jobs, &doubling(), "work", STARTED).unwrap();
    let job = claim(&jobs, STARTED).unwrap().unwrap();
    let busy = Outcome::retry_after(Duration::from_secs(3_600));
    settle(&jobs, &job, &doubling(), STARTED, Err(busy), || 0.0).unwrap();
    assert_eq!(retry_at(&jobs), Some(STARTED + 3_600_000.0));
}

/// A worker that dies with a job in its hands gives it back when the lease is over.
#[test]
fn a_claim_is_a_lease() {
    let database = Database::new("lease");
    enqueue(&database.open(), &doubling(), "work", STARTED).unwrap();
    let dead = claim(&database.open(), STARTED).unwrap().expect("due");
    let lease = LEASE.as_millis() as f64;
    assert!(claim(&database.open(), STARTED + lease - 1.0).unwrap().is_none());
    let again = claim(&database.open(), STARTED + lease).unwrap().expect("the lease is over");
    assert_eq!((again.id, again.state), (dead.id, RetryState { attempts: 0, started_at: STARTED, prev_delay_ms: 0.0 }));
}

/// Workers with connections of their own take every job once, the one that has been due for longest first.
#[test]
fn no_two_workers_take_one_job() {
    const JOBS: usize = 120;
    let database = Database::new("workers");
    let jobs = database.open();
    for job in 0..JOBS {
        enqueue(&jobs, &doubling(), &job.to_string(), STARTED - job as f64).unwrap();
    }
    assert_eq!(claim(&jobs, STARTED).unwrap().unwrap().payload, (JOBS - 1).to_string());
    let mut taken: Vec<i64> = std::thread::scope(|scope| {
        let work = || {
            let jobs = database.open();
            std::iter::from_fn(|| claim(&jobs, STARTED).unwrap()).map(|job| job.id).collect::<Vec<_>>()
        };
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(taken.len(), JOBS - 1);
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(taken.len(), JOBS - 1, "each once");
}
