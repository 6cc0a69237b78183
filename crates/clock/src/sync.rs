//! The atomics of the crate: the processor's, or loom's under `--cfg loom`, so that a model checker can run them.

#[cfg(loom)]
#[allow(unused_imports)] // where the standard library is read
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

#[cfg(not(loom))]
#[allow(unused_imports)] // where the standard library is read
pub(crate) use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

/// A value alone on its cache lines: two of 64 bytes, since processors fetch them in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct CachePadded<T>(pub(crate) T);

/// A mistake that the model checker must find: planted in its own builds alone, to show that the models can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    NoFenceAfterFirstLook,
    NoFenceBeforeSecondLook,
    NoSecondLook,
    OddIsEven,
    PublishedRelaxed,
    ReadRelaxed,
    PublishedBlindly,
}

/// Whether `mutant` is planted: never, but in a model that asked for it.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) const fn is_planted(_mutant: Mutant) -> bool {
    false
}

#[cfg(loom)]
pub(crate) use planted::{is_planted, with_planted};

#[cfg(loom)]
mod planted {
    use super::Mutant;
    use std::cell::Cell;

    std::thread_local! {
        // Loom runs all threads of a model on the thread that started it.
        static PLANTED: Cell<Option<Mutant>> = const { Cell::new(None) };
    }

    pub(crate) fn is_planted(mutant: Mutant) -> bool {
        PLANTED.get() == Some(mutant)
    }

    /// Runs `model` with `mutant` planted.
    pub(crate) fn with_planted(mutant: Mutant, model: impl FnOnce()) {
        PLANTED.set(Some(mutant));
        model();
        PLANTED.set(None);
    }
}

/// A function that is `const`, except under loom, whose atomics are made at run time.
macro_rules! const_fn {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident($($arguments:tt)*) -> $returned:ty $body:block) => {
        #[cfg(not(loom))]
        $(#[$attribute])*
        $visibility const fn $name($($arguments)*) -> $returned $body

        #[cfg(loom)]
        $(#[$attribute])*
        $visibility fn $name($($arguments)*) -> $returned $body
    };
}

/// A value that the process has one of; under loom, each run of a model has its own.
macro_rules! process_wide {
    ($(#[$attribute:meta])* static $name:ident: $type:ty = $value:expr;) => {
        #[cfg(not(loom))]
        $(#[$attribute])*
        static $name: $type = $value;

        #[cfg(loom)]
        loom::lazy_static! {
            static ref $name: $type = $value;
        }
    };
}

pub(crate) use {const_fn, process_wide};
