/** Stands in for the backend in tests and in the preview: an unknown command is refused by name, never answered by chance. */
import { emit } from "@tauri-apps/api/event";
import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import type { Channel } from "@tauri-apps/api/core";
import type { CommandError, Topic, TranscriptBatch } from "./bindings";

/** Answers to commands by their name on the wire. */
// biome-ignore lint/suspicious/noExplicitAny: each handler knows the arguments of its own command.
export type Handlers = Record<string, (args: any) => unknown>;
/** The channel that `follow_transcript` feeds. */
export type TranscriptChannel = Channel<TranscriptBatch>;

export class FakeTransport {
  /** Every command that was called, in order. */
  readonly calls: { command: string; args: unknown }[] = [];

  constructor(readonly handlers: Handlers) {
    mockIPC(
      async (command, args) => {
        this.calls.push({ command, args });
        const handler = this.handlers[command];
        if (!handler) {
          console.error(`unknown command '${command}'`);
          throw fault("unknown_command", `There is no command '${command}'.`);
        }
        return handler(args ?? {});
      },
      { shouldMockEvents: true },
    );
  }

  /** Arguments of every call of one command. */
  called(command: string): unknown[] {
    return this.calls.filter((call) => call.command === command).map(({ args }) => args);
  }

  /** Tells the window that a commit touched these topics, as the watcher does. */
  changed(...topics: Topic[]): Promise<void> {
    return emit("topics-changed", { topics });
  }

  close(): void {
    clearMocks();
  }
}

/** An error as the backend sends it. */
export function fault(code: string, message: string, hint: string | null = null): CommandError {
  return { code, message, hint };
}
