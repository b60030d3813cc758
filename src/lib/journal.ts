/** The journal as people read it: many events of one kind in a row are one line until it is opened. */
import type { JournalEntry } from "@/ipc";

/** Events of one kind in a row that are still shown one by one. */
const FEW = 3;

export type Stretch = { entry: JournalEntry; more: number };

/** The entries in their order; of a long stretch of one kind only the first, with the number of the others. */
export function stretches(entries: readonly JournalEntry[], open: ReadonlySet<string>): Stretch[] {
  const shown: Stretch[] = [];
  for (let at = 0; at < entries.length; ) {
    const first = entries[at] as JournalEntry;
    let end = at;
    while (entries[end]?.event === first.event) end += 1;
    const whole = end - at <= FEW || open.has(first.id);
    const rows = entries.slice(at, whole ? end : at + 1);
    shown.push(...rows.map((entry) => ({ entry, more: whole ? 0 : end - at - 1 })));
    at = end;
  }
  return shown;
}
