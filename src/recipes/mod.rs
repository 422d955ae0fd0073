//! A recipe for each home that a decision can have.
//!
//! A policy says when to come back. What remembers that, and who comes, is different in each place:
//!
//! | home | the state lies in | who comes back |
//! | --- | --- | --- |
//! | [a loop](#a-loop) | a variable | the loop, after a sleep |
//! | [a Durable Object](#a-durable-object) | the object's storage | its alarm |
//! | [a Queue message](#a-queue-message) | the queue's own count | the queue, after `delaySeconds` |
//! | [an SQS message](#an-sqs-visibility-timeout) | the queue's own count | the queue, after the visibility timeout |
//! | [a table](#a-retry_at-column) | three columns of its row | whoever polls for rows that are due |
//! | [a cron](#a-cron) | the same table | the schedule |
//!
//! Within one process, feature `executor` has the loop ready-made, for async Rust.
//!
//! # A loop
//!
//! ```
//! use std::{io, net::TcpStream, thread, time::{Duration, Instant}};
//! use retry_primitives::{Outcome, Policy, backoff::{Curve, exponential}};
//!
//! fn connect<C: Curve>(policy: &Policy<C>, address: &str, mut random: impl FnMut() -> f64) -> io::Result<TcpStream> {
//!     let started = Instant::now();
//!     let now = || started.elapsed().as_secs_f64() * 1e3;
//!
//!     let mut state = policy.init(now());
//!     loop {
//!         let error = match TcpStream::connect(address) {
//!             Ok(stream) => return Ok(stream),
//!             Err(error) => error,
//!         };
//!         let (next, decision) = policy.next(state, now(), Outcome::RETRYABLE, &mut random);
//!         match decision.delay() {
//!             Some(delay) => thread::sleep(delay),
//!             None => return Err(error),
//!         }
//!         state = next;
//!     }
//! }
//!
//! let policy = exponential(Duration::from_millis(2)).max_attempts(4).deadline(Duration::from_secs(2)).build()?;
//! # let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
//! # let address = closed.as_str();
//! let error = connect(&policy, address, || 0.5).unwrap_err(); // better: a random number
//! assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
//! # Ok::<(), retry_primitives::OptionError>(())
//! ```
//!
//! # A Durable Object
//!
//! The object's isolate is gone between attempts, so the state is written and an alarm armed before each:
//! `worker::DurableRetry` does that (feature `worker`).
//!
#![cfg_attr(feature = "worker", doc = "```no_run")]
#![cfg_attr(feature = "worker", doc = include_str!("../worker/examples/webhook.rs"))]
#![cfg_attr(feature = "worker", doc = "```")]
//!
//! # A Queue message
//!
//! The queue counts a message's deliveries and knows when it was sent: that is the whole state. `worker::queue::settle`
//! acknowledges the message or asks for another delivery (feature `worker`).
//!
#![cfg_attr(feature = "worker", doc = "```no_run")]
#![cfg_attr(feature = "worker", doc = include_str!("../worker/examples/consumer.rs"))]
#![cfg_attr(feature = "worker", doc = "```")]
//!
//! # An SQS visibility timeout
//!
//! SQS counts too: `ApproximateReceiveCount` and `SentTimestamp` come with the message. What goes back is a whole
//! number of seconds for `ChangeMessageVisibility`, 12 hours at the most:
//!
//! ```
//! use std::time::Duration;
//! use retry_primitives::{Outcome, Policy, RetryState, backoff::{Curve, Jitter, exponential}};
//!
//! /// The longest that SQS hides a message: 12 hours, in seconds.
//! const LONGEST: u64 = 43_200;
//!
//! /// For how many seconds to hide a message whose work failed at `now`; `None` to give it up: let its redrive policy
//! /// move it to the dead-letter queue, or delete it.
//! fn visibility_timeout<C: Curve>(
//!     policy: &Policy<C>,
//!     receive_count: u64,
//!     sent_at: f64,
//!     now: f64,
//!     outcome: Outcome,
//!     random: impl FnMut() -> f64,
//! ) -> Option<u64> {
//!     let state = RetryState { attempts: receive_count.saturating_sub(1), started_at: sent_at, prev_delay_ms: 0.0 };
//!     let wait = policy.next(state, now, outcome, random).1.delay()?;
//!     // Rounded up: a server's `Retry-After` must not be undercut.
//!     Some((wait.as_millis() as u64).div_ceil(1_000).min(LONGEST))
//! }
//!
//! let policy = exponential(Duration::from_millis(1_500)).max_attempts(4).jitter(Jitter::None).build()?;
//! let (sent, now) = (1_758_124_800_000.0, 1_758_124_860_000.0);
//! let timeout = |count, outcome| visibility_timeout(&policy, count, sent, now, outcome, || 0.5);
//! assert_eq!(timeout(1, Outcome::RETRYABLE), Some(2)); // 1.5 s
//! assert_eq!(timeout(3, Outcome::RETRYABLE), Some(6));
//! assert_eq!(timeout(4, Outcome::RETRYABLE), None);
//! assert_eq!(timeout(1, Outcome::retry_after(Duration::from_secs(86_400))), Some(LONGEST));
//! # Ok::<(), retry_primitives::OptionError>(())
//! ```
//!
//! A queue does not tell the wait before, so take a curve that counts attempts, and not decorrelated jitter.
//!
//! # A `retry_at` column
//!
//! The state is three numbers, so it is three columns, and the moment of the decision is a fourth with an index on it.
//! A claim puts `retry_at` off by a lease in the same statement that finds the row: no two workers take one job, and a
//! worker that dies gives it back. This is SQLite through `rusqlite`; in PostgreSQL add `FOR UPDATE SKIP LOCKED` to the
//! inner `SELECT`.
//!
//! ```
#![doc = include_str!("job_table.rs")]
//! # fn main() -> rusqlite::Result<()> {
//! #     let policy = retry_primitives::backoff::constant(Duration::from_secs(5)).max_attempts(2).build().unwrap();
//! #     let jobs = Connection::open_in_memory()?;
//! #     jobs.execute_batch(SCHEMA)?;
//! #     enqueue(&jobs, &policy, "work", 0.0)?;
//! #     let job = claim(&jobs, 0.0)?.expect("due");
//! #     assert_eq!(job.payload, "work");
//! #     settle(&jobs, &job, &policy, 0.0, Err(Outcome::RETRYABLE), || 0.5)
//! # }
//! ```
//!
//! An attempt during which the worker died is repeated, and not counted. Where it should be, since the job itself may
//! be what kills the worker, keep an `operation::Operation` (feature `operation`) in the row as JSON, and its `alarm()`
//! in `retry_at`.
//!
//! # A cron
//!
//! A schedule that runs every minute needs nothing more than the table: it takes what is due, and what it does not get
//! to is still due the next time. So a wait is as long as the policy says, and then up to one interval more.
//!
//! ```
//! # #[allow(dead_code)]
//! # mod job_table {
#![doc = concat!("#", " include!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/src/recipes/job_table.rs\"));")]
//! # }
//! # use job_table::{SCHEMA, claim, enqueue, settle};
//! use std::time::Duration;
//! use retry_primitives::{Outcome, Policy, backoff::{Curve, Jitter, constant}};
//! use rusqlite::Connection;
//!
//! /// One run of the schedule, of which each attempt is given the payload; says how many it made.
//! fn run_due<C: Curve>(
//!     jobs: &Connection,
//!     policy: &Policy<C>,
//!     mut now: impl FnMut() -> f64,
//!     mut work: impl FnMut(&str) -> Result<(), Outcome>,
//!     mut random: impl FnMut() -> f64,
//! ) -> rusqlite::Result<u32> {
//!     let mut made = 0;
//!     while let Some(job) = claim(jobs, now())? {
//!         let result = work(&job.payload);
//!         settle(jobs, &job, policy, now(), result, &mut random)?;
//!         made += 1;
//!     }
//!     Ok(made)
//! }
//!
//! let policy = constant(Duration::from_secs(90)).unlimited_delay().jitter(Jitter::None).max_attempts(3).build();
//! let policy = policy.expect("constant options");
//! let jobs = Connection::open_in_memory()?;
//! jobs.execute_batch(SCHEMA)?;
//! enqueue(&jobs, &policy, "send the invoice", 0.0)?;
//! let minute = 60_000.0;
//! let made: Vec<u32> = (0..6)
//!     .map(|run| run_due(&jobs, &policy, || f64::from(run) * minute, |_| Err(Outcome::RETRYABLE), || 0.5))
//!     .collect::<Result<_, _>>()?;
//! assert_eq!(made, [1, 0, 1, 0, 1, 0]); // 90 s become two minutes
//! # Ok::<(), rusqlite::Error>(())
//! ```
