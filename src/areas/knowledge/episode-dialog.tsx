import { useQuery } from "@tanstack/react-query";
import { type EpisodeRow, queries } from "@/ipc";
import { moment, percent, span } from "@/lib/format";
import { Badge } from "@/ui/badge";
import { Dialog } from "@/ui/dialog";
import { Result } from "@/ui/query";

const sources: Record<EpisodeRow["source"], string> = {
  auto: "written by rule",
  agent: "written by an agent",
  human: "written by a person",
};

/** An episode with its provenance: task, iteration, and the tool calls that it was learned from. */
export function EpisodeDialog({ episode, onClose }: { episode: EpisodeRow; onClose: () => void }) {
  const operations = useQuery(queries.operationsBehind(episode.id));
  const { lesson, lesson_type, source, confidence, task_id, iteration, files, created } = episode;
  const origin = [
    sources[source],
    task_id ? `of task #${task_id}` : undefined,
    iteration ? `in iteration ${iteration}` : undefined,
  ];
  return (
    <Dialog open wide onClose={onClose} title="Episode" description={origin.filter(Boolean).join(", ")}>
      <p className="selectable">{lesson}</p>
      <p className="num mt-2 flex flex-wrap items-center gap-2 text-xs text-dim">
        <Badge>{lesson_type}</Badge> {percent(confidence ?? 0)} sure · {moment(created)}
        {(files ?? []).length > 0 && <span className="truncate">· {(files ?? []).join(", ")}</span>}
      </p>
      <h3 className="mt-4 mb-1 font-medium">Learned from</h3>
      <Result of={operations}>
        {(calls) =>
          calls.length === 0 ? (
            <p className="text-dim">No tool calls are kept: it was told as a whole.</p>
          ) : (
            <ol aria-label="Tool calls">
              {calls.map(({ tool, arguments: given, error, exit_code, at, duration_ms }) => (
                <li key={`${at} ${tool} ${given}`} className="border-t border-line py-1.5">
                  <p className="flex items-center gap-2">
                    <Badge>{tool}</Badge>
                    <code className="selectable min-w-0 flex-1 truncate text-xs" title={given}>
                      {given}
                    </code>
                    <span className="num text-xs text-faint">{span(duration_ms)}</span>
                    <span className={error === null ? "text-xs text-dim" : "text-xs text-warn"}>
                      {error === null ? "worked" : exit_code === null ? "failed" : `failed with ${exit_code}`}
                    </span>
                  </p>
                  {error !== null && <p className="selectable truncate text-xs text-dim">{error}</p>}
                </li>
              ))}
            </ol>
          )
        }
      </Result>
    </Dialog>
  );
}
