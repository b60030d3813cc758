import { Link } from "@tanstack/react-router";
import { Inbox as InboxIcon } from "lucide-react";
import type { NeedsYou } from "@/ipc";
import { cn } from "@/lib/cn";
import { number } from "@/lib/format";
import { Need, needKey } from "@/ui/need";
import { Popover, PopoverClose, PopoverContent, PopoverTrigger } from "@/ui/popover";

/** Items shown in the popover; all of them are on their page. */
const AT_ONCE = 8;

/** What needs a person, most urgent first; separate from what merely finished. `count`: how many a person can settle, if that is known. */
export function Inbox({ items, count }: { items: NeedsYou[]; count: number | undefined }) {
  const shown = items.slice(0, AT_ONCE);
  return (
    <Popover>
      <PopoverTrigger asChild>
        <button
          type="button"
          data-testid="needs-you"
          className="flex h-7.5 w-full low:h-6.5 items-center gap-2.5 rounded-md px-2 text-left text-dim hover:bg-raised hover:text-text max-[900px]:relative"
        >
          <InboxIcon size={15} strokeWidth={1.75} className="shrink-0" aria-hidden="true" />
          <span className="max-[900px]:sr-only">Needs you</span>
          <span
            className={cn(
              "num ml-auto text-xs max-[900px]:absolute max-[900px]:-top-1.5 max-[900px]:right-0 max-[900px]:rounded-full max-[900px]:bg-panel max-[900px]:px-0.5 max-[900px]:text-2xs max-[900px]:leading-3.5",
              count ? "font-medium text-bad" : "text-faint",
            )}
          >
            {count !== undefined && number(count)}
          </span>
        </button>
      </PopoverTrigger>
      <PopoverContent label="Needs you" side="right" align="end" focusFirst="li a">
        <div className="flex items-baseline border-b border-line px-3.5 py-2.5">
          <h2 className="font-semibold">Needs you</h2>
          <PopoverClose asChild>
            <Link to="/needs-you" className="ml-auto text-xs text-dim hover:text-text">
              {items.length > shown.length ? `All ${number(items.length)}` : "All"}, and what was settled
            </Link>
          </PopoverClose>
        </div>
        {items.length === 0 ? (
          <p className="px-3.5 py-6 text-center text-dim">
            {count === undefined ? "What waits for you is not known." : "Nothing waits for you."}
          </p>
        ) : (
          <ul className="p-1.5">
            {shown.map((item) => (
              <li key={needKey(item)}>
                <PopoverClose asChild>
                  <Need item={item} />
                </PopoverClose>
              </li>
            ))}
          </ul>
        )}
      </PopoverContent>
    </Popover>
  );
}
