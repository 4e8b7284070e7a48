// What is under the pointer or the keyboard's cursor, with exact numbers.

import type { Data } from "./decode";
import { element } from "./element";
import { labelOf } from "./lanes";
import type { Hit, Plot } from "./plot";
import { duration, exactBytes, exactDuration, percent, thousands } from "./quantity";

/** A line of the tooltip. */
type Line = [string, string];

/** What is said about a bar. */
export function linesOf(plot: Plot, hit: Hit, data: Data): Line[] {
  const { lane } = hit.row.pyramid;
  const index = hit.index;
  const took = lane.end[index] - lane.start[index];
  const lines: Line[] = [];
  if (lane.spans && lane.busy && lane.spans[index] > 1) {
    lines.push(["merged", `${thousands(lane.spans[index])} spans, longest: ${data.names[lane.name[index]]}`]);
    lines.push(["sum", exactDuration(lane.busy[index])]);
    lines.push(["stretch", exactDuration(took)]);
  } else {
    lines.push(["duration", exactDuration(took)]);
    if (lane.busy && lane.busy[index] !== took) lines.push(["ran", exactDuration(lane.busy[index])]);
  }
  lines.push(["start", exactDuration(lane.start[index])]);
  const share = plot.panel.end > 0 ? took / plot.panel.end : 0;
  lines.push(["share", percent(share)]);
  lines.push(["on", `${plot.panel.title}, ${lane.track}`]);
  const memory = lane.memory;
  if (memory && !Number.isNaN(memory.before[index])) {
    lines.push(["memory before", exactBytes(memory.before[index])]);
    lines.push(["memory after", exactBytes(memory.after[index])]);
    lines.push(["net", exactBytes(memory.after[index] - memory.before[index])]);
    if (!Number.isNaN(memory.peak[index])) {
      lines.push(["peak above start", exactBytes(memory.peak[index] - memory.before[index])]);
    }
  }
  return lines;
}

export class Tooltip {
  readonly root = element("div", { className: "tooltip", role: "tooltip", hidden: true });
  /** Says the same to those who listen. */
  readonly live = element("div", { className: "aside", "aria-live": "polite" });

  constructor(private readonly data: Data) {}

  hide(): void {
    this.root.hidden = true;
  }

  /** Shows a bar, beside a point of the window. */
  bar(plot: Plot, hit: Hit, x: number, y: number, isKeyboard = false): void {
    const lane = hit.row.pyramid.lane;
    const title = labelOf(lane, hit.index, this.data.names);
    this.show(title, linesOf(plot, hit, this.data), x, y);
    if (isKeyboard) this.live.textContent = `${title}, ${duration(lane.end[hit.index] - lane.start[hit.index])}`;
  }

  /** Shows a sample of the curve. */
  point(plot: Plot, index: number, x: number, y: number): void {
    const curve = plot.panel.curve;
    if (!curve) return;
    this.show(curve.what, [["level", exactBytes(curve.bytes[index])], ["at", exactDuration(curve.at[index])], ["on", plot.panel.title]], x, y);
  }

  private show(title: string, lines: Line[], x: number, y: number): void {
    const list = element("dl");
    for (const [name, value] of lines) list.append(element("dt", {}, name), element("dd", {}, value));
    this.root.replaceChildren(element("strong", {}, title), list);
    this.root.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.root;
    const left = x + 14 + width > window.innerWidth ? x - 14 - width : x + 14;
    const top = Math.min(y + 14, window.innerHeight - height - 8);
    this.root.style.left = `${Math.max(4, left)}px`;
    this.root.style.top = `${Math.max(4, top)}px`;
  }
}
