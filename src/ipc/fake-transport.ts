/** Stands in for the backend in tests and in the preview: an unknown command is refused by name, never answered by chance. */

import { emit } from "@tauri-apps/api/event";
import { mockIPC, mockWindows } from "@tauri-apps/api/mocks";
import type { CommandError, commands, Destination, Topic } from "./bindings";

type Commands = typeof commands;
/** `listTasks` is `list_tasks` on the wire. */
type Wire<Name extends string> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Wire<Rest>}`
  : Name;
/** Names of commands on the wire. */
export type WireName = Wire<keyof Commands>;
type Answer<Command extends (...given: never[]) => Promise<unknown>> = Awaited<ReturnType<Command>>;

/** Answers to commands by their name on the wire: they take and answer what the bindings say. */
export type Handlers = {
  [Name in keyof Commands as Wire<Name>]?: (
    ...given: Parameters<Commands[Name]>
  ) => Answer<Commands[Name]> | Promise<Answer<Commands[Name]>>;
} & {
  /** Dialogs of the system. */
  [Dialog in `plugin:dialog|${string}`]?: () => string | string[] | null;
};

export class FakeTransport {
  /** Every command that was called, in order. */
  readonly calls: { command: string; args: unknown }[] = [];

  constructor(readonly handlers: Handlers) {
    mockWindows("main");
    mockIPC(
      async (command, args) => {
        this.calls.push({ command, args });
        const handler = this.handlers[command as keyof Handlers] as ((...given: unknown[]) => unknown) | undefined;
        if (!handler) {
          console.error(`unknown command '${command}'`);
          throw fault("unknown_command", `There is no command '${command}'.`);
        }
        // The bindings write a command's arguments in its own order.
        return handler(...Object.values(args ?? {}));
      },
      { shouldMockEvents: true },
    );
    // The mocked events lack this part of the real ones; without it, whoever stops listening fails.
    Object.assign(window, { __TAURI_EVENT_PLUGIN_INTERNALS__: { unregisterListener() {} } });
  }

  /** Arguments of every call of one command. */
  called(command: WireName): unknown[] {
    return this.calls.filter((call) => call.command === command).map(({ args }) => args);
  }

  /** Clicks on a notification of the desktop. */
  clicked(place: Destination): Promise<void> {
    return emit("place-opened", { place });
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
