//! What `scaling --clock` accepts: native clocks, runtimes, and clocks of runtimes.

use chronoscope_bench::Failure;

use super::clock::ScaledClock;
use crate::clock_id::ClockId;
use crate::runtime_study::{OfRuntime, Operations};
use chronoscope_probes::RuntimeKind;

/// What comes between a kind of runtime and one of its clocks in `--clock`.
const OF: char = ':';

/// The clocks to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub native: Vec<ScaledClock>,
    pub runtimes: Vec<OfRuntime>,
}

/// The clocks called `names`; without names, every native clock and of each kind of runtime the clock that its users reach for
/// first, or with `all` every clock. `installed`: the kinds that an error may suggest.
///
/// # Errors
/// For a name that no clock has, with those that can be read.
pub fn choose(
    native: Vec<ScaledClock>,
    names: &[String],
    all: bool,
    installed: &dyn Fn(RuntimeKind) -> bool,
) -> Result<Choice, Failure> {
    if names.is_empty() {
        let of = |kind: RuntimeKind| of_runtime(kind, if all { Vec::new() } else { vec![0] });
        return Ok(Choice { native, runtimes: RuntimeKind::all().map(of).collect() });
    }
    let mut chosen = Choice { native: Vec::new(), runtimes: Vec::new() };
    for name in names {
        let id = ClockId::from(name.as_str());
        let of_runtimes = of_runtimes(name);
        if let Some(clock) = native.iter().find(|clock| clock.name == id.name()) {
            if !chosen.native.contains(clock) {
                chosen.native.push(clock.clone());
            }
        } else if of_runtimes.is_empty() {
            return Err(unknown(name, &native, installed));
        }
        of_runtimes.into_iter().for_each(|(kind, clock)| chosen.add(kind, clock));
    }
    chosen.runtimes.sort_by_key(|of| of.kind);
    Ok(chosen)
}

impl Choice {
    fn add(&mut self, kind: RuntimeKind, clock: u64) {
        let known = self.runtimes.iter_mut().find(|of| of.kind == kind).map(|of| &mut of.operations);
        match known {
            Some(Operations::Clocks(clocks)) if !clocks.contains(&clock) => clocks.push(clock),
            Some(_) => {}
            None => self.runtimes.push(of_runtime(kind, vec![clock])),
        }
    }
}

fn of_runtime(kind: RuntimeKind, clocks: Vec<u64>) -> OfRuntime {
    OfRuntime { kind, operations: Operations::Clocks(clocks) }
}

/// The clocks that `java`, `java:System.nanoTime`, `java System.nanoTime` or `System.nanoTime` mean.
fn of_runtimes(name: &str) -> Vec<(RuntimeKind, u64)> {
    let clock = |kind: RuntimeKind, name: &str| {
        let place = kind.row().clocks.iter().position(|clock| *clock == name)?;
        Some((kind, place as u64))
    };
    if let Ok(kind) = RuntimeKind::named(name) {
        return vec![(kind, 0)];
    }
    let qualified = name.split_once([OF, ' ']).and_then(|(word, name)| clock(RuntimeKind::named(word).ok()?, name));
    qualified.map_or_else(|| RuntimeKind::all().filter_map(|kind| clock(kind, name)).collect(), |found| vec![found])
}

fn unknown(name: &str, native: &[ScaledClock], installed: &dyn Fn(RuntimeKind) -> bool) -> Failure {
    let native = native.iter().map(|clock| clock.name.clone());
    let of_runtimes = RuntimeKind::all().filter(|kind| installed(*kind)).flat_map(|kind| {
        let row = kind.row();
        row.clocks.iter().map(|clock| format!("{}{OF}{clock}", row.word))
    });
    let known: Vec<String> = native.chain(of_runtimes).collect();
    Failure::usage(format!("unknown clock \"{name}\"; readable here: {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(names: &[&str]) -> Result<Choice, String> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let installed = |kind| kind == RuntimeKind::Go;
        choose(ScaledClock::all(false), &names, false, &installed).map_err(|failure| failure.to_string())
    }

    fn of(kind: RuntimeKind, clocks: &[u64]) -> OfRuntime {
        of_runtime(kind, clocks.to_vec())
    }

    #[test]
    fn clocks_of_runtimes_are_named_in_several_ways() {
        for name in ["java", "java:System.nanoTime", "java System.nanoTime", "System.nanoTime"] {
            let found = chosen(&[name]).unwrap();
            assert_eq!(found.runtimes, [of(RuntimeKind::Java, &[0])], "{name}");
            assert!(found.native.is_empty(), "{name}");
        }
        let found = chosen(&["Stopwatch.GetTimestamp"]).unwrap();
        assert_eq!(
            found.runtimes.iter().map(|of| of.kind).collect::<Vec<_>>(),
            [RuntimeKind::Dotnet, RuntimeKind::Mono]
        );
    }

    #[test]
    fn several_names_are_all_chosen_once() {
        let found = chosen(&["go", "syscall CLOCK_MONOTONIC", "java:Instant.now", "go:time.Since", "java"]).unwrap();
        assert_eq!(
            found.native.iter().map(|clock| clock.name.as_str()).collect::<Vec<_>>(),
            ["syscall CLOCK_MONOTONIC"]
        );
        let java = of(RuntimeKind::Java, &[2, 0]);
        assert_eq!(found.runtimes, [java, of(RuntimeKind::Go, &[0])]);
    }

    #[test]
    fn without_names_every_runtime_has_one_clock() {
        let found = chosen(&[]).unwrap();
        assert!(
            !found.native.is_empty() && found.runtimes.iter().all(|of| of.operations == Operations::Clocks(vec![0]))
        );
        assert_eq!(found.runtimes.len(), RuntimeKind::all().count());
        let all = choose(Vec::new(), &[], true, &|_| false).unwrap();
        assert!(all.runtimes.iter().all(|of| of.operations == Operations::Clocks(Vec::new())));
    }

    #[test]
    fn an_unknown_name_is_told_what_can_be_read() {
        for name in ["sundial", "java:sundial", "cobol", "go:System.nanoTime", ""] {
            let told = chosen(&["go", name]).unwrap_err();
            assert!(told.contains(&format!("unknown clock \"{name}\"")), "{told}");
            assert!(told.contains("syscall CLOCK_MONOTONIC, ") && told.contains("go:time.Since"), "{told}");
            assert!(!told.contains("java:System"), "only what is installed: {told}");
        }
    }
}
