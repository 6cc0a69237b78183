//! Where each CPU lies: its core, package, NUMA node and last-level cache.

use std::collections::BTreeMap;

use super::cpu_list::CpuList;
use super::files::Files;
use crate::record::{CpuPlace, Topology};

/// Maximum CPUs that are listed.
const MOST: usize = 1_024;
/// Maximum caches of a CPU, and NUMA nodes, that are looked at.
const CACHES: u32 = 16;
const NODES: usize = 1_024;

/// Of those of `allowed`, which ascend, for which there is room; None if the kernel says nothing of them.
pub(super) fn identify(files: &Files, allowed: &[u32]) -> Option<Topology> {
    let cpus = &allowed[..allowed.len().min(MOST)];
    let of = Cpus { files, cpus };
    let (packages, caches, cores, nodes) =
        (of.labels(|cpu| of.package(cpu)), of.labels(|cpu| of.cache(cpu)), of.labels(|cpu| of.core(cpu)), of.nodes());
    let known = [&packages, &caches, &cores, &nodes];
    let place = |cpu: &u32| {
        let [package, last_level_cache, core, node] = known.map(|labels| labels.get(cpu).copied());
        CpuPlace { cpu: *cpu, package, node, last_level_cache, core }
    };
    known
        .iter()
        .any(|labels| !labels.is_empty())
        .then(|| Topology { cpus: cpus.iter().map(place).collect(), left_out: (allowed.len() - cpus.len()) as u64 })
}

/// A number for what CPUs share, and which those are, where that is known.
type Group = (u32, Option<CpuList>);

struct Cpus<'a> {
    files: &'a Files,
    cpus: &'a [u32],
}

