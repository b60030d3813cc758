import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Wording } from "./wording";

describe("a learning's words", () => {
  it.each([
    ["Tests need `fake_charge`, or they wait", "Tests need fake_charge, or they wait", ["fake_charge"]],
    ["`a` and `b c`", "a and b c", ["a", "b c"]],
    ["a lone ` stays", "a lone ` stays", []],
    ["`not\nacross lines`", "`not\nacross lines`", []],
    ["`` is empty", "`` is empty", []],
  ])("%j are shown as %j", (text, shown, code) => {
    const { container } = render(<Wording text={text} />);
    expect(container.textContent).toBe(shown);
    expect([...container.querySelectorAll("code")].map((one) => one.textContent)).toEqual(code);
  });
});
