import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { describe, expect, it } from "vitest";
import { Select } from "./select";

const AREAS = Array.from({ length: 12 }, (_, at) => ({ value: `area-${at}`, label: `Area ${at}` }));
const OPTIONS = [{ value: "", label: "All features" }, ...AREAS, { value: "billing", label: "Billing" }];

/** The choice is shown beside the select, and letters that it does not handle are counted, as the page's shortcuts would be. */
function Chooser() {
  const [value, setValue] = useState("");
  const [keys, setKeys] = useState("");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: stands for the page, which has shortcuts.
    <div onKeyDown={(event) => event.key.length === 1 && setKeys(keys + event.key)}>
      <Select label="Feature" value={value} onChange={setValue} options={OPTIONS} />
      <output>{value}</output>
      <p data-testid="page">{keys}</p>
    </div>
  );
}

const shown = () => screen.queryAllByRole("option").length;
const active = () => {
  const id = screen.getByRole("combobox").getAttribute("aria-activedescendant");
  return id === null ? null : document.getElementById(id)?.textContent;
};

describe("a select", () => {
  it("has no options in the page while it is closed", async () => {
    const person = userEvent.setup();
    render(<Chooser />);
    expect(shown()).toBe(0);
    await person.click(screen.getByRole("combobox", { name: "Feature" }));
    expect(shown()).toBe(OPTIONS.length);
    await person.click(screen.getByRole("option", { name: "Area 3" }));
    expect(shown()).toBe(0);
    expect(screen.getByRole("status")).toHaveTextContent("area-3");
    expect(screen.getByRole("combobox")).toHaveTextContent("Area 3");
  });

  it("is used by keys alone, and keeps the focus", async () => {
    const person = userEvent.setup();
    render(<Chooser />);
    await person.tab();
    await person.keyboard("{ArrowDown}");
    expect(active()).toBe("All features");
    await person.keyboard("{ArrowDown}{ArrowDown}{End}{ArrowUp}");
    expect(active()).toBe("Area 11");
    await person.keyboard("{Enter}");
    expect(screen.getByRole("status")).toHaveTextContent("area-11");
    expect(screen.getByRole("combobox")).toHaveFocus();
    await person.keyboard("{Enter}{Home}{Escape}");
    expect(shown()).toBe(0);
    expect(screen.getByRole("status")).toHaveTextContent("area-11");
  });

  it("takes words with spaces while it is open, and leaves letters to the page while it is closed", async () => {
    const person = userEvent.setup();
    render(<Chooser />);
    await person.tab();
    await person.keyboard("nb");
    expect(screen.getByTestId("page")).toHaveTextContent("nb");
    await person.keyboard("{ArrowDown}area 7");
    expect(active()).toBe("Area 7");
    await person.keyboard("{Enter}");
    expect(screen.getByRole("status")).toHaveTextContent("area-7");
    expect(screen.getByTestId("page")).toHaveTextContent(/^nb$/);
  });

  it("chooses the option that is marked, also when another one has come in above it", async () => {
    const person = userEvent.setup();
    const chosen: string[] = [];
    const select = (options: typeof OPTIONS) => (
      <Select label="Feature" value="" onChange={(value) => chosen.push(value)} options={options} />
    );
    const { rerender } = render(select(OPTIONS));
    await person.tab();
    await person.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}");
    expect(active()).toBe("Area 1");
    rerender(select([{ value: "account", label: "Account" }, ...OPTIONS]));
    expect(active()).toBe("Area 1");
    await person.keyboard("{Enter}");
    expect(chosen).toEqual(["area-1"]);
  });
});
