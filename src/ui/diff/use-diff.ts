import { startTransition, useEffect, useMemo, useState } from "react";
import { beginDiff, type Diff } from "./parse";

/** Milliseconds after which the rest of a long diff is parsed: its beginning has been painted by then. */
const REST_MILLIS = 50;

/** A parsed diff; at first only the beginning of a long one, so that its first lines do not wait for the last. */
export function useDiff(text: string): Diff & { complete: boolean } {
  const begun = useMemo(() => beginDiff(text), [text]);
  const [whole, setWhole] = useState<{ of: typeof begun; diff: Diff } | null>(null);
  useEffect(() => {
    const { whole } = begun;
    if (!whole) return;
    const later = setTimeout(() => {
      const diff = whole();
      startTransition(() => setWhole({ of: begun, diff }));
    }, REST_MILLIS);
    return () => clearTimeout(later);
  }, [begun]);
  return useMemo(() => {
    if (whole?.of === begun) return { ...whole.diff, complete: true };
    return { files: begun.files, notes: begun.notes, complete: begun.whole === null };
  }, [begun, whole]);
}
