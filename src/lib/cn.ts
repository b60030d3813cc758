import { type ClassValue, clsx } from "clsx";
import { extendTailwindMerge } from "tailwind-merge";

// The type scale has its own names; without this, `text-2xs` would be taken for a color and dropped.
const merge = extendTailwindMerge({
  extend: { classGroups: { "font-size": [{ text: ["2xs", "xs", "sm", "base", "lg"] }] } },
});

/** Joins class names; later ones win. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
