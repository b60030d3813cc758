import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Combine } from "lucide-react";
import { useState } from "react";
import { commands, LEARNING_TEXT_CHARS, type MergeOffer, queries } from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { count } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { useFew } from "@/ui/few";
import { Field, Input, Textarea } from "@/ui/field";
import { LearningMeta } from "@/ui/learning/learning-row";
import { Wording } from "@/ui/learning/wording";
import { Result } from "@/ui/query";
import { Empty, ErrorNote } from "@/ui/state";

/** The identity of an offer is its set of learnings. */
const keyOf = (offer: MergeOffer) => offer.learnings.map(({ id }) => id).join(" ");

/** Groups of similar learnings, offered for merging. "Not now" lasts until the window is closed. */
export function Merge({ feature }: { feature: string | undefined }) {
  const offers = useQuery(queries.mergeOffers());
  const [{ keys: later }, setLater] = useDraft<{ keys: string[] }>("merge-later", { keys: [] }, sessionStorage);
  return (
    <Result of={offers}>
      {(all) => {
        const here = all.filter((offer) => feature === undefined || offer.feature === feature);
        const shown = here.filter((offer) => !later.includes(keyOf(offer)));
        const put = here.length - shown.length;
        return (
          <>
            {shown.length > 0 ? (
              <Offers offers={shown} onLater={(offer) => setLater({ keys: [...later, keyOf(offer)] })} />
            ) : (
              <Empty icon={Combine} title={put > 0 ? "Nothing else to merge" : "Nothing to merge"}>
                Once a project knows more than 200 things, learnings of one feature and kind that share half of their
                tags are offered here, to be merged into one.
              </Empty>
            )}
            {put > 0 && (
              <p className="num px-6 pb-4 text-center text-dim">
                {count(put, "offer")} put off.{" "}
                <button type="button" className="text-accent hover:underline" onClick={() => setLater({ keys: [] })}>
                  Show again
                </button>
              </p>
            )}
          </>
        );
      }}
    </Result>
  );
}

/** Offers that are drawn at first: each shows all that it would merge, which may be a feature's fifty learnings. */
const AT_ONCE = 5;

function Offers({ offers, onLater }: { offers: readonly MergeOffer[]; onLater: (offer: MergeOffer) => void }) {
  const [shown, more] = useFew(offers, { tall: AT_ONCE });
  return (
    <>
      <ul className="flex flex-col gap-3 px-6 py-4">
        {shown.map((offer) => (
          <li key={keyOf(offer)}>
            <Offer offer={offer} onLater={() => onLater(offer)} />
          </li>
        ))}
      </ul>
      {more && <p className="px-6 pb-4">{more}</p>}
    </>
  );
}

function Offer({ offer, onLater }: { offer: MergeOffer; onLater: () => void }) {
  const now = useNow(60_000);
  const { feature, category, learnings } = offer;
  const [draft, change, clear] = useDraft(`merge ${keyOf(offer)}`, { text: learnings[0]?.text ?? "", reason: "" });
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = learnings.filter(({ id }) => !left.has(id));
  const merge = useCommand(
    () =>
      commands.mergeLearnings(
        chosen.map(({ id }) => id),
        draft.text.trim(),
        draft.reason.trim() || null,
      ),
    {
      errors: "inline",
      onDone: (merged) => {
        clear();
        tellDone(`Merged ${count(chosen.length, "learning")} into one`, () => commands.undoLearning(merged.id));
      },
    },
  );
  const use = (text: string) => {
    const before = draft.text;
    change({ text });
    const isOwn = before.trim() !== "" && !learnings.some((one) => one.text === before);
    if (isOwn) tellDone("Your text was replaced", async () => change({ text: before }));
  };
  const over = [...draft.text].length - LEARNING_TEXT_CHARS;
  const lacks =
    chosen.length < 2 ? "Choose at least two." : draft.text.trim() === "" ? "Say what takes their place." : null;
  const ready = lacks === null && over <= 0 && !merge.isPending;
  return (
    <article className="rounded-xl border border-line bg-panel" aria-label={`${learnings.length} alike in ${feature}`}>
      <header className="num flex flex-wrap items-baseline gap-x-2 border-b border-line px-4 py-2.5">
        <h2 className="shrink-0 font-medium">{learnings.length} learnings may say the same</h2>
        <Link
          to="/features/$name"
          params={{ name: feature }}
          className="min-w-0 truncate text-xs text-dim hover:text-text"
        >
          {feature}
        </Link>
        <span className="shrink-0 text-xs text-faint">{category.replaceAll("_", " ")}</span>
      </header>
      <ul aria-label="Learnings to merge" className="max-h-96 overflow-y-auto">
        {learnings.map((learning) => (
          <li key={learning.id} className="flex gap-3 border-b border-line px-4 py-2.5">
            <Checkbox
              className="mt-0.75"
              label={`Merge: ${learning.text.slice(0, 60)}`}
              checked={!left.has(learning.id)}
              onChange={(on) => setLeft(toggled(left, learning.id, !on))}
            />
            <div className="min-w-0 flex-1">
              <Wording text={learning.text} className={left.has(learning.id) ? "text-faint" : undefined} />
              {learning.reason && <p className="selectable text-xs wrap-anywhere text-dim">{learning.reason}</p>}
              <LearningMeta learning={learning} now={now} showFeature={false} />
            </div>
            <Button look="ghost" size="sm" onClick={() => use(learning.text)}>
              Use this text
            </Button>
          </li>
        ))}
      </ul>
      <form
        className="flex flex-col gap-3 px-4 py-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) merge.mutate(undefined);
        }}
      >
        <Field
          label="The one learning that takes their place"
          hint={`${-over} characters left`}
          error={over > 0 ? `${over} characters too long` : undefined}
        >
          {(field) => (
            <Textarea
              {...field}
              // What is typed while it is being saved would be lost with it.
              readOnly={merge.isPending}
              value={draft.text}
              onChange={(event) => change({ text: event.target.value })}
            />
          )}
        </Field>
        <Field label="Why it holds (optional)">
          {(field) => (
            <Input
              {...field}
              readOnly={merge.isPending}
              value={draft.reason}
              onChange={(event) => change({ reason: event.target.value })}
            />
          )}
        </Field>
        {merge.fault && <ErrorNote fault={merge.fault} />}
        <div className="flex flex-wrap items-center gap-2">
          <p className="mr-auto text-xs text-faint">{lacks ?? "The others are superseded and stay in the history."}</p>
          <Button onClick={onLater}>Not now</Button>
          <Button type="submit" look="primary" disabled={!ready}>
            Merge {count(chosen.length, "learning")}
          </Button>
        </div>
      </form>
    </article>
  );
}

function toggled(set: ReadonlySet<string>, id: string, on: boolean): ReadonlySet<string> {
  const next = new Set(set);
  if (on) next.add(id);
  else next.delete(id);
  return next;
}
