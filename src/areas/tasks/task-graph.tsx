import { Link } from "@tanstack/react-router";
import { Crosshair, Maximize, Minus, Plus, X } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import type { Task } from "@/ipc";
import { cn } from "@/lib/cn";
import { count, number } from "@/lib/format";
import { around, packed } from "@/lib/tasks/layers";
import { Button } from "@/ui/button";
import { SearchBox } from "@/ui/filter";
import { Empty } from "@/ui/state";
import { StatusMark } from "@/ui/task/task-mark";
import { type Box, type Point, useView, type View } from "./graph-view";

const WIDTH = 208;
const HEIGHT = 52;
const GAP_X = 56;
const GAP_Y = 14;
const EDGE = 24;
/** Layers per row in the layout, so that it has about the aspect ratio of a window. */
const ASPECT = (1.6 * (HEIGHT + GAP_Y)) / (WIDTH + GAP_X);
/** Below this scale titles are illegible: tasks are drawn as colored blocks, one path per color. */
const READABLE = 0.45;
/** Distance in pixels that an arrow key pans. */
const STEP = 120;

const at = (layer: number, row: number) => ({ x: EDGE + layer * (WIDTH + GAP_X), y: EDGE + row * (HEIGHT + GAP_Y) });

/** The dependency graph, from left to right. Tasks without any dependency are counted, not drawn. */
export function TaskGraph({
  tasks,
  centre,
  onCentre,
}: {
  tasks: Task[];
  /** Shows only this task, its dependencies and its dependents. */
  centre: number | null;
  onCentre: (task: number | null) => void;
}) {
  const { nodes, alone } = useMemo(() => linked(tasks), [tasks]);
  const near = useMemo(() => {
    if (centre === null) return nodes;
    const ids = around(nodes, centre);
    return nodes.filter(({ id }) => ids.has(id));
  }, [nodes, centre]);
  if (nodes.length === 0) {
    return (
      <Empty title="No task depends on another">
        Give a task dependencies and it appears here, right of what it waits for.
      </Empty>
    );
  }
  if (near.length === 0) {
    return (
      <Empty
        title={`#${centre} depends on nothing, and nothing depends on it`}
        action={<Button onClick={() => onCentre(null)}>Show all</Button>}
      />
    );
  }
  // Another set of tasks is another drawing: it starts with its initial view.
  return <Drawing key={centre} nodes={near} alone={alone} centre={centre} onCentre={onCentre} />;
}

/** Tasks with a dependency or a dependent among these. */
function linked(tasks: Task[]): { nodes: Task[]; alone: number } {
  const ids = new Set(tasks.map(({ id }) => id));
  const within = new Set(
    tasks.flatMap(({ id, depends_on }) => {
      const known = depends_on.filter((d) => ids.has(d));
      return known.length > 0 ? [id, ...known] : [];
    }),
  );
  return { nodes: tasks.filter(({ id }) => within.has(id)), alone: tasks.length - within.size };
}

type Placed = { task: Task } & Point;

function useLayout(nodes: Task[]) {
  return useMemo(() => {
    const byId = new Map(nodes.map((task) => [task.id, task]));
    const places = packed(nodes, ASPECT).flatMap(({ id, layer, row }): Placed[] => {
      const task = byId.get(id);
      return task ? [{ task, ...at(layer, row) }] : [];
    });
    const box: Box = {
      width: Math.max(...places.map(({ x }) => x)) + WIDTH + EDGE,
      height: Math.max(...places.map(({ y }) => y)) + HEIGHT + EDGE,
    };
    return { places, box, edges: edgesOf(places) };
  }, [nodes]);
}

