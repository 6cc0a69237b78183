//! Runs scenarios side by side, as many as the machine has CPUs for.

use std::sync::{Condvar, Mutex};
use std::thread;

/// Does `work` for every item, in order, such that those under way never want more than `slots` together: an item that wants
/// more than there are gets them all. Gives the results in the order of the items.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    slots: usize,
    wants: impl Fn(&T) -> usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let free = Mutex::new(slots);
    let freed = Condvar::new();
    let wanted = |item: &T| wants(item).clamp(1, slots);
    thread::scope(|scope| {
        let running: Vec<_> = items
            .iter()
            .map(|item| {
                let needed = wanted(item);
                let mut left = freed
                    .wait_while(free.lock().expect("no panic under the lock"), |left| *left < needed)
                    .expect("no panic under the lock");
                *left -= needed;
                drop(left);
                let (free, freed, work) = (&free, &freed, &work);
                scope.spawn(move || {
                    let result = work(item);
                    *free.lock().expect("no panic under the lock") += needed;
                    freed.notify_all();
                    result
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().expect("no panic in a scenario")).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::side_by_side;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::Duration;

    #[test]
    fn never_more_than_the_slots_and_all_in_order() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let items = [1, 2, 1, 1, 9, 1];
        let results = side_by_side(
            &items,
            2,
            |&item| item,
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
}
