// Sums per name over a stretch of time, and the box that shows them.

import type { Data } from "./decode";
import { element } from "./element";
import { duration, bytes, thousands } from "./quantity";
import { firstAfter, HIDDEN } from "./pyramid";
import type { Range, View } from "./view";

/** What one name did within a stretch. */
export interface NameStatistics {
  name: number;
  /** Spans that touch the stretch. */
  count: number;
  /** Their time inside it. Nested spans of one name count each. */
  total: number;
  least: number;
  most: number;
}

/** All names shown, most time first. Merged bars give their count and their sum under one name. */
export function statistics(data: Data, range: Range, rank: Uint8Array): NameStatistics[] {
  // Columns rather than one object per name: this runs over every bar of the page.
  const count = new Float64Array(data.names.length);
  const total = new Float64Array(data.names.length);
  const least = new Float64Array(data.names.length).fill(Infinity);
  const most = new Float64Array(data.names.length).fill(-Infinity);
  for (const panel of data.panels) {
    for (const lane of panel.lanes) {
      const to = firstAfter(lane.start, range[1]);
      for (let index = 0; index < to; index++) {
        const start = lane.start[index];
        const end = lane.end[index];
        const name = lane.name[index];
        const isInside = end > range[0] || (start >= range[0] && start === end);
        if (!isInside || rank[name] === HIDDEN) continue;
        const whole = end - start;
        const within = Math.min(end, range[1]) - Math.max(start, range[0]);
        const busy = lane.busy ? lane.busy[index] : whole;
        const spans = lane.spans ? lane.spans[index] : 1;
        const each = busy / spans;
        count[name] += spans;
        total[name] += whole > 0 ? busy * (within / whole) : 0;
        if (each < least[name]) least[name] = each;
        if (each > most[name]) most[name] = each;
      }
    }
  }
  const found: NameStatistics[] = [];
  for (let name = 0; name < count.length; name++) {
    if (count[name] > 0) found.push({ name, count: count[name], total: total[name], least: least[name], most: most[name] });
  }
  return found.sort((a, b) => b.total - a.total);
}

/** The same as a table in markdown. */
export function markdown(data: Data, rows: NameStatistics[], range: Range): string {
  const safe = (name: string) => name.replace(/[\\`*_{}[\]<>#|~&@]/g, "\\$&");
  const lines = rows.map((row) => {
    const mean = row.total / row.count;
    return `| ${safe(data.names[row.name])} | ${thousands(row.count)} | ${duration(row.total)} | ${duration(mean)} |`;
  });
  const head = `${duration(range[0])} to ${duration(range[1])} of ${safe(data.title)}`;
  return [head, "", "| span | count | total | mean |", "| :--- | ---: | ---: | ---: |", ...lines, ""].join("\n");
}

/** Rows shown in the box; the copy has all. */
const MOST_ROWS = 12;

export class SelectionBox {
  readonly root = element("aside", { className: "selection", hidden: true, "aria-label": "Selected range" });

  constructor(
    private readonly data: Data,
    private readonly view: View,
    private readonly levels: (range: Range) => Range | null,
  ) {}

  update(): void {
    const range = this.view.selected;
    this.root.hidden = range === null;
    if (!range) return;
    const rows = statistics(this.data, range, this.view.rank);
    const memory = this.levels(range);
    const head = [`${duration(range[1] - range[0])} from ${duration(range[0])} on`];
    if (memory) head.push(`memory ${bytes(memory[0])} to ${bytes(memory[1])}`);
    const body = element("tbody");
    for (const row of rows.slice(0, MOST_ROWS)) {
      const cells = [thousands(row.count), duration(row.total), duration(row.total / row.count)];
      body.append(element("tr", {}, element("th", { scope: "row" }, this.data.names[row.name]), ...cells.map((cell) => element("td", {}, cell))));
    }
    const titles = ["span", "count", "time inside", "mean inside"];
    const table = element("table", {}, element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)))), body);
    const more = rows.length > MOST_ROWS ? [element("p", {}, `${rows.length - MOST_ROWS} more names: Copy and CSV have them all`)] : [];
    const close = element("button", { type: "button", className: "close", "aria-label": "Clear the selection (Escape)", title: "Clear the selection (Escape)", onclick: () => this.view.select(null) }, "×");
    this.root.replaceChildren(close, element("strong", {}, head.join(" · ")), rows.length > 0 ? table : element("p", {}, "no span here"), ...more);
  }
}
