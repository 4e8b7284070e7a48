// One chip per name: its colour, its count and its time. A click hides the name or shows it
// again, a double click shows it alone.

import type { Data } from "./decode";
import { element } from "./element";
import { duration, thousands } from "./quantity";
import { DIM } from "./pyramid";
import type { NameStatistics } from "./statistics";
import type { View } from "./view";

/** Chips shown before the reader asks for more. */
const FIRST = 24;

export class Legend {
  readonly root = element("div", { className: "legend", role: "group", "aria-label": "Names: click to hide or show, double click to show one alone" });
  private readonly chips = new Map<number, HTMLButtonElement>();

  constructor(
    data: Data,
    private readonly view: View,
    colours: string[],
    totals: NameStatistics[],
  ) {
    for (const total of totals) {
      const name = data.names[total.name];
      const swatch = element("i", { className: "swatch" });
      swatch.style.background = colours[total.name];
      const chip = element(
        "button",
        {
          type: "button",
          className: "chip",
          title: `${name}: ${thousands(total.count)} spans, ${duration(total.total)}`,
          onclick: (event: MouseEvent) => (event.altKey ? view.isolate(total.name) : view.toggle(total.name)),
          ondblclick: () => view.isolate(total.name),
        },
        swatch,
        element("span", { className: "name" }, name),
        element("span", { className: "total" }, duration(total.total)),
      );
      this.chips.set(total.name, chip);
    }
    const chips = [...this.chips.values()];
    this.root.append(...chips.slice(0, FIRST));
    if (chips.length > FIRST) {
      const more = element("button", { type: "button", className: "more" }, `${chips.length - FIRST} more names`);
      more.onclick = () => more.replaceWith(...chips.slice(FIRST));
      this.root.append(more);
    }
    this.update();
  }

  update(): void {
    for (const [name, chip] of this.chips) {
      chip.setAttribute("aria-pressed", String(!this.view.isHidden(name)));
      chip.classList.toggle("dim", this.view.rank[name] === DIM);
    }
  }
}
