use std::io::Write;
use std::time::Duration;

use chronoscope_sources::hiccups::{HiccupInterval, HiccupRecorder};

use super::account::Account;
use super::estimate::figures;
use super::log::HiccupLog;
use super::report::{CpuUnavailable, HiccupWay, Hiccups, HiccupsReport};
use super::rotation::Rotation;
use super::tally::Tally;
use super::timeline::Timeline;
use super::watcher;

/// The length of an interval of the log.
const INTERVAL: Duration = Duration::from_secs(1);

/// A CPU, and what was seen there.
struct Place {
    /// None for wherever a thread happens to run.
    cpu: Option<u32>,
    /// The thread that watches there, and how.
    watcher: Option<(HiccupWay, HiccupRecorder)>,
    slept: Tally,
    spun: Tally,
    account: Account,
}

impl Place {
    fn tally(&mut self, way: HiccupWay) -> &mut Tally {
        match way {
            HiccupWay::Spin => &mut self.spun,
            HiccupWay::Sleep => &mut self.slept,
        }
    }
}

/// Threads that watch, and what they have seen so far.
pub struct Observation<'a, W: Write> {
    places: Vec<Place>,
    rotation: Option<Rotation>,
    /// The turn of the thread that spins.
    turn: Option<u64>,
    /// The time of the next interval.
    due: Duration,
    log: Option<HiccupLog<'a, W>>,
    unavailable: Vec<CpuUnavailable>,
    reason_unpinned: Option<String>,
    timeline: Timeline,
}

impl<'a, W: Write> Observation<'a, W> {
    /// Starts a thread that sleeps on each of `cpus`, for `whole` if that is known; if none of them can be had, one that is not pinned.
    ///
    /// # Errors
    /// Why no thread could be started.
    pub fn start(cpus: &[u32], whole: Option<Duration>, log: Option<HiccupLog<'a, W>>) -> Result<Self, String> {
        let mut unavailable = Vec::new();
        let mut places = Vec::new();
        let start = |cpu| -> Result<Place, String> {
            let watcher = Some((HiccupWay::Sleep, watcher::start(HiccupWay::Sleep, cpu)?));
            Ok(Place { cpu, watcher, slept: Tally::default(), spun: Tally::default(), account: Account::default() })
        };
        for cpu in cpus {
            match start(Some(*cpu)) {
                Ok(place) => places.push(place),
                Err(reason) => unavailable.push(CpuUnavailable { cpu: *cpu, reason }),
            }
        }
        let mut reason_unpinned = None;
        if places.is_empty() {
            reason_unpinned = Some(unavailable.first().map_or("no CPU was planned", |found| &found.reason).to_owned());
            unavailable.clear();
            places.push(start(None)?);
        }
        let timeline = Timeline::new(places.len(), whole);
        Ok(Self { places, rotation: None, turn: None, due: INTERVAL, log, unavailable, reason_unpinned, timeline })
    }

    /// Has a thread spin too, on one CPU after the other, for `whole` if that is known.
    pub fn spin(&mut self, whole: Option<Duration>) {
        self.rotation = Some(Rotation::new(self.places.len(), whole));
    }

    /// The CPUs that threads are pinned to.
    pub fn cpus(&self) -> Vec<u32> {
        self.places.iter().filter_map(|place| place.cpu).collect()
    }

    /// When to look after it again, after `elapsed`.
    pub fn next(&self, elapsed: Duration) -> Duration {
        let due = self.due.min(self.timeline.due());
        self.rotation.map_or(due, |rotation| rotation.end_of_turn(elapsed).min(due))
    }

    /// Moves the thread that spins, and takes what was seen in each second and in each interval of the timeline.
    pub fn tend(&mut self, elapsed: Duration) {
        if elapsed >= self.timeline.due() {
            self.look(elapsed);
        }
        if elapsed >= self.due {
            while self.due <= elapsed {
                self.due += INTERVAL;
            }
            for place in 0..self.places.len() {
                let seen = self.places[place].watcher.as_ref().map(|(way, recorder)| (*way, recorder.take()));
                self.add(place, seen);
            }
        }
        // After it: a thread that has just begun has nothing to tell.
        self.rotate(elapsed);
    }

    /// Forgets what was seen so far.
    pub fn forget(&mut self) {
        for Place { watcher, account, .. } in &mut self.places {
            let Some((_, recorder)) = watcher else { continue };
            drop(recorder.take());
            account.begin(recorder);
        }
    }

