import { SETTING_RANGES } from "@/ipc";

/** What is wrong with an integer entered for a setting; nothing if it may be saved. */
export function numberFault(key: string, typed: string): string | undefined {
  const range = SETTING_RANGES.find((one) => one.key === key);
  if (!/^\d+$/.test(typed.trim())) return "a whole number is needed";
  const number = Number(typed);
  if (!range || (number >= range.min && number <= range.max)) return undefined;
  const shown = (bound: number) => bound.toLocaleString("en-US");
  return `between ${shown(range.min)} and ${shown(range.max)}`;
}

/** The same for an amount of dollars. */
export function dollarsFault(typed: string): string | undefined {
  return /^\d+(\.\d+)?$/.test(typed.trim()) ? undefined : "an amount such as 2.50 is needed, 0 for no limit";
}