impl Cpus<'_> {
    /// The number of what each CPU shares with others. What they share is read of one of them alone: a machine of many CPUs has few
    /// packages.
    fn labels(&self, read: impl Fn(u32) -> Option<Group>) -> BTreeMap<u32, u32> {
        let mut labels = BTreeMap::new();
        for cpu in self.cpus {
            if labels.contains_key(cpu) {
                continue;
            }
            let Some((label, shared_by)) = read(*cpu) else { continue };
            labels.insert(*cpu, label);
            for other in shared_by.iter().flat_map(|list| self.cpus.iter().filter(|other| list.contains(**other))) {
                labels.entry(*other).or_insert(label);
            }
        }
        labels
    }

    fn core(&self, cpu: u32) -> Option<Group> {
        let threads = self.list(cpu, ["topology/core_cpus_list", "topology/thread_siblings_list"])?;
        Some((threads.first()?, Some(threads)))
    }

    /// The kernel numbers a package that it does not know -1.
    fn package(&self, cpu: u32) -> Option<Group> {
        let number = self.number(cpu, "topology/physical_package_id")?;
        Some((number, self.list(cpu, ["topology/package_cpus_list", "topology/core_siblings_list"])))
    }

    fn cache(&self, cpu: u32) -> Option<Group> {
        let levels =
            (0..CACHES).map_while(|index| Some((self.number(cpu, &format!("cache/index{index}/level"))?, index)));
        let (_, index) = levels.max()?;
        let shared_by = self.list(cpu, [&format!("cache/index{index}/shared_cpu_list")])?;
        Some((shared_by.first()?, Some(shared_by)))
    }

    fn nodes(&self) -> BTreeMap<u32, u32> {
        let list = |file: &str| {
            let text = self.files.text(&format!("/sys/devices/system/node/{file}"));
            text.ok().and_then(|text| CpuList::parse(&text))
        };
        let mut nodes = BTreeMap::new();
        for node in list("online").iter().flat_map(CpuList::numbers).take(NODES) {
            let Some(of_node) = list(&format!("node{node}/cpulist")) else { continue };
            for cpu in self.cpus.iter().filter(|cpu| of_node.contains(**cpu)) {
                nodes.entry(*cpu).or_insert(node);
            }
        }
        nodes
    }

    fn text(&self, cpu: u32, file: &str) -> Option<String> {
        self.files.text(&format!("/sys/devices/system/cpu/cpu{cpu}/{file}")).ok()
    }

    fn number(&self, cpu: u32, file: &str) -> Option<u32> {
        self.text(cpu, file)?.parse().ok()
    }

    /// The first of these files that is there, if it lists the CPU itself.
    fn list<const N: usize>(&self, cpu: u32, files: [&str; N]) -> Option<CpuList> {
        let text = files.into_iter().find_map(|file| self.text(cpu, file))?;
        CpuList::parse(&text).filter(|list| list.contains(cpu))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CPU: &str = "/sys/devices/system/cpu/cpu";

    fn files(of: &[(&str, &str)]) -> Files {
        let leaked = |text: &str| -> &'static str { text.to_owned().leak() };
        Files::Fake(of.iter().map(|(path, text)| (leaked(path), leaked(text))).collect())
    }

    /// Two packages of two cores of two threads: CPU n and n + 4 are threads of a core.
    fn two_packages() -> Files {
        let mut of: Vec<(String, String)> = Vec::new();
        for cpu in 0..8_u32 {
            let package = cpu % 4 / 2;
            let (first, others) = (
                package * 2,
                format!("{0}-{1},{2}-{3}", package * 2, package * 2 + 1, package * 2 + 4, package * 2 + 5),
            );
            let file = |name: &str, text: String| (format!("{CPU}{cpu}/{name}"), text);
            of.extend([
                file("topology/physical_package_id", package.to_string()),
                file("topology/core_siblings_list", others.clone()),
                file("topology/thread_siblings_list", format!("{},{}", cpu % 4, cpu % 4 + 4)),
                file("cache/index0/level", "1".to_owned()),
                file("cache/index0/shared_cpu_list", format!("{},{}", cpu % 4, cpu % 4 + 4)),
                file("cache/index1/level", "3".to_owned()),
                file("cache/index1/shared_cpu_list", others),
                file("cache/index2/level", if first == 0 { "2" } else { "" }.to_owned()),
            ]);
        }
        let node = |name: &str, text: &str| (format!("/sys/devices/system/node/{name}"), text.to_owned());
        of.extend([node("online", "0,2"), node("node0/cpulist", "0-1,4-5"), node("node2/cpulist", "2-3,6-7")]);
        let of: Vec<(&str, &str)> = of.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        files(&of)
    }

    #[test]
    fn threads_cores_caches_packages_and_nodes_are_told_apart() {
        let found = identify(&two_packages(), &[0, 1, 2, 6, 7]).unwrap();
        let place = |cpu, package, node, cache, core| CpuPlace {
            cpu,
            package: Some(package),
            node: Some(node),
            last_level_cache: Some(cache),
            core: Some(core),
        };
        let wanted = [
            place(0, 0, 0, 0, 0),
            place(1, 0, 0, 0, 1),
            place(2, 1, 2, 2, 2),
            place(6, 1, 2, 2, 2),
            place(7, 1, 2, 2, 3),
        ];
        assert_eq!((found.cpus.as_slice(), found.left_out), (&wanted[..], 0));
    }

    #[test]
    fn what_the_kernel_does_not_say_is_not_known() {
        assert_eq!(identify(&files(&[]), &[0, 1]), None);
        assert_eq!(identify(&two_packages(), &[]), None);
        let unknown = format!("{CPU}0/topology/physical_package_id");
        assert_eq!(identify(&files(&[(&unknown, "-1")]), &[0]), None);
        // A list without the CPU itself is of others.
        let (threads, number) =
            (format!("{CPU}0/topology/core_cpus_list"), format!("{CPU}1/topology/physical_package_id"));
        let found = identify(&files(&[(&threads, "1-7"), (&number, "3")]), &[0, 1]).unwrap();
        assert_eq!(found.cpus[0], CpuPlace { cpu: 0, ..CpuPlace::default() });
        assert_eq!(found.cpus[1], CpuPlace { cpu: 1, package: Some(3), ..CpuPlace::default() });
    }

    #[test]
    fn of_thousands_of_cpus_the_first_are_listed_and_the_others_counted() {
        let [number, others] =
            ["physical_package_id", "core_siblings_list"].map(|name| format!("{CPU}0/topology/{name}"));
        let allowed: Vec<u32> = (0..5_000).collect();
        let found = identify(&files(&[(&number, "0"), (&others, "0-4999")]), &allowed).unwrap();
        assert_eq!((found.cpus.len(), found.left_out), (MOST, 3_976));
        assert!(found.cpus.iter().all(|place| place.package == Some(0) && place.core.is_none()));
    }

    proptest! {
        #[test]
        fn never_panics(number in ".*", list in "[0-9,\\-]*") {
            let mut of = Vec::new();
            for file in ["topology/physical_package_id", "cache/index0/level"] {
                of.push((format!("{CPU}0/{file}"), number.as_str()));
            }
            for file in ["topology/core_cpus_list", "topology/package_cpus_list", "cache/index0/shared_cpu_list"] {
                of.push((format!("{CPU}0/{file}"), list.as_str()));
            }
            of.push(("/sys/devices/system/node/online".to_owned(), list.as_str()));
            let of: Vec<(&str, &str)> = of.iter().map(|(path, text)| (path.as_str(), *text)).collect();
            let _ = identify(&files(&of), &[0, 1]);
        }
    }
}