function Drawing({
  nodes,
  alone,
  centre,
  onCentre,
}: {
  nodes: Task[];
  alone: number;
  centre: number | null;
  onCentre: (task: number | null) => void;
}) {
  const { places, box, edges } = useLayout(nodes);
  const frame = useRef<HTMLElement>(null);
  const { view, size, pan, zoom, whole, show } = useView(frame, box, READABLE);
  const [find, setFind] = useState("");
  const hits = useMemo(() => matching(places, find), [places, find]);
  const [hit, setHit] = useState(0);
  const lead = (to: number) => {
    const place = hits[((to % hits.length) + hits.length) % hits.length];
    if (!place) return;
    setHit(to);
    show({ x: place.x + WIDTH / 2, y: place.y + HEIGHT / 2 });
  };
  const sought = find === "" ? null : hits[((hit % hits.length) + hits.length) % hits.length]?.task.id;
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).closest("input")) return;
    const by = MOVES[event.key];
    if (by) pan(by.x * STEP, by.y * STEP);
    else if (event.key === "+" || event.key === "=") zoom(1.25);
    else if (event.key === "-") zoom(0.8);
    else if (event.key === "0") whole();
    else return;
    event.preventDefault();
  };
  const readable = view.scale >= READABLE;
  return (
    <div className="flex h-[calc(100%-2.75rem)] min-h-72 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-6 py-1.5">
        <search
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            lead(event.shiftKey ? hit - 1 : hit + 1);
          }}
        >
          <SearchBox
            value={find}
            onChange={(text) => {
              setFind(text);
              const first = matching(places, text)[0];
              setHit(0);
              if (text !== "" && first) show({ x: first.x + WIDTH / 2, y: first.y + HEIGHT / 2 });
            }}
            label="Find in the graph"
            className="w-44"
          />
        </search>
        {find !== "" && (
          <span className="num text-xs text-faint" aria-live="polite">
            {hits.length === 0
              ? "none"
              : `${(((hit % hits.length) + hits.length) % hits.length) + 1} of ${hits.length}`}
          </span>
        )}
        {centre !== null && (
          <Button onClick={() => onCentre(null)} aria-label={`Around #${centre}: show all`}>
            Around #{centre} <X size={13} aria-hidden="true" />
          </Button>
        )}
        <p className="num min-w-0 truncate text-xs text-faint">
          {count(nodes.length, "task")}
          {alone > 0 && centre === null && `, ${number(alone)} more without dependencies`}
        </p>
        <div className="ml-auto flex items-center gap-1">
          <Button size="icon" look="ghost" aria-label="Smaller" title="Smaller (−)" onClick={() => zoom(0.8)}>
            <Minus size={14} />
          </Button>
          <span className="num w-10 text-center text-xs text-dim">{Math.round(view.scale * 100)} %</span>
          <Button size="icon" look="ghost" aria-label="Larger" title="Larger (+)" onClick={() => zoom(1.25)}>
            <Plus size={14} />
          </Button>
          <Button size="icon" look="ghost" aria-label="Show the whole" title="Show the whole (0)" onClick={whole}>
            <Maximize size={13} />
          </Button>
        </div>
      </div>
      <section
        ref={frame}
        aria-label="Tasks by dependency"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is moved with the arrow keys must be reachable by keyboard.
        tabIndex={0}
        onKeyDown={keys}
        className="relative min-h-0 flex-1 touch-none overflow-hidden"
        {...dragging(pan)}
      >
        <svg className="absolute inset-0 size-full" aria-hidden="true">
          <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
            <path d={edges.settled} className="fill-none stroke-line-strong" {...line} />
            <path d={edges.waits} className="fill-none stroke-warn" strokeDasharray="4 3" {...line} />
            {!readable && <Blocks places={places} sought={sought ?? null} />}
          </g>
        </svg>
        {readable ? (
          <ul
            aria-label="Tasks by dependency"
            className="absolute top-0 left-0 origin-top-left"
            style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
          >
            {places
              .filter((place) => isSeen(place, view, size))
              .map((place) => (
                <Node key={place.task.id} {...place} sought={place.task.id === sought} onCentre={onCentre} />
              ))}
          </ul>
        ) : (
          <p className="absolute right-4 bottom-3 rounded-full bg-raised px-2.5 py-0.5 text-2xs text-dim">
            press + to read the titles
          </p>
        )}
      </section>
    </div>
  );
}

const MOVES: Record<string, Point> = {
  ArrowLeft: { x: 1, y: 0 },
  ArrowRight: { x: -1, y: 0 },
  ArrowUp: { x: 0, y: 1 },
  ArrowDown: { x: 0, y: -1 },
};

const line = { strokeWidth: 1.5, vectorEffect: "non-scaling-stroke" } as const;

