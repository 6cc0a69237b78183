use super::files::Files;
use crate::record::Known;

pub(super) fn identify(files: &Files, allowed: &[u32]) -> Known<Vec<String>> {
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
    if !governors.is_empty() {
        return Known::Value(governors);
    }
    let reason = match allowed {
        _ if cfg!(not(target_os = "linux")) => "only Linux has cpufreq",
        [] => "no CPU was named",
        _ => "no cpufreq (usual in a VM)",
    };
    Known::Unavailable(reason.to_owned())
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
        assert_eq!(identify(&files, &[0, 1]).all(), ["performance"]);
        assert_eq!(identify(&files, &[0, 1, 2]).all(), ["performance", "powersave"]);
        assert!(identify(&files, &[7]).reason().unwrap().contains("cpufreq"));
    }
}
