//! The figures of language runtimes.

use crate::figures::figure::{Figure, FigureKind, Figures};
use crate::probe::runtime::{Runtime, RuntimeClock};

pub static FIGURES: Figures<[Runtime]> = Figures { kinds: &[LATENCY], of: figures, limits: &[] };

pub const LATENCY: &FigureKind = &FigureKind {
    usual_noise_pct: FigureKind::CHECKED_PCT,
    ..FigureKind::level("runtime_latency", "latency", "Time per read of a runtime's clock.")
};

fn figures(runtimes: &[Runtime]) -> Vec<Figure> {
    let of_clock = |(runtime, clock): (&Runtime, &RuntimeClock)| {
        let latency = clock.latency_ns.as_ref()?.per_read;
        Figure::new(LATENCY, format!("{} {}", runtime.title(), clock.name), latency)
    };
    let clocks = runtimes.iter().flat_map(|runtime| runtime.clocks.iter().map(move |clock| (runtime, clock)));
    clocks.filter_map(of_clock).collect()
}
