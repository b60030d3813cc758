/** The pages over the sample project, in any browser: `npm run dev`, then open `/preview.html?world=sample|empty|closed|lanes|night|large&theme=dark`. */
import { setTheme } from "@/lib/theme";
import { sideBySide } from "./lanes";
import { manyOfAll } from "./large";
import { nightBefore } from "./night";
import { makeWorld } from "./world";

const given = new URLSearchParams(location.search);
const kind = given.get("world");
const theme = given.get("theme");
if (theme === "dark" || theme === "light") setTheme(theme);
const world = makeWorld(kind === "empty" || kind === "closed" ? kind : "sample");
if (kind === "lanes") sideBySide(world);
if (kind === "large") manyOfAll(world);
if (kind === "night") nightBefore(world);
// The router reads what stands after `?`, also before the hash.
history.replaceState(null, "", location.pathname + location.hash);
await import("@/app/main");
