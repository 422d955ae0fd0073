//! What an isolate remembers from one request to the next. It ends with the isolate.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    rc::Rc,
    string::{String, ToString},
};
use core::{any::Any, cell::RefCell};

use crate::{breaker::BreakerState, shared::Replica};

/// How many dependencies an isolate remembers; then the one that was longest not called makes room.
const MAX_REPLICAS: usize = 1_000;

/// By binding and name.
type Key = (String, String);

std::thread_local! {
    static REPLICAS: RefCell<BTreeMap<Key, Entry>> = const { RefCell::new(BTreeMap::new()) };
    static SAID: RefCell<BTreeSet<(Key, &'static str)>> = const { RefCell::new(BTreeSet::new()) };
}

struct Entry {
    replica: Rc<dyn Any>,
    used_at: f64,
}

/// The replica of that dependency, new if need be.
pub(super) fn replica<S: BreakerState + 'static>(
    binding: &str,
    name: &str,
    now: f64,
    init: impl FnOnce() -> S,
) -> Rc<RefCell<Replica<S>>> {
    REPLICAS.with_borrow_mut(|replicas| {
        let key = (String::from(binding), String::from(name));
        if let Some(entry) = replicas.get_mut(&key)
            // A breaker of another kind under the same name starts anew.
            && let Ok(replica) = Rc::clone(&entry.replica).downcast()
        {
            entry.used_at = now;
            return replica;
        }
        if replicas.len() >= MAX_REPLICAS {
            let oldest = replicas.iter().min_by(|(_, a), (_, b)| a.used_at.total_cmp(&b.used_at));
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                replicas.remove(&key);
            }
        }
        let replica = Rc::new(RefCell::new(Replica::new(init())));
        replicas.insert(key, Entry { replica: Rc::<RefCell<Replica<S>>>::clone(&replica), used_at: now });
        replica
    })
}

/// Every replica under a binding, by name.
pub(super) fn replicas<S: BreakerState + 'static>(binding: &str) -> BTreeMap<String, S> {
    REPLICAS.with_borrow(|replicas| {
        let of_binding = replicas.iter().filter(|((of, _), _)| of == binding);
        let state = |entry: &Entry| Some(entry.replica.downcast_ref::<RefCell<Replica<S>>>()?.borrow().state());
        of_binding.filter_map(|((_, name), entry)| Some((name.clone(), state(entry)?))).collect()
    })
}

/// Logs a problem the first time that one of its kind meets a dependency in this isolate.
pub(super) fn say_once(binding: &str, name: &str, kind: &'static str, problem: core::fmt::Arguments<'_>) {
    let first = SAID.with_borrow_mut(|said| {
        said.len() < MAX_REPLICAS && said.insert(((String::from(binding), String::from(name)), kind))
    });
    if first {
        // A JavaScript error brings its stack along.
        let problem = problem.to_string();
        let problem = problem.lines().next().unwrap_or_default();
        worker::console_error!("breaker {name} in {binding}: {kind}: {problem}. Calls go on. This is said once.");
    }
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::string::ToString;

    use super::*;
    use crate::breaker::{Breaker, consecutive_breaker, rolling_breaker};

    #[test]
    fn a_name_keeps_its_replica_until_a_thousand_others_came() {
        let second = Duration::from_secs(1);
        let breaker = consecutive_breaker(3).open(second).build().unwrap();
        let get = |name: &str, now: f64| replica("KV", name, now, || breaker.init(now));
        let first = get("first", 0.0);
        assert!(Rc::ptr_eq(&first, &get("first", 1.0)));
        for other in 0..MAX_REPLICAS {
            get(&other.to_string(), 2.0 + other as f64);
        }
        assert!(!Rc::ptr_eq(&first, &get("first", 1e6)));
        assert_eq!(replicas::<crate::breaker::ConsecutiveBreakerState>("KV").len(), MAX_REPLICAS);

        let other_kind = rolling_breaker(second).open(second).build().unwrap();
        replica("KV", "first", 1e6, || other_kind.init(0.0));
        assert_eq!(replicas::<crate::breaker::RollingBreakerState>("KV").len(), 1);
    }
}
