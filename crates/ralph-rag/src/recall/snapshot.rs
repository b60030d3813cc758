//! An index as bytes, so that a process that asks once need neither read every row nor ask the full-text tables, which takes longer than
//! reading the lists of words. Numbers are little-endian.

use super::bytes::{Reader, Writer};
use super::index::{Index, Memory};
use super::lists::TextLists;
use super::vectors::Vectors;
use ralph_core::recall::MemoryKind;
use std::collections::HashMap;
use std::str::FromStr as _;

/// First bytes: another format has another number.
const FORM: &[u8] = b"ralph index 3\n";
/// Means "no place".
const NONE: u32 = u32::MAX;

impl Index {
    /// The index, with its lists if it has any.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Writer(FORM.to_vec());
        bytes.count(self.rows().len());
        self.rows().iter().for_each(|row| bytes.0.extend(row.to_le_bytes()));
        self.memories_of().iter().for_each(|memory| bytes.number(*memory));
        bytes.count(self.memories.len());
        self.memories.iter().for_each(|memory| write(memory, &mut bytes));
        let told: Vec<(u32, String)> = self
            .told_of()
            .filter_map(|at| Some((at as u32, serde_json::to_string(self.memories[at].feedback.as_deref()?).ok()?)))
            .collect();
        bytes.texts(told.iter().map(|(at, text)| (*at, text.as_str())));
        bytes.texts(self.series().map(|(series, at)| (at, series)));
        self.vectors().write(&mut bytes);
        bytes.0.push(u8::from(self.knows_words()));
        if let Some(lists) = self.text_lists() {
            lists.write(&mut bytes);
        }
        bytes.0
    }

    /// An index from its bytes; `None` if they are something else, or incomplete.
    pub fn from_bytes(bytes: &[u8]) -> Option<Index> {
        let mut bytes = Reader(bytes.strip_prefix(FORM)?);
        let passages = bytes.count()?;
        let rows: Vec<i64> = bytes.take(passages.checked_mul(8)?)?.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b)).collect();
        let memory_of = bytes.numbers(passages)?;
        let mut memories = (0..bytes.count()?).map(|_| read(&mut bytes)).collect::<Option<Vec<Memory>>>()?;
        for (at, feedback) in bytes.texts()? {
            memories.get_mut(at as usize)?.feedback = Some(Box::new(serde_json::from_str(feedback).ok()?));
        }
        let series: HashMap<String, u32> = bytes.texts()?.into_iter().map(|(at, series)| (series.to_owned(), at)).collect();
        let vectors = Vectors::read(&mut bytes, passages)?;
        let lists = match bytes.take(1)? {
            [0] => None,
            _ => Some(TextLists::read(&mut bytes, passages)?),
        };
        let inside = |at: &u32| (*at as usize) < memories.len();
        let whole = bytes.0.is_empty()
            && rows.is_sorted()
            && Vec::len(&memory_of) == passages
            && memory_of.iter().chain(series.values()).all(inside)
            && memories
                .iter()
                .all(|m| m.before.iter().chain(&m.after).all(inside) && m.passages.iter().all(|at| (*at as usize) < passages));
        whole.then(|| Index::of_parts(rows, memory_of, memories, series, (vectors, lists)))
    }
}

fn write(memory: &Memory, into: &mut Writer) {
    let kind = memory.id.0.as_str();
    into.0.push(kind.len() as u8);
    into.0.extend(kind.as_bytes());
    into.0.push(u8::from(memory.active) | u8::from(memory.names_a_file) << 1 | u8::from(memory.protected) << 2);
    into.0.extend(memory.id.1.to_le_bytes());
    into.0.extend(memory.created.to_le_bytes());
    [memory.feature, memory.before, memory.after].into_iter().for_each(|at| into.number(at.unwrap_or(NONE)));
    into.count(memory.passages.len());
    memory.passages.iter().for_each(|at| into.number(*at));
}

fn read(from: &mut Reader<'_>) -> Option<Memory> {
    let length = usize::from(*from.take(1)?.first()?);
    let kind = MemoryKind::from_str(std::str::from_utf8(from.take(length)?).ok()?).ok()?;
    let flags = *from.take(1)?.first()?;
    let (source, created) = (from.long()?, from.long()?);
    let mut place = || from.number().map(|at| (at != NONE).then_some(at));
    let (feature, before, after) = (place()?, place()?, place()?);
    let passages = from.count()?;
    Some(Memory {
        id: (kind, source),
        feature,
        active: flags & 1 != 0,
        created,
        names_a_file: flags & 2 != 0,
        protected: flags & 4 != 0,
        feedback: None,
        passages: from.numbers(passages)?,
        before,
        after,
    })
}
