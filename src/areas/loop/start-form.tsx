import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FolderOpen, Play } from "lucide-react";
import type { ReactNode } from "react";
import {
  type AgentKind,
  commands,
  type DoctorCheck,
  type PermissionProfile,
  pickScript,
  queries,
  type RunRequest,
  type Settings,
  type Strategy,
  toFault,
} from "@/ipc";
import { useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { count } from "@/lib/format";
import {
  AGENTS,
  PERMISSIONS,
  permissionHint,
  permissionWord,
  STRATEGIES,
  strategyHint,
  strategyWord,
} from "@/lib/words";
import { Button } from "@/ui/button";
import { Field, Input } from "@/ui/field";
import { Select } from "@/ui/select";
import { ErrorNote } from "@/ui/state";

type Draft = {
  agent: AgentKind;
  strategy: Strategy;
  model: string;
  script: string;
  check: string;
  iterations: string;
  minutes: string;
  usd: string;
  holdOut: string;
  workers: string;
  where: Where;
  /** Empty: the project's setting. */
  permissions: PermissionProfile | "";
};

/** Where agents work: by the number of workers, unless the person chooses. */
type Where = "" | "checkout" | "worktrees";

function draftOf(settings: Settings): Draft {
  const limit = (n: number | null) => (n ? String(n) : "");
  return {
    agent: settings.agent,
    strategy: settings.strategy,
    // A model named here is the weakest that the strategy may choose, so none is preselected.
    model: "",
    script: settings.script,
    check: settings.check,
    iterations: limit(settings.max_iterations),
    minutes: limit(settings.max_minutes),
    usd: limit(settings.max_usd),
    holdOut: limit(settings.hold_out),
    workers: "",
    where: "",
    permissions: "",
  };
}

const numberOf = (text: string) => (text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text));

/**
 * The request for the form's values. An empty field means no limit and no check, even if the project sets one: on the wire
 * that is 0. Only the number of iterations is always limited. A script or check that equals the setting is left out of the
 * request: from the settings, it is executed only if the person has agreed to it.
 */
export function requestOf(draft: Draft, defaults: Settings, task: number | null): RunRequest {
  const given = (words: string, setting: string) => (words.trim() === setting.trim() ? null : words.trim());
  return {
    agent: draft.agent,
    model: draft.model.trim() || null,
    script: draft.agent === "scripted" ? given(draft.script, defaults.script) || null : null,
    task,
    limits: {
      max_iterations: numberOf(draft.iterations),
      max_minutes: numberOf(draft.minutes) ?? 0,
      max_usd: numberOf(draft.usd) ?? 0,
    },
    check: given(draft.check, defaults.check),
    strategy: draft.strategy,
    hold_out: numberOf(draft.holdOut) ?? 0,
    permissions: draft.permissions || null,
    checkout: null,
    workers: task === null ? numberOf(draft.workers) : null,
    in_place: draft.where === "" ? null : draft.where === "checkout",
  };
}

