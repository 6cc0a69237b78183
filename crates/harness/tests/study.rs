//! Studies run for real, in worker processes that are this very program: their records hold what they should, and what
//! fails takes nothing along. No time is judged by its length.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, mpsc};
use std::time::Duration;

use chronoscope_harness::record::Tool;
use chronoscope_harness::record::study::{Allocated, Cell, Difference, Handled, Mode, StudyRecord};
use chronoscope_harness::study_rules::{BELOW_RESOLUTION, CASE_FAILED, INTERRUPTED, MEASURED_ONCE, OWN_THREADS};
use chronoscope_harness::{Bencher, CountingAllocator, Group, Study, StudyObserver, StudyOptions};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

fn main() {
    // No harness of cargo's: worker processes must come back to where their study is run.
    let all: [(&str, fn()); 21] = [
        ("two operations are compared over backoff and threads", compares),
        ("what cannot be told from nothing has no number", nothing),
        ("parameters reach their cases", parameters),
        ("roles are told apart", roles),
        ("single operations are sampled", samples),
        ("a batch has as many operations as were asked for", batches),
        ("what an operation handles and allocates is counted", handled_and_allocated),
        ("a case may say how long its operations took", custom),
        ("futures run on any executor", futures),
        ("stamps around a part are set beside what was done", parts),
        ("a case that panics leaves the others their results", panics),
        ("a case that kills its process leaves the others their results", kills),
        ("a size that fails leaves the others their results", one_size_fails),
        ("what does not fit the time is measured once", measured_once),
        ("a slow case leaves the others their processes", slow_and_quick),
        ("no cell is left out for want of time", every_cell),
        ("threads that an operation starts may use every CPU", own_threads),
        ("threads released together call once each", releases),
        ("a case that never ends is ended", never_ends),
        ("nothing that a case started is left behind", leaves_nothing),
        ("a run that is stopped keeps what it has", stopped),
    ];
    // In a worker process all studies but its own refuse to run, and the test that has it never comes back from it.
    if std::env::var_os("CHRONOSCOPE_REQUEST").is_some() {
        std::panic::set_hook(Box::new(|_| {}));
        all.iter().for_each(|(_, test)| drop(std::panic::catch_unwind(test)));
        std::process::exit(1);
    }
    let filter = std::env::args().nth(1).filter(|argument| !argument.starts_with('-'));
    let wanted = |(name, _): &(&str, fn())| filter.as_ref().is_none_or(|part| name.contains(part.as_str()));
    let left = Mutex::new(all.into_iter().filter(wanted));
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let lane = || {
        while let Some((name, test)) = next() {
            test();
            println!("ok    {name}");
        }
    };
    // Most of a study is waiting for its processes; a busy machine may spoil none of what is asserted.
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(lane))));
}

fn two_seconds() -> StudyOptions {
    StudyOptions { budget: Some(Duration::from_secs(2)), processes: Some(3), seed: Some(1), ..StudyOptions::default() }
}

fn run(study: &Study) -> StudyRecord {
    let tool = Tool { name: "test".into(), version: "0".into() };
    study.run(&two_seconds(), tool, &mut ()).expect("the plan makes sense")
}

fn cell<'r>(record: &'r StudyRecord, case: &str) -> &'r Cell {
    record.study().cells.iter().find(|cell| cell.case == case).unwrap_or_else(|| panic!("no cell of {case}"))
}

fn links(count: u64) -> impl Fn(u64) -> u64 + Copy {
    move |seed| (0..count).fold(seed, |value, _| chronoscope_sources::work::opaque(value.wrapping_mul(3)))
}

fn assert_has_time(cell: &Cell) {
    let time = cell.time_ns.unwrap_or_else(|| panic!("no time: {:?} {:?}", cell.reason_no_time, cell.below_ns));
    assert!(time.low <= time.estimate && time.estimate <= time.high && time.estimate > 0.0, "{time:?}");
}

