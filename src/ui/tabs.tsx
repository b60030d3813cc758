import { Tabs as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";
import { cn } from "@/lib/cn";

export type Tab<T extends string> = { value: T; label: string; extra?: ReactNode };

/** Tabs along an edge; the panels are the children. */
export function Tabs<T extends string>({
  value,
  onChange,
  tabs,
  end,
  children,
  label,
}: {
  value: T;
  onChange: (value: T) => void;
  tabs: Tab<T>[];
  end?: ReactNode;
  children: ReactNode;
  label: string;
}) {
  const list = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  // With large text not all tabs have room, before they wrap: the chosen one is brought into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen, or one comes before it.
  useEffect(() => {
    // The first one is in view until another one has been brought there. Asking the list would lay out the whole page.
    if (value === tabs[0]?.value && !moved.current) return;
    moved.current = true;
    list.current?.querySelector("[data-state=active]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [value, tabs.length]);
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as T)} className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-10 shrink-0 items-stretch border-b border-line px-6 max-[700px]:h-auto max-[700px]:min-h-10 max-[700px]:flex-wrap">
        <Radix.List
          ref={list}
          aria-label={label}
          className="-mb-px flex min-w-0 items-stretch gap-x-5 overflow-x-auto overflow-y-hidden [scrollbar-width:none] max-[700px]:flex-wrap"
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              className="flex shrink-0 items-center gap-1.5 border-b-2 max-[700px]:h-8 border-transparent text-dim hover:text-text data-[state=active]:border-accent data-[state=active]:text-text"
            >
              {tab.label}
              {tab.extra}
            </Radix.Trigger>
          ))}
        </Radix.List>
        <div className="ml-auto flex min-w-0 shrink-99 items-center gap-2 pl-5 empty:hidden">{end}</div>
      </div>
      {children}
    </Radix.Root>
  );
}

export function TabPanel({
  value,
  children,
  className,
  reads = false,
}: {
  value: string;
  children: ReactNode;
  className?: string;
  /** The panel is only for reading: it takes the focus itself, so that it can be scrolled by keyboard. */
  reads?: boolean;
}) {
  return (
    <Radix.Content
      value={value}
      className={cn("min-h-0 flex-1 low:min-h-56", className ?? "overflow-y-auto")}
      tabIndex={reads ? 0 : -1}
    >
      {children}
    </Radix.Content>
  );
}
