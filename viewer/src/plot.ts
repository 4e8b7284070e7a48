// One panel on its canvas: title, memory chart, lanes. Knows what stands where, so that the
// pointer and the keyboard can ask.

import type { Data, Panel } from "./decode";
import { drawLane, drawTracks, GAP, rowsOf, type LaneRow } from "./lanes";
import { drawCurve, drawLevels, drawSegments, levels } from "./memory";
import { drawMarks } from "./marks";
import type { Theme } from "./palette";
import { CurvePyramid, HIDDEN, LanePyramid } from "./pyramid";
import { LevelScale, TimeScale, type Box } from "./scale";
import type { Range, View } from "./view";
import { timeTicks } from "./axis";

/** Room for labels at the left and for the curve's end at the right. */
export const GUTTER = 104;
export const RIGHT = 16;
const TITLE = 26;
const CHART = 150;
const NO_CHART = 4;

/** A bar of a panel. */
export interface Hit {
  row: LaneRow;
  index: number;
}

export class Plot {
  readonly canvas = document.createElement("canvas");
  readonly curve: CurvePyramid | null;
  lanes: LanePyramid[] = [];
  rows: LaneRow[] = [];
  /** The bar that the keyboard stands on. */
  cursor: Hit | null = null;
  private readonly hasChart: boolean;
  private readonly chart: number;
  private height = 0;

  constructor(
    readonly panel: Panel,
    private readonly data: Data,
    private readonly view: View,
    private readonly colours: string[],
    chart: number | null,
  ) {
    this.curve = panel.curve ? new CurvePyramid(panel.curve) : null;
    this.hasChart = this.curve !== null || panel.lanes.some((lane) => lane.memory !== null);
    this.chart = this.hasChart ? Math.max(80, (chart ?? CHART) - TITLE) : NO_CHART;
    this.canvas.className = "plot";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", `Timeline of ${panel.title}. Arrow keys move from span to span, Enter zooms to one.`);
    this.rebuild();
  }

  /** Builds the levels of detail for the names that are shown now. */
  rebuild(): void {
    this.lanes = this.panel.lanes.map((lane) => new LanePyramid(lane, this.view.rank));
    [this.rows, this.height] = rowsOf(this.lanes, TITLE + this.chart);
    this.height += GAP;
    const cursor = this.cursor;
    if (cursor && this.view.rank[cursor.row.pyramid.lane.name[cursor.index]] === HIDDEN) this.cursor = null;
  }

  /** Lowest and highest memory between two moments. */
  levels(range: Range): Range | null {
    return levels({ panel: this.panel, curve: this.curve, lanes: this.lanes }, range);
  }

  time(): TimeScale {
    return new TimeScale(this.view.range, GUTTER, this.canvas.clientWidth - GUTTER - RIGHT);
  }

  private box(): Box {
    return { left: GUTTER, top: 0, width: this.canvas.clientWidth - GUTTER - RIGHT, height: this.height };
  }

  private chartBox(): Box {
    return { ...this.box(), top: TITLE, height: this.chart };
  }

  /** Sets the canvas's size; true to the screen's pixels. */
  fit(): void {
    this.canvas.style.height = `${this.height}px`;
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(this.canvas.clientWidth * ratio);
    const height = Math.round(this.height * ratio);
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
  }

