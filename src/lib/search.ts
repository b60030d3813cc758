/** Parses URL parameters, and drops invalid ones: an old or hand-written link never breaks a page. */

export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;
}

export function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

export function flag(value: unknown): true | undefined {
  return value === true || value === "true" || value === 1 ? true : undefined;
}

export function oneOf<T extends string>(value: unknown, known: readonly T[]): T | undefined {
  return known.find((word) => word === value);
}

export function manyOf<T extends string>(value: unknown, known: readonly T[]): T[] | undefined {
  const given = Array.isArray(value) ? value : [value];
  const kept = known.filter((word) => given.includes(word));
  return kept.length > 0 ? kept : undefined;
}

/**
 * A search whose parts may all be missing. A part that was refused stays, as `undefined`: left out, the router would show
 * the raw value instead.
 */
export function said<T extends object>(parts: T): Partial<T> {
  return parts;
}
