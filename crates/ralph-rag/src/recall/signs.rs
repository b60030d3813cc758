//! The signs of a vector's numbers, a bit each: vectors that point in similar directions have mostly the same signs.

/// The signs of a vector.
pub(super) fn signs_of(vector: &[f32]) -> Vec<u8> {
    vector.chunks(8).map(|eight| eight.iter().enumerate().fold(0, |byte, (bit, x)| byte | u8::from(*x > 0.0) << bit)).collect()
}

/// At least `wanted` places, in ascending order, whose signs differ least from those `asked` for; all if there are no more.
pub(super) fn nearest(signs: &[u8], asked: &[u8], wanted: usize) -> Vec<u32> {
    let distances = distances(signs, asked);
    let mut at_distance = vec![0_usize; asked.len() * 8 + 1];
    distances.iter().for_each(|distance| at_distance[usize::from(*distance)] += 1);
    let mut sum = 0;
    let line = at_distance.iter().take_while(|count| {
        sum += **count;
        sum < wanted
    });
    let line = line.count();
    (0..).zip(distances).filter(|(_, distance)| usize::from(*distance) <= line).map(|(at, _)| at).collect()
}

/// How many signs of each differ.
fn distances(signs: &[u8], asked: &[u8]) -> Vec<u16> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("popcnt") {
        #[allow(unsafe_code, reason = "compiled for an instruction that this processor was just asked for")]
        // SAFETY: the processor has these instructions.
        return unsafe { distances_by_popcnt(signs, asked) };
    }
    each_distance(signs, asked)
}

/// Counting bits without the instruction takes three times as long.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn distances_by_popcnt(signs: &[u8], asked: &[u8]) -> Vec<u16> {
    each_distance(signs, asked)
}

#[inline(always)]
fn each_distance(signs: &[u8], asked: &[u8]) -> Vec<u16> {
    let (words, bytes) = asked.as_chunks::<8>();
    let mut distances = vec![0; signs.len() / asked.len()];
    // Loops, since an iterator's methods would be compiled for every processor.
    for (signs, distance) in signs.chunks_exact(asked.len()).zip(&mut distances) {
        let (of_words, of_bytes) = signs.as_chunks::<8>();
        let mut differ = 0;
        for (a, b) in of_words.iter().zip(words) {
            differ += (u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b)).count_ones();
        }
        for (a, b) in of_bytes.iter().zip(bytes) {
            differ += (a ^ b).count_ones();
        }
        *distance = differ as u16;
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::stats::SplitMix64;

    #[test]
    fn signs_that_differ_are_counted_whatever_their_number() {
        let mut chance = SplitMix64(5);
        for dimension in [1, 8, 64, 100, 384] {
            let mut vector = || (0..dimension).map(|_| chance.index(3) as f32 - 1.0).collect::<Vec<f32>>();
            let (asked, vectors) = (vector(), (0..50).map(|_| vector()).collect::<Vec<_>>());
            let signs: Vec<u8> = vectors.iter().flat_map(|vector| signs_of(vector)).collect();
            let differ = |vector: &Vec<f32>| vector.iter().zip(&asked).filter(|(a, b)| (**a > 0.0) != (**b > 0.0)).count();
            let counted: Vec<usize> = vectors.iter().map(differ).collect();
            assert_eq!(distances(&signs, &signs_of(&asked)), counted.iter().map(|count| *count as u16).collect::<Vec<_>>());
            assert_eq!(distances(&signs, &signs_of(&asked)), each_distance(&signs, &signs_of(&asked)));

            let found = nearest(&signs, &signs_of(&asked), 10);
            let farthest = found.iter().map(|at| counted[*at as usize]).max();
            assert!(found.len() >= 10 && found.is_sorted());
            assert!((0..50).filter(|at| !found.contains(at)).all(|at| Some(counted[at as usize]) > farthest), "{dimension}");
            assert_eq!(nearest(&signs, &signs_of(&asked), 99).len(), 50);
        }
    }
}
