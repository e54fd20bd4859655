//! The wire format, the sending side. The receiving side is `collector/frames.py`; the two must
//! agree byte for byte, which `tests::agrees_with_the_collector` checks on a recorded frame.

pub const FRAME_LEN: usize = 20;
pub const VERSION: u8 = 3;
pub const NO_ECHO: u16 = 0xFFFF;

/// Seconds from 1970-01-01 to 2000-01-01, the epoch of the frames.
pub const EPOCH_OFFSET: u64 = 946_684_800;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub mains_lost: bool,
    pub clock_not_set: bool,
    pub replayed: bool,
}

impl Flags {
    fn bits(self) -> u8 {
        u8::from(self.mains_lost)
            | u8::from(self.clock_not_set) << 1
            | u8::from(self.replayed) << 2
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    pub sequence: u32,
    /// Seconds since 2000-01-01 UTC.
    pub seconds: u32,
    /// Millimetres from the sensor to the water, or `None` when no echo came back.
    pub distance_mm: Option<u16>,
    pub flags: Flags,
}

pub fn crc16(data: &[u8]) -> u16 {
    data.iter().fold(0x1D0F_u16, |value, byte| {
        (0..8).fold(value ^ (u16::from(*byte) << 8), |v, _| {
            if v & 0x8000 != 0 {
                (v << 1) ^ 0x1021
            } else {
                v << 1
            }
        })
    })
}

/// Encode one reading. A distance that happens to equal the no-echo mark is sent one millimetre
/// short: a sensor 65.5 metres above the water has other problems.
pub fn encode(station: [u8; 4], reading: &Reading) -> [u8; FRAME_LEN] {
    let mut frame = [0_u8; FRAME_LEN];
    frame[0..2].copy_from_slice(b"TG");
    frame[2] = VERSION;
    frame[3] = reading.flags.bits();
    frame[4..8].copy_from_slice(&station);
    frame[8..12].copy_from_slice(&reading.sequence.to_be_bytes());
    frame[12..16].copy_from_slice(&reading.seconds.to_be_bytes());
    let distance = reading.distance_mm.map_or(NO_ECHO, |mm| mm.min(NO_ECHO - 1));
    frame[16..18].copy_from_slice(&distance.to_be_bytes());
    let checksum = crc16(&frame[..18]);
    frame[18..20].copy_from_slice(&checksum.to_be_bytes());
    frame
}

/// Note on a frame that it is late, so that the collector stores it but raises no alarm from it.
pub fn mark_replayed(frame: &mut [u8; FRAME_LEN]) {
    frame[3] |= Flags { replayed: true, ..Flags::default() }.bits();
    let checksum = crc16(&frame[..18]);
    frame[18..20].copy_from_slice(&checksum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_collector() {
        let reading = Reading {
            sequence: 7,
            seconds: 800_000_000,
            distance_mm: Some(4_312),
            flags: Flags::default(),
        };
        let frame = encode(*b"SKER", &reading);
        assert_eq!(&frame[..8], b"TG\x03\x00SKER");
        assert_eq!(frame[18..20], [0x1B, 0xF1]);
    }

    #[test]
    fn no_echo_has_its_own_mark() {
        let reading = Reading { sequence: 1, seconds: 1, distance_mm: None, flags: Flags::default() };
        assert_eq!(encode(*b"NORH", &reading)[16..18], [0xFF, 0xFF]);
    }
}
