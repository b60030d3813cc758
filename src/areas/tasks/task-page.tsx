import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ChevronRight, GitPullRequest, Pencil, Play } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Priority, queries, type Task, type TaskDetail, type TaskPatch, type TaskStatus } from "@/ipc";
import { useCommand } from "@/lib/command";
import { moment } from "@/lib/format";
import { useKey } from "@/lib/hooks";
import { usePageActions } from "@/lib/page-actions";
import { changeTask } from "@/lib/tasks/task-actions";
import {
  PRIORITIES,
  priorityWord,
  provenanceWord,
  readinessWord,
  STATUSES_BY_A_PERSON,
  statusWord,
  TASK_STATUSES,
} from "@/lib/words";
import { Badge } from "@/ui/badge";
import { Button, buttonLook } from "@/ui/button";
import { Crumbs } from "@/ui/crumbs";
import { useFew } from "@/ui/few";
import { GuidanceField, WaitingGuidance } from "@/ui/guidance";
import { Section } from "@/ui/page";
import { PageResult } from "@/ui/query";
import { Select } from "@/ui/select";
import { Stuck } from "@/ui/task/stuck";
import { StatusMark } from "@/ui/task/task-mark";
import { Attempts } from "./attempts";
import { Comments } from "./comments";
import { EditTask } from "./edit-task";
import { NextPrompt } from "./next-prompt";

const route = getRouteApi("/tasks/$id");

export function TaskPage() {
  const id = Number(route.useParams().id);
  const task = useQuery(queries.task(id));
  return (
    <PageResult of={task} title={`Task #${id}`} up={<Link to="/tasks">Tasks</Link>}>
      {(detail) => <Detail key={id} task={detail} />}
    </PageResult>
  );
}

/** Jumps to one of the details at the side, and opens its choices. */
function focusField(label: string): void {
  const field = document.querySelector<HTMLElement>(`main button[role=combobox][aria-label="${label}"]`);
  field?.focus();
  field?.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
}

function Detail({ task }: { task: TaskDetail }) {
  const [editing, setEditing] = useState(false);
  const change = useCommand((patch: Pick<TaskPatch, "status" | "priority">) => changeTask(task, patch));
  usePageActions([
    { words: `Edit #${task.id}`, go: () => setEditing(true) },
    ...STATUSES_BY_A_PERSON.filter((status) => status !== task.status).map((status) => ({
      words: `Set #${task.id} to ${statusWord[status].toLowerCase()}`,
      go: () => change.mutate({ status }),
    })),
    ...PRIORITIES.filter((priority) => priority !== task.priority).map((priority) => ({
      words: `Give #${task.id} ${priorityWord[priority].toLowerCase()} priority`,
      go: () => change.mutate({ priority }),
    })),
  ]);
  useKey("s", () => focusField("Status"));
  useKey("p", () => focusField("Priority"));
  useKey("e", () => setEditing(true));
  return (
    <div data-scroller className="h-full overflow-y-auto">
      <header className="flex flex-wrap items-start gap-3 px-6 pt-3.5 pb-2">
        <div className="min-w-60 flex-1">
          <Crumbs>
            <Link to="/tasks" className="hover:text-text">
              Tasks
            </Link>
            <ChevronRight size={11} aria-hidden="true" />
            <Link to="/features/$name" params={{ name: task.feature }} className="hover:text-text">
              {task.feature}
            </Link>
          </Crumbs>
          <h1 className="selectable text-lg font-semibold tracking-tight wrap-anywhere">
            <span className="num mr-2 font-normal text-faint">#{task.id}</span>
            {task.title}
          </h1>
        </div>
        <div className="flex gap-2 pt-3">
          <Button onClick={() => setEditing(true)}>
            <Pencil size={13} aria-hidden="true" /> Edit
          </Button>
          <ToReview task={task.id} />
          {task.readiness === "ready" && (
            <Link to="/loop" search={{ task: task.id }} className={buttonLook({ look: "primary" })}>
              <Play size={13} aria-hidden="true" /> Run this task
            </Link>
          )}
        </div>
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)_15rem] gap-8 max-[900px]:grid-cols-[minmax(0,1fr)] max-[900px]:gap-2 px-6 pb-10">
        <div className="min-w-0">
          {task.status === "blocked" && <Blocked task={task} onFree={() => change.mutate({ status: "pending" })} />}
          {task.readiness !== "closed" && (
            <div className="mb-3 empty:hidden">
              <Stuck task={task} />
            </div>
          )}
          <Prose text={task.description} none="No description." />
          {task.acceptance_criteria.length > 0 && (
            <Section title="Done when">
              <ul className="flex list-disc flex-col gap-1 pl-4.5 marker:text-faint">
                {task.acceptance_criteria.map((criterion) => (
                  <li key={criterion} className="selectable wrap-anywhere">
                    {criterion}
                  </li>
                ))}
              </ul>
            </Section>
          )}
          <Dependencies task={task} />
          <Attempts task={task} />
          {task.status !== "done" && <NextPrompt task={task.id} />}
          {task.readiness !== "closed" && <Guide task={task.id} />}
          <Comments task={task} />
        </div>
        <Facts task={task} onChange={change.mutate} />
      </div>
      {editing && <EditTask task={task} onClose={() => setEditing(false)} />}
    </div>
  );
}

/** A link to the task's work while it awaits review. */
function ToReview({ task }: { task: number }) {
  const { data: reviews = [] } = useQuery(queries.reviews());
  if (!reviews.some((row) => row.task === task && row.state !== "discarded")) return null;
  return (
    <Link to="/review/$task" params={{ task: String(task) }} className={buttonLook({ look: "primary" })}>
      <GitPullRequest size={13} aria-hidden="true" /> Review its work
    </Link>
  );
}

