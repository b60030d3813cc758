/** A feature's acronym, as wide as its letters. */
export function Acronym({ children }: { children: string }) {
  return (
    <span className="inline-flex h-5 min-w-11 shrink-0 items-center justify-center rounded-[5px] bg-raised px-1.5 font-mono text-2xs font-semibold text-dim">
      {children}
    </span>
  );
}
