use std::any::Any;
use std::sync::Arc;

use super::Bencher;
use super::outline::CaseOutline;
use crate::record::study::Parameters;

/// State shared by the threads of a cell.
pub(crate) type State = Box<dyn Any + Send + Sync>;

type Setup = dyn Fn(&Parameters) -> State + Send + Sync;
type Body = dyn Fn(&mut Bencher<'_>, &(dyn Any + Send + Sync)) + Send + Sync;

/// An operation, or a group that runs concurrently, with its set-up.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) setup: Arc<Setup>,
    pub(crate) roles: Vec<Role>,
}

/// The task of some of a cell's threads.
#[derive(Clone)]
pub(crate) struct Role {
    /// None where all threads do the same.
    pub(crate) name: Option<String>,
    /// None to use the study's thread count.
    pub(crate) threads: Option<u32>,
    pub(crate) body: Arc<Body>,
}

impl Case {
    pub(crate) fn shared<S: Send + Sync + 'static>(
        name: String,
        setup: impl Fn(&Parameters) -> S + Send + Sync + 'static,
        body: impl Fn(&mut Bencher<'_>, &S) + Send + Sync + 'static,
    ) -> Self {
        Self { name, setup: boxed(setup), roles: vec![Role { name: None, threads: None, body: on_state(body) }] }
    }

    /// A case whose threads share nothing.
    pub(crate) fn alone(name: String, body: impl Fn(&mut Bencher<'_>) + Send + Sync + 'static) -> Self {
        Self::shared(name, |_| (), move |bencher, ()| body(bencher))
    }

    /// What another build needs to know of it.
    pub(crate) fn outline(&self) -> CaseOutline {
        let roles = self.roles.iter().map(|role| (role.name.clone(), role.threads));
        CaseOutline { name: self.name.clone(), roles: roles.collect() }
    }

    /// A case of another build, with nothing to run: to list and estimate that build's cells.
    pub(crate) fn of_another_build(outline: &CaseOutline) -> Self {
        let role = |(name, threads): &(Option<String>, Option<u32>)| Role {
            name: name.clone(),
            threads: *threads,
            body: on_state(|_, (): &()| ()),
        };
        Self { name: outline.name.clone(), setup: boxed(|_| ()), roles: outline.roles.iter().map(role).collect() }
    }

    /// Thread counts of its cells, given the study's counts: a group has its own.
    pub(crate) fn threads(&self, of_study: &[u32]) -> Vec<u32> {
        let fixed: Option<u32> = self.roles.iter().map(|role| role.threads).sum();
        fixed.map_or_else(|| of_study.to_vec(), |threads| vec![threads])
    }

    /// The index of the role of thread `index`.
    pub(crate) fn role_at(&self, index: u32) -> usize {
        let mut end = 0;
        let is_before = |role: &&Role| {
            end = role.threads.map_or(u32::MAX, |threads| threads.saturating_add(end));
            end <= index
        };
        // A case always has a role.
        self.roles.iter().take_while(is_before).count().min(self.roles.len() - 1)
    }
}

fn boxed<S: Send + Sync + 'static>(setup: impl Fn(&Parameters) -> S + Send + Sync + 'static) -> Arc<Setup> {
    Arc::new(move |parameters| Box::new(setup(parameters)))
}

fn on_state<S: Send + Sync + 'static>(body: impl Fn(&mut Bencher<'_>, &S) + Send + Sync + 'static) -> Arc<Body> {
    Arc::new(move |bencher, state| {
        // Set-up and body are registered together, so the type matches.
        if let Some(state) = state.downcast_ref::<S>() {
            body(bencher, state);
        }
    })
}

/// Threads with different tasks on the same state: readers and writers, for example.
///
/// # Examples
/// ```
/// use std::sync::RwLock;
///
/// use chronoscope_harness::{Group, Study};
///
/// let readers_and_writer = Group::new(|_| RwLock::new(0_u64))
///     .role("reader", 3, |b, lock| b.iter(|| *lock.read().unwrap()))
///     .role("writer", 1, |b, lock| b.iter(|| *lock.write().unwrap() += 1));
/// let study = Study::new("lock").group("rwlock", readers_and_writer);
/// assert_eq!(study.cells().len(), 1);
/// ```
pub struct Group<S> {
    setup: Arc<Setup>,
    roles: Vec<Role>,
    state: std::marker::PhantomData<fn() -> S>,
}

impl<S: Send + Sync + 'static> Group<S> {
    /// A group whose threads share the result of `setup`, called once per process.
    pub fn new(setup: impl Fn(&Parameters) -> S + Send + Sync + 'static) -> Self {
        Self { setup: boxed(setup), roles: Vec::new(), state: std::marker::PhantomData }
    }

    /// Adds `threads` threads that run `body`.
    #[must_use]
    pub fn role(
        mut self,
        name: impl Into<String>,
        threads: u32,
        body: impl Fn(&mut Bencher<'_>, &S) + Send + Sync + 'static,
    ) -> Self {
        self.roles.push(Role { name: Some(name.into()), threads: Some(threads), body: on_state(body) });
        self
    }

    pub(crate) fn into_case(self, name: String) -> Case {
        Case { name, setup: self.setup, roles: self.roles }
    }
}
