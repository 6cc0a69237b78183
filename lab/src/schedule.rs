//! Runs scenarios side by side, as many as the machine has CPUs for.

use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// How often what is not ready is asked again.
const POLL: Duration = Duration::from_millis(100);

/// Does `work` for every item such that those under way never want more than `slots` together: an item that wants more than
/// there are gets them all. Gives the results in the order of the items.
///
/// `wants` says how many slots an item takes, and how long at most. Of those that are ready and fit, the one that wants most slots
/// begins, and of several the longest.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    slots: usize,
    wants: impl Fn(&T) -> (usize, Duration),
    is_ready: impl Fn(&T) -> bool,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let free = Mutex::new(slots);
    let freed = Condvar::new();
    let wanted = |item: &T| wants(item).0.clamp(1, slots);
    let rank = |item: &T| (wanted(item), wants(item).1);
    thread::scope(|scope| {
        let (free, freed, work) = (&free, &freed, &work);
        let mut waiting: Vec<usize> = (0..items.len()).collect();
        let mut running = Vec::new();
        let mut left = free.lock().expect("no panic under the lock");
        while !waiting.is_empty() {
            let fits = |at: &&usize| wanted(&items[**at]) <= *left && is_ready(&items[**at]);
            let next = waiting.iter().filter(fits).max_by_key(|at| rank(&items[**at])).copied();
            let Some(next) = next else {
                left = freed.wait_timeout(left, POLL).expect("no panic under the lock").0;
                continue;
            };
            waiting.retain(|at| *at != next);
            let (item, needed) = (&items[next], wanted(&items[next]));
            *left -= needed;
            running.push((
                next,
                scope.spawn(move || {
                    let result = work(item);
                    *free.lock().expect("no panic under the lock") += needed;
                    freed.notify_all();
                    result
                }),
            ));
        }
        drop(left);
        running.sort_by_key(|(at, _)| *at);
        running.into_iter().map(|(_, thread)| thread.join().expect("no panic in a scenario")).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::side_by_side;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::Duration;

    #[test]
    fn never_more_than_the_slots_and_all_in_order() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items = [1, 2, 1, 1, 9, 1];
        let results = side_by_side(
            &items,
            2,
            |&item| (item, Duration::ZERO),
            |_| true,
            |&item| {
                let needed = item.clamp(1, 2);
                most.fetch_max(now.fetch_add(needed, Ordering::SeqCst) + needed, Ordering::SeqCst);
                sleep(Duration::from_millis(5));
                now.fetch_sub(needed, Ordering::SeqCst);
                item * 10
            },
        );
        assert_eq!(results, [10, 20, 10, 10, 90, 10]);
        assert_eq!(most.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn what_wants_most_begins_and_what_is_not_ready_comes_later() {
        let (begun, is_built) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        side_by_side(
            &[("short", 1, 3), ("built", 1, 9), ("long", 1, 7), ("both CPUs", 2, 1)],
            2,
            |(_, slots, seconds)| (*slots, Duration::from_secs(*seconds)),
            |(name, ..)| *name != "built" || is_built.load(Ordering::SeqCst),
            |(name, ..)| {
                begun.lock().unwrap().push(*name);
                if *name == "long" {
                    // The other slot is taken by the short one meanwhile.
                    while begun.lock().unwrap().len() < 3 {
                        sleep(Duration::from_millis(1));
                    }
                    is_built.store(true, Ordering::SeqCst);
                }
            },
        );
        let begun = begun.into_inner().unwrap();
        assert_eq!((begun[0], begun[3]), ("both CPUs", "built"));
    }
}
