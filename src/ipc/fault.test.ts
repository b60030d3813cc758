import { expect, it } from "vitest";
import { toFault } from "./fault";

it.each([
  ["there is no task '999'", "There is no task '999'"],
  ["alas, nobody knows", "Alas, nobody knows"],
  ["config.toml is no TOML", "config.toml is no TOML"],
  ["script: it does not exist", "script: it does not exist"],
  ["`ralph doctor` tells why", "`ralph doctor` tells why"],
  ["claude_path names no program", "claude_path names no program"],
])("begins as a sentence, unless a name, a path or a command stands first: %s", (said, shown) => {
  expect(toFault({ code: "invalid", message: said, hint: said })).toEqual({
    code: "invalid",
    message: shown,
    hint: shown,
  });
});
