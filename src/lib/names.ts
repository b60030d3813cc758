/** The name that a display name suggests: lower case, safe as a file name everywhere. */
export function nameOf(displayName: string): string {
  return displayName
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
}

/** The short name of something new: what was typed as such, or what its name suggests. */
export function shortNameOf({ name, display_name }: { name: string; display_name: string }): {
  name: string;
  /** Why it has none yet. */
  lacks?: string;
} {
  const short = name.trim() || nameOf(display_name);
  if (short !== "") return { name: short };
  const isBlank = display_name.trim() === "";
  return { name: short, lacks: isBlank ? "A name is missing" : "It needs a short name of Latin letters or digits" };
}