fn compares() {
    let study = Study::new("compares")
        .backoff([0, 8, 64])
        .threads([1, 2])
        .case("short", |b| b.iter_chained(1, links(1_000)))
        .case("long", |b| b.iter_chained(1, links(10_000)))
        .compare("long", "short");
    let record = run(&study);
    assert_eq!((record.study().cells.len(), record.study().failures.len()), (12, 0));
    assert_eq!(study.cells().len(), 12);
    record.study().cells.iter().for_each(assert_has_time);
    let (alone, cells) = (|cell: &&Cell| cell.threads == 1, &record.study().cells);
    assert!(cells.iter().filter(alone).all(|cell| cell.overlap_share.is_none()));
    assert!(cells.iter().filter(|cell| !alone(cell)).all(|cell| cell.overlap_share.is_some()));
    assert_eq!(record.study().comparisons.len(), 2);
    for point in record.study().comparisons.iter().flat_map(|comparison| &comparison.points) {
        // On a busy machine one pair may say anything; a verdict may not.
        assert!(point.verdict != Difference::Faster && point.pairs > 0, "{point:?}");
    }
    // A slow machine has no time for three processes.
    let enough = record.study().processes.len() >= 3;
    assert!(record.study().comparisons.iter().all(|comparison| comparison.model.is_some() == enough));
    let control = record.study().control.expect("a comparison has a control");
    assert_eq!((control.comparisons, control.alarms), (0, 0), "three processes are too few for a verdict");
    let interference_probe = record.study().interference_probe.expect("there were iterations");
    assert!(
        interference_probe.iterations >= interference_probe.iterations_quiet && interference_probe.quiet_turn_ns > 0.0
    );
    // Where every process was disturbed, none has a line that rises.
    match &record.study().tokens {
        Some(tokens) => assert!(tokens.ns_per_token.estimate > 0.0, "{tokens:?}"),
        None => assert!(!enough || interference_probe.is_noisy(), "backoff is calibrated"),
    }
}

fn nothing() {
    let record = run(&Study::new("nothing").case("empty", |b| b.iter(|| ())));
    let cell = cell(&record, "empty");
    assert!(cell.time_ns.is_none() && cell.below_ns.is_some_and(|ns| ns > 0.0), "{:?}", cell.time_ns);
    assert!(record.findings.iter().any(|finding| finding.is(BELOW_RESOLUTION)));
    assert!(record.study().tokens.is_none(), "no backoff, no tokens");
}

fn parameters() {
    let study = Study::new("parameters").parameter("links", [1_000, 2_000]).case("chain", |b| {
        let count = b.parameter("links");
        b.iter_chained(1, links(count));
    });
    let record = run(&study);
    let values: Vec<&str> = record.study().cells.iter().map(|cell| cell.parameters["links"].as_str()).collect();
    assert_eq!(values, ["1000", "2000"]);
    record.study().cells.iter().for_each(assert_has_time);
}

fn roles() {
    let group = Group::new(|_| AtomicU64::new(0)).role("reader", 1, |b, word| b.iter(|| word.load(Relaxed))).role(
        "writer",
        2,
        |b, word| b.iter(|| word.fetch_add(1, SeqCst)),
    );
    let record = run(&Study::new("roles").threads([7]).group("word", group));
    let roles: Vec<_> = record.study().cells.iter().map(|cell| (cell.role.as_deref(), cell.threads)).collect();
    assert_eq!(roles, [(Some("reader"), 3), (Some("writer"), 3)]);
    let told =
        || record.study().cells.iter().map(|cell| (cell.iterations, cell.reason_no_time.clone())).collect::<Vec<_>>();
    assert!(
        record.study().cells.iter().all(|cell| cell.throughput_per_s.is_some()),
        "{:?} {:?} {:?}",
        told(),
        record.study().failures,
        record.study().processes
    );
}

fn samples() {
    let record = run(&Study::new("samples").mode(Mode::SampleTime).case("chain", |b| b.iter_chained(1, links(300))));
    let seen = cell(&record, "chain").latencies.clone().expect("operations were sampled");
    assert!(seen.samples > 0 && seen.ns.p50 <= seen.ns.p99 && seen.ns.p99 <= seen.ns.max);
    assert_eq!(seen.ns.histogram.count(), seen.samples);
    assert!(seen.clock_share_pct < 20.0, "it backs off by itself: {}", seen.clock_share_pct);
}

fn batches() {
    let study = |mode: Mode| {
        let study = Study::new(format!("{mode:?}")).mode(mode).iterations(0, 2).rounds(3);
        study.case_shared("counted", |_| AtomicU64::new(0), |b, calls| b.iter(|| calls.fetch_add(1, Relaxed)))
    };
    let all = [(Mode::Batch(37), 37, 2), (Mode::SingleShot, 1, 1)];
    all.iter().for_each(|(mode, ..)| study(*mode).serve_if_worker());
    for (mode, operations, batches) in all {
        let record = run(&study(mode));
        let cell = cell(&record, "counted");
        assert_eq!(cell.operations_per_batch, operations);
        let iterations: Vec<_> = cell.processes.iter().flat_map(|process| &process.iterations).collect();
        assert_eq!(iterations.len(), 3 * record.study().processes.len());
        assert!(iterations.iter().all(|iteration| iteration.batches_ns.len() == batches));
    }
}