/** Guidance for the task's next iteration. */
function Guide({ task }: { task: number }) {
  return (
    <Section title="Guidance" note="told once, to its next iteration">
      <div className="flex max-w-3xl flex-col gap-2">
        <GuidanceField task={task} label={`What the next iteration on #${task} should know`} />
        <WaitingGuidance task={task} />
      </div>
    </Section>
  );
}

function Blocked({ task, onFree }: { task: Task; onFree: () => void }) {
  return (
    <div className="mb-3 flex items-center gap-3 rounded-lg border border-warn/40 bg-warn-soft px-3 py-2">
      <p className="selectable min-w-0 flex-1 wrap-anywhere">
        <span className="font-medium">Waits for you.</span> {task.blocked_reason ?? "It was blocked without a reason."}
      </p>
      <Button onClick={onFree}>Put back to pending</Button>
    </div>
  );
}

/** Lines of a description shown at first: a split task lists every learning of its feature, and the rest must stay in view. */
const LINES = 14;

function Prose({ text, none }: { text: string; none: string }) {
  const [whole, setWhole] = useState(false);
  if (text === "") return <p className="py-1 text-faint">{none}</p>;
  const lines = text.split("\n");
  // One or two more lines are shown right away: a button would take as much room.
  const folds = lines.length > LINES + 2;
  return (
    <div className="max-w-3xl py-1">
      <p className="selectable whitespace-pre-wrap wrap-anywhere">
        {folds && !whole ? lines.slice(0, LINES).join("\n") : text}
      </p>
      {folds && (
        <Button size="sm" className="mt-2" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : `Show all ${lines.length} lines`}
        </Button>
      )}
    </div>
  );
}

function Dependencies({ task }: { task: Task }) {
  const { data: tasks = [] } = useQuery(queries.tasks({}));
  const needs = tasks.filter(({ id }) => task.depends_on.includes(id));
  const holds = tasks.filter(({ depends_on }) => depends_on.includes(task.id));
  if (needs.length === 0 && holds.length === 0) return null;
  return (
    <Section
      title="Dependencies"
      note={
        <Link to="/tasks" search={{ view: "graph", around: task.id }} className="hover:text-text hover:underline">
          in the graph
        </Link>
      }
    >
      <div className="flex flex-wrap gap-x-6 gap-y-3 *:flex-1 *:basis-60">
        <Related title="Depends on" tasks={needs} waiting={task.waiting_on} />
        <Related title="Needed by" tasks={holds} waiting={[]} />
      </div>
    </Section>
  );
}

function Related({ title, tasks, waiting }: { title: string; tasks: Task[]; waiting: number[] }) {
  const [shown, more] = useFew(tasks);
  if (tasks.length === 0) return null;
  return (
    <div className="min-w-0">
      <h3 className="mb-1 text-xs text-faint">{title}</h3>
      <ul>
        {shown.map((other) => (
          <li key={other.id}>
            <Link
              to="/tasks/$id"
              params={{ id: String(other.id) }}
              className="-mx-1.5 flex h-7 items-center gap-2 rounded-md px-1.5 hover:bg-raised"
            >
              <StatusMark status={other.status} />
              <span className="num text-faint">#{other.id}</span>
              <span className="truncate">{other.title}</span>
              {waiting.includes(other.id) && <Badge tone="warn">waiting</Badge>}
            </Link>
          </li>
        ))}
      </ul>
      {more}
    </div>
  );
}

function Facts({
  task,
  onChange,
}: {
  task: TaskDetail;
  onChange: (patch: Pick<TaskPatch, "status" | "priority">) => void;
}) {
  // The status that the loop gave is shown, and can be left.
  const statuses = TASK_STATUSES.filter(
    (status) => status === task.status || STATUSES_BY_A_PERSON.some((own) => own === status),
  );
  return (
    <dl className="flex flex-col gap-2.5 pt-1 text-sm">
      <Fact label="Status">
        <Select
          className="h-7 w-full"
          label="Status"
          value={task.status}
          onChange={(status) => onChange({ status: status as TaskStatus })}
          options={statuses.map((value) => ({ value, label: statusWord[value] }))}
        />
      </Fact>
      <Fact label="Priority">
        <Select
          className="h-7 w-full"
          label="Priority"
          value={task.priority}
          onChange={(priority) => onChange({ priority: priority as Priority })}
          options={PRIORITIES.map((value) => ({ value, label: priorityWord[value] }))}
        />
      </Fact>
      <Fact label="State">{task.status === "draft" ? "No agent works on a draft" : readinessWord[task.readiness]}</Fact>
      <Fact label="Discipline">{task.discipline ?? "none"}</Fact>
      <Fact label="Created by">{provenanceWord[task.provenance]}</Fact>
      {task.tags.length > 0 && (
        <Fact label="Tags">
          <span className="flex min-w-0 flex-wrap gap-1">
            {task.tags.map((tag) => (
              <Badge key={tag} className="max-w-full min-w-0" title={tag}>
                <span className="truncate">{tag}</span>
              </Badge>
            ))}
          </span>
        </Fact>
      )}
      <Fact label="Created">
        <span className="text-xs">{moment(task.created)}</span>
      </Fact>
      <Fact label="Changed">
        <span className="text-xs">{moment(task.updated)}</span>
      </Fact>
    </dl>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid min-h-6 grid-cols-[4.5rem_minmax(0,1fr)] items-center gap-2">
      <dt className="text-xs text-faint">{label}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}
