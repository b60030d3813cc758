import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, Circle } from "lucide-react";
import type { ReactNode } from "react";
import { type FeatureRow, queries, SPLIT_CHILDREN, type SplitCluster, type SplitView, type Task } from "@/ipc";
import { count } from "@/lib/format";
import { useNow } from "@/lib/hooks";
import { statusWord } from "@/lib/words";
import { Acronym } from "@/ui/acronym";
import { FeatureBar } from "@/ui/chart/saturation-bar";
import { useFew } from "@/ui/few";
import { Section } from "@/ui/page";
import { Result } from "@/ui/query";
import { StatusMark } from "@/ui/task/task-mark";
import { TaskRow } from "@/ui/task/task-row";

/** Why the feature should be split, the progress so far, and the result. */
export function SplitTab({ row }: { row: FeatureRow }) {
  const { feature, saturation, split_task } = row;
  const done = feature.state === "decomposed";
  const split = useQuery(queries.split(feature.name));
  const figures: [string, number][] = [
    ["learnings", saturation.learnings_count],
    ["cap", saturation.max_learnings],
    ["protected", saturation.protected_count],
    ["prunable", saturation.prunable_count],
    ["parked", row.parked_count],
  ];
  return (
    <div className="max-w-3xl px-6">
      <Section title={done ? "This feature was split" : "Why a split"}>
        <p className="text-dim">
          {done
            ? "Its work goes on in its children. What is left here is history, told to the children's agents with less weight."
            : "A feature that holds more than its agents can be told is too wide. Smaller features keep knowledge sharp."}
        </p>
        <dl className="num mt-3 flex flex-wrap gap-x-8 gap-y-2">
          {figures.map(([what, figure]) => (
            <div key={what}>
              <dd className="text-lg font-semibold">{figure}</dd>
              <dt className="text-xs text-faint">{what}</dt>
            </div>
          ))}
        </dl>
      </Section>
      {split_task !== null && <SplitTask id={split_task} />}
      <Result of={split}>
        {(view) => (
          <>
            {!done && <Progress view={view} />}
            <Children feature={feature.name} />
            {!done && <ToMove feature={feature.name} ids={view.progress.open_tasks} clusters={view.clusters} />}
          </>
        )}
      </Result>
    </div>
  );
}

/** Conditions for closing the split task. */
function Progress({ view: { progress, left } }: { view: SplitView }) {
  const { children, open_tasks } = progress;
  return (
    <Section title="Progress" note={left === "" ? "the split task can be closed" : undefined}>
      <ul aria-label="What closing the split task requires" className="flex flex-col gap-1">
        <Asked met={children >= SPLIT_CHILDREN}>
          {children} of at least {SPLIT_CHILDREN} child features
        </Asked>
        <Asked met={open_tasks.length === 0}>
          {open_tasks.length === 0 ? "no open task is left here" : `${count(open_tasks.length, "open task")} to move`}
        </Asked>
      </ul>
      <p className="mt-1.5 text-xs text-faint">
        Learnings follow their tasks; those that stay are this feature's history.
      </p>
    </Section>
  );
}

function Asked({ met, children }: { met: boolean; children: ReactNode }) {
  return (
    <li className="num flex items-center gap-2">
      {met ? (
        <Check size={14} className="text-ok" role="img" aria-label="Done" />
      ) : (
        <Circle size={14} className="text-faint" role="img" aria-label="To do" />
      )}
      <span className={met ? "text-dim" : ""}>{children}</span>
    </li>
  );
}

function Children({ feature }: { feature: string }) {
  const features = useQuery(queries.features());
  return (
    <Section title="Children">
      <Result of={features}>
        {(all) => {
          const children = all.filter((other) => other.feature.parent === feature);
          if (children.length === 0) {
            return <p className="text-dim">None yet. The split task makes at least {SPLIT_CHILDREN}.</p>;
          }
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
                    <FeatureBar known={child.saturation} />
                  </div>
                </li>
              ))}
            </ul>
          );
        }}
      </Result>
    </Section>
  );
}

/** The feature's tasks and learnings, grouped by shared words as for the split's agent: each group suggests a child. */
function ToMove({ feature, ids, clusters }: { feature: string; ids: number[]; clusters: SplitCluster[] }) {
  const now = useNow(60_000);
  const tasks = useQuery(queries.tasks({ feature }));
  if (clusters.length === 0) return null;
  return (
    <Section title="What could go together" note="by shared words of tasks and learnings; a suggestion only">
      <Result of={tasks}>
        {(all) => (
          <ol aria-label="Suggested clusters" className="flex flex-col gap-3">
            {clusters.map((cluster) => (
              <li
                key={[...cluster.tasks, ...cluster.learnings].join(" ")}
                className="overflow-hidden rounded-lg border border-line"
              >
                <p className="num flex items-baseline gap-2 border-b border-line bg-panel px-3 py-1.5">
                  <span className="min-w-0 truncate font-medium">
                    {cluster.about.join(", ") || "no words in common"}
                  </span>
                  <span className="ml-auto shrink-0 text-xs text-dim">
                    {count(cluster.tasks.length, "task")}, {count(cluster.learnings.length, "learning")}
                  </span>
                </p>
                <Tasks
                  tasks={all.filter(({ id }) => cluster.tasks.includes(id) && ids.includes(id))}
                  none={
                    cluster.tasks.length === 0
                      ? "Learnings without a task of this feature."
                      : `Nothing is left to move, since ${cluster.tasks.map((id) => `#${id}`).join(", ")} ${cluster.tasks.length === 1 ? "is" : "are"} closed.`
                  }
                  now={now}
                />
              </li>
            ))}
          </ol>
        )}
      </Result>
    </Section>
  );
}

function Tasks({ tasks, none, now }: { tasks: Task[]; none: string; now: number }) {
  const [shown, more] = useFew(tasks);
  if (tasks.length === 0) return <p className="num px-3 py-1.5 text-xs text-faint">{none}</p>;
  return (
    <>
      <ul aria-label="Tasks still to move" className="-mb-px">
        {shown.map((task) => (
          <li key={task.id}>
            <TaskRow task={task} now={now} showFeature={false} />
          </li>
        ))}
      </ul>
      {more && <p className="px-3">{more}</p>}
    </>
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
