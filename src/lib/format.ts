/** Numbers and times as people read them. All pure; `now` is an argument. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// Made once: making one takes longer than drawing its row, and every row has two.
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const HOUR_OF_DAY = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DATE = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric" });
const NUMBER = new Intl.NumberFormat("en-US");

/** A time in words; nothing for what is not a time. */
function inWords(format: Intl.DateTimeFormat, time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? "" : format.format(at);
}

/** `8.2 s`, `1:42`, `2:03:10`. */
export function duration(millis: number): string {
  if (millis < 10 * SECOND) return `${(Math.max(0, millis) / SECOND).toFixed(1)} s`;
  const seconds = Math.floor(millis / SECOND);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** A span for a glance: `under a minute`, `41 min`, `3 h 05`. */
export function span(millis: number): string {
  const minutes = Math.floor(Math.max(0, millis) / MINUTE);
  if (minutes < 1) return `${Math.floor(Math.max(0, millis) / SECOND)} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")}`;
}

/** `just now`, `4 min ago`, `3 h ago`, `12 d ago`. */
export function ago(time: string, now: number): string {
  const passed = now - Date.parse(time);
  if (passed < MINUTE) return "just now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  return `${Math.floor(passed / DAY)} d ago`;
}

/** The same without `ago`, for dense rows: `now`, `4m`, `3h`, `12d`. */
export function age(time: string, now: number): string {
  const passed = now - Date.parse(time);
  if (passed < MINUTE) return "now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)}m`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)}h`;
  return `${Math.floor(passed / DAY)}d`;
}

/** How old something is, in the words of `ago`: `new`, `4 min old`. */
export function old(time: string, now: number): string {
  const since = ago(time, now);
  return since === "just now" ? "new" : since.replace(/ago$/, "old");
}

/** Local date and time, for tooltips and timelines. */
export function moment(time: string): string {
  return inWords(MOMENT, time);
}

/** Local time of a recent event: `03:12`, with the date if it was not today. */
export function atTime(time: string, now: number): string {
  const hour = inWords(HOUR_OF_DAY, time);
  if (new Date(time).toDateString() === new Date(now).toDateString()) return hour;
  return `${inWords(DATE, time)}, ${hour}`;
}

/** Local time of day with seconds. */
export function clock(time: string): string {
  return inWords(CLOCK, time);
}

/** Decimals of dollars: four below a cent, so that a small cost is not shown as none. */
function decimals(usd: number): number {
  return usd !== 0 && Math.abs(usd) < 0.01 ? 4 : 2;
}

/** `$1.84`, `$0.0040`. */
export function dollars(usd: number | null): string {
  const value = usd ?? 0;
  const digits = decimals(value);
  return `$${value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

/** Dollars beside a limit that they have not reached: truncated if rounding would say that they have. */
export function belowLimit(usd: number | null, limit: number | null): number | null {
  const met = usd === null || limit === null || usd >= limit || dollars(usd) !== dollars(limit);
  return met ? usd : Math.floor(usd * 100) / 100;
}

/** A sum of costs of which `unpriced` are not known: never 0 unless it is known to be. */
export function costInWords(usd: number | null, unpriced = 0): string {
  if (unpriced > 0 && !usd) return "cost unknown";
  return unpriced > 0 ? `more than ${dollars(usd)}` : dollars(usd);
}

/** `83 %` of a share in 0..=1; only nothing is `0 %`, and only all is `100 %`. */
export function percent(share: number | null): string {
  const value = share ?? 0;
  const rounded = Math.round(value * 100);
  if (value > 0 && rounded === 0) return "< 1 %";
  return value < 1 && rounded === 100 ? "> 99 %" : `${rounded} %`;
}

/** A number beside the one that it must reach: truncated, since rounded up it would claim to have reached it. */
export function reached(value: number | null, digits: number): string {
  const scale = 10 ** digits;
  return (Math.floor((value ?? 0) * scale + 1e-6) / scale).toFixed(digits);
}

/** A signed number, also if it rounds to zero: `+12`, `−3`, `±0`. */
export function signed(value: number, digits = 0): string {
  const size = Math.abs(value).toFixed(digits);
  if (Number(size) === 0) return `±${size}`;
  return `${value < 0 ? "−" : "+"}${size}`;
}

/** A difference of money: `+$0.50`, `−$0.35`, `−$0.0040`, `±$0.00`. */
export function signedDollars(usd: number): string {
  return signed(usd, decimals(usd)).replace(/^(.)/, "$1$$");
}

/** `950`, `18.4k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  // From here on it would round to `1000.0k`.
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** Bytes as disks count them: `820 kB`, `412 MB`, `1.2 GB`. */
export function bytes(size: number | null): string {
  const value = size ?? 0;
  if (value >= 999.5e6) return `${(value / 1e9).toFixed(1)} GB`;
  if (value > 999e3) return `${Math.round(value / 1e6)} MB`;
  return `${Math.ceil(value / 1e3)} kB`;
}

/** `10,000`. */
export function number(n: number): string {
  return NUMBER.format(n);
}

/** `1 task`, `2 tasks`. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${NUMBER.format(n)} ${n === 1 ? one : many}`;
}

/** First line of a text. */
export function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** Letters of a text that suffice to find it. */
const NEEDLE_LETTERS = 60;

/** The beginning of a text by which it is found, as an address can hold it: half of an emoji would become another character there. */
export function needleOf(text: string): string {
  return [...firstLine(text)].slice(0, NEEDLE_LETTERS).join("");
}
