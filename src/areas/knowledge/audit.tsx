import { useQuery } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import {
  type AuditClass,
  type AuditDay,
  type AuditedMemory,
  type AuditFinding,
  commands,
  type FeatureLearning,
  queries,
  UNUSED_ACTIVE_DAYS,
} from "@/ipc";
import { tellDone, useCommand } from "@/lib/command";
import { dayWord } from "@/lib/days";
import { count, number, percent } from "@/lib/format";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { LearningLink } from "@/ui/learning/learning-link";
import { idsIn, useLearningsById, WithNames } from "@/ui/learning/with-names";
import { Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { Said } from "@/ui/said";
import { Empty } from "@/ui/state";

/** Rows of a class that are listed; of the rest only the number is shown. */
const SHOWN = 20;

const CLASSES: readonly { value: AuditClass; label: string; note: string }[] = [
  { value: "duplicate", label: "Duplicates", note: "repeat another one word for word; that one stays" },
  { value: "near_duplicate", label: "Near duplicates", note: "say the same in other words" },
  { value: "boilerplate", label: "Boilerplate", note: "say what every session says" },
  { value: "recall_loop", label: "Recall loops", note: "repeat what Ralph itself had told" },
  {
    value: "secret",
    label: "Secrets",
    note: "putting away hides them; `ralph audit --wash` in a terminal takes the words out",
  },
  { value: "dead_end", label: "Dead ends", note: "tell of a success that did not last" },
  { value: "stale_fact", label: "Stale facts", note: "their file, or the line in it, is gone" },
  {
    value: "never_used",
    label: "Never used",
    note: `for ${UNUSED_ACTIVE_DAYS} active days; offered, never dropped automatically`,
  },
];

/** Junk among the memories by class; a whole class is put away in one act. */
export function Audit() {
  const report = useQuery(queries.auditReport());
  const undo = useCommand((act: string) => commands.undoAudit(act), {
    onDone: ({ returned, left }) =>
      tellDone(
        `${count(returned.length, "memory", "memories")} told again${left.length ? `, ${left.length} not` : ""}`,
      ),
  });
  return (
    <section aria-label="Audit" className="min-h-0 flex-1 overflow-y-auto px-6 pb-10">
      <Result of={report}>
        {({ memories, junk, classes, days, undoable }) => (
          <div className="max-w-4xl">
            <div className="flex items-center gap-3 py-3">
              <p className="num text-dim">
                {count(memories, "memory", "memories")} told, {junk} of them junk (
                {percent(junk / Math.max(memories, 1))})
              </p>
              {undoable && (
                <Button
                  size="sm"
                  className="ml-auto"
                  disabled={undo.isPending}
                  onClick={() => undo.mutate(undoable.act)}
                >
                  Bring back: {CLASSES.find(({ value }) => value === undoable.class)?.label.toLowerCase()}
                </Button>
              )}
            </div>
            {CLASSES.every(({ value }) => (classes[value]?.count ?? 0) === 0) ? (
              <Empty icon={ShieldCheck} title="Nothing to put away">
                No memory repeats another, says nothing, or tells of what is gone.
              </Empty>
            ) : (
              CLASSES.map(({ value, ...words }) => {
                const finding = classes[value];
                return finding && finding.count > 0 && <Class key={value} of={value} finding={finding} {...words} />;
              })
            )}
            {days.length > 1 && <Days days={days} />}
          </div>
        )}
      </Result>
    </section>
  );
}

function Class({ of, finding, label, note }: { of: AuditClass; finding: AuditFinding; label: string; note: string }) {
  const retire = useCommand(() => commands.retireClass(of), {
    onDone: ({ act, retired, kept }) => {
      const stays = kept.length > 0 ? `; ${kept.length} protected stay` : "";
      tellDone(
        `${count(retired.length, "memory", "memories")} put away${stays}`,
        act === null ? undefined : () => commands.undoAudit(act),
      );
    },
  });
  const listed = finding.memories.slice(0, SHOWN);
  const known = useLearningsById(listed.flatMap(({ id, why }) => [id, ...idsIn(why)]));
  const loose = finding.memories.filter((memory) => !memory.protected).length;
  const rest = finding.memories.length - SHOWN;
  return (
    <Section title={label} note={<Said text={note} />}>
      <div className="mb-1 flex items-center gap-3">
        <p className="num text-xs text-dim">
          {finding.count} · {percent(finding.share)} of all memories
          {loose === 0 && " · all of them are protected"}
        </p>
        <Button
          size="sm"
          className="ml-auto"
          disabled={loose === 0 || retire.isPending}
          aria-label={`Put away ${loose}: ${label.toLowerCase()}`}
          onClick={() => retire.mutate(undefined)}
        >
          Put away {loose}
        </Button>
      </div>
      <ul aria-label={label}>
        {listed.map((memory) => (
          <li key={memory.id} className="flex items-center gap-x-3 border-t border-line py-1.5 max-[900px]:flex-wrap">
            <Badge>{memory.kind}</Badge>
            <Memory memory={memory} learning={known?.get(memory.id)} />
            <span className="max-w-80 truncate text-xs text-dim" title={memory.why}>
              <WithNames text={memory.why} known={known} />
            </span>
            {memory.protected && <Badge>protected</Badge>}
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="num border-t border-line py-1.5 text-xs text-faint">and {rest} more</p>}
    </Section>
  );
}

/** A learning links to its feature's page; other kinds show only the text. */
function Memory({ memory: { text }, learning }: { memory: AuditedMemory; learning: FeatureLearning | undefined }) {
  const place = "min-w-0 flex-1 truncate max-[900px]:min-w-[70%]";
  if (learning) return <LearningLink learning={learning} className={place} />;
  return (
    <span className={`selectable ${place}`} title={text}>
      {text}
    </span>
  );
}

/** The share of junk by day of audit. */
function Days({ days }: { days: AuditDay[] }) {
  return (
    <Section title="Over time" note="the last audit of each day">
      <table className="num w-full max-w-xl text-xs">
        <thead className="text-faint">
          <tr>
            <th className="text-left font-normal">Day</th>
            <th className="text-right font-normal">Memories</th>
            <th className="text-right font-normal">Junk</th>
          </tr>
        </thead>
        <tbody>
          {days.toReversed().map(({ day, memories, junk }) => (
            <tr key={day} className="border-t border-line">
              <td className="py-1">{dayWord(day)}</td>
              <td className="text-right">{number(memories)}</td>
              <td className="text-right">
                {number(junk)} ({percent(junk / Math.max(memories, 1))})
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
