//! Limits on CPU time, `cpu.max` of control groups version 2 and `cpu.cfs_quota_us` of version 1, and how long they stopped this process,
//! in `cpu.stat`.
//!
//! Source: Linux, Documentation/admin-guide/cgroup-v2.rst and Documentation/scheduler/sched-bwc.rst.

use std::sync::LazyLock;

use super::files::Files;
use crate::record::Known;

/// How long the CPU quota of this process's control groups has stopped them, in milliseconds, each CPU counted on its own; None where no
/// quota is counted.
pub fn throttled_ms() -> Option<f64> {
    static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| groups(&Files::System).unwrap_or_default());
    throttled_ms_of(&Files::System, &GROUPS)
}

fn throttled_ms_of(files: &Files, groups: &[Group]) -> Option<f64> {
    // One that stops a parent stops this process, too, and is not counted here.
    let counts = groups.iter().filter_map(|group| {
        let text = files.text(&format!("{}/cpu.stat", group.folder)).ok()?;
        stopped_ms(&text, group.version)
    });
    counts.reduce(|sum, more| sum + more)
}

/// The throttled time in a `cpu.stat`; None where a group has no quota that it could count.
fn stopped_ms(stat: &str, version: Version) -> Option<f64> {
    let (key, per_ms) = match version {
        Version::One => ("throttled_time", 1e6),
        Version::Two => ("throttled_usec", 1e3),
    };
    let mut fields = stat.lines().filter_map(|line| line.trim().split_once(' '));
    let (_, count) = fields.find(|(name, _)| *name == key)?;
    Some(count.trim().parse::<u64>().ok()? as f64 / per_ms)
}

pub(super) fn identify(files: &Files) -> Known<Option<f64>> {
    let groups = match groups(files) {
        Ok(groups) => groups,
        Err(reason) => return Known::Unavailable(reason),
    };
    if groups.is_empty() {
        return Known::Unavailable("no control group that limits CPU time is mounted here".to_owned());
    }
    let limit = |Group { folder, version }: &Group| match version {
        Version::Two => files.text(&format!("{folder}/cpu.max")).ok().and_then(|text| cpu_max(&text)),
        Version::One => {
            let value = |name: &str| files.text(&format!("{folder}/{name}")).ok();
            value("cpu.cfs_quota_us").zip(value("cpu.cfs_period_us")).and_then(|(q, p)| ratio(&q, &p))
        }
    };
    Known::Value(groups.iter().filter_map(limit).min_by(f64::total_cmp))
}

/// The groups whose limits apply to this process: its own and their parents, as far up as it can see.
fn groups(files: &Files) -> Result<Vec<Group>, String> {
    let memberships = memberships(&files.text("/proc/self/cgroup")?);
    let hierarchies = hierarchies(&files.text("/proc/self/mountinfo")?);
    let of_hierarchy = |hierarchy: &Hierarchy| {
        let version = hierarchy.version;
        let group = memberships.iter().find(|group| group.version == version);
        let folders = group.map(|group| folders(hierarchy, &group.path)).unwrap_or_default();
        folders.into_iter().map(move |folder| Group { folder, version }).collect::<Vec<_>>()
    };
    Ok(hierarchies.iter().flat_map(of_hierarchy).collect())
}

/// A control group that may limit CPU time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    folder: String,
    version: Version,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// A line of /proc/self/cgroup that concerns CPU time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Membership {
    version: Version,
    path: String,
}

/// A mounted cgroup hierarchy that concerns CPU time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hierarchy {
    version: Version,
    /// The group at the root of the mount.
    root: String,
    point: String,
}

fn memberships(text: &str) -> Vec<Membership> {
    text.lines()
        .filter_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (number, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
            let version = match controllers {
                "" if number == "0" => Version::Two,
                _ if controllers.split(',').any(|name| name == "cpu") => Version::One,
                _ => return None,
            };
            Some(Membership { version, path: path.to_owned() })
        })
        .collect()
}

fn hierarchies(mountinfo: &str) -> Vec<Hierarchy> {
    mountinfo
        .lines()
        .filter_map(|line| {
            let (mount, filesystem) = line.split_once(" - ")?;
            let mut mount = mount.split(' ').skip(3);
            let (root, point) = (mount.next()?, mount.next()?);
            let mut filesystem = filesystem.split(' ');
            let kind = filesystem.next()?;
            let options = filesystem.nth(1).unwrap_or_default();
            let version = match kind {
                "cgroup2" => Version::Two,
                "cgroup" if options.split(',').any(|name| name == "cpu") => Version::One,
                _ => return None,
            };
            Some(Hierarchy { version, root: root.to_owned(), point: point.to_owned() })
        })
        .collect()
}