export function StartForm({ task, defaults }: { task: number | null; defaults: Settings }) {
  const navigate = useNavigate();
  const { data: overview } = useQuery(queries.overview());
  const { data: project } = useQuery(queries.project());
  // The agent chosen last is this person's preference for this project; the settings are shared.
  const [last, remember] = useDraft(`agent.${project?.path ?? ""}`, { agent: defaults.agent }, localStorage);
  const [draft, change, clear] = useDraft("run", { ...draftOf(defaults), agent: last.agent });
  const start = useCommand(() => commands.startRun(requestOf(draft, defaults, task)), {
    errors: "inline",
    onDone: (run) => {
      clear();
      void navigate({ to: "/loop/$run", params: { run: String(run.id) } });
    },
  });
  const running = overview?.active_run ?? null;
  const agent = useQuery(queries.agentCheck(draft.agent));
  const missing = agent.data?.status === "error";
  return (
    <form
      aria-label="Start the loop"
      className="flex flex-col gap-3 rounded-xl border border-line bg-panel p-4"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(undefined);
      }}
    >
      <Target task={task} />
      <div className="grid grid-cols-2 gap-3">
        <Field label="Agent">
          {({ id }) => (
            <Select
              id={id}
              value={draft.agent}
              onChange={(agent) => {
                change({ agent: agent as AgentKind });
                remember({ agent: agent as AgentKind });
              }}
              options={AGENTS}
            />
          )}
        </Field>
        <Field label="Strategy">
          {({ id }) => (
            <Select
              id={id}
              value={draft.strategy}
              onChange={(strategy) => change({ strategy: strategy as Strategy })}
              options={STRATEGIES.map((value) => ({ value, label: strategyWord[value] }))}
            />
          )}
        </Field>
      </div>
      <AgentFound check={agent} />
      <Field label={draft.strategy === "fixed" ? "Model" : "Weakest model"} hint={strategyHint[draft.strategy]}>
        {(field) => (
          <Input
            {...field}
            value={draft.model}
            placeholder={modelOf(draft, defaults)}
            onChange={(e) => change({ model: e.target.value })}
          />
        )}
      </Field>
      {draft.agent === "scripted" && <ScriptField value={draft.script} onChange={(script) => change({ script })} />}
      <fieldset className="grid grid-cols-3 gap-3">
        <legend className="sr-only">Limits</legend>
        <Limit
          label="Iterations"
          none={String(defaults.max_iterations)}
          value={draft.iterations}
          onChange={(iterations) => change({ iterations })}
        />
        <Limit label="Minutes" value={draft.minutes} onChange={(minutes) => change({ minutes })} />
        <Limit label="Dollars" value={draft.usd} onChange={(usd) => change({ usd })} />
      </fieldset>
      <Field label="Check" hint="A task is done only when this command passes. Empty: the agent's word counts.">
        {(field) => (
          <Input
            {...field}
            className="font-mono text-xs"
            placeholder="none"
            value={draft.check}
            onChange={(e) => change({ check: e.target.value })}
          />
        )}
      </Field>
      <Place draft={draft} alone={task !== null} onChange={change} />
      <details open={draft.holdOut !== "" || draft.permissions !== ""}>
        <summary className="text-xs text-dim">More</summary>
        <Field
          label="What agents may do"
          className="mt-2"
          hint={permissionHint[draft.permissions || (defaults.permissions ?? "normal")]}
        >
          {({ id }) => (
            <Select
              id={id}
              value={draft.permissions}
              onChange={(permissions) => change({ permissions: permissions as Draft["permissions"] })}
              options={[
                {
                  value: "",
                  label: `As the project: ${permissionWord[defaults.permissions ?? "normal"].toLowerCase()}`,
                },
                ...PERMISSIONS.map((value) => ({ value, label: permissionWord[value] })),
              ]}
            />
          )}
        </Field>
        <HoldOut value={draft.holdOut} onChange={(holdOut) => change({ holdOut })} />
      </details>
      {start.fault && <ErrorNote fault={start.fault} />}
      <Button type="submit" look="primary" className="h-8 justify-center" disabled={start.isPending || missing}>
        <Play size={14} aria-hidden="true" /> Start
      </Button>
      {running && (
        <p className="text-xs text-dim">
          <Link
            to="/loop/$run"
            params={{ run: String(running.id) }}
            className="text-accent underline underline-offset-2"
          >
            Run {running.id}
          </Link>{" "}
          goes on; another one works beside it in worktrees.
        </p>
      )}
    </form>
  );
}

/** The model used if none is named. An agent that does not know the names in the settings chooses its own. */
function modelOf({ agent, strategy }: Draft, defaults: Settings): string {
  const claudes = (of: AgentKind) => of === "claude" || of === "scripted";
  if (agent !== defaults.agent && !(claudes(agent) && claudes(defaults.agent))) return "its own choice";
  return strategy === "fixed" ? defaults.model : (defaults.models[0] ?? defaults.model);
}

/** Whether the agent could be started now, checked before the start. */
function AgentFound({ check }: { check: UseQueryResult<DoctorCheck> }) {
  if (check.isError) return <ErrorNote fault={toFault(check.error)} onRetry={() => void check.refetch()} />;
  if (!check.data) return null;
  const { status, detail, hint } = check.data;
  if (status === "ok") {
    return (
      <p className="-mt-1.5 truncate text-xs text-faint" title={detail}>
        {detail}
      </p>
    );
  }
  return (
    <ErrorNote fault={{ code: "agent_unavailable", message: detail, hint }} onRetry={() => void check.refetch()} />
  );
}

