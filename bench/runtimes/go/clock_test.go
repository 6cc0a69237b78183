// Package clocks measures Go's clocks by the benchmarks of package testing.
package clocks

import (
	"testing"
	"time"
)

// What is stored here cannot be left out.
var (
	sinkDuration time.Duration
	sinkNs       int64
)

// BenchmarkNowUnixNano converts each reading, as the probe does.
func BenchmarkNowUnixNano(b *testing.B) {
	var sum int64
	for i := 0; i < b.N; i++ {
		sum += time.Now().UnixNano()
	}
	sinkNs = sum
}

// BenchmarkSince reads the time since one start, as the probe does.
func BenchmarkSince(b *testing.B) {
	start := time.Now()
	var sum time.Duration
	for i := 0; i < b.N; i++ {
		sum += time.Since(start)
	}
	sinkDuration = sum
}
