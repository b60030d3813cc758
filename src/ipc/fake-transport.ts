/** Stands in for the backend in tests and in the preview: an unknown command is refused by name, never answered by chance. */

import type { Channel } from "@tauri-apps/api/core";
import { emit } from "@tauri-apps/api/event";
import { mockIPC } from "@tauri-apps/api/mocks";
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
    // The mocked events lack this part of the real ones; without it, whoever stops listening fails.
    Object.assign(window, { __TAURI_EVENT_PLUGIN_INTERNALS__: { unregisterListener() {} } });
  }

  /** Arguments of every call of one command. */
  called(command: string): unknown[] {
    return this.calls.filter((call) => call.command === command).map(({ args }) => args);
  }

  /** Tells the window that a commit touched these topics, as the watcher does. */
  changed(...topics: Topic[]): Promise<void> {
    return emit("topics-changed", { topics });
  }
}

/** An error as the backend sends it. */
export function fault(code: string, message: string, hint = ""): CommandError {
  return { code, message, hint };
}
