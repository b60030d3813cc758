/** The pages over the sample project, in any browser: `npm run dev`, then open `/preview.html?world=sample|empty|closed`. */
import { makeWorld } from "./world";

const kind = new URLSearchParams(location.search).get("world");
makeWorld(kind === "empty" || kind === "closed" ? kind : "sample");
// The router reads what stands after `?`, also before the hash.
history.replaceState(null, "", location.pathname + location.hash);
await import("@/app/main");
