module chronoscope/bench/runtimes

go 1.21
