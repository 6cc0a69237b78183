//! criterion, divan and zenbench on the same operations.

use bench_common::failure::Failure;
use bench_common::table;
use bench_harness::operation::Operation;
use bench_harness::orders::Orders;
use serde::Serialize;

use crate::claim::{Claims, decimals};
use crate::collect::Collected;
use crate::peer::Peer;
use crate::ruler::Ruler;
use crate::size::Size;
use crate::studies;

/// Ours, in the table.
const OURS: &str = "chronoscope";

/// What each harness claimed of each operation.
#[derive(Debug, Serialize)]
pub(crate) struct Peers {
    harnesses: Vec<Harness>,
}

#[derive(Debug, Serialize)]
struct Harness {
    name: &'static str,
    operations: Vec<Claims>,
}

/// A place to leave files for as long as a section needs them.
pub(crate) fn home() -> Result<tempfile::TempDir, Failure> {
    tempfile::tempdir().map_err(|error| Failure::because(format!("no temporary folder could be made: {error}")))
}

pub(crate) fn measure(size: &Size) -> Result<Peers, Failure> {
    let study = studies::beside_peers();
    let orders = Orders {
        measure: size.peers_measure,
        resamples: size.peers_resamples,
        operations: Operation::OF_PEERS.map(Operation::name).to_vec(),
    };
    let mut ours = Collected::default();
    let mut theirs = Peer::ALL.map(|peer| (peer, Collected::default()));
    for run in 0..size.peers.runs {
        eprintln!("bench-harness: peers, round {} of {}", run + 1, size.peers.runs);
        let (record, ruler) = Ruler::around(|| studies::run(&study, &size.peers))?;
        ours.add(studies::claims(&record, ruler));
        for (peer, collected) in &mut theirs {
            // A place of its own for each run: none is to know of the one before.
            let home = home()?;
            let (mut claims, ruler) = Ruler::around(|| peer.run(&orders, home.path()))?;
            claims.iter_mut().for_each(|(name, claim)| claim.truth = studies::truth(name, 1, ruler));
            collected.add(claims);
        }
    }
    let theirs = theirs.into_iter().map(|(peer, collected)| (peer.name(), collected));
    let harnesses = std::iter::once((OURS, ours)).chain(theirs);
    let harness = |(name, collected): (_, Collected)| Harness { name, operations: collected.into_claims() };
    Ok(Peers { harnesses: harnesses.map(harness).collect() })
}

impl Peers {
    pub(crate) fn show(&self) -> String {
        let of = |operation: &str| {
            let name = operation.to_owned();
            self.harnesses.iter().filter_map(move |harness| {
                let claims = harness.operations.iter().find(|claims| claims.operation == name)?;
                Some((harness.name, claims))
            })
        };
        let rows =
            Operation::OF_PEERS.into_iter().flat_map(|operation| of(&operation.name()).map(row).collect::<Vec<_>>());
        let headings = [
            "operation",
            "harness",
            "truth ns",
            "claimed ns (extremes)",
            "error % (extremes)",
            "± % (extremes)",
            "interval holds truth",
            "interval holds median of runs",
        ];
        format!(
            "{}\n\nA round takes each harness once, in processes of its own. The truth is links times what a link took before and\n\
             after that harness's part of the round, by the benchmark's own ruler. Intervals are of 99.9 % (chronoscope) and 95 % (criterion, zenbench). divan gives none, and prints four digits in a table,\n\
             which is all that could be read; its mean is taken. The others are read from their JSON.",
            table::text(&headings, rows)
        )
    }
}

fn row((harness, claims): (&str, &Claims)) -> Vec<String> {
    vec![
        claims.operation.clone(),
        harness.to_owned(),
        table::or_dash(claims.truth_ns().map(|ns| format!("{:.*}", decimals(ns.median), ns.median))),
        claims.show(),
        table::or_dash(claims.error_pct().map(|pct| pct.show_extremes(2))),
        table::or_dash(claims.half_width_pct().map(|pct| pct.show_extremes(2))),
        claims.hold_truth().show(),
        claims.hold_median().show(),
    ]
}
