import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Announce } from "@/ipc";
import { commands, queries } from "@/ipc";
import { useCommand } from "@/lib/command";
import { Section } from "@/ui/page";
import { Select } from "@/ui/select";

const CHOICES: { value: Announce; label: string }[] = [
  { value: "away", label: "While I am away from the window" },
  { value: "always", label: "Always" },
  { value: "never", label: "Never" },
];

/** When desktop notifications are shown: for what needs the person, and for finished runs. */
export function Announcements() {
  const client = useQueryClient();
  const { queryKey } = queries.announceChoice();
  const choice = useQuery(queries.announceChoice());
  const choose = useCommand((next: Announce) => commands.chooseAnnounce(next), {
    onDone: (chosen) => client.setQueryData(queryKey, chosen),
  });
  return (
    <Section title="Notifications">
      <p className="mb-2 text-dim">
        A desktop notification when something needs you and when a run has finished, once each. Kept on this machine,
        not in the project.
      </p>
      <Select
        label="Notify"
        className="w-full"
        value={choice.data ?? "away"}
        onChange={(next) => choose.mutate(next as Announce)}
        options={CHOICES}
      />
    </Section>
  );
}
