import { Link } from "@tanstack/react-router";
import { ChevronRight, Reply } from "lucide-react";
import { useMemo, useState } from "react";
import { commands } from "@/ipc";
import { cn } from "@/lib/cn";
import { tellDone, useCommand } from "@/lib/command";
import { useDraft } from "@/lib/draft";
import { count } from "@/lib/format";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Textarea } from "@/ui/field";
import { ErrorNote } from "@/ui/state";
import { PageRows } from "@/ui/virtual-list";
import { type Blocked, type Fold, folded } from "./groups";
import { Group, Row } from "./row";

/** Blocked tasks: each is answered and unblocked in one act, or several at once; those with the same reason share a row. */
export function BlockedTasks({ items }: { items: Blocked[] }) {
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const [answering, setAnswering] = useState(false);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const chosen = items.filter(({ task }) => selected.has(task));
  // Based on what was selected, even if somebody else unblocks one of the tasks meanwhile.
  const answer = `answer.${[...selected].sort((a, b) => a - b).join(".")}`;
  const forms = useForms(items);
  const rows = useMemo<Shown[]>(
    () =>
      folded(items, forms.held).flatMap((row): Shown[] => {
        if (!("items" in row)) return [{ item: row, of: null }];
        const inside = row.items.map((item) => ({ item, of: row.reason }));
        return [{ fold: row, open: open.has(row.reason) }, ...(open.has(row.reason) ? inside : [])];
      }),
    [items, open, forms.held],
  );
  const select = (task: number, on: boolean) =>
    setSelected((before) => new Set(on ? [...before, task] : [...before].filter((other) => other !== task)));
  return (
    <Group
      title="Blocked"
      note="your answer goes to the next attempt"
      count={items.length}
      actions={
        chosen.length > 0 ? (
          <>
            <span className="num text-xs text-dim">{chosen.length} selected</span>
            <Button onClick={() => setAnswering(!answering)}>
              <Reply size={12} aria-hidden="true" /> Answer all
            </Button>
            <PutBack items={chosen} onDone={() => setSelected(new Set())} />
          </>
        ) : (
          items.length > 1 && (
            <Button size="sm" look="ghost" onClick={() => setSelected(new Set(items.map(({ task }) => task)))}>
              Select all
            </Button>
          )
        )
      }
    >
      {answering && chosen.length > 0 && (
        <div className="border-b border-line px-6 py-2">
          <Answer
            // Another selection gets another answer.
            key={answer}
            name={answer}
            items={chosen}
            onDone={() => {
              setAnswering(false);
              setSelected(new Set());
            }}
            onCancel={() => setAnswering(false)}
          />
        </div>
      )}
      <PageRows
        label="Blocked tasks"
        items={rows}
        keyOf={(row) => ("fold" in row ? `of ${row.fold.reason}` : row.item.task)}
        estimate={61}
        render={(row) =>
          "fold" in row ? (
            <FoldRow
              fold={row.fold}
              open={row.open}
              onOpen={() => setOpen((before) => toggled(before, row.fold.reason))}
              form={forms.of({ reason: row.fold.reason, folded: true, task: null })}
            />
          ) : (
            <BlockedRow
              item={row.item}
              inFold={row.of !== null}
              form={forms.of({ reason: row.item.reason, folded: row.of !== null, task: row.item.task })}
              selected={selected.has(row.item.task)}
              onSelect={(on) => select(row.item.task, on)}
            />
          )
        }
      />
    </Group>
  );
}

/** An open form: what is answered, and whether tasks with its reason shared a row when it was opened. */
type Form = { reason: string; folded: boolean; task: number | null };
type FormState = { open: boolean; toggle: () => void; close: () => void };

/**
 * The open forms. While one is open, the tasks with its reason stay grouped as they are, and its content is kept here: a row that comes or
 * goes with the number of tasks would lose what somebody is typing.
 */
function useForms(items: readonly Blocked[]) {
  const [all, setAll] = useState<ReadonlyMap<string, Form>>(new Map());
  const held = useMemo(() => {
    const waiting = new Set(items.map(({ task }) => task));
    const open = [...all.values()].filter(({ task }) => task === null || waiting.has(task));
    return new Map(open.map(({ reason, folded }) => [reason, folded]));
  }, [all, items]);
  const of = (form: Form): FormState => {
    const key = form.task === null ? `of ${form.reason}` : `#${form.task}`;
    const close = () => setAll((before) => new Map([...before].filter(([other]) => other !== key)));
    const open = all.has(key);
    return { open, close, toggle: open ? close : () => setAll((before) => new Map([...before, [key, form]])) };
  };
  return { held, of };
}

type Shown = { fold: Fold; open: boolean } | { item: Blocked; of: string | null };

function toggled(all: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const after = new Set(all);
  if (!after.delete(one)) after.add(one);
  return after;
}

