use std::collections::BTreeSet;

use chronoscope_harness::quantity::TIME;
use chronoscope_harness::record::CpuPlace;
use chronoscope_render::browser::{Border, Cell, Matrix};
use chronoscope_render::words::counted;

use super::between::between;
use crate::document::Record;
use crate::sections::causality::report::{PairOffset, worst_skew_ns};
use crate::sections::causality::view;

/// The CPUs that were compared, in the order in which a matrix has them.
pub struct Lines {
    cpus: Vec<u32>,
    /// Where they lie; empty unless the document says it of each.
    places: Vec<CpuPlace>,
}

impl Lines {
    /// Those that share the most lie next to each other.
    pub fn of(record: &Record) -> Self {
        let cpus = record.content.causality().cpus_compared();
        let topology = record.machine.cpu.topology.as_ref();
        let place = |cpu: &u32| topology?.place(*cpu).copied();
        let mut places: Vec<CpuPlace> = cpus.iter().map(place).collect::<Option<_>>().unwrap_or_default();
        if places.is_empty() {
            return Self { cpus, places };
        }
        places.sort_by_key(CpuPlace::order);
        Self { cpus: places.iter().map(|place| place.cpu).collect(), places }
    }

    /// How the lines are sorted.
    pub fn order_in_words(&self) -> String {
        if self.places.is_empty() {
            return "CPUs are in the order of their numbers: the document does not say what they share.".to_owned();
        }
        let kinds: [(fn(&CpuPlace) -> Option<u32>, [&str; 2]); 4] = [
            (|place| place.package, ["package", "packages"]),
            (|place| place.node, ["NUMA node", "NUMA nodes"]),
            (|place| place.last_level_cache, ["last-level cache", "last-level caches"]),
            (|place| place.core, ["core", "cores"]),
        ];
        let known = kinds.into_iter().filter_map(|(of, [one, many])| {
            let all: BTreeSet<u32> = self.places.iter().filter_map(of).collect();
            (!all.is_empty()).then(|| counted(all.len() as u64, one, many))
        });
        let known: Vec<String> = known.collect();
        format!("CPUs that share the most lie next to each other; these are of {}.", known.join(", "))
    }

    /// Where packages end, and within them last-level caches.
    fn borders(&self) -> Vec<Border> {
        let ends = |(place, pair): (usize, &[CpuPlace])| {
            let is_outer = pair[0].package != pair[1].package;
            let ends = is_outer || pair[0].last_level_cache != pair[1].last_level_cache;
            ends.then_some(Border { before: place + 1, is_outer })
        };
        let borders: Vec<Border> = self.places.windows(2).enumerate().filter_map(ends).collect();
        // Between each two CPUs there would be nothing to tell apart.
        let is_of_each = borders.len() + 1 == self.places.len();
        borders.into_iter().filter(|border| border.is_outer || !is_of_each).collect()
    }

    pub fn matrix(&self, record: &Record, groups: &[Vec<&PairOffset>]) -> Matrix {
        let place = |cpu: u32| self.cpus.iter().position(|line| *line == cpu);
        let cell = |group: &Vec<&PairOffset>| {
            let pair = group.first()?;
            let lines = [place(pair.a)?, place(pair.b)?];
            let each: Vec<String> = group
                .iter()
                .map(|pair| format!("{}: {}", pair.clock, view::offset_and_skew(pair).join(", ")))
                .collect();
            Some(Cell {
                lines,
                value: worst_skew_ns(group),
                more: format!("{}\n{}", between(pair, &record.machine.cpu), each.join("\n")),
                is_bad: group.iter().any(|pair| pair.shows_skew()),
            })
        };
        Matrix {
            names: self.cpus.iter().map(u32::to_string).collect(),
            cells: groups.iter().filter_map(cell).collect(),
            borders: self.borders(),
            border_names: ["another package", "another last-level cache"].map(str::to_owned),
            word: |value| TIME.below(value),
            lines: "CPU".to_owned(),
            amount: "skew, if any".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{record, topology};
    use super::*;
    use crate::rules::tests::pair;

    /// CPU 0 with each other.
    fn star(cpus: u32) -> Record {
        let between = |b: u32| PairOffset { b, half_width_ns: f64::from(b), ..pair(0.0, 0) };
        record((1..cpus).map(between).collect(), Vec::new())
    }

    fn drawn(record: &Record) -> Matrix {
        let groups = record.content.causality().pairs_worst_first();
        Lines::of(record).matrix(record, &groups)
    }

    #[test]
    fn cpus_that_share_the_most_lie_next_to_each_other() {
        let mut record = star(16);
        let mut shown = topology(16);
        // As many kernels number CPUs: the second threads of all cores after the first ones.
        for place in &mut shown.cpus {
            place.package = Some(place.cpu % 8 / 4);
            place.node = place.package;
            place.last_level_cache = Some(place.cpu % 8 / 2 * 2);
            place.core = Some(place.cpu % 8);
        }
        record.machine.cpu.topology = Some(shown);
        let matrix = drawn(&record);
        assert_eq!(matrix.names.join(" "), "0 8 1 9 2 10 3 11 4 12 5 13 6 14 7 15");
        let borders: Vec<(usize, bool)> =
            matrix.borders.iter().map(|border| (border.before, border.is_outer)).collect();
        assert_eq!(borders, [(4, false), (8, true), (12, false)]);
        assert_eq!((matrix.cells[0].lines, matrix.cells[0].value), ([0, 15], 15.0));
        assert!(matrix.cells[0].more.starts_with("CPU 0 and CPU 15: two packages\n"), "{:?}", matrix.cells[0]);
        let order = Lines::of(&record).order_in_words();
        assert!(order.ends_with("these are of 2 packages, 2 NUMA nodes, 4 last-level caches, 8 cores."), "{order}");
    }

    #[test]
    fn where_one_cpu_is_not_listed_they_are_in_the_order_of_their_numbers() {
        let mut record = star(16);
        record.machine.cpu.topology = Some(topology(15));
        let matrix = drawn(&record);
        assert_eq!((matrix.names[15].as_str(), matrix.borders.len()), ("15", 0));
        assert!(Lines::of(&record).order_in_words().contains("does not say what they share"));
    }

    #[test]
    fn caches_of_one_cpu_each_have_no_borders() {
        let mut record = star(16);
        let mut shown = topology(16);
        shown.cpus.iter_mut().for_each(|place| place.last_level_cache = Some(place.cpu));
        record.machine.cpu.topology = Some(shown);
        let borders: Vec<usize> = drawn(&record).borders.iter().map(|border| border.before).collect();
        assert_eq!(borders, [8], "that of the packages");
    }
}
