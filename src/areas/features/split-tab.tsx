import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FeatureRow, queries } from "@/ipc";
import { count } from "@/lib/format";
import { statusWord } from "@/lib/words";
import { Acronym } from "@/ui/acronym";
import { Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { SaturationBar } from "@/ui/saturation-bar";
import { StatusMark } from "@/ui/task-mark";

/** Why the feature is to be split, how far that is, and what came of it. */
export function SplitTab({ row }: { row: FeatureRow }) {
  const { feature, saturation, split_task } = row;
  const features = useQuery(queries.features());
  const figures: [string, number][] = [
    ["learnings", saturation.learnings_count],
    ["cap", saturation.max_learnings],
    ["protected", saturation.protected_count],
    ["prunable", saturation.prunable_count],
    ["parked", row.parked_count],
  ];
  return (
    <div className="max-w-3xl px-6">
      <Section title={feature.state === "decomposed" ? "This feature was split" : "Why a split"}>
        <p className="text-dim">
          {feature.state === "decomposed"
            ? "Its work goes on in its children. What is left here is history, told to the children's agents with less weight."
            : "A feature that holds more than its agents can be told is too wide. Smaller features keep knowledge sharp."}
        </p>
        <dl className="num mt-3 flex gap-8">
          {figures.map(([what, figure]) => (
            <div key={what}>
              <dd className="text-lg font-semibold">{figure}</dd>
              <dt className="text-xs text-faint">{what}</dt>
            </div>
          ))}
        </dl>
      </Section>
      {split_task !== null && <SplitTask id={split_task} />}
      <Section title="Children">
        <Result of={features}>
          {(all) => {
            const children = all.filter((other) => other.feature.parent === feature.name);
            if (children.length === 0) return <p className="text-dim">None yet. The split task makes at least two.</p>;
            return (
              <ul className="rounded-lg border border-line">
                {children.map((child) => (
                  <li
                    key={child.feature.name}
                    className="relative flex items-center gap-3 border-b border-line px-3 py-2 last:border-0 hover:bg-hover"
                  >
                    <Acronym>{child.feature.acronym}</Acronym>
                    <Link
                      to="/features/$name"
                      params={{ name: child.feature.name }}
                      className="min-w-0 flex-1 truncate after:absolute after:inset-0"
                    >
                      {child.feature.display_name}
                    </Link>
                    <span className="num text-xs text-dim">{count(child.saturation.learnings_count, "learning")}</span>
                    <div className="w-32">
                      <SaturationBar saturation={child.saturation} />
                    </div>
                  </li>
                ))}
              </ul>
            );
          }}
        </Result>
      </Section>
    </div>
  );
}

function SplitTask({ id }: { id: number }) {
  const task = useQuery(queries.task(id));
  return (
    <Section title="Split task">
      <Result of={task}>
        {(split) => (
          <Link
            to="/tasks/$id"
            params={{ id: String(id) }}
            className="flex items-center gap-2.5 rounded-lg border border-line px-3 py-2 hover:bg-hover"
          >
            <StatusMark status={split.status} />
            <span className="num text-faint">#{id}</span>
            <span className="truncate">{split.title}</span>
            <span className="ml-auto text-xs text-dim">{statusWord[split.status]}</span>
          </Link>
        )}
      </Result>
    </Section>
  );
}
