import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries, type Settings } from "@/ipc";
import { Section } from "@/ui/page";
import { TerminalCommand } from "@/ui/said";

/** What is removed from texts, what is kept for how long, and what the settings in force send where. */
export function Privacy() {
  // That the settings can't be read is said once, by the form.
  const { data: settings } = useQuery(queries.settings());
  const { data: trust } = useQuery(queries.trust());
  const waiting = (trust?.items ?? []).filter(({ agreed }) => !agreed).map(({ name }) => name);
  return (
    <Section title="Privacy">
      <dl className="flex flex-col gap-2.5 text-xs">
        <Fact name="Taken out">
          Keys, tokens, passwords and private keys, before a text is stored, shown or told to an agent. The patterns are
          good, not perfect:{" "}
          <Link to="/knowledge" search={{ tab: "audit" }} className="text-accent hover:underline">
            the audit
          </Link>{" "}
          looks through what is stored, and <TerminalCommand command="ralph audit --wash" /> in a terminal takes it out
          there.
        </Fact>
        <Fact name="Kept on this machine">
          The database, transcripts and prompts of attempts, until you delete them; questions of searches for half a
          year; uncommitted work that an agent found for a month, the newest 50 and what you were told of; copies of the
          database in your data folder.
        </Fact>
        <Fact name="Kept in git">
          Settings, rules, and the journals of features and knowledge, in <code className="font-mono">.ralph</code>.
          Transcripts are not.
        </Fact>
        <Fact name="Sent">
          {settings
            ? leaving(settings, waiting).join(" ")
            : "What agents send to their own models, and what the settings say."}
        </Fact>
      </dl>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="font-medium">{name}</dt>
      <dd className="text-dim wrap-anywhere">{children}</dd>
    </div>
  );
}

/** Who sends what, a sentence each. The settings are those of the file: a setting that still waits for the person's yes sends nothing. */
export function leaving({ embedding, embedding_url, automatic_learning }: Settings, waiting: string[]): string[] {
  const { extractor, extractor_url } = automatic_learning;
  const unless = (name: string) =>
    waiting.includes(name) || waiting.includes("config.toml") ? " – not yet: it waits for your yes." : ".";
  const all = ["What agents send to their own models."];
  if (embedding !== "bundled")
    all.push(`Texts that search compares, to ${embedding_url || "the model server"}${unless("embedding_url")}`);
  const lessons = "Failures of which lessons are to be learnt";
  if (extractor === "agent") all.push(`${lessons}, by an agent${unless("extractor")}`);
  if (extractor === "endpoint") all.push(`${lessons}, to ${extractor_url || "the model server"}${unless("extractor")}`);
  return [...all, "Nothing else, and nothing to whoever made Ralph."];
}
