import { readFileSync } from "node:fs";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { FilterMenu } from "./filter";
import { Select } from "./select";

const STYLES = readFileSync("src/app/styles.css", "utf8");
const OPTIONS = [
  { value: "a", label: "One" },
  { value: "b", label: "Two" },
];

/** How bright a colour is, as WCAG computes it. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

it.each([":root {", ':root[data-theme="dark"] {'])("the entry that Enter would choose stands out in %s", (palette) => {
  const colour = (name: string) =>
    new RegExp(`--c-${name}: (#\\w{6});`).exec(STYLES.slice(STYLES.indexOf(palette)))?.[1] ?? "";
  expect(contrast(colour("accent"), colour("panel"))).toBeGreaterThanOrEqual(3);
  expect(/@utility lit \{[^}]*--c-accent/.test(STYLES)).toBe(true);
});

it("the active entries of menus and selects are lit", async () => {
  const person = userEvent.setup();
  render(
    <>
      <FilterMenu label="Kind" values={["a"]} chosen={[]} words={{ a: "One" }} onChange={() => {}} />
      <Select label="Feature" value="b" onChange={() => {}} options={OPTIONS} />
    </>,
  );
  screen.getByRole("combobox").focus();
  await person.keyboard("{Enter}");
  expect(screen.getByRole("option", { name: "Two" })).toHaveClass("lit");
  expect(screen.getByRole("option", { name: "One" })).not.toHaveClass("lit");
  await person.keyboard("{Escape}");
  await person.click(screen.getByRole("button", { name: "Kind" }));
  expect(await screen.findByRole("menuitemcheckbox", { name: "One" })).toHaveClass("data-highlighted:lit");
});