    /// Asks the threads how late they were, and the kernel why.
    fn look(&mut self, elapsed: Duration) {
        for Place { watcher, account, .. } in &mut self.places {
            if let Some((way, recorder)) = watcher {
                account.gather(*way, recorder);
            }
        }
        self.timeline.look(elapsed, self.places.iter_mut().map(|place| (place.cpu, &mut place.account)));
    }

    /// Moves the thread that spins, if its turn is over. Where it spins nothing sleeps meanwhile.
    fn rotate(&mut self, elapsed: Duration) {
        let Some(rotation) = self.rotation else { return };
        let turn = rotation.turn_at(elapsed);
        if self.turn.replace(turn) == Some(turn) {
            return;
        }
        let spun = rotation.place_of(turn);
        // First to rest, then to work: at most one CPU is busy.
        for place in (0..self.places.len()).filter(|place| Some(*place) != spun) {
            self.become_way(place, HiccupWay::Sleep);
        }
        if let Some(place) = spun {
            self.become_way(place, HiccupWay::Spin);
        }
    }

    /// Has a thread watch this way on a CPU, in place of another.
    fn become_way(&mut self, place: usize, way: HiccupWay) {
        let watcher = &mut self.places[place].watcher;
        if watcher.as_ref().is_some_and(|(of, _)| *of == way) {
            return;
        }
        let stopped = watcher.take();
        self.stop(place, stopped);
        let cpu = self.places[place].cpu;
        match watcher::start(way, cpu) {
            Ok(recorder) => {
                self.places[place].account.follow(&recorder);
                self.places[place].watcher = Some((way, recorder));
            }
            Err(reason) => self.miss(cpu, reason),
        }
    }

    /// Ends a thread that watches on a CPU, and keeps what it has seen.
    fn stop(&mut self, place: usize, watcher: Option<(HiccupWay, HiccupRecorder)>) {
        let Some((way, recorder)) = watcher else { return };
        self.places[place].account.gather(way, &recorder);
        match watcher::stop(recorder) {
            Ok((seen, late)) => {
                self.places[place].account.end(way, late);
                self.add(place, Some((way, seen)));
            }
            Err(reason) => self.miss(self.places[place].cpu, reason),
        }
    }

    /// Notes why nothing watches a CPU for a while; the first reason is told.
    fn miss(&mut self, cpu: Option<u32>, reason: String) {
        let Some(cpu) = cpu.filter(|cpu| self.unavailable.iter().all(|known| known.cpu != *cpu)) else { return };
        self.unavailable.push(CpuUnavailable { cpu, reason });
    }

    fn add(&mut self, place: usize, seen: Option<(HiccupWay, HiccupInterval)>) {
        let Some((way, seen)) = seen.filter(|(_, seen)| !seen.histogram().is_empty()) else { return };
        let place = &mut self.places[place];
        place.tally(way).add(&seen);
        if let Some(log) = &mut self.log {
            log.add(place.cpu, way, &seen);
        }
    }

    /// Ends all threads; what they have seen, in `elapsed`, and the log.
    pub fn finish(mut self, elapsed: Duration) -> (HiccupsReport, Option<HiccupLog<'a, W>>) {
        for place in 0..self.places.len() {
            let watcher = self.places[place].watcher.take();
            self.stop(place, watcher);
        }
        self.look(elapsed);
        let mut report = HiccupsReport { observed_ms: elapsed.as_secs_f64() * 1e3, ..HiccupsReport::default() };
        let mut of_ways = HiccupWay::ALL.map(|_| Tally::default());
        for (way, all) in HiccupWay::ALL.into_iter().zip(&mut of_ways) {
            for place in &mut self.places {
                let cpu = place.cpu;
                let tally = place.tally(way);
                all.merge(tally);
                report.cpus.extend(figures(tally).map(|figures| Hiccups { cpu, way, figures }));
            }
            report.all.extend(figures(all).map(|figures| Hiccups { cpu: None, way, figures }));
        }
        // One stall has one length in a report.
        report.over_time = self.timeline.finish(|way, late_ns| of_ways[way as usize].as_counted(late_ns));
        (report.unavailable, report.reason_unpinned) = (self.unavailable, self.reason_unpinned);
        (report, self.log)
    }
}