fn handled_and_allocated() {
    let study = Study::new("handled and allocated")
        .case("one vector", |b| b.bytes(100).iter(|| vec![1_u8; 100]))
        .case("inputs", |b| b.items(3).iter_batched(|| vec![1_u8; 10], |input| input.len()))
        .case("none", |b| b.iter_chained(1, links(50)));
    let record = run(&study);
    let of = |case: &str| (cell(&record, case).handles, cell(&record, case).allocates);
    let allocated = |blocks: f64, bytes: f64| Some(Allocated { blocks, bytes });
    assert_eq!(of("one vector"), (Some(Handled::Bytes(100)), allocated(1.0, 100.0)));
    let of_inputs = (Some(Handled::Items(3)), allocated(0.0, 0.0));
    assert_eq!(of("inputs"), of_inputs, "what is made between batches is not the operation's");
    assert_eq!(of("none"), (None, allocated(0.0, 0.0)), "counted, and none");
}

fn custom() {
    // Each takes as long as it says.
    let says = |operations: u64| Duration::from_nanos(1_000 * operations);
    let record = run(&Study::new("custom").case("a microsecond", move |b| b.iter_custom(says)));
    let found = cell(&record, "a microsecond").time_ns.expect("it has a time");
    assert!((found.estimate - 1_000.0).abs() < 1e-6, "{found:?}");
}

