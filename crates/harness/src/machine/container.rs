use super::files::Files;

/// The container that the process runs in, as far as it can be detected.
pub(super) fn find(files: &Files) -> Option<String> {
    // systemd and podman set the variable; systemd also sets it for services started inside the container.
    let variable = std::env::var("container").ok();
    let told = variable.or_else(|| files.text("/run/systemd/container").ok());
    if let Some(name) = told.as_deref().and_then(plain) {
        return Some(name);
    }
    if files.exists("/run/.containerenv") {
        return Some("podman".to_owned());
    }
    let groups = ["/proc/1/cgroup", "/proc/self/cgroup"].map(|path| files.text(path).unwrap_or_default());
    groups
        .iter()
        .find_map(|text| from_cgroup(text))
        .or_else(|| files.exists("/.dockerenv").then_some("docker"))
        .map(str::to_owned)
}

/// The first word of a name from an external source, if it looks like one.
fn plain(text: &str) -> Option<String> {
    let word = text.split_whitespace().next()?;
    let fit = word.len() <= 64 && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
    fit.then(|| word.to_owned())
}

/// Infers the container from the paths of control groups. Kubernetes comes first: it runs the others.
fn from_cgroup(text: &str) -> Option<&'static str> {
    const HINTS: [(&str, &str); 8] = [
        ("kubepods", "kubernetes"),
        ("docker", "docker"),
        ("libpod", "podman"),
        ("cri-containerd", "containerd"),
        ("containerd", "containerd"),
        ("crio", "cri-o"),
        ("lxc", "lxc"),
        ("machine.slice", "systemd-nspawn or libvirt"),
    ];
    // A system service with that name is not a container.
    let components = || {
        text.lines()
            .filter_map(|line| line.splitn(3, ':').nth(2))
            .flat_map(|path| path.split('/'))
            .filter(|component| !component.ends_with(".service"))
    };
    HINTS.into_iter().find(|(hint, _)| components().any(|part| part.starts_with(hint))).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn control_groups_give_containers_away() {
        assert_eq!(from_cgroup("4:memory:/docker/3568c1\n0::/"), Some("docker"));
        assert_eq!(from_cgroup("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-1.scope"), Some("kubernetes"));
        assert_eq!(from_cgroup("0::/system.slice/docker-ab12.scope"), Some("docker"));
        assert_eq!(from_cgroup("0::/system.slice/docker.service"), None);
        assert_eq!(from_cgroup("0::/user.slice/user-1000.slice"), None);
    }

    #[test]
    fn a_name_that_is_none_is_not_repeated() {
        assert_eq!(plain("podman\n").as_deref(), Some("podman"));
        assert_eq!(plain("<script>"), None);
        assert_eq!(plain(""), None);
    }

    proptest! {
        #[test]
        fn never_panics(text in ".*") {
            let _ = (plain(&text), from_cgroup(&text));
        }
    }
}
