use super::files::Files;
use crate::record::Governor;

pub(super) fn identify(files: &Files, allowed: &[u32]) -> Governor {
    let mut governors: Vec<String> = Vec::new();
    for cpu in allowed {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
        if let Ok(name) = files.text(&path)
            && !name.is_empty()
            && !governors.contains(&name)
        {
            governors.push(name);
        }
    }
    let reason_unavailable = governors.is_empty().then(|| {
        let reason = match allowed {
            _ if cfg!(not(target_os = "linux")) => "only Linux has cpufreq",
            [] => "no CPU was named",
            _ => "no cpufreq (usual in a VM)",
        };
        reason.to_owned()
    });
    Governor { governors, reason_unavailable }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_governor_is_named_once_and_only_for_allowed_cpus() {
        let files = Files::Fake(vec![
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
            ("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n"),
            ("/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave\n"),
        ]);
        assert_eq!(identify(&files, &[0, 1]).governors, ["performance"]);
        assert_eq!(identify(&files, &[0, 1, 2]).governors, ["performance", "powersave"]);
        assert!(identify(&files, &[7]).reason_unavailable.unwrap().contains("cpufreq"));
    }
}
