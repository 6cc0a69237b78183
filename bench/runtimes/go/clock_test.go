// Package clocks measures Go's clocks by the benchmarks of package testing.
package clocks

import (
	"testing"
	"time"
)

// What is stored here cannot be left out.
var (
	sinkTime     time.Time
	sinkDuration time.Duration
	sinkNs       int64
)

// BenchmarkNothing is the loop itself.
func BenchmarkNothing(b *testing.B) {
	for i := 0; i < b.N; i++ {
	}
}

// BenchmarkNow keeps the reading as it is.
func BenchmarkNow(b *testing.B) {
	var now time.Time
	for i := 0; i < b.N; i++ {
		now = time.Now()
	}
	sinkTime = now
}

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
