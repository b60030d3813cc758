import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ListChecks } from "lucide-react";
import { queries } from "@/ipc";
import { useNow } from "@/lib/hooks";
import { Result } from "@/ui/query";
import { Empty } from "@/ui/state";
import { TaskRow } from "@/ui/task/task-row";
import { VirtualList } from "@/ui/virtual-list";

export function TasksTab({ feature }: { feature: string }) {
  const tasks = useQuery(queries.tasks({ feature }));
  const now = useNow(60_000);
  return (
    <Result of={tasks}>
      {(all) =>
        all.length === 0 ? (
          <Empty
            icon={ListChecks}
            title="No tasks yet"
            action={
              <Link to="/tasks" search={{ new: true, feature }} className="text-accent underline underline-offset-2">
                New task
              </Link>
            }
          >
            The loop works through the ready tasks of every feature, highest priority first.
          </Empty>
        ) : (
          <VirtualList
            label="Tasks"
            className="h-full"
            items={all}
            keyOf={({ id }) => id}
            estimate={36}
            render={(task) => <TaskRow task={task} now={now} showFeature={false} />}
          />
        )
      }
    </Result>
  );
}
