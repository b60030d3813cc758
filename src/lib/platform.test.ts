import { afterEach, expect, it, vi } from "vitest";
import { keyName } from "./platform";

afterEach(() => vi.restoreAllMocks());

it.each([
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15", ["⌘ K", "⌥", "n"]],
  ["Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15", ["Ctrl K", "Alt", "n"]],
])("keys have the names of the system: %s", (agent, names) => {
  vi.spyOn(navigator, "userAgent", "get").mockReturnValue(agent);
  expect(["Ctrl K", "Alt", "n"].map(keyName)).toEqual(names);
});
