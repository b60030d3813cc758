import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { commands } from "@/ipc";
import { useCommand } from "./command";

/** Opens a project. Everything on screen was another database's, so all of it is forgotten. */
export function useOpenProject(errors: "toast" | "inline" = "toast") {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useCommand(({ path, init }: { path: string; init: boolean }) => commands.openProject(path, init), {
    errors,
    onDone: async () => {
      await navigate({ to: "/features" });
      await client.resetQueries();
    },
  });
}