fn futures() {
    /// Polls until it is done.
    fn block_on(future: std::pin::Pin<&mut dyn Future<Output = ()>>) {
        let mut future = future;
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        while future.as_mut().poll(&mut context).is_pending() {}
    }
    /// Ready with the end of a chain when it is polled for the second time.
    struct Second(bool);
    impl Future for Second {
        type Output = u64;
        fn poll(mut self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<u64> {
            if std::mem::replace(&mut self.0, true) {
                std::task::Poll::Ready(links(1_000)(1))
            } else {
                std::task::Poll::Pending
            }
        }
    }
    let study = Study::new("futures").threads([1, 2]).case("second", |b| b.iter_async(block_on, || Second(false)));
    let record = run(&study);
    record.study().cells.iter().for_each(assert_has_time);
    assert!(record.study().failures.is_empty() && record.study().cells.len() == 2);
}

fn parts() {
    let study = Study::new("parts").case("part", |b| {
        let whole = links(2_000);
        b.iter_with_unmeasured_setup_beware_of_omission(move || whole(1), |seed| links(20)(seed));
    });
    let part = cell(&run(&study), "part").part.expect("the case stamps a part");
    assert!(part.timed_share < 0.5 && part.inflation.estimate > 1.0, "{part:?}");
}

fn panics() {
    let study = Study::new("panics")
        .case("sound", |b| b.iter(|| 1))
        .case("broken", |b| b.iter(|| assert!(b"".len() > 1, "broken on purpose")))
        .case("idle", |_| {});
    let record = run(&study);
    let reasons: Vec<(&str, &str)> =
        record.study().failures.iter().map(|f| (f.case.as_str(), f.reason.as_str())).collect();
    assert!(reasons.contains(&("broken", "it panicked: broken on purpose")), "{reasons:?}");
    assert!(reasons.iter().any(|(case, reason)| *case == "idle" && reason.contains("b.iter")), "{reasons:?}");
    let sound = cell(&record, "sound");
    assert_eq!(sound.processes.len(), record.study().processes.len());
    assert!(sound.iterations > 0 && record.findings.iter().any(|finding| finding.is(CASE_FAILED)));
}

fn kills() {
    let study = Study::new("kills")
        .case("sound", |b| b.iter_chained(1, links(100)))
        .case("fatal", |_| std::process::abort())
        .case("quitter", |_| std::process::exit(3));
    let record = run(&study);
    let reason = |case: &str| {
        let failure = record.study().failures.iter().find(|failure| failure.case == case);
        failure.map(|failure| failure.reason.clone()).unwrap_or_default()
    };
    assert!(reason("fatal").contains("SIGABRT"), "{:?}", record.study().failures);
    assert!(reason("quitter").contains("code 3"), "{:?}", record.study().failures);
    assert_has_time(cell(&record, "sound"));
    assert!(!record.study().processes.is_empty());
}

fn one_size_fails() {
    let study = Study::new("one size fails").parameter("size", [1_000, 2_000, 3_000]).case("chain", |b| {
        let size: u64 = b.parameter("size");
        assert!(size != 2_000, "no room for so many");
        b.iter_chained(1, links(size));
    });
    let record = run(&study);
    let failures: Vec<(&str, &str)> =
        record.study().failures.iter().map(|f| (f.at.as_str(), f.reason.as_str())).collect();
    assert_eq!(failures, [("size 2000", "it panicked: no room for so many")]);
    let has_time =
        |size: &str| record.study().cells.iter().any(|cell| cell.parameters["size"] == size && cell.time_ns.is_some());
    assert!(has_time("1000") && has_time("3000") && !has_time("2000"));
}

fn hurried(processes: u32) -> StudyOptions {
    StudyOptions { budget: Some(Duration::from_millis(10)), processes: Some(processes), ..two_seconds() }
}

fn measured_once() {
    let tool = Tool { name: "test".into(), version: "0".into() };
    let study = Study::new("measured once")
        .case("slow", |b| b.iter(|| std::thread::sleep(Duration::from_millis(200))))
        .case("quick", |b| b.iter_chained(1, links(100)));
    let record = study.run(&hurried(24), tool, &mut ()).expect("the plan makes sense");
    assert_eq!(record.study().processes.len(), 1, "no other process starts after the time is over");
    let slow = cell(&record, "slow");
    assert!(slow.time_ns.is_some_and(|time| time.estimate >= 200e6 && !time.has_confidence()), "{:?}", slow.time_ns);
    assert!(cell(&record, "quick").time_ns.is_some());
    assert!(record.findings.iter().any(|finding| finding.is(MEASURED_ONCE)));
}

fn slow_and_quick() {
    let tool = Tool { name: "test".into(), version: "0".into() };
    let study = Study::new("slow and quick")
        .case("slow", |b| b.iter(|| std::thread::sleep(Duration::from_millis(200))))
        .case("quick", |b| b.iter_chained(1, links(100)));
    let options = StudyOptions { budget: Some(Duration::from_secs(2)), processes: Some(12), ..two_seconds() };
    let record = study.run(&options, tool, &mut ()).expect("the plan makes sense");
    let processes =
        |case: &str| cell(&record, case).processes.iter().filter(|process| !process.iterations.is_empty()).count();
    // On a machine that starts few processes in the time, those that it starts.
    let began = record.study().processes.len();
    assert!(processes("quick") + 1 >= began, "{} of {began}", processes("quick"));
    assert_eq!(processes("slow"), 1, "of {began}");
    let once = record.findings.iter().find(|finding| finding.is(MEASURED_ONCE)).expect("it is said");
    let said = &once.evidence.summary;
    assert!(said.contains(": slow"), "{said}");
    assert!(!said.contains("quick") || began < 3, "{said}");
    let advice = &once.advice[0];
    let seconds = advice.split("--duration ").nth(1).and_then(|rest| rest.split('s').next()?.parse::<u32>().ok());
    // Twelve processes, each with a trial of 200 ms and an iteration of twice that.
    assert!(seconds.is_some_and(|seconds| seconds >= 7), "{advice}");
}

fn every_cell() {
    let tool = Tool { name: "test".into(), version: "0".into() };
    let study = Study::new("every cell").backoff(0..=40).case("chain", |b| b.iter_chained(1, links(100)));
    let record = study.run(&hurried(5), tool, &mut ()).expect("the plan makes sense");
    assert_eq!(record.study().cells.len(), 41);
    assert!(record.study().cells.iter().all(|cell| cell.iterations > 0));
}

/// A job for the pool: where to start, and where to say that it is done.
type Job = (u64, mpsc::SyncSender<u64>);

/// A pool that is made by whoever uses it first, with as many threads as it finds CPUs.
static POOL: LazyLock<(usize, mpsc::SyncSender<Job>)> = LazyLock::new(|| {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let (jobs, to_do) = mpsc::sync_channel::<Job>(0);
    let to_do = Arc::new(Mutex::new(to_do));
    for _ in 0..threads {
        let to_do = to_do.clone();
        std::thread::spawn(move || {
            while let Ok((seed, done)) = { to_do.lock().expect("nobody panics").recv() } {
                let _ = done.send(links(20_000)(seed));
            }
        });
    }
    (threads, jobs)
});

/// Has the pool do something, and waits for it.
fn pooled() -> Option<u64> {
    let (done, result) = mpsc::sync_channel(1);
    POOL.1.send((1, done)).ok()?;
    result.recv().ok()
}

fn own_threads() {
    let cpus = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let study = Study::new("own threads")
        .case("pooled", move |b| {
            b.iter(pooled);
            assert_eq!(POOL.0, cpus, "threads in the pool");
        })
        .case("alone", |b| b.iter_chained(1, links(100)));
    let record = run(&study);
    assert!(record.study().failures.is_empty(), "{:?}", record.study().failures);
    let own = |case: &str| cell(&record, case).own_threads;
    assert!(own("pooled") && !own("alone"), "pooled {}, alone {}", own("pooled"), own("alone"));
    assert!(record.findings.iter().any(|finding| finding.is(OWN_THREADS)));
}

fn releases() {
    let seven = |b: &mut Bencher<'_>, is_woken: bool| {
        let (threads, calls) = (Mutex::new(HashMap::new()), AtomicU64::new(0));
        let call = || {
            *threads.lock().unwrap().entry(std::thread::current().id()).or_insert(0) += 1;
            calls.fetch_add(1, Relaxed)
        };
        if is_woken {
            b.iter_released(7, call)
        } else {
            b.iter_released_running(7, call)
        }
        let (threads, calls) = (threads.into_inner().unwrap(), calls.into_inner());
        assert!(threads.len() == 7 && threads.values().all(|count| count * 7 == calls), "{threads:?} {calls}");
    };
    let study = Study::new("releases")
        .case("alone", |b| b.iter_chained(1, links(100)))
        .case("seven", move |b| seven(b, true))
        .case("seven that run", move |b| seven(b, false))
        .case("none", |b| b.iter_released(0, || ()))
        .case("none that run", |b| b.iter_released_running(0, || ()))
        .case("broken", |b| b.iter_released(3, || panic!("a thread's own fault")))
        .case("broken while they run", |b| b.iter_released_running(3, || panic!("a thread's own fault")));
    let record = run(&study);
    assert_has_time(cell(&record, "seven"));
    assert_has_time(cell(&record, "seven that run"));
    assert!(!cell(&record, "alone").own_threads, "threads that end late are not those of the operation that follows");
    let failed: Vec<&str> = record.study().failures.iter().map(|failure| failure.case.as_str()).collect();
    assert_eq!(failed, ["broken", "broken while they run"], "{:?}", record.study().failures);
}

