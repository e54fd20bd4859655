//! A ring of frames on flash: what was measured while the line was down is sent when it is back.
//!
//! The file has a fixed size, so that it can never fill the card. When the ring is full the oldest
//! frame is overwritten. A slot is 24 bytes: the frame and a state word that is written last, so
//! that a power cut leaves either a whole record or an empty slot.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::frame::FRAME_LEN;

pub const SLOT_LEN: u64 = 24;
/// Fourteen days at one reading a minute.
pub const SLOTS: u64 = 20_160;

const EMPTY: [u8; 4] = [0xFF; 4];
const WAITING: [u8; 4] = *b"WAIT";
const SENT: [u8; 4] = *b"SENT";

pub struct Spool {
    file: File,
    /// Slot that the next frame goes into.
    head: u64,
    /// Oldest slot that still waits to be sent.
    tail: u64,
    waiting: u64,
    newest: Option<u32>,
    pub overwritten: u64,
}

impl Spool {
    /// Open the ring, creating it full of empty slots, and find where writing stopped.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        if file.metadata()?.len() != SLOTS * SLOT_LEN {
            file.set_len(0)?;
            file.write_all(&vec![0xFF; (SLOTS * SLOT_LEN) as usize])?;
            file.sync_all()?;
        }
        let mut spool = Self { file, head: 0, tail: 0, waiting: 0, newest: None, overwritten: 0 };
        spool.recover()?;
        Ok(spool)
    }

    /// The highest sequence number tells where writing stopped; what lies after it is older.
    fn recover(&mut self) -> io::Result<()> {
        let mut newest: Option<(u32, u64)> = None;
        let mut oldest_waiting: Option<(u32, u64)> = None;
        for slot in 0..SLOTS {
            let (frame, state) = self.read(slot)?;
            if state == EMPTY {
                continue;
            }
            let sequence = u32::from_be_bytes([frame[8], frame[9], frame[10], frame[11]]);
            if newest.map_or(true, |(known, _)| sequence > known) {
                newest = Some((sequence, slot));
            }
            if state == WAITING {
                self.waiting += 1;
                if oldest_waiting.map_or(true, |(known, _)| sequence < known) {
                    oldest_waiting = Some((sequence, slot));
                }
            }
        }
        self.newest = newest.map(|(sequence, _)| sequence);
        self.head = newest.map_or(0, |(_, slot)| (slot + 1) % SLOTS);
        self.tail = oldest_waiting.map_or(self.head, |(_, slot)| slot);
        Ok(())
    }

    pub fn push(&mut self, frame: &[u8; FRAME_LEN]) -> io::Result<()> {
        if self.waiting == SLOTS {
            self.tail = (self.tail + 1) % SLOTS;
            self.waiting -= 1;
            self.overwritten += 1;
        }
        let start = self.head * SLOT_LEN;
        self.file.seek(SeekFrom::Start(start + FRAME_LEN as u64))?;
        self.file.write_all(&EMPTY)?;
        self.file.sync_data()?;
        self.file.seek(SeekFrom::Start(start))?;
        self.file.write_all(frame)?;
        self.file.sync_data()?;
        self.file.write_all(&WAITING)?;
        self.file.sync_data()?;
        self.head = (self.head + 1) % SLOTS;
        self.waiting += 1;
        Ok(())
    }

    /// The oldest waiting frame, left in place until `confirm` is called.
    pub fn peek(&mut self) -> io::Result<Option<[u8; FRAME_LEN]>> {
        if self.waiting == 0 {
            return Ok(None);
        }
        Ok(Some(self.read(self.tail)?.0))
    }

    pub fn confirm(&mut self) -> io::Result<()> {
        self.file
            .seek(SeekFrom::Start(self.tail * SLOT_LEN + FRAME_LEN as u64))?;
        self.file.write_all(&SENT)?;
        self.tail = (self.tail + 1) % SLOTS;
        self.waiting = self.waiting.saturating_sub(1);
        Ok(())
    }

    /// Where counting goes on after a restart: the collector ignores numbers it has seen.
    pub fn next_sequence(&self) -> u32 {
        self.newest.map_or(0, |sequence| sequence.wrapping_add(1))
    }

    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    fn read(&mut self, slot: u64) -> io::Result<([u8; FRAME_LEN], [u8; 4])> {
        let mut frame = [0; FRAME_LEN];
        let mut state = [0; 4];
        self.file.seek(SeekFrom::Start(slot * SLOT_LEN))?;
        self.file.read_exact(&mut frame)?;
        self.file.read_exact(&mut state)?;
        Ok((frame, state))
    }
}
