/** Replaces the backend in tests and in the preview: an unknown command is rejected by name. */

import { emit } from "@tauri-apps/api/event";
import { mockIPC, mockWindows } from "@tauri-apps/api/mocks";
import type { CommandError, commands, Destination, Topic } from "./bindings";

type Commands = typeof commands;
/** `listTasks` is `list_tasks` on the wire. */
type Wire<Name extends string> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Wire<Rest>}`
  : Name;
/** Names of commands on the wire. */
type WireName = Wire<keyof Commands>;
type Answer<Command extends (...given: never[]) => Promise<unknown>> = Awaited<ReturnType<Command>>;

/** Handlers of commands by their name on the wire, typed by the bindings. */
export type Handlers = {
  [Name in keyof Commands as Wire<Name>]?: (
    ...given: Parameters<Commands[Name]>
  ) => Answer<Commands[Name]> | Promise<Answer<Commands[Name]>>;
} & {
  /** System dialogs. */
  [Dialog in `plugin:dialog|${string}`]?: () => string | string[] | null;
} & {
  /** The size of the window. */
  "plugin:webview|set_webview_zoom"?: (label: string, factor: number) => void;
};

export class FakeTransport {
  /** Every called command, in order. */
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
        // The bindings pass a command's arguments in the command's order.
        return handler(...Object.values(args ?? {}));
      },
      { shouldMockEvents: true },
    );
    // The mocked events lack this part of the real ones, without which unlistening fails.
    Object.assign(window, { __TAURI_EVENT_PLUGIN_INTERNALS__: { unregisterListener() {} } });
  }

  /** The arguments of every call of one command. */
  called(command: WireName): unknown[] {
    return this.calls.filter((call) => call.command === command).map(({ args }) => args);
  }

  /** Simulates a click on a desktop notification. */
  clicked(place: Destination): Promise<void> {
    return emit("place-opened", { place });
  }

  /** Notifies the window that a commit touched these topics, as the watcher does. */
  changed(...topics: Topic[]): Promise<void> {
    return emit("topics-changed", { topics });
  }
}

/** An error as the backend sends it. */
export function fault(code: string, message: string, hint = ""): CommandError {
  return { code, message, hint };
}
