import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { queries } from "@/ipc";
import { count } from "@/lib/format";
import { Need, needKey } from "@/ui/need";
import { Page, Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { NoticeRow } from "./notice-row";
import { Trust } from "./trust";

/** Everything that waits for a person: what is settled here, and links to what is settled elsewhere. */
export function NeedsYouPage() {
  const { settled } = useSearch({ from: "/needs-you" });
  const overview = useQuery(queries.overview());
  const notices = useQuery(queries.notices(settled === true));
  const others = (overview.data?.needs_you ?? []).filter(({ kind }) => kind !== "notice" && kind !== "untrusted");
  const untrusted = (overview.data?.needs_you ?? []).some(({ kind }) => kind === "untrusted");
  const open = notices.data?.filter((notice) => notice.accepted === null) ?? [];
  const past = notices.data?.filter((notice) => notice.accepted !== null) ?? [];
  const things = open.length + others.length + (untrusted ? 1 : 0);
  return (
    <Page
      title="Needs you"
      sub={things > 0 ? count(things, "thing") : undefined}
      actions={
        <Link
          to="/needs-you"
          search={settled ? {} : { settled: true }}
          replace
          className="inline-flex h-7 items-center rounded-md border border-line-strong bg-panel px-2.5 hover:bg-raised"
        >
          {settled ? "Hide what was settled" : "Show what was settled"}
        </Link>
      }
    >
      <Result of={notices}>
        {() => (
          <div className="pb-8">
            <Trust />
            {things === 0 && (
              <Empty icon={CircleCheck} title="Nothing waits for you">
                What agents propose and may not do, what they did to the repository, and what the loop can't settle by
                itself comes here.
              </Empty>
            )}
            {open.length > 0 && (
              <ul aria-label="Notices" className="border-t border-line">
                {open.map((notice) => (
                  <li key={notice.id}>
                    <NoticeRow notice={notice} />
                  </li>
                ))}
              </ul>
            )}
            {others.length > 0 && (
              <div className="px-6">
                <Section title="Settled on its own page">
                  <ul className="-mx-2 max-w-3xl">
                    {others.map((item) => (
                      <li key={needKey(item)}>
                        <Need item={item} />
                      </li>
                    ))}
                  </ul>
                </Section>
              </div>
            )}
            {settled && (
              <section aria-label="Settled" className="pt-4">
                <h2 className="mb-2 px-6 font-semibold">Settled</h2>
                {past.length === 0 ? (
                  <p className="px-6 text-dim">Nothing was settled yet.</p>
                ) : (
                  <ul className="border-t border-line">
                    {past.map((notice) => (
                      <li key={notice.id}>
                        <NoticeRow notice={notice} />
                      </li>
                    ))}
                  </ul>
                )}
              </section>
            )}
          </div>
        )}
      </Result>
    </Page>
  );
}
