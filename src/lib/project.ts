import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { commands } from "@/ipc";
import { forgetMessages, useCommand } from "./command";

/** Errors that the copies on this machine can repair. */
export const LOST = ["project_lost", "project_gone", "damaged_database"];

/** Whether the page of projects offers a way on from this error. */
export const hasWayOn = (code: string) => [...LOST, "untrusted", "no_project"].includes(code);

/** Opens a project. */
export function useOpenProject(errors: "toast" | "inline" = "toast") {
  return useReopen(({ path, init }: { path: string; init: boolean }) => commands.openProject(path, init), errors);
}

/** A command after which another database is open: all cached data belongs to the previous one, and is dropped. */
export function useReopen<A = void>(run: (argument: A) => Promise<unknown>, errors: "toast" | "inline" = "inline") {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useCommand(run, {
    errors,
    works: true,
    onDone: async () => {
      forgetMessages();
      await navigate({ to: "/features" });
      await client.resetQueries();
    },
  });
}
