//! The requests of the calling thread, and its kernel.

use core::cell::RefCell;
use std::thread_local;

use super::NotRestored;
use super::request::GuardRequest;
use super::requests::{Kernel, Requests};
use crate::Unavailable;
use crate::os::wait::{self, Scheduling};

thread_local! {
    static REQUESTS: RefCell<OfThisThread> = const { RefCell::new(OfThisThread(Requests::NONE)) };
}

/// Restored when the thread ends, whatever was forgotten.
struct OfThisThread(Requests);

impl Drop for OfThisThread {
    fn drop(&mut self) {
        self.0.remove_all(&ThisThread);
    }
}

struct ThisThread;

impl Kernel for ThisThread {
    fn timer_slack_ns(&self) -> Result<u64, Unavailable> {
        wait::timer_slack_ns()
    }

    fn set_timer_slack_ns(&self, ns: u64) -> Result<(), Unavailable> {
        wait::set_timer_slack_ns(ns)
    }

    fn nice(&self) -> Option<i32> {
        wait::nice()
    }

    fn scheduling(&self) -> Result<Scheduling, Unavailable> {
        wait::scheduling()
    }

    fn set_scheduling(&self, to: &Scheduling) -> Result<(), Unavailable> {
        wait::set_scheduling(to)
    }
}

const INTERRUPTED: &str = "a signal handler interrupted another guard";

pub(super) fn add(request: GuardRequest) -> Result<u64, Unavailable> {
    let added = REQUESTS.try_with(|requests| match requests.try_borrow_mut() {
        Ok(mut requests) => requests.0.add(request, &ThisThread),
        Err(_) => Err(Unavailable::because(INTERRUPTED)),
    });
    added.unwrap_or(Err(Unavailable::because("the thread is ending")))
}

pub(super) fn remove(id: u64) -> Result<(), NotRestored> {
    let removed = REQUESTS.try_with(|requests| match requests.try_borrow_mut() {
        Ok(mut requests) => requests.0.remove(id, &ThisThread),
        Err(_) => Err(NotRestored::anything(INTERRUPTED)),
    });
    // Once they are gone, at the end of the thread, everything has been restored.
    removed.unwrap_or(Ok(()))
}

pub(super) fn asks_for(kind: fn(GuardRequest) -> bool) -> bool {
    let asks = REQUESTS.try_with(|requests| requests.try_borrow().is_ok_and(|requests| requests.0.ask_for(kind)));
    asks.unwrap_or(false)
}
