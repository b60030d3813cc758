import { type ReactNode, useState } from "react";
import { number } from "@/lib/format";
import { Button } from "./button";

/** Rows that a list draws at first: more than fit into the window. */
export const AT_ONCE = 30;
/** Rows that each further press adds. */
const MORE = 100;

/**
 * The first rows of a list, and the button that shows more of them: a page of thousands of rows that nobody scrolls to takes seconds.
 * For rows with state of their own, such as an open form, and for tables; others are better in a virtual list.
 */
export function useFew<T>(
  items: readonly T[],
  {
    total = items.length,
    onMore,
    tall,
  }: {
    /** For rows that fill the window alone: how many are drawn at first, and added by each press. */
    tall?: number;
    /** How many rows there are, if not all of them are here yet. */
    total?: number;
    /** Called with the number of rows to be shown next. */
    onMore?: (shown: number) => void;
  } = {},
): [readonly T[], ReactNode] {
  const [shown, setShown] = useState(tall ?? AT_ONCE);
  const step = tall ?? MORE;
  const left = total - shown;
  const show = () => {
    setShown(shown + step);
    onMore?.(shown + step);
  };
  const more = left > 0 && (
    <Button size="sm" data-row className="num my-2" onClick={show}>
      {`Show ${Math.min(step, left)} more of ${number(total)}`}
    </Button>
  );
  return [items.slice(0, shown), more];
}
