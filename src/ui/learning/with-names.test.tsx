import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { learning } from "@/test/builders";
import { WithNames } from "./with-names";

it("says a learning instead of its id, but not in a mark, which has to be written as it is", () => {
  const id = "01K0000000000000000000000A";
  const known = new Map([[id, learning(id, "payments", "Retries carry a key")]]);
  render(
    <p data-testid="said">
      <WithNames text={`${id} is in no line that ends with <!-- ralph:${id} -->`} known={known} />
    </p>,
  );
  expect(screen.getByTestId("said")).toHaveTextContent(
    `Retries carry a key is in no line that ends with <!-- ralph:${id} -->`,
  );
});
