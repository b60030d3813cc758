import type { ReactNode } from "react";
import { Crumbs } from "./crumbs";

/** A page: the header stays in place, the body scrolls. */
export function Page({
  title,
  up,
  sub,
  actions,
  children,
}: {
  title: string;
  /** The way to the page above. */
  up?: ReactNode;
  sub?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 px-6 pt-3 pb-2">
        {up && <Crumbs className="-mb-1 w-full *:hover:text-text">{up}</Crumbs>}
        <h1 className="text-lg font-semibold tracking-tight">{title}</h1>
        {sub && <p className="num text-dim">{sub}</p>}
        <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>
      </header>
      <div data-scroller className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto">
        {children}
      </div>
    </div>
  );
}

/** The id of a section by its title, to lead there. */
export const partId = (title: string) => title.toLowerCase().replaceAll(" ", "-");

/** A titled section of a page. */
export function Section({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section id={partId(title)} className="py-4">
      <div className="mb-2 flex items-baseline gap-2">
        <h2 className="font-semibold">{title}</h2>
        {note && <span className="text-xs text-faint">{note}</span>}
      </div>
      {children}
    </section>
  );
}
