//! A tokio load generator free of coordinated omission.
//!
//! Several tasks share one schedule and send each request when it is due, answered or not. The server stalls once. A
//! generator that waits for each answer would see one slow request; this one counts every request due during the stall,
//! as users would have experienced it.

use std::error::Error;
use std::time::Duration;

use chronoscope_clock::pacer::{Behind, Pace, PaceRecord, Slot, Timetable};
use chronoscope_clock::{Clock, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

const TASKS: u32 = 2;
const RATE: u64 = 2_000;
const LENGTH: Duration = Duration::from_secs(2);
const STALL: Duration = Duration::from_millis(100);
/// The server stalls before answering the request with this number.
const STALLED: u64 = 1_000;

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let record = runtime.block_on(generate())?;
    let at = |seen: &hdrhistogram::Histogram<u64>, quantile| Duration::from_nanos(seen.value_at_quantile(quantile));
    println!("{} requests at {RATE} per second, {:+.1} ppm", record.events(), record.rate().error_ppm().unwrap_or(0.0));
    for (what, seen) in [("response", record.response()), ("service", record.service()), ("late", record.lateness())] {
        println!("{what}: p50 {:?}, p99 {:?}, longest {:?}", at(seen, 0.5), at(seen, 0.99), at(seen, 1.0));
    }
    let half_ns = (STALL / 2).as_nanos() as u64;
    let waited = record.response().count_between(half_ns, u64::MAX);
    println!("{waited} requests waited for half of the stall or longer");
    // Due in the first half of the stall, on the affected connection.
    let due = RATE as f64 / f64::from(TASKS) * STALL.as_secs_f64() / 2.0;
    if (waited as f64) < due * 0.9 {
        return Err(format!("{due} requests were due: some were omitted").into());
    }
    Ok(())
}

async fn generate() -> Result<PaceRecord, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(serve(connection));
        }
    });

    let pace = Pace::per_second(RATE)?;
    let start = Instant::now() + Duration::from_millis(10);
    let mut tasks = Vec::new();
    for task in 0..TASKS {
        let connection = TcpStream::connect(address).await?;
        connection.set_nodelay(true)?;
        let schedule = pace.shard(task, TASKS).before(LENGTH);
        let timetable = Timetable::starting_at(start, schedule, Behind::CatchUp, Clock::or_system());
        tasks.push(tokio::spawn(keep(task, timetable, connection)));
    }
    let mut record = PaceRecord::new();
    for task in tasks {
        record.merge(&task.await??);
    }
    Ok(record)
}

/// Sends a request for each event, and reads answers in the meantime.
async fn keep<S>(task: u32, mut timetable: Timetable<S>, connection: TcpStream) -> std::io::Result<PaceRecord>
where
    S: Iterator<Item = Duration> + Clone + Send + 'static,
{
    let (mut answers, mut requests) = connection.into_split();
    let (sent, mut waiting) = mpsc::unbounded_channel::<Slot>();
    let answered = tokio::spawn(async move {
        let mut record = PaceRecord::new();
        let mut answer = [0_u8; 8];
        while let Some(slot) = waiting.recv().await {
            answers.read_exact(&mut answer).await?;
            record.add(&slot, slot.times(Instant::now()));
        }
        std::io::Result::Ok(record)
    });
    let sleep_until = |at: Instant| tokio::time::sleep_until(std::time::Instant::from(at).into());
    while let Some(slot) = timetable.next_slot(sleep_until).await {
        requests.write_all(&request_number(task, slot.number).to_le_bytes()).await?;
        if sent.send(slot).is_err() {
            break;
        }
    }
    drop(sent);
    answered.await?
}

/// The number of a task's event among those of all tasks: each shard counts only its own.
fn request_number(task: u32, event: u64) -> u64 {
    event * u64::from(TASKS) + u64::from(task)
}

/// Answers requests in order, and stalls once.
async fn serve(mut connection: TcpStream) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut request = [0_u8; 8];
    loop {
        connection.read_exact(&mut request).await?;
        if u64::from_le_bytes(request) == STALLED {
            tokio::time::sleep(STALL).await;
        }
        connection.write_all(&request).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two requests with the number that stalls would be two stalls.
    #[test]
    fn each_request_has_its_place_in_the_whole_schedule() {
        let pace = Pace::per_second(RATE).unwrap();
        let mut times = vec![None; 1_000];
        for task in 0..TASKS {
            for (event, at) in (0..).zip(pace.shard(task, TASKS)).take(times.len() / TASKS as usize) {
                let before = times[request_number(task, event) as usize].replace(at);
                assert_eq!(before, None);
            }
        }
        assert_eq!(times.into_iter().flatten().collect::<Vec<_>>(), pace.schedule().take(1_000).collect::<Vec<_>>());
    }
}