/** Dragging the background pans; a press on a task stays a click. */
function dragging(pan: (dx: number, dy: number) => void) {
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0 || (event.target as HTMLElement).closest("a, button")) return;
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) pan(event.movementX, event.movementY);
    },
  };
}

function matching(places: readonly Placed[], text: string): Placed[] {
  const needle = text.trim().toLowerCase();
  if (needle === "") return [];
  return places.filter(({ task }) => `#${task.id} ${task.title} ${task.feature}`.toLowerCase().includes(needle));
}

function isSeen({ x, y }: Point, view: View, size: Box): boolean {
  const [left, top] = [view.x + x * view.scale, view.y + y * view.scale];
  return (
    left + WIDTH * view.scale > -WIDTH &&
    left < size.width + WIDTH &&
    top + HEIGHT * view.scale > -HEIGHT &&
    top < size.height + HEIGHT
  );
}

/** All edges as two paths, so that a thousand of them are only two elements. */
function edgesOf(places: readonly Placed[]): { settled: string; waits: string } {
  const placeOf = new Map(places.map((place) => [place.task.id, place]));
  const [settled, waits]: [string[], string[]] = [[], []];
  for (const to of places) {
    for (const dependency of to.task.depends_on) {
      const from = placeOf.get(dependency);
      if (!from) continue;
      const [x1, y1] = [from.x + WIDTH, from.y + HEIGHT / 2];
      const [x2, y2] = [to.x, to.y + HEIGHT / 2];
      const bend = Math.max(24, (x2 - x1) / 2);
      const curve = `M ${x1} ${y1} C ${x1 + bend} ${y1}, ${x2 - bend} ${y2}, ${x2} ${y2}`;
      (to.task.waiting_on.includes(dependency) ? waits : settled).push(curve);
    }
  }
  return { settled: settled.join(" "), waits: waits.join(" ") };
}

/** The status of a task, as the color of its block. */
function toneOf({ status, readiness }: Task): "bad" | "open" | "closed" {
  if (status === "failed" || status === "blocked" || readiness === "stranded") return "bad";
  return readiness === "closed" ? "closed" : "open";
}

function Blocks({ places, sought }: { places: readonly Placed[]; sought: number | null }) {
  const of = useMemo(() => {
    const drawn = { bad: "", open: "", closed: "" };
    for (const { task, x, y } of places) drawn[toneOf(task)] += `M ${x} ${y} h ${WIDTH} v ${HEIGHT} h -${WIDTH} Z `;
    return drawn;
  }, [places]);
  const found = places.find(({ task }) => task.id === sought);
  return (
    <>
      <path d={of.closed} className="fill-raised" />
      <path d={of.open} className="fill-low" />
      <path d={of.bad} className="fill-bad" />
      {found && (
        <rect x={found.x} y={found.y} width={WIDTH} height={HEIGHT} className="fill-accent stroke-accent" {...line} />
      )}
    </>
  );
}

function Node({ task, x, y, sought, onCentre }: Placed & { sought: boolean; onCentre: (task: number | null) => void }) {
  return (
    <li className="group absolute" style={{ left: x, top: y, width: WIDTH, height: HEIGHT }}>
      <Link
        to="/tasks/$id"
        params={{ id: String(task.id) }}
        className={cn(
          "flex h-full flex-col justify-center rounded-lg border px-2.5 hover:bg-raised",
          task.readiness === "closed" ? "border-line bg-bg text-dim" : "border-line-strong bg-panel",
          sought && "outline-2 outline-accent",
        )}
      >
        <span className="num flex items-center gap-1.5 text-xs text-faint">
          <StatusMark status={task.status} /> #{task.id} <span className="truncate">{task.feature}</span>
        </span>
        <span className="truncate">{task.title}</span>
      </Link>
      <button
        type="button"
        aria-label={`Only around #${task.id}`}
        title="Only what it needs and what needs it"
        onClick={() => onCentre(task.id)}
        className="absolute top-0.5 right-0.5 flex size-6 items-center justify-center rounded-md text-faint opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:bg-hover hover:text-text"
      >
        <Crosshair size={13} />
      </button>
    </li>
  );
}
