/** One word of a text, and whether the other text lacks it. */
export type Word = { text: string; differs: boolean };

const MAX_WORDS = 400;

/** Marks the words in which two texts differ (longest common subsequence over words; texts are at most 500 characters). */
export function diffWords(left: string, right: string): [Word[], Word[]] {
  const a = left.split(/(\s+)/).filter(Boolean).slice(0, MAX_WORDS);
  const b = right.split(/(\s+)/).filter(Boolean).slice(0, MAX_WORDS);
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = rows[i];
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const marked: [Word[], Word[]] = [[], []];
  let [i, j] = [0, 0];
  const word = (text: string, differs: boolean): Word => ({ text, differs: differs && text.trim() !== "" });
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      marked[0].push(word(a[i++] ?? "", false));
      marked[1].push(word(b[j++] ?? "", false));
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      marked[0].push(word(a[i++] ?? "", true));
    } else {
      marked[1].push(word(b[j++] ?? "", true));
    }
  }
  return marked;
}
