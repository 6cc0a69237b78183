//! Every interleaving of shared accesses, and deliberately planted mistakes, each of which a model must detect.

use loom::sync::Arc;
use loom::thread;

use crate::exact::Layout;
use crate::exact::sequence::look;
use crate::os::{Data, Found, KernelPage, Located, Memo, Observed, Seal};
use crate::sync::{
    AtomicU64, Mutant,
    Ordering::{Relaxed, Release},
    fence, with_planted,
};

/// The kernel's data in a page, as the kernel writes them: one generation has the same number everywhere.
type Page = [AtomicU64; 9];

fn write_generation(page: &Page, generation: u64) {
    let mode = 1 << 32;
    page[0].store(mode | 2 * generation - 1, Relaxed);
    fence(Release);
    for at in [1, 3, 6, 7] {
        page[at].store(generation, Relaxed);
    }
    fence(Release);
    page[0].store(mode | 2 * generation, Relaxed);
}

/// A reader of data that the kernel changes twice meanwhile.
fn kernel_and_reader() {
    loom::model(|| {
        let page: Arc<Page> = Arc::new(core::array::from_fn(|_| AtomicU64::new(1)));
        page[0].store(1 << 32 | 2, Relaxed);
        let kernel = {
            let page = page.clone();
            thread::spawn(move || {
                write_generation(&page, 2);
                write_generation(&page, 3);
            })
        };
        for _ in 0..2 {
            if let Ok(seen) = look(&*page, Layout::WithoutMaxCycles, |mode| mode == 1, || Some(0)) {
                let generation = seen.last;
                let words = [u64::from(seen.mult), seen.seconds, seen.shifted_ns];
                assert!(words.iter().all(|word| *word == generation), "{seen:?}");
            }
        }
        kernel.join().unwrap();
    });
}

/// Memory that the models do not follow: what is at the addresses that are published.
type Memory = &'static [core::sync::atomic::AtomicU64];

fn memory(first: u64) -> Memory {
    let words = std::vec::Vec::from([first, 0, 0, 0]).into_iter().map(core::sync::atomic::AtomicU64::new);
    std::boxed::Box::leak(words.collect::<std::vec::Vec<_>>().into_boxed_slice())
}

fn located(code: Memory, page: Memory) -> Located {
    let (code, page) = (KernelPage::of_test(code), KernelPage::of_test(page));
    Located { page, hypervisors: None, code, seal: Seal::of(code).unwrap(), self_ordered: true }
}

/// Finds out, as the clock does, after it has `observed` the memo.
///
/// Loom leads an interleaving elsewhere at the last access to a word alone, so a model's writers observe before it begins:
/// their own looks would hide the reader's from it.
fn find_out(memo: &Memo, observed: Observed, located: &Located) {
    memo.note(located);
    let data = Data { words: located.page, layout: Layout::WithMaxCycles, self_ordered: true };
    memo.publish(observed, &data, located.seal);
}

/// Two threads that find out and one that reads.
fn two_writers_and_reader(code: Memory, page: Memory) {
    loom::model(move || {
        let memo = Arc::new(Memo::new());
        let (_, observed) = memo.found();
        let writers = [0, 1].map(|_| {
            let memo = memo.clone();
            thread::spawn(move || find_out(&memo, observed, &located(code, page)))
        });
        if let Some(data) = memo.data() {
            assert_eq!(data.words.address(), address(page));
            assert!(data.self_ordered && data.layout == Layout::WithMaxCycles);
            assert!(memo.page().is_some(), "the page was noted before");
        }
        for writer in writers {
            writer.join().unwrap();
        }
        assert_eq!(memo.data().map(|data| data.words.address()), Some(address(page)));
    });
}

/// A thread that found out before a restore, and publishes after others have found out anew.
fn outdated_writer(code: Memory, old: Memory, new: Memory) {
    loom::model(move || {
        let memo = Arc::new(Memo::new());
        let (_, before) = memo.found();
        memo.note(&located(code, old));
        let late = {
            let memo = memo.clone();
            thread::spawn(move || {
                let outdated = located(code, old);
                let data = Data { words: outdated.page, layout: Layout::WithMaxCycles, self_ordered: true };
                memo.publish(before, &data, outdated.seal);
            })
        };
        find_out(&memo, before, &located(code, new));
        let found = memo.data().map(|data| data.words.address());
        late.join().unwrap();
        // Who came first stays: nothing that was published is taken back by one who saw less.
        assert_eq!(memo.data().map(|data| data.words.address()), found);
    });
}

fn address(page: Memory) -> u64 {
    KernelPage::of_test(page).address()
}

fn pages() -> [Memory; 3] {
    [memory(0x1122_3344_5566_8955), memory(2), memory(3)]
}

#[test]
fn loom_a_reader_sees_one_generation_of_the_kernels_data() {
    kernel_and_reader();
}

#[test]
fn loom_data_are_published_whole_and_once() {
    let [code, page, other] = pages();
    two_writers_and_reader(code, page);
    outdated_writer(code, other, page);
}

#[test]
fn loom_every_planted_mistake_is_found() {
    let [code, page, other] = pages();
    let mistakes = [
        Mutant::NoFenceAfterFirstLook,
        Mutant::NoFenceBeforeSecondLook,
        Mutant::NoSecondLook,
        Mutant::OddIsEven,
        Mutant::PublishedRelaxed,
        Mutant::ReadRelaxed,
        Mutant::PublishedBlindly,
    ];
    for mutant in mistakes {
        let models = move || match mutant {
            Mutant::PublishedRelaxed | Mutant::ReadRelaxed => two_writers_and_reader(code, page),
            Mutant::PublishedBlindly => outdated_writer(code, other, page),
            _ => kernel_and_reader(),
        };
        // On a thread of its own: a model that fails leaves loom's state of its thread behind.
        let outcome = std::thread::spawn(move || with_planted(mutant, models)).join();
        assert!(outcome.is_err(), "no model found {mutant:?}");
    }
}

#[test]
fn loom_an_outdated_memo_says_so() {
    loom::model(|| {
        let [code, page, _] = pages();
        let memo = Memo::new();
        find_out(&memo, memo.found().1, &located(code, page));
        code[0].store(0xb848, core::sync::atomic::Ordering::Relaxed);
        assert!(memo.data().is_none() && matches!(memo.found().0, Found::Outdated));
    });
}