/** The number of concurrent agents, and where they work. */
function Place({ draft, alone, onChange }: { draft: Draft; alone: boolean; onChange: (part: Partial<Draft>) => void }) {
  const several = !alone && (numberOf(draft.workers) ?? 1) > 1;
  const clash = several && draft.where === "checkout";
  return (
    <div className="grid grid-cols-2 gap-3">
      {!alone && (
        <Field label="Workers" error={clash ? "Several can't share this checkout." : undefined}>
          {(field) => (
            <Input
              {...field}
              inputMode="numeric"
              placeholder="1"
              className="num"
              value={draft.workers}
              onChange={(e) => onChange({ workers: e.target.value.replace(/\D/g, "") })}
            />
          )}
        </Field>
      )}
      <Field label="Where" className={alone ? "col-span-2" : undefined}>
        {({ id }) => (
          <Select
            id={id}
            value={draft.where}
            onChange={(where) => onChange({ where: where as Where })}
            options={[
              { value: "", label: several ? "A worktree each" : "As it fits" },
              { value: "checkout", label: "This checkout" },
              { value: "worktrees", label: "Worktrees" },
            ]}
          />
        )}
      </Field>
    </div>
  );
}

function HoldOut({ value, onChange }: { value: string; onChange: (percent: string) => void }) {
  return (
    <Field
      label="Hold-out, percent"
      className="mt-2"
      hint="This share of the attempts is told no learnings, so that Insights can measure whether memory helps. At most 90; empty: none."
    >
      {(field) => (
        <Input
          {...field}
          inputMode="numeric"
          placeholder="none"
          className="num"
          value={value}
          onChange={(e) => onChange(e.target.value.replace(/\D/g, ""))}
        />
      )}
    </Field>
  );
}

function Target({ task }: { task: number | null }) {
  const { data: tasks } = useQuery(queries.tasks({}));
  if (task !== null) {
    const title = tasks?.find(({ id }) => id === task)?.title;
    return (
      <p className="flex items-baseline gap-2">
        <span className="min-w-0 truncate">
          <span className="font-semibold">Work #{task}</span> <span className="text-dim">{title}</span>
        </span>
        <Link to="/loop" className="ml-auto shrink-0 text-xs text-accent">
          all ready tasks
        </Link>
      </p>
    );
  }
  const ready = tasks?.filter(({ readiness }) => readiness === "ready").length;
  return (
    <p>
      <span className="font-semibold">Start the loop</span>
      {ready !== undefined && <span className="num text-dim"> · {count(ready, "ready task")}</span>}
      {ready === 0 && (
        <Link to="/tasks" search={{ new: true }} className="float-right text-xs leading-5 text-accent hover:underline">
          New task
        </Link>
      )}
    </p>
  );
}

function ScriptField({ value, onChange }: { value: string; onChange: (path: string) => void }): ReactNode {
  const pick = async () => {
    const path = await pickScript("Script of the scripted agent");
    if (path !== null) onChange(path);
  };
  return (
    <Field label="Script">
      {(field) => (
        <div className="flex gap-2">
          <Input
            {...field}
            className="font-mono text-xs"
            placeholder="script.txt"
            value={value}
            onChange={(e) => onChange(e.target.value)}
          />
          <Button size="icon" className="size-8" aria-label="Choose a script" onClick={() => void pick()}>
            <FolderOpen size={14} />
          </Button>
        </div>
      )}
    </Field>
  );
}

function Limit({
  label,
  value,
  onChange,
  none = "no limit",
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  none?: string;
}) {
  return (
    <Field label={label}>
      {(field) => (
        <Input
          {...field}
          inputMode="decimal"
          placeholder={none}
          className="num"
          value={value}
          onChange={(e) => onChange(e.target.value.replace(/[^\d.]/g, ""))}
        />
      )}
    </Field>
  );
}
