import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FolderOpen, Play } from "lucide-react";
import type { ReactNode } from "react";
import { type AgentKind, commands, type DoctorCheck, pickScript, queries, type Settings, toFault } from "@/ipc";
import { useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { count } from "@/lib/format";
import { useStillHere } from "@/lib/hooks";
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
import { ChoiceField, Field, Input, NumberField, TextField } from "@/ui/field";
import { FormBar } from "@/ui/form-bar";
import { ErrorNote } from "@/ui/state";
import { draftOf, faultsOf, isSeveral, type RunDraft, requestOf, worksInWorktrees } from "./run-draft";

export function StartForm({ task, defaults }: { task: number | null; defaults: Settings }) {
  const navigate = useNavigate();
  const stillHere = useStillHere();
  const { data: overview } = useQuery(queries.overview());
  // The agent chosen last is this person's preference for this project; the settings are shared.
  const [last, remember] = useDraft("agent", { agent: defaults.agent });
  // Only what was typed is kept: everything else follows the settings. It is meant for the next run, not for one on another day.
  const [typed, type, clear] = useDraft<Partial<RunDraft>>("run", {}, sessionStorage);
  const draft = { ...draftOf(defaults), agent: last.agent, ...typed };
  const start = useCommand(() => commands.startRun(requestOf(draft, defaults, task)), {
    errors: "inline",
    // The agent is looked for, and git is asked.
    works: true,
    onDone: (run) => {
      clear();
      if (stillHere()) void navigate({ to: "/loop/$run", params: { run: String(run.id) } });
    },
  });
  const change = (part: Partial<RunDraft>) => {
    // An error about the earlier input says nothing about the current one.
    if (start.fault) start.reset();
    type(part);
  };
  const running = overview?.active_run ?? null;
  const agent = useQuery(queries.agentCheck(draft.agent));
  const missing = agent.data?.status === "error";
  const faults = faultsOf(draft, task);
  const isBad = Object.keys(faults).length > 0;
  return (
    <form
      aria-label="Start the loop"
      className="flex flex-col gap-3 rounded-xl border border-line bg-panel p-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBad && !missing && !start.isPending) start.mutate(undefined);
      }}
    >
      <Target task={task} />
      <div className="grid grid-cols-2 gap-3">
        <ChoiceField
          label="Agent"
          value={draft.agent}
          onChange={(agent) => {
            change({ agent });
            remember({ agent });
          }}
          options={AGENTS}
        />
        <ChoiceField
          label="Strategy"
          value={draft.strategy}
          onChange={(strategy) => change({ strategy })}
          options={STRATEGIES.map((value) => ({ value, label: strategyWord[value] }))}
        />
      </div>
      <AgentFound check={agent} />
      <TextField
        label={draft.strategy === "fixed" ? "Model" : "Weakest model"}
        hint={strategyHint[draft.strategy]}
        value={draft.model}
        placeholder={modelOf(draft, defaults)}
        onChange={(model) => change({ model })}
      />
      {draft.agent === "scripted" && <ScriptField value={draft.script} onChange={(script) => change({ script })} />}
      <fieldset className="grid grid-cols-3 gap-3">
        <legend className="sr-only">Limits</legend>
        <NumberField
          label="Iterations"
          placeholder={String(defaults.max_iterations)}
          value={draft.iterations}
          error={faults.iterations}
          onChange={(iterations) => change({ iterations })}
        />
        <NumberField
          label="Minutes"
          placeholder="no limit"
          value={draft.minutes}
          error={faults.minutes}
          onChange={(minutes) => change({ minutes })}
        />
        <NumberField
          label="Dollars"
          placeholder="no limit"
          value={draft.usd}
          error={faults.usd}
          onChange={(usd) => change({ usd })}
        />
      </fieldset>
      <TextField
        mono
        label="Check"
        hint="A task is done only when this command passes. Empty: the agent's word counts."
        placeholder="none"
        value={draft.check}
        onChange={(check) => change({ check })}
      />
      <Place draft={draft} task={task} fault={faults.workers} onChange={change} />
      {worksInWorktrees(draft, task) && (
        <>
          <EmptyInWorktrees />
          <HooksMissingInWorktrees />
        </>
      )}
      <details open={draft.holdOut !== "" || draft.permissions !== ""}>
        <summary className="text-xs text-dim">More</summary>
        <ChoiceField
          label="What agents may do"
          className="mt-2"
          hint={permissionHint[draft.permissions || (defaults.permissions ?? "normal")]}
          value={draft.permissions}
          onChange={(permissions) => change({ permissions })}
          options={[
            {
              value: "",
              label: `As the project: ${permissionWord[defaults.permissions ?? "normal"].toLowerCase()}`,
            },
            ...PERMISSIONS.map((value) => ({ value, label: permissionWord[value] })),
          ]}
        />
        <NumberField
          label="Hold-out, percent"
          className="mt-2"
          hint="This share of the attempts is told no learnings, so that Insights can measure whether memory helps. At most 90; empty: none."
          error={faults.holdOut}
          placeholder="none"
          value={draft.holdOut}
          onChange={(holdOut) => change({ holdOut })}
        />
      </details>
      {/* In reach in a low window, too, where the form is longer than the page; and so is why the start was refused. */}
      <FormBar className="-mx-4 -my-2 grid gap-2 bg-panel px-4 py-2">
        {start.fault && <ErrorNote fault={start.fault} />}
        <Button
          type="submit"
          look="primary"
          className="h-8 justify-center"
          disabled={start.isPending}
          lacks={missing ? "The agent was not found" : isBad ? "A field can't be used like this" : undefined}
        >
          <Play size={14} aria-hidden="true" /> {start.isPending ? "Starting…" : "Start"}
        </Button>
      </FormBar>
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

/** The model that is requested when none is named. An agent that does not know the models in the settings chooses itself. */
function modelOf({ agent, strategy }: RunDraft, defaults: Settings): string {
  const claudes = (of: AgentKind) => of === "claude" || of === "scripted";
  if (agent !== defaults.agent && !(claudes(agent) && claudes(defaults.agent))) return "the agent's default";
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

/** How many agents work at once, and where. */
function Place({
  draft,
  task,
  fault,
  onChange,
}: {
  draft: RunDraft;
  task: number | null;
  fault: string | undefined;
  onChange: (part: Partial<RunDraft>) => void;
}) {
  const alone = task !== null;
  return (
    <div className="grid grid-cols-2 gap-3">
      {!alone && (
        <NumberField
          label="Workers"
          error={fault}
          placeholder="1"
          value={draft.workers}
          onChange={(workers) => onChange({ workers })}
        />
      )}
      <ChoiceField
        label="Where"
        className={alone ? "col-span-2" : undefined}
        value={draft.where}
        onChange={(where) => onChange({ where })}
        options={[
          { value: "", label: isSeveral(draft, task) ? "A worktree each" : "Automatic" },
          { value: "checkout", label: "This checkout" },
          { value: "worktrees", label: "Worktrees" },
        ]}
      />
    </div>
  );
}

/** What worktrees lack, and how they get it: checks may need it. */
function EmptyInWorktrees() {
  const { data: modules = [] } = useQuery(queries.emptyInWorktrees());
  if (modules.length === 0) return null;
  return (
    <p role="note" className="text-xs wrap-anywhere text-warn">
      Worktrees begin without the files of submodules ({modules.join(", ")}):{" "}
      <code className="font-mono">git submodule update --init</code> as the{" "}
      <Link to="/settings" search={{ part: "Worktrees" }} className="underline underline-offset-2">
        set-up command
      </Link>{" "}
      brings them.
    </p>
  );
}

/** That commits of agents pass no hook there, which people rely on. */
function HooksMissingInWorktrees() {
  const { data: hooks } = useQuery(queries.hooksMissingInWorktrees());
  if (!hooks) return null;
  return (
    <p role="note" className="text-xs wrap-anywhere text-warn">
      No git hook runs in worktrees: they begin without {hooks}, since git does not track it. A{" "}
      <Link to="/settings" search={{ part: "Worktrees" }} className="underline underline-offset-2">
        set-up command
      </Link>{" "}
      such as <code className="font-mono">npm ci</code> can make it there, or it is brought along.
    </p>
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
