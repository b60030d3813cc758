//! The tensors of a model in its safetensors file, read one at a time, so that no second copy of the file is ever in memory.

use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Maximum bytes of the tensor list: a damaged file is not trusted.
const LIST_BYTES: u64 = 1_048_576;
/// Bytes read at once.
const PIECE_BYTES: usize = 64 * 1_024;
/// Bytes of a number.
const F32: u64 = 4;

/// Why weights can't be read.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The file fails.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Its list of tensors is not JSON.
    #[error("its list of tensors can't be read: {0}")]
    List(#[from] serde_json::Error),
    /// It does not hold what was asked for.
    #[error("{0}")]
    Held(String),
}

/// What was read, or why it could not be.
pub type Result<T> = std::result::Result<T, WeightsError>;

/// An open file of weights.
pub struct Weights {
    file: Arc<File>,
    tensors: HashMap<String, Entry>,
    /// Start of the data, and the length of the file.
    begin: u64,
    end: u64,
}

/// An entry of the list at the beginning of the file. Names map to these, except `__metadata__`, which is skipped.
#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

impl Weights {
    /// Opens a file and reads its list of tensors.
    ///
    /// # Errors
    /// If it can't be read, or is not a safetensors file.
    pub fn open(path: &Path) -> Result<Weights> {
        let file = File::open(path)?;
        let end = file.metadata()?.len();
        let mut length = [0; 8];
        read_at(&file, &mut length, 0)?;
        let length = u64::from_le_bytes(length);
        if length > LIST_BYTES.min(end) {
            return Err(WeightsError::Held(format!("its list of tensors would have {length} bytes")));
        }
        let mut list = vec![0; length as usize];
        read_at(&file, &mut list, 8)?;
        let list: HashMap<String, serde_json::Value> = serde_json::from_slice(&list)?;
        let entries = list.into_iter().filter_map(|(name, entry)| Some((name, serde_json::from_value(entry).ok()?)));
        Ok(Weights { file: Arc::new(file), tensors: entries.collect(), begin: 8 + length, end })
    }

    /// The numbers of the tensor of that name and shape, row by row.
    ///
    /// # Errors
    /// If it is missing, has another shape, or can't be read.
    pub fn numbers(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        read(&self.file, self.place(name, shape)?, shape.iter().product())
    }

    /// The rows of the tensor of that name and shape, which stay in the file.
    ///
    /// # Errors
    /// If it is missing, has another shape, or exceeds the file.
    pub fn rows(&self, name: &str, rows: usize, width: usize) -> Result<Rows> {
        Ok(Rows { file: Arc::clone(&self.file), at: self.place(name, &[rows, width])?, rows, width })
    }

    /// Offset of a tensor in the file.
    fn place(&self, name: &str, shape: &[usize]) -> Result<u64> {
        let entry = self.tensors.get(name).ok_or_else(|| WeightsError::Held(format!("it has no tensor {name}")))?;
        if entry.dtype != "F32" || entry.shape != shape {
            let fault = format!("its tensor {name} is {:?} of {}, not {shape:?} of F32", entry.shape, entry.dtype);
            return Err(WeightsError::Held(fault));
        }
        let (from, to) = entry.data_offsets;
        let bytes = F32 * shape.iter().product::<usize>() as u64;
        if to.checked_sub(from) != Some(bytes) || to > self.end - self.begin {
            return Err(WeightsError::Held(format!("it ends before its tensor {name} does")));
        }
        Ok(self.begin + from)
    }
}

/// A table whose rows are read on demand, since few are needed at a time. The system caches those used often.
pub struct Rows {
    file: Arc<File>,
    at: u64,
    rows: usize,
    width: usize,
}

impl Rows {
    /// The rows with these indices, one below the other.
    ///
    /// # Errors
    /// If an index is too large, or the file is no longer readable.
    pub fn take(&self, numbers: &[u32]) -> Result<Vec<f32>> {
        let mut taken: Vec<f32> = Vec::with_capacity(numbers.len() * self.width);
        let mut places: HashMap<u32, usize> = HashMap::new();
        for &number in numbers {
            if number as usize >= self.rows {
                return Err(WeightsError::Held(format!("there is no row {number} among {}", self.rows)));
            }
            // Repeated ones, such as common words, are read once.
            match places.get(&number) {
                Some(&place) => taken.extend_from_within(place..place + self.width),
                None => {
                    places.insert(number, taken.len());
                    taken.extend(read(&self.file, self.at + F32 * u64::from(number) * self.width as u64, self.width)?);
                }
            }
        }
        Ok(taken)
    }
}

/// Reads `count` numbers from offset `at`.
fn read(file: &File, mut at: u64, count: usize) -> Result<Vec<f32>> {
    let mut numbers = Vec::with_capacity(count);
    let mut piece = vec![0; PIECE_BYTES.min(count * F32 as usize)];
    while numbers.len() < count {
        let length = piece.len().min((count - numbers.len()) * F32 as usize);
        read_at(file, &mut piece[..length], at)?;
        numbers
            .extend(piece[..length].chunks_exact(F32 as usize).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])));
        at += length as u64;
    }
    Ok(numbers)
}

/// Fills `buffer` from an offset of a file shared by threads.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut buffer: &mut [u8], mut at: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        let length = std::os::windows::fs::FileExt::seek_read(file, buffer, at)?;
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buffer = &mut buffer[length..];
        at += length as u64;
    }
    Ok(())
}
