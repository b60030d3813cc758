import type { RecallResponse, ScoreBreakdown } from "@/ipc";
import { count } from "@/lib/format";
import { channelHint, channelWord, factorHint, factorWord, rawScore } from "@/lib/knowledge/knowledge-words";

type Part = { name: string; hint?: string; share: number; of?: number; detail: string };

/** Explains a hit's rank: the contribution of each channel beside its maximum, what was added, and the factors. */
export function WhyThis({ score, answer }: { score: ScoreBreakdown; answer: RecallResponse }) {
  const parts = partsOf(score, answer);
  const whole = Math.max(...parts.flatMap(({ share, of = 0 }) => [share, of]), Number.EPSILON);
  return (
    <section
      aria-label="Why this hit"
      className="num mt-2 max-w-2xl rounded-lg border border-line bg-panel px-3 py-2 text-xs"
    >
      <ul className="flex flex-col gap-1">
        {parts.map((part) => (
          <li
            key={part.name}
            className="grid grid-cols-[5.5rem_minmax(0,1fr)_2.75rem_9.5rem] items-center gap-2.5"
            title={part.hint}
          >
            <span className="text-dim">{part.name}</span>
            <Bar {...part} whole={whole} />
            <span className="text-right">{part.share.toFixed(2)}</span>
            <span className="truncate text-faint">{part.detail}</span>
          </li>
        ))}
      </ul>
      <div className="mt-2 flex flex-wrap items-baseline gap-x-3 gap-y-0.5 border-t border-line pt-1.5">
        {score.factors.map(({ name, factor }) => (
          <span key={name} title={factorHint[name]} className="text-dim">
            {factorWord[name]} <span className="text-text">×{(factor ?? 1).toFixed(2)}</span>
          </span>
        ))}
        {score.factors.length === 0 && <span className="text-faint">Nothing else moves it.</span>}
        <span className="ml-auto text-dim">
          total <span className="font-semibold text-text">{(score.total ?? 0).toFixed(2)}</span>
        </span>
      </div>
    </section>
  );
}

/** The channels by weight, then the contributions of neighbors and further chunks. */
function partsOf(score: ScoreBreakdown, { weights, missing }: RecallResponse): Part[] {
  const channels = weights
    .filter(({ weight }) => (weight ?? 0) >= 0.005)
    .map(({ channel, weight }): Part => {
      const own = score.channels.find((one) => one.channel === channel);
      return {
        name: channelWord[channel],
        hint: channelHint[channel],
        share: own?.contribution ?? 0,
        of: weight ?? 0,
        detail: own ? `rank ${own.rank} · ${rawScore(channel, own.raw)}` : "did not find it",
      };
    });
  const absent = missing.map(
    ({ channel, reason }): Part => ({ name: channelWord[channel], hint: reason, share: 0, detail: "had no part" }),
  );
  const neighbours = score.neighbours ?? 0;
  const bonus = score.chunk_bonus ?? 0;
  const added: Part[] = [
    { name: channelWord.neighbours, hint: channelHint.neighbours, share: neighbours, detail: "learned beside it" },
    {
      name: "chunks",
      hint: "What further parts of a long text add. How much is provisional: too little is measured yet.",
      share: bonus,
      detail: `${count(score.chunks, "part")} matched`,
    },
  ];
  return [...channels, ...absent, ...added.filter(({ share }) => share > 0)];
}

/** Solid: the contribution. Faint: its maximum. */
function Bar({ share, of = 0, whole }: { share: number; of?: number; whole: number }) {
  const width = (part: number) => `${Math.round((part / whole) * 1000) / 10}%`;
  return (
    <span aria-hidden="true" className="relative h-1.25 overflow-hidden rounded-full bg-raised">
      <span className="absolute inset-y-0 left-0 rounded-full bg-accent opacity-25" style={{ width: width(of) }} />
      <span
        data-part="share"
        className="absolute inset-y-0 left-0 rounded-full bg-accent"
        style={{ width: width(share) }}
      />
    </span>
  );
}
