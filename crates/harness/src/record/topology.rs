#[cfg(feature = "read")]
use serde::Deserialize;
use serde::Serialize;

/// Where CPUs lie in the machine, as the kernel says. In a virtual machine it is what the hypervisor shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Topology {
    /// The CPUs that the process may run on, in ascending order.
    pub cpus: Vec<CpuPlace>,
    /// How many more there are, which are not listed.
    #[cfg_attr(feature = "read", serde(default))]
    pub left_out: u64,
}

/// Where one CPU lies. What the kernel does not say is null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "read", derive(Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuPlace {
    /// The CPU.
    pub cpu: u32,
    /// Its package, or socket.
    pub package: Option<u32>,
    /// Its NUMA node.
    pub node: Option<u32>,
    /// The first of the CPUs that share its last-level cache.
    pub last_level_cache: Option<u32>,
    /// The first of the CPUs that are threads of its core.
    pub core: Option<u32>,
}

/// What two CPUs share, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// A core: they are two of its threads.
    Core,
    /// The last-level cache.
    LastLevelCache,
    /// The package.
    Package,
    /// None of these.
    Nothing,
}

impl Topology {
    /// Where `cpu` lies; None if it is not listed.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::{CpuPlace, Topology};
    ///
    /// let place = CpuPlace { cpu: 3, package: Some(1), ..CpuPlace::default() };
    /// let topology = Topology { cpus: vec![place], left_out: 0 };
    /// assert_eq!((topology.place(3), topology.place(4)), (Some(&place), None));
    /// ```
    pub fn place(&self, cpu: u32) -> Option<&CpuPlace> {
        self.cpus.iter().find(|place| place.cpu == cpu)
    }

    /// What two CPUs share; None if that is not known.
    ///
    /// # Examples
    /// ```
    /// use chronoscope_harness::record::{CpuPlace, Relation, Topology};
    ///
    /// let place = |cpu, core| CpuPlace { cpu, core: Some(core), last_level_cache: Some(0), ..CpuPlace::default() };
    /// let topology = Topology { cpus: vec![place(0, 0), place(1, 0), place(2, 2)], left_out: 0 };
    /// assert_eq!(topology.relation(0, 1), Some(Relation::Core));
    /// assert_eq!(topology.relation(0, 2), Some(Relation::LastLevelCache));
    /// assert_eq!(topology.relation(0, 9), None);
    /// ```
    pub fn relation(&self, a: u32, b: u32) -> Option<Relation> {
        let places = [self.place(a)?, self.place(b)?];
        let share = |of: fn(&CpuPlace) -> Option<u32>| Some(of(places[0])? == of(places[1])?);
        if share(|place| place.core)? {
            return Some(Relation::Core);
        }
        if share(|place| place.last_level_cache) == Some(true) {
            return Some(Relation::LastLevelCache);
        }
        share(|place| place.package).map(|is_one| if is_one { Relation::Package } else { Relation::Nothing })
    }
}

impl CpuPlace {
    /// What CPUs are sorted by so that those that share the most lie next to each other.
    pub fn order(&self) -> [Option<u32>; 5] {
        [self.package, self.node, self.last_level_cache, self.core, Some(self.cpu)]
    }
}

impl Relation {
    /// All of them, the closest first.
    pub const ALL: [Self; 4] = [Self::Core, Self::LastLevelCache, Self::Package, Self::Nothing];

    /// Of two CPUs, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Core => "threads of one core",
            Self::LastLevelCache => "one last-level cache",
            Self::Package => "one package",
            Self::Nothing => "two packages",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topology(places: &[[Option<u32>; 3]]) -> Topology {
        let place = |(cpu, [package, cache, core]): (usize, &[Option<u32>; 3])| CpuPlace {
            cpu: cpu as u32,
            package: *package,
            node: *package,
            last_level_cache: *cache,
            core: *core,
        };
        Topology { cpus: places.iter().enumerate().map(place).collect(), left_out: 0 }
    }

    #[test]
    fn two_cpus_share_the_closest_thing_that_is_known_of_both() {
        let all = topology(&[
            [Some(0), Some(0), Some(0)],
            [Some(0), Some(0), Some(0)],
            [Some(0), Some(0), Some(2)],
            [Some(0), Some(3), Some(3)],
            [Some(1), Some(4), Some(4)],
        ]);
        let found: Vec<Option<Relation>> = (1..5).map(|other| all.relation(0, other)).collect();
        assert_eq!(found, Relation::ALL.map(Some));
        assert_eq!(all.relation(4, 0), Some(Relation::Nothing));
    }

    #[test]
    fn what_is_not_known_is_not_claimed() {
        let some = topology(&[
            [Some(0), None, None],
            [Some(0), None, Some(1)],
            [Some(0), None, Some(2)],
            [None, None, Some(3)],
            [None, Some(2), Some(4)],
        ]);
        assert_eq!(some.relation(0, 1), None, "they may be threads of one core");
        assert_eq!(some.relation(1, 2), Some(Relation::Package));
        assert_eq!([some.relation(2, 3), some.relation(3, 4), some.relation(1, 99)], [None; 3]);
    }
}
