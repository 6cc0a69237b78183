"""What a record from Windows must say, whatever the machine: `windows_record.py FILE`. Prints each fault; exit code 1 if any."""

import json
import sys

document = json.load(open(sys.argv[1], encoding="utf-8"))
content = document["content"]
clocks = {clock["name"]: clock for clock in content["sections"]["clocks"]["report"]["clocks"]}
clocksource = document["machine"]["clocksource"]
faults = []


def expect(holds, words):
    if not holds:
        faults.append(words)


expect(document["machine"]["kernel"]["name"] == "Windows", "the kernel is not named Windows")
expect("declares 10000000 Hz" in (clocksource["reason_unavailable"] or ""), f"no declared 10 MHz: {clocksource}")
for name in ["rdtsc", "QueryPerformanceCounter", "GetTickCount64", "GetSystemTimePreciseAsFileTime", "GetSystemTimeAsFileTime"]:
    expect(clocks.get(name, {}).get("available"), f"{name} is not available")
counter = clocks.get("QueryPerformanceCounter", {})
for key in ["resolution_ns_declared", "granularity_ns"]:
    expect(counter.get(key) == 100.0, f"QueryPerformanceCounter: {key} is {counter.get(key)}, not 100")
expect(counter.get("latency_ns"), "QueryPerformanceCounter: no latency")
for clock in clocks.values():
    expect(clock["available"] or clock["reason_unavailable"], f"{clock['name']} is unavailable without a reason")
for part in content["parts"]:
    expect(part["outcome"] == "done" or part["reason"], f"{part['part']}: {part['outcome']} without a reason")
    expect(part["outcome"] != "failed", f"{part['part']} failed: {part['reason']}")
print("\n".join(faults) if faults else f"{len(clocks)} clocks, as they must be on Windows")
sys.exit(bool(faults))
