/** The journal for display: of many consecutive events of one kind, only the newest are shown until the rest is requested. */
import type { JournalEntry } from "@/ipc";

/** Consecutive events of one kind that are shown individually. */
const FEW = 3;

/** An entry; `more` is the number of hidden ones of its kind that follow. */
export type Shown = { entry: JournalEntry; more: number };

/** The entries in order, without folded ones. `open` contains the entries after which nothing is folded. */
export function folded(entries: readonly JournalEntry[], open: ReadonlySet<string>): Shown[] {
  const shown: Shown[] = [];
  let inRow = 0;
  let whole = false;
  for (const [at, entry] of entries.entries()) {
    inRow = entries[at - 1]?.event === entry.event ? inRow + 1 : 1;
    if (inRow <= FEW) whole = open.has(entry.id);
    const last = shown.at(-1);
    if (last && inRow > FEW && !whole) last.more += 1;
    else shown.push({ entry, more: 0 });
  }
  return shown;
}
