import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type LearningStatus, queries } from "@/ipc";
import { cn } from "@/lib/cn";
import { dayWord } from "@/lib/days";
import { number } from "@/lib/format";
import { Section } from "@/ui/page";

/** What automatic learning stored, and what it rejected. */
export function Learning() {
  const { data: status } = useQuery(queries.learningStatus());
  if (!status) return null;
  return (
    <Section title="Automatic learning" note={status.enabled ? `mode ${status.mode}, in 30 days` : "off"}>
      {!status.enabled ? <Off /> : isQuiet(status) ? <Quiet /> : <Figures status={status} />}
      {status.days.length > 0 && <Days days={status.days} />}
    </Section>
  );
}

/** Whether it has had no results yet. */
function isQuiet({ operations, dropped, waiting, facts_created, days }: LearningStatus) {
  return operations + dropped + waiting + facts_created === 0 && days.length === 0;
}

function Quiet() {
  return (
    <p className="max-w-2xl text-dim">
      Nothing has been heard yet. Once agents have worked, this says how many of their calls were heard, what was
      detected in them, and what became a lesson or a fact without being asked for.
    </p>
  );
}

function Off() {
  return (
    <p className="max-w-2xl text-dim">
      Nothing is learned from what agents do unless they are asked to. Turn it on in{" "}
      <Link to="/settings" className="text-accent underline underline-offset-2">
        Settings
      </Link>
      .
    </p>
  );
}

/** Where the rows behind a figure stand. */
const BEHIND: Record<string, "memories"> = { "Episodes written": "memories", "Facts stated by files": "memories" };

function Figures({ status }: { status: LearningStatus }) {
  const { operations, dropped, detections, waiting, episodes_created, facts_created, known, refused } = status;
  const rows: [string, number | undefined][] = [
    ["Calls heard", operations],
    ["Calls dropped because too many came at once", dropped],
    ["Detections", detections],
    ["Detections waiting", waiting],
    ["Episodes written", episodes_created],
    ["Facts stated by files", facts_created],
    ["Lessons already known", known],
    ...Object.entries(refused).map(([why, n]): [string, number | undefined] => [
      `Refused: ${why.replaceAll("_", " ")}`,
      n,
    ]),
  ];
  return (
    <dl aria-label="What was learned" className="num grid w-fit grid-cols-[minmax(0,20rem)_5rem] gap-x-4 gap-y-1">
      {rows.map(([label, n]) => (
        <div key={label} className="contents">
          <dt className="text-dim">{label}</dt>
          <dd className="text-right">
            {label in BEHIND ? (
              <Link to="/knowledge" search={{ tab: BEHIND[label] }} className="hover:text-accent hover:underline">
                {number(n ?? 0)}
              </Link>
            ) : (
              number(n ?? 0)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Days({ days }: { days: LearningStatus["days"] }) {
  const sum = (counts: Partial<Record<string, number>>) =>
    Object.values(counts).reduce<number>((a, n) => a + (n ?? 0), 0);
  return (
    <table aria-label="Learned by day" className="num mt-4 w-full max-w-xl text-xs">
      <thead className="text-left text-faint">
        <tr>
          {["Day", "Calls", "Detections", "Episodes", "Known", "Refused"].map((head, at) => (
            <th key={head} className={cn("font-normal", at > 0 && "text-right")}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(({ day, operations, detections, episodes_created, known, refused }) => (
          <tr key={day} className="border-t border-line">
            <td className="py-1">{dayWord(day)}</td>
            {[operations, detections, episodes_created, known, sum(refused)].map((value, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move.
              <td key={at} className="py-1 text-right">
                {number(value)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
