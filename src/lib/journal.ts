/** The journal as people read it: of many events of one kind in a row, only the newest are shown until the rest is asked for. */
import type { JournalEntry } from "@/ipc";

/** Events of one kind in a row that are shown one by one. */
const FEW = 3;

/** An entry; `more` tells how many of its kind follow it unseen. */
export type Shown = { entry: JournalEntry; more: number };

/** The entries in their order, without what is folded. `open` names the entries after which nothing is. */
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