fn never_ends() {
    let study = Study::new("never ends").case("sound", |b| b.iter_chained(1, links(100))).case("endless", |_| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    let record = run(&study);
    assert!(
        record.study().failures[0].case == "endless" && record.study().failures[0].reason.contains("timed out after")
    );
    assert_has_time(cell(&record, "sound"));
}

#[expect(clippy::zombie_processes, reason = "whether somebody else ends it is what is looked at")]
fn leaves_nothing() {
    let file = |process: u32| PathBuf::from(format!("{}/left-behind-{process}", env!("CARGO_TARGET_TMPDIR")));
    let study = Study::new("leaves nothing").case("parent", move |b| {
        let child = std::process::Command::new("sleep").arg("1000").spawn().expect("there is a sleep");
        std::fs::write(file(0), child.id().to_string()).expect("the target folder is writable");
        b.iter(|| 1);
    });
    let record = run(&study);
    assert!(record.study().failures.is_empty(), "{:?}", record.study().failures);
    let child = std::fs::read_to_string(file(0)).expect("the case ran");
    // Gone, or a zombie that whoever adopted it has not looked at yet. On a busy machine one that was killed takes a moment to die.
    let status = || std::fs::read_to_string(format!("/proc/{child}/status")).unwrap_or_default();
    let is_gone = || status().is_empty() || status().contains("State:\tZ");
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while !is_gone() && std::time::Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(is_gone(), "{}", status());
}

fn stopped() {
    struct Impatient(std::cell::Cell<u32>);
    impl StudyObserver for Impatient {
        fn goes_on(&mut self, _share: f64, _what: &str) {
            self.0.set(self.0.get() + 1);
        }
        fn cancelled(&self) -> bool {
            self.0.get() > 12
        }
    }
    let study = Study::new("stopped").backoff([0, 1, 2, 4]).case("chain", |b| b.iter_chained(1, links(100)));
    let options = StudyOptions { budget: Some(Duration::from_secs(600)), ..two_seconds() };
    let tool = Tool { name: "test".into(), version: "0".into() };
    let record = study.run(&options, tool, &mut Impatient(0.into())).expect("the plan makes sense");
    assert!(record.interrupted && record.findings.iter().any(|finding| finding.is(INTERRUPTED)));
    assert!(record.study().processes.len() == 1 && record.study().processes[0].reason_incomplete.is_some());
}
