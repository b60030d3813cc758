import { Check, ChevronDown } from "lucide-react";
import { Popover } from "radix-ui";
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { cn } from "@/lib/cn";

export type Option<T extends string = string> = { value: T; label: string };

/** Milliseconds after which a letter begins a new word. */
const WORD_MILLIS = 800;
/** Options that Page Up and Page Down skip. */
const PAGE = 8;

/**
 * A choice of one of a few values. The focus stays on the button, which names the active option (the select-only combobox of the ARIA
 * practices): nothing else has to be hidden or locked, and the options, which may be all features, exist only while they are shown.
 */
export function Select<T extends string>({
  value,
  onChange,
  options,
  label,
  placeholder,
  id,
  className,
}: {
  value: T;
  onChange: (value: T) => void;
  options: readonly Option<T>[];
  label?: string;
  placeholder?: string;
  id?: string;
  className?: string;
}) {
  const button = useRef<HTMLButtonElement>(null);
  const list = useId();
  // The active option, and not its place: others may come and go before it. Null while the options are hidden.
  const [shown, setShown] = useState<T | null>(null);
  const active = shown === null ? null : Math.max(0, placeIn(options, shown));
  const setActive = (at: number | null) => setShown(at === null ? null : (options[at]?.value ?? value));
  const typed = useTypedWord();
  const chosen = placeIn(options, value);
  const show = () => setActive(Math.max(0, chosen));
  const hide = () => setActive(null);
  const choose = (at: number) => {
    hide();
    const next = options[at];
    if (next && next.value !== value) onChange(next.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const handled =
      active === null
        ? opens(event.key) && show
        : keyOf(event.key, { options, active, typed, onActive: setActive, choose, hide });
    if (!handled) return;
    handled();
    if (event.key === "Tab") return;
    event.preventDefault();
    // Letters are not shortcuts of the page while they choose an option.
    event.stopPropagation();
  };
  return (
    <Popover.Root open={active !== null} onOpenChange={(open) => (open ? show() : hide())}>
      <Popover.Anchor asChild>
        <button
          ref={button}
          type="button"
          id={id}
          role="combobox"
          aria-label={label}
          aria-haspopup="listbox"
          aria-expanded={active !== null}
          aria-controls={active === null ? undefined : list}
          aria-activedescendant={active === null ? undefined : `${list}-${active}`}
          onClick={active === null ? show : hide}
          onKeyDown={onKeyDown}
          className={cn(
            "inline-flex h-8 items-center justify-between gap-1.5 rounded-md border border-line-strong bg-bg px-2.5 text-sm whitespace-nowrap hover:bg-hover",
            className,
          )}
        >
          <span className="truncate">{options[chosen]?.label ?? placeholder ?? value}</span>
          <ChevronDown size={13} className="shrink-0 text-faint" aria-hidden="true" />
        </button>
      </Popover.Anchor>
      {active !== null && (
        <Popover.Portal>
          <Popover.Content
            id={list}
            role="listbox"
            aria-label={label}
            aria-labelledby={label ? undefined : id}
            align="start"
            sideOffset={4}
            collisionPadding={8}
            onOpenAutoFocus={(event) => event.preventDefault()}
            onCloseAutoFocus={(event) => event.preventDefault()}
            onInteractOutside={(event) => {
              if (button.current?.contains(event.target as Node)) event.preventDefault();
            }}
            // A click on an option leaves the focus where it is.
            onMouseDown={(event) => event.preventDefault()}
            className="pop relative z-60 max-h-[min(20rem,var(--radix-popover-content-available-height))] max-w-[calc(100vw-1rem)] min-w-(--radix-popover-trigger-width) overflow-y-auto rounded-lg border border-line-strong bg-panel p-1 shadow-pop outline-none"
          >
            <Options {...{ options, chosen, active, list, choose }} onActive={setActive} />
          </Popover.Content>
        </Popover.Portal>
      )}
    </Popover.Root>
  );
}

const placeIn = (options: readonly Option[], value: string) => options.findIndex((option) => option.value === value);

function Options({
  options,
  chosen,
  active,
  list,
  choose,
  onActive,
}: {
  options: readonly Option[];
  chosen: number;
  active: number;
  list: string;
  choose: (at: number) => void;
  onActive: (at: number) => void;
}) {
  useLayoutEffect(() => reveal(document.getElementById(`${list}-${active}`)), [list, active]);
  return options.map(({ value, label }, at) => (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays on the button, which names the active option.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button has the keys.
    <div
      key={value}
      id={`${list}-${at}`}
      role="option"
      aria-selected={at === chosen}
      onClick={() => choose(at)}
      onPointerMove={() => at !== active && onActive(at)}
      className={cn("flex h-7 items-center justify-between gap-3 rounded-md px-2 text-sm", at === active && "lit")}
    >
      <span className="truncate">{label}</span>
      {at === chosen && <Check size={13} className="shrink-0 text-accent" aria-hidden="true" />}
    </div>
  ));
}

/** Scrolls the list, and nothing around it, until the option is in view. */
function reveal(option: HTMLElement | null): void {
  const list = option?.parentElement;
  if (!option || !list) return;
  const [top, bottom] = [option.offsetTop, option.offsetTop + option.offsetHeight];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}

const opens = (key: string) => key === "ArrowDown" || key === "ArrowUp" || key === "Enter" || key === " ";

type Shown = {
  options: readonly Option[];
  active: number;
  typed: (letter?: string) => string;
  onActive: (at: number) => void;
  choose: (at: number) => void;
  hide: () => void;
};

/** What a key does while the options are shown; null if the list has no use for it. */
function keyOf(key: string, { options, active, typed, onActive, choose, hide }: Shown): (() => void) | null {
  const last = options.length - 1;
  const to = (at: number) => () => onActive(Math.max(0, Math.min(last, at)));
  const letter = () => onActive(named(options, active, typed(key)));
  switch (key) {
    case "ArrowDown":
      return to(active + 1);
    case "ArrowUp":
      return to(active - 1);
    case "PageDown":
      return to(active + PAGE);
    case "PageUp":
      return to(active - PAGE);
    case "Home":
      return to(0);
    case "End":
      return to(last);
    case "Enter":
      return () => choose(active);
    case " ":
      // Within a name it is a letter like the others.
      return typed() === "" ? () => choose(active) : letter;
    case "Tab":
      return hide;
    default:
      return key.length === 1 ? letter : null;
  }
}

/** The next option that begins with what was typed, from the active one on; the same letter again moves to the next. */
function named(options: readonly Option[], active: number, word: string): number {
  const same = [...word].every((letter) => letter === word[0]);
  const begin = same ? (word[0] ?? "") : word;
  const from = same ? active + 1 : active;
  for (let step = 0; step < options.length; step++) {
    const at = (from + step) % options.length;
    if (options[at]?.label.toLowerCase().startsWith(begin)) return at;
  }
  return active;
}

/** Collects the letters of one word, and returns it. */
function useTypedWord(): (letter?: string) => string {
  const word = useRef({ letters: "", at: 0 });
  return (letter) => {
    const now = Date.now();
    const before = now - word.current.at < WORD_MILLIS ? word.current.letters : "";
    if (letter === undefined) return before;
    word.current = { letters: before + letter.toLowerCase(), at: now };
    return word.current.letters;
  };
}
