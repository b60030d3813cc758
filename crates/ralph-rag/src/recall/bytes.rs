//! Numbers and texts as bytes, little-endian, and back.

/// Bytes on their way out.
pub(super) struct Writer(pub Vec<u8>);

impl Writer {
    /// A count.
    pub fn count(&mut self, count: usize) {
        self.number(count as u32);
    }

    /// A number.
    pub fn number(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    /// Numbers, with their count in front.
    pub fn numbers(&mut self, numbers: &[u32]) {
        self.count(numbers.len());
        numbers.iter().for_each(|number| self.number(*number));
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: impl Iterator<Item = u8>) {
        self.0.extend(bytes);
    }

    /// Texts, each with a number.
    pub fn texts<'t, T: AsRef<[u8]> + ?Sized + 't>(&mut self, texts: impl Iterator<Item = (u32, &'t T)>) {
        let texts: Vec<(u32, &T)> = texts.collect();
        self.count(texts.len());
        for (at, text) in texts {
            let text = text.as_ref();
            self.number(at);
            self.count(text.len());
            self.0.extend(text);
        }
    }
}

/// Bytes on their way in; every step returns `None` beyond their end.
pub(super) struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    /// So many bytes.
    pub fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A count.
    pub fn count(&mut self) -> Option<usize> {
        self.number().map(|number| number as usize)
    }

    /// A number.
    pub fn number(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(*self.take(4)?.first_chunk()?))
    }

    /// So many numbers.
    pub fn numbers(&mut self, count: usize) -> Option<Vec<u32>> {
        Some(self.take(count.checked_mul(4)?)?.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
    }

    /// Numbers with their count in front.
    pub fn counted(&mut self) -> Option<Vec<u32>> {
        let count = self.count()?;
        self.numbers(count)
    }

    /// A long number.
    pub fn long(&mut self) -> Option<i64> {
        Some(i64::from_le_bytes(*self.take(8)?.first_chunk()?))
    }

    /// Texts, each with its number.
    pub fn texts(&mut self) -> Option<Vec<(u32, &'b str)>> {
        self.raw_texts()?.into_iter().map(|(at, text)| Some((at, std::str::from_utf8(text).ok()?))).collect()
    }

    /// The same for texts that need not be UTF-8.
    pub fn raw_texts(&mut self) -> Option<Vec<(u32, &'b [u8])>> {
        (0..self.count()?)
            .map(|_| {
                let (at, length) = (self.number()?, self.count()?);
                Some((at, self.take(length)?))
            })
            .collect()
    }
}
