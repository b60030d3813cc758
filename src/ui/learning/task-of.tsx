import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FeatureLearning, queries } from "@/ipc";
import { Tooltip } from "@/ui/tooltip";

/** The last characters of a replica's id suffice to tell a project's few replicas apart: the end of a ULID is random. */
const SHOWN = 4;

/** The task that a learning comes from. Another clone's number means another task here, so it is not a link and names its replica. */
export function TaskOf({ learning: { task_id, replica } }: { learning: FeatureLearning }) {
  const { data } = useQuery(queries.overview());
  if (task_id === null || !data) return null;
  if (data.own_replicas.includes(replica ?? null)) {
    return (
      <Link to="/tasks/$id" params={{ id: String(task_id) }} className="hover:text-text">
        #{task_id}
      </Link>
    );
  }
  const words = replica ? `Learned in another clone: replica ${replica}` : "Learned in an unknown clone";
  return (
    <Tooltip content={words}>
      <span data-testid="foreign-task">
        #{task_id} of {replica ? `…${replica.slice(-SHOWN)}` : "another clone"}
      </span>
    </Tooltip>
  );
}
