import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Task } from "@/ipc";
import { cn } from "@/lib/cn";
import { layered } from "@/lib/layers";
import { Empty } from "@/ui/state";
import { StatusMark } from "@/ui/task-mark";

const WIDTH = 208;
const HEIGHT = 52;
const GAP_X = 56;
const GAP_Y = 14;
const EDGE = 24;

const at = (layer: number, row: number) => ({ x: EDGE + layer * (WIDTH + GAP_X), y: EDGE + row * (HEIGHT + GAP_Y) });

/** What depends on what, from left to right. Tasks without any dependency are counted, not drawn. */
export function TaskGraph({ tasks }: { tasks: Task[] }) {
  const { nodes, alone } = useMemo(() => {
    const ids = new Set(tasks.map(({ id }) => id));
    const linked = new Set(
      tasks.flatMap(({ id, depends_on }) => {
        const known = depends_on.filter((d) => ids.has(d));
        return known.length > 0 ? [id, ...known] : [];
      }),
    );
    return { nodes: tasks.filter(({ id }) => linked.has(id)), alone: tasks.length - linked.size };
  }, [tasks]);
  const placed = useMemo(() => new Map(layered(nodes).map((place) => [place.id, at(place.layer, place.row)])), [nodes]);
  if (nodes.length === 0) {
    return (
      <Empty title="No task depends on another">
        Give a task dependencies and it appears here, right of what it waits for.
      </Empty>
    );
  }
  const places = [...placed.values()];
  const width = Math.max(...places.map(({ x }) => x)) + WIDTH + EDGE;
  const height = Math.max(...places.map(({ y }) => y)) + HEIGHT + EDGE;
  return (
    <div className="h-[calc(100%-2.75rem)] overflow-auto">
      {alone > 0 && (
        <p className="num px-6 pt-3 text-xs text-faint">{alone} more without dependencies are in the list</p>
      )}
      <div className="relative" style={{ width, height }}>
        <svg width={width} height={height} className="absolute inset-0 text-line-strong" aria-hidden="true">
          {nodes.flatMap((task) =>
            task.depends_on.map((dependency) => {
              const [from, to] = [placed.get(dependency), placed.get(task.id)];
              return (
                from &&
                to && (
                  <Edge
                    key={`${dependency} ${task.id}`}
                    from={from}
                    to={to}
                    waits={task.waiting_on.includes(dependency)}
                  />
                )
              );
            }),
          )}
        </svg>
        <ul aria-label="Tasks by dependency">
          {nodes.map((task) => {
            const place = placed.get(task.id);
            return place && <Node key={task.id} task={task} {...place} />;
          })}
        </ul>
      </div>
    </div>
  );
}

type Point = { x: number; y: number };

function Edge({ from, to, waits }: { from: Point; to: Point; waits: boolean }) {
  const [x1, y1] = [from.x + WIDTH, from.y + HEIGHT / 2];
  const [x2, y2] = [to.x, to.y + HEIGHT / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return (
    <path
      d={`M ${x1} ${y1} C ${x1 + bend} ${y1}, ${x2 - bend} ${y2}, ${x2} ${y2}`}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      className={cn(waits ? "text-warn" : "text-line-strong")}
      strokeDasharray={waits ? "4 3" : undefined}
    />
  );
}

function Node({ task, x, y }: { task: Task } & Point) {
  return (
    <li className="absolute" style={{ left: x, top: y, width: WIDTH, height: HEIGHT }}>
      <Link
        to="/tasks/$id"
        params={{ id: String(task.id) }}
        className={cn(
          "flex h-full flex-col justify-center rounded-lg border px-2.5 hover:bg-raised",
          task.readiness === "closed" ? "border-line text-dim" : "border-line-strong bg-panel",
        )}
      >
        <span className="num flex items-center gap-1.5 text-xs text-faint">
          <StatusMark status={task.status} /> #{task.id} <span className="truncate">{task.feature}</span>
        </span>
        <span className="truncate">{task.title}</span>
      </Link>
    </li>
  );
}
