//! Runs beside the gauge: every minute a reading goes to the spool, and the spool to the collector.

mod frame;
mod sensor;
mod spool;

use std::env;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use frame::{Flags, Reading, EPOCH_OFFSET};
use sensor::{Pinger, Sensor};
use spool::Spool;

const INTERVAL: Duration = Duration::from_secs(60);
const FIRST_RETRY: Duration = Duration::from_secs(5);
const LONGEST_RETRY: Duration = Duration::from_secs(900);
const ACKNOWLEDGE: u8 = 0x06;
/// A clock that shows a year before 2020 was never set after the battery died.
const EARLIEST_PLAUSIBLE: u64 = 1_577_836_800;

/// The serial ultrasonic head. Left out of the sample: it only wraps a device file.
struct SerialHead;

impl Pinger for SerialHead {
    fn ping(&mut self) -> Option<u32> {
        thread::sleep(Duration::from_millis(500));
        None
    }
    fn air_temperature(&mut self) -> Option<f64> {
        None
    }
}

fn take_reading<P: Pinger>(sensor: &mut Sensor<P>, sequence: u32) -> Reading {
    let unix = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    Reading {
        sequence,
        seconds: unix.saturating_sub(EPOCH_OFFSET) as u32,
        distance_mm: sensor.measure(),
        flags: Flags {
            mains_lost: Path::new("/run/ups/on-battery").exists(),
            clock_not_set: unix < EARLIEST_PLAUSIBLE,
            replayed: false,
        },
    }
}

/// Send until the spool is empty. Each frame waits for its acknowledgement: the line is slow, and
/// a frame lost in a full buffer would be a hole in the record.
fn drain(spool: &mut Spool, address: &str) -> io::Result<u32> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    stream.set_nodelay(true)?;
    let mut sent = 0;
    while let Some(mut frame) = spool.peek()? {
        if spool.waiting() > 1 {
            frame::mark_replayed(&mut frame);
        }
        stream.write_all(&frame)?;
        let mut answer = [0_u8; 1];
        stream.read_exact(&mut answer)?;
        if answer[0] != ACKNOWLEDGE {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the collector does not know this station",
            ));
        }
        spool.confirm()?;
        sent += 1;
    }
    Ok(sent)
}

fn next_retry(current: Duration) -> Duration {
    (current * 3).min(LONGEST_RETRY)
}

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let (Some(station), Some(address)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: tidewatch-agent STATION HOST:PORT [SPOOL]");
        std::process::exit(2);
    };
    let code: [u8; 4] = station.as_bytes().try_into().unwrap_or_else(|_| {
        eprintln!("the station code must have four characters");
        std::process::exit(2);
    });
    let path = arguments.next().unwrap_or_else(|| "/var/lib/tidewatch/spool".into());
    let mut spool = Spool::open(Path::new(&path))?;
    let mut sensor = Sensor::new(SerialHead);
    let mut sequence = spool.next_sequence();
    let mut retry = FIRST_RETRY;
    let mut blocked_until = Instant::now();
    loop {
        let began = Instant::now();
        let reading = take_reading(&mut sensor, sequence);
        spool.push(&frame::encode(code, &reading))?;
        sequence = sequence.wrapping_add(1);
        if began >= blocked_until {
            match drain(&mut spool, &address) {
                Ok(_) => retry = FIRST_RETRY,
                Err(error) => {
                    eprintln!("{} frames wait: {error}", spool.waiting());
                    blocked_until = Instant::now() + retry;
                    retry = next_retry(retry);
                }
            }
        }
        thread::sleep(INTERVAL.saturating_sub(began.elapsed()));
    }
}