  draw(memory: Range | null, theme: Theme): void {
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context) return;
    const ratio = window.devicePixelRatio || 1;
    const box = this.box();
    const time = this.time();
    const style = { names: this.data.names, colours: this.colours, rank: this.view.rank, theme };
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = theme.ground;
    context.fillRect(0, 0, this.canvas.clientWidth, this.height);
    context.font = `12px ${FONT}`;
    this.drawGrid(context, time, box, theme);
    this.drawTitle(context, theme);
    if (this.hasChart && memory) {
      const chart = this.chartBox();
      const scale = new LevelScale(memory, chart);
      drawLevels(context, scale, box.left + box.width, theme);
      if (this.curve) drawCurve(context, this.curve, time, scale, theme);
      for (const lane of this.lanes) drawSegments(context, lane, time, scale, this.colours, this.view.rank);
    }
    drawTracks(context, this.rows, box, theme);
    for (const row of this.rows) drawLane(context, row, box, time, style);
    drawMarks(context, this.data.moments.marks, time, { ...box, top: TITLE, height: this.height - TITLE }, theme);
    this.drawSelection(context, time, box, theme);
    this.drawCursor(context, time, box, theme);
  }

  private drawGrid(context: CanvasRenderingContext2D, time: TimeScale, box: Box, theme: Theme): void {
    context.strokeStyle = theme.grid;
    context.lineWidth = 1;
    context.beginPath();
    for (const tick of timeTicks(...time.range, box.width / 110)) {
      const x = Math.round(time.x(tick.value)) + 0.5;
      context.moveTo(x, TITLE);
      context.lineTo(x, this.height);
    }
    context.stroke();
  }

  private drawTitle(context: CanvasRenderingContext2D, theme: Theme): void {
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillStyle = theme.ink;
    context.font = `600 13px ${FONT}`;
    const title = this.panel.title.length > 100 ? `${this.panel.title.slice(0, 100)}…` : this.panel.title;
    context.fillText(title, 8, TITLE / 2);
    const width = context.measureText(title).width;
    context.font = `12px ${FONT}`;
    context.fillStyle = theme.muted;
    const measured = this.panel.lanes.some((lane) => lane.memory) ? "allocated memory" : "";
    const said = this.curve?.curve.what ?? (measured || `no memory curve: ${this.panel.why}`);
    context.fillText(said, 8 + width + 12, TITLE / 2 + 0.5);
  }

  private drawSelection(context: CanvasRenderingContext2D, time: TimeScale, box: Box, theme: Theme): void {
    const selected = this.view.selected;
    if (!selected) return;
    const from = Math.max(box.left, time.clamped(selected[0]));
    const to = Math.min(box.left + box.width, time.clamped(selected[1]));
    if (to < from) return;
    context.fillStyle = theme.accent;
    context.globalAlpha = 0.14;
    context.fillRect(from, TITLE, to - from, this.height - TITLE);
    context.globalAlpha = 1;
    context.fillRect(from, TITLE, 1, this.height - TITLE);
    context.fillRect(to - 1, TITLE, 1, this.height - TITLE);
  }

  private drawCursor(context: CanvasRenderingContext2D, time: TimeScale, box: Box, theme: Theme): void {
    if (!this.cursor) return;
    const { row, index } = this.cursor;
    const from = Math.max(box.left, time.clamped(row.pyramid.lane.start[index]));
    const to = Math.min(box.left + box.width, Math.max(time.clamped(row.pyramid.lane.end[index]), from + 2));
    if (to < box.left || from > box.left + box.width) return;
    context.strokeStyle = theme.ink;
    context.lineWidth = 2;
    context.strokeRect(from, row.top, to - from, row.height - 2);
  }

  /** The bar under a point of the canvas. */
  hit(x: number, y: number): Hit | null {
    const time = this.time();
    if (x < GUTTER || x > this.canvas.clientWidth - RIGHT) return null;
    for (const row of this.rows) {
      if (y < row.top || y >= row.top + row.height) continue;
      const index = row.pyramid.at(time.moment(x), 3 * time.perPixel);
      return index < 0 ? null : { row, index };
    }
    if (y < TITLE || y > TITLE + this.chart) return null;
    // On the chart a bar counts where its memory was measured; inner ones lie on top.
    for (const row of [...this.rows].reverse()) {
      const { memory } = row.pyramid.lane;
      const index = memory ? row.pyramid.at(time.moment(x), 0) : -1;
      if (memory && index >= 0 && !Number.isNaN(memory.before[index])) return { row, index };
    }
    return null;
  }

  /** Index of the curve's point that is nearest to a point of the chart; -1 for none. */
  nearestPoint(x: number, y: number): number {
    const at = this.panel.curve?.at;
    if (!at || at.length === 0 || y < TITLE || y > TITLE + this.chart || x < GUTTER) return -1;
    const time = this.time();
    const moment = time.moment(x);
    let best = 0;
    for (let low = 0, high = at.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (Math.abs(at[middle] - moment) < Math.abs(at[best] - moment)) best = middle;
      if (at[middle] <= moment) low = middle + 1;
      else high = middle;
    }
    return Math.abs(at[best] - moment) <= 24 * time.perPixel ? best : -1;
  }
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif';
