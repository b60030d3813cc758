import { expect, it } from "vitest";
import { placeOf } from "./told";

it.each([
  ["docs/refunds.md:12", { file: "docs/refunds.md", line: 12 }],
  ["docs/refunds.md:12.2", { file: "docs/refunds.md", line: 12 }],
  ["docs/a:b.md:3", { file: "docs/a:b.md", line: 3 }],
  ["docs/refunds.md", undefined],
  ["docs/refunds.md:0", undefined],
])("finds the section %s", (id, place) => {
  expect(placeOf(id)).toEqual(place);
});