/** Tasks blocked for the same reason: one answer for all, and each of them on demand. */
function FoldRow({ fold, open, onOpen, form }: { fold: Fold; open: boolean; onOpen: () => void; form: FormState }) {
  const { reason, items } = fold;
  const features = [...new Set(items.map(({ feature }) => feature))];
  return (
    <Row
      testId="blocked-fold"
      title={
        <button
          type="button"
          data-row
          aria-expanded={open}
          onClick={onOpen}
          className="flex max-w-full items-baseline gap-1.5 py-1 text-left leading-5 hover:underline"
        >
          <ChevronRight
            size={13}
            aria-hidden="true"
            className={cn("shrink-0 self-start text-faint transition-transform", open && "rotate-90")}
          />
          <span className="num shrink-0 font-medium">{count(items.length, "task")}</span>
          <span className="min-w-0 wrap-anywhere">{reason}</span>
        </button>
      }
      reason={
        <span className="ml-5 block">
          {features.length > 3 ? count(features.length, "feature") : features.join(", ")}
        </span>
      }
      since={items.map(({ since }) => since).sort()[0]}
      actions={
        <>
          <Button
            aria-expanded={form.open}
            aria-label={`Answer ${items.length} tasks: ${reason}`}
            onClick={form.toggle}
          >
            Answer
          </Button>
          <PutBack items={items} />
        </>
      }
    >
      {form.open && (
        <div className="pt-1.5 pb-1 pl-5">
          <Answer name={`answer.of ${reason}`} items={items} onDone={form.close} onCancel={form.close} />
        </div>
      )}
    </Row>
  );
}

function BlockedRow({
  item,
  inFold,
  form,
  selected,
  onSelect,
}: {
  item: Blocked;
  /** The reason is shown above. */
  inFold: boolean;
  form: FormState;
  selected: boolean;
  onSelect: (on: boolean) => void;
}) {
  return (
    <Row
      testId="blocked"
      lead={<Checkbox className="mt-1.5" checked={selected} onChange={onSelect} label={`Select #${item.task}`} />}
      title={
        <Link to="/tasks/$id" params={{ id: String(item.task) }} data-row className="block truncate hover:underline">
          <span className="num mr-0.5 text-faint">#{item.task}</span> {item.title}
        </Link>
      }
      reason={inFold ? undefined : item.reason}
      feature={item.feature}
      since={item.since}
      actions={
        <>
          <Button aria-expanded={form.open} aria-label={`Answer #${item.task}`} onClick={form.toggle}>
            Answer
          </Button>
          <PutBack items={[item]} />
        </>
      }
    >
      {form.open && (
        <div className="pt-1.5 pb-1 pl-8">
          <Answer name={`answer.${item.task}`} items={[item]} onDone={form.close} onCancel={form.close} />
        </div>
      )}
    </Row>
  );
}

/** Unblocks tasks; the undo blocks them again as they were, and withdraws the answer. */
function usePutBack(items: Blocked[], errors: "inline" | "toast", onDone?: () => void) {
  return useCommand(
    (answer: string | null) =>
      commands.putBack(
        items.map(({ task }) => task),
        answer,
      ),
    {
      errors,
      onDone: (back) => {
        const [first] = back;
        const what = back.length === 1 && first ? `#${first.id} is` : `${count(back.length, "task")} are`;
        tellDone(`${what} back to work`, () => commands.undoPutBack(back.map(({ before }) => before)));
        onDone?.();
      },
    },
  );
}

function PutBack({ items, onDone }: { items: Blocked[]; onDone?: () => void }) {
  const back = usePutBack(items, "toast", onDone);
  const [first] = items;
  const label = items.length === 1 && first ? `Put back #${first.task}` : `Put back ${items.length} tasks`;
  return (
    <Button look="ghost" aria-label={label} disabled={back.isPending} onClick={() => back.mutate(null)}>
      Put back
    </Button>
  );
}

/** Sends guidance for the next attempt and unblocks the tasks, in one act. The text is kept by `name` until it is sent. */
function Answer({
  name,
  items,
  onDone,
  onCancel,
}: {
  name: string;
  items: Blocked[];
  onDone: () => void;
  onCancel: () => void;
}) {
  const [first] = items;
  const one = items.length === 1 && first ? first : null;
  const reason = items.every((item) => item.reason === first?.reason) && first?.reason;
  const [draft, change, clear] = useDraft(name, { text: "" });
  const back = usePutBack(items, "inline", () => {
    clear();
    onDone();
  });
  // The button that opened it, which has the focus until the field takes it.
  const [opener] = useState(() => document.activeElement);
  const cancel = () => {
    // What is typed into another form while this is being saved would be lost with it.
    if (back.isPending) return;
    onCancel();
    if (opener instanceof HTMLElement) opener.focus();
  };
  return (
    <form
      className="flex max-w-3xl flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.text.trim() !== "" && !back.isPending) back.mutate(draft.text.trim());
      }}
    >
      <Textarea
        autoFocus
        rows={2}
        className="min-h-14"
        aria-label={
          one ? `Answer to #${one.task}` : `Answer to ${count(items.length, "task")}${reason ? `: ${reason}` : ""}`
        }
        placeholder={
          one ? "What the next attempt should know" : `What the next attempt at each of ${items.length} should know`
        }
        readOnly={back.isPending}
        value={draft.text}
        onChange={(event) => change({ text: event.target.value })}
        onKeyDown={(event) => event.key === "Escape" && cancel()}
      />
      {back.fault && <ErrorNote fault={back.fault} />}
      <div className="flex items-center gap-2">
        <Button
          type="submit"
          look="primary"
          disabled={back.isPending}
          lacks={draft.text.trim() === "" ? "Write an answer first" : undefined}
        >
          Answer and put back
        </Button>
        <Button look="ghost" disabled={back.isPending} onClick={cancel}>
          Cancel
        </Button>
        <span className="text-xs text-faint">The next attempt is told this.</span>
      </div>
    </form>
  );
}