/// The folders of a group and its parents below the mount, innermost first.
fn folders(hierarchy: &Hierarchy, path: &str) -> Vec<String> {
    // For a group outside the mount's root, use that root: the nearest visible one.
    let below = match hierarchy.root.as_str() {
        "/" => path,
        root => path.strip_prefix(root).filter(|rest| rest.is_empty() || rest.starts_with('/')).unwrap_or_default(),
    };
    let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
    let parts = if parts.contains(&"..") { &[][..] } else { &parts[..] };
    (0..=parts.len())
        .rev()
        .map(|depth| {
            let mut folder = hierarchy.point.trim_end_matches('/').to_owned();
            for part in &parts[..depth] {
                folder.push('/');
                folder.push_str(part);
            }
            folder
        })
        .collect()
}

/// `max 100000`, `50000 100000`: microseconds of CPU time per period.
fn cpu_max(text: &str) -> Option<f64> {
    let mut fields = text.split_whitespace();
    ratio(fields.next()?, fields.next().unwrap_or("100000"))
}

fn ratio(quota: &str, period: &str) -> Option<f64> {
    // Version 1 writes "no limit" as -1, version 2 as `max`.
    let (quota, period): (f64, f64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    (quota > 0.0 && period > 0.0).then(|| quota / period).filter(|cpus| cpus.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const V2_MOUNT: &str = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    #[test]
    fn what_a_quota_took_is_counted_in_every_group_above() {
        let stopped = |files: Files| throttled_ms_of(&files, &groups(&files).unwrap());
        let version_2 = Files::Fake(vec![
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/proc/self/mountinfo", V2_MOUNT),
            ("/sys/fs/cgroup/a/b/cpu.stat", "usage_usec 9\nnr_periods 3\nnr_throttled 2\nthrottled_usec 2500\n"),
            ("/sys/fs/cgroup/a/cpu.stat", "usage_usec 9\nnr_throttled 1\nthrottled_usec 500\n"),
            ("/sys/fs/cgroup/cpu.stat", "usage_usec 9\n"),
        ]);
        assert_eq!(stopped(version_2), Some(3.0));
        let version_1 = Files::Fake(vec![
            ("/proc/self/cgroup", "4:cpu,cpuacct:/docker/ab\n0::/\n"),
            ("/proc/self/mountinfo", "40 30 0:30 /docker/ab /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n"),
            ("/sys/fs/cgroup/cpu/cpu.stat", "nr_periods 176\nnr_throttled 175\nthrottled_time 17500000000\n"),
        ]);
        assert_eq!(stopped(version_1), Some(17_500.0));
        let unlimited = Files::Fake(vec![
            ("/proc/self/cgroup", "0::/\n"),
            ("/proc/self/mountinfo", V2_MOUNT),
            ("/sys/fs/cgroup/cpu.stat", "usage_usec 9\n"),
        ]);
        assert_eq!(stopped(unlimited), None);
    }

    #[test]
    fn the_tightest_limit_on_the_way_up_counts() {
        let quota_cpus = identify(&Files::Fake(vec![
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/proc/self/mountinfo", V2_MOUNT),
            ("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
            ("/sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
        ]));
        assert_eq!(quota_cpus, Known::Value(Some(1.5)));
    }

    #[test]
    fn version_one_is_read_through_a_mount_of_a_subtree() {
        let quota_cpus = identify(&Files::Fake(vec![
            ("/proc/self/cgroup", "9:cpuset:/docker/ab\n4:cpu,cpuacct:/docker/ab\n0::/\n"),
            (
                "/proc/self/mountinfo",
                "40 30 0:30 /docker/ab /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n\
                 41 30 0:31 /docker/ab /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n",
            ),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ]));
        assert_eq!(quota_cpus, Known::Value(Some(0.5)));
    }

    #[test]
    fn no_limit_and_no_knowledge_differ() {
        let none = identify(&Files::Fake(vec![("/proc/self/cgroup", "0::/\n"), ("/proc/self/mountinfo", V2_MOUNT)]));
        assert_eq!(none, Known::Value(None));
        let unmounted = identify(&Files::Fake(vec![("/proc/self/cgroup", "0::/\n"), ("/proc/self/mountinfo", "")]));
        assert!(unmounted.reason().is_some());
        assert!(identify(&Files::Fake(vec![])).reason().unwrap().contains("/proc/self/cgroup"));
    }

    #[test]
    fn quotas_are_read() {
        assert_eq!(cpu_max("200000 100000"), Some(2.0));
        assert_eq!(cpu_max("max 100000"), None);
        assert_eq!(ratio("-1", "100000"), None);
        assert_eq!(ratio("1", "0"), None);
    }

    #[test]
    fn a_group_out_of_sight_leaves_the_top_of_the_mount() {
        let mount = Hierarchy { version: Version::Two, root: "/".into(), point: "/sys/fs/cgroup".into() };
        assert_eq!(folders(&mount, "/../other"), ["/sys/fs/cgroup"]);
        assert_eq!(folders(&mount, "/a"), ["/sys/fs/cgroup/a", "/sys/fs/cgroup"]);
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*", path in "[a-z/.]*", root in "[a-z/.]*") {
            let _ = (memberships(&text), hierarchies(&text), cpu_max(&text), ratio(&text, &path));
            let _ = folders(&Hierarchy { version: Version::Two, root, point: text }, &path);
        }
    }
}
