import { type ReactNode, useState } from "react";
import { Button } from "./button";

/** Rows that a list draws at first: more than fit into the window. */
const AT_ONCE = 30;
/** Rows that each further press adds. */
const MORE = 100;

/**
 * The first rows of a list, and the button that shows more of them: a page of thousands of rows that nobody scrolls to takes seconds.
 * For rows that keep something of their own, such as an open form; others are better in a virtual list.
 */
export function useFew<T>(items: readonly T[], atOnce = AT_ONCE): [readonly T[], ReactNode] {
  const [shown, setShown] = useState(atOnce);
  const left = items.length - shown;
  const more = left > 0 && (
    <Button size="sm" data-row className="num my-2" onClick={() => setShown(shown + MORE)}>
      {`Show ${Math.min(MORE, left)} more of ${items.length.toLocaleString("en-US")}`}
    </Button>
  );
  return [items.slice(0, shown), more];
}
