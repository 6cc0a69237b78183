//! Claims by operation, run after run.

use crate::claim::{Claim, Claims};

/// What one harness said so far.
#[derive(Debug, Default)]
pub(crate) struct Collected(Vec<Claims>);

impl Collected {
    /// Adds what a run said.
    pub(crate) fn add(&mut self, run: Vec<(String, Claim)>) {
        for (operation, claim) in run {
            match self.0.iter_mut().find(|claims| claims.operation == operation) {
                Some(claims) => claims.claims.push(claim),
                None => self.0.push(Claims { operation, claims: vec![claim] }),
            }
        }
    }

    /// In the order in which operations were first heard of.
    pub(crate) fn into_claims(self) -> Vec<Claims> {
        self.0
    }
}
