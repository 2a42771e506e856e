//! Shelves of the harbour library, and how volumes get onto them.

use std::collections::HashMap;
use std::fmt::{self, Display};

extern crate serde;

mod labels;

/// As many as fit on oak.
pub const CAPACITY: usize = 40;

static mut OPENED: bool = false;

/// What a volume is known by.
pub type VolumeId = u64;

macro_rules! shelf {
    ($($title:expr),*) => {
        Shelf::from(vec![$($title),*])
    };
}

/// A shelf with room for so many volumes.
///
/// It is never empty for long: 漢字.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Shelf<T>
where
    T: Display,
{
    volumes: Vec<T>,
}

pub struct Metres(pub f64);

/// How a loan ends.
#[derive(PartialEq)]
pub enum Ending {
    Returned,
    Lost { fine: u32 },
}

union Raw {
    number: u32,
    bytes: [u8; 4],
}

pub trait Sorted: Sized {
    const ORDER: &'static str;
    type Key: Ord;

    /// What it is sorted by.
    fn key(&self) -> Self::Key;

    fn before(&self, other: &Self) -> bool {
        self.key() < other.key()
    }
}

impl<T: Display> Shelf<T> {
    /// The most that were ever counted.
    pub const MOST: usize = 41;

    // Made by the desk only.
    pub fn new() -> Self {
        Shelf { volumes: Vec::new() }
    }

    /// Puts one volume in its place.
    #[inline]
    #[must_use = "it may be full"]
    pub async fn put<'a>(&'a mut self, volume: T) -> Result<(), String> {
        fn full(count: usize) -> bool {
            count >= CAPACITY
        }
        self.volumes.push(volume);
        Ok(())
    }
}

impl<T> fmt::Display for Shelf<T>
where
    T: Display,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.volumes.len())
    }
}

unsafe impl Send for crate::shelves::Raw {}

pub mod desk {
    use super::Shelf;

    pub fn open() -> Shelf<String> {
        Shelf::new()
    }

    pub(crate) mod drawer {
        pub fn pull() {}
    }
}

extern "C" {
    fn lamp_on(level: i32) -> i32;
}

pub extern "C" fn bell() {}

#[cfg(test)]
mod tests {
    #[test]
    fn a_shelf_is_empty_at_first() {
        assert!(true);
    }
}
