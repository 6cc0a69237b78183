"""Python's clocks by pyperf: `python3 clocks.py -o FILE`, with pyperf's own options.

The clock is a local variable of the loop, as in the probe.
"""

import pyperf

runner = pyperf.Runner()
for clock in ("perf_counter_ns", "monotonic_ns", "time_ns"):
    runner.timeit(clock, stmt="f()", setup="from time import %s as f" % clock)
