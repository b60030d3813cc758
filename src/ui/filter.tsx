import { ListFilter, Search, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { cn } from "@/lib/cn";
import { Button } from "./button";
import { Menu, MenuCheck, MenuContent, MenuTrigger } from "./menu";

/** Milliseconds without a key press before the value is used. */
const REST_MILLIS = 120;

/** A text filter that is debounced, so that typing stays smooth. Enter applies it at once. */
export function SearchBox({
  value,
  onChange,
  label,
  large = false,
  className,
}: {
  value: string;
  onChange: (value: string) => void;
  label: string;
  /** For pages whose purpose is the search. */
  large?: boolean;
  className?: string;
}) {
  const [text, setText] = useState(value);
  // Sent values that have not come back as `value` yet: a late echo must not overwrite what was typed since.
  const sent = useRef<string[]>([]);
  const current = () => sent.current.at(-1) ?? value;
  const send = (next: string) => {
    if (next === current()) return;
    sent.current.push(next);
    onChange(next);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing reports a change; `onChange` may differ each time.
  useEffect(() => {
    const timer = setTimeout(() => send(text), REST_MILLIS);
    return () => clearTimeout(timer);
  }, [text]);
  useEffect(() => {
    const echo = sent.current.indexOf(value);
    sent.current = sent.current.slice(echo + 1);
    // Adopts a value that was set elsewhere (back button, cleared filter).
    if (echo < 0) setText(value);
  }, [value]);
  return (
    <div className={cn("relative", className)}>
      <Search
        size={13}
        className="pointer-events-none absolute inset-y-0 left-2.5 my-auto text-faint"
        aria-hidden="true"
      />
      <input
        type="text"
        data-search
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") send(text);
          if (event.key === "Escape") text === "" ? event.currentTarget.blur() : setText("");
        }}
        aria-label={label}
        placeholder={label}
        spellCheck={false}
        autoComplete="off"
        className={cn(
          "w-full rounded-md border border-line-strong bg-panel pr-7 pl-7.5",
          large ? "h-9 text-base" : "h-7 text-sm",
        )}
      />
      {text !== "" && (
        <button
          type="button"
          aria-label="Clear"
          onClick={() => setText("")}
          className="absolute inset-y-0 right-0.5 my-auto flex size-6 items-center justify-center rounded text-faint hover:text-text"
        >
          <X size={12} />
        </button>
      )}
    </div>
  );
}

/** A multiple choice among a few values; none selected means all. */
export function FilterMenu<T extends string>({
  label,
  values,
  chosen,
  usual = [],
  words,
  onChange,
}: {
  label: string;
  values: readonly T[];
  chosen: readonly T[];
  /** The default selection; it hides nothing that people expect to see. */
  usual?: readonly T[];
  words: Record<T, string>;
  onChange: (chosen: T[]) => void;
}) {
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button className={cn(chosen.join() !== usual.join() && "border-accent/60 text-accent")}>
          <ListFilter size={13} aria-hidden="true" />
          <span className="num">
            {chosen.length === 0 ? label : `${label}: ${chosen.length === 1 ? words[chosen[0] as T] : chosen.length}`}
          </span>
        </Button>
      </MenuTrigger>
      <MenuContent>
        {values.map((value) => (
          <MenuCheck
            key={value}
            checked={chosen.includes(value)}
            onChange={(on) => onChange(on ? [...chosen, value] : chosen.filter((other) => other !== value))}
          >
            {words[value]}
          </MenuCheck>
        ))}
      </MenuContent>
    </Menu>
  );
}
