// The rows of bars below the chart: threads, tasks and timers, by depth.

import type { Lane } from "./decode";
import { inkOn, type Theme } from "./palette";
import { DIM, type LanePyramid } from "./pyramid";
import type { Box, TimeScale } from "./scale";
import { thousands } from "./quantity";

/** Height of a row and of what is between two tracks, in pixels. */
export const ROW = 20;
export const GAP = 8;
/** With more rows than this they are drawn without text, at the smaller height. */
const MANY_ROWS = 160;
const SMALL_ROW = 7;
/** Nodes narrower than this are drawn as one block. */
const FINEST = 2;

/** Where each lane stands. */
export interface LaneRow {
  pyramid: LanePyramid;
  top: number;
  height: number;
  /** Whether it is the first of its track. */
  isFirst: boolean;
}

/** Puts lanes below each other from `top`. Returns the rows and where they end. */
export function rowsOf(pyramids: LanePyramid[], top: number): [LaneRow[], number] {
  const height = pyramids.length > MANY_ROWS ? SMALL_ROW : ROW;
  const rows: LaneRow[] = [];
  let track: string | null = null;
  for (const pyramid of pyramids) {
    const isFirst = pyramid.lane.track !== track;
    if (isFirst) top += GAP;
    track = pyramid.lane.track;
    rows.push({ pyramid, top, height, isFirst });
    top += height;
  }
  return [rows, top];
}

/** What a bar is called: merged ones say so. */
export function labelOf(lane: Lane, index: number, names: string[]): string {
  const count = lane.spans ? lane.spans[index] : 1;
  return count > 1 ? `×${thousands(count)} merged` : names[lane.name[index]];
}

/** Everything that bars are drawn with. */
export interface LaneStyle {
  names: string[];
  colours: string[];
  rank: Uint8Array;
  theme: Theme;
}

/** Draws one row. */
export function drawLane(context: CanvasRenderingContext2D, row: LaneRow, box: Box, time: TimeScale, style: LaneStyle): void {
  const { lane } = row.pyramid;
  const { colours, rank } = style;
  const height = row.height - (row.height > 10 ? 2 : 1);
  const hasText = row.height >= 14;
  const right = box.left + box.width;
  row.pyramid.visit(time.range[0], time.range[1], FINEST * time.perPixel, {
    bar(index) {
      const name = lane.name[index];
      const from = Math.max(time.x(lane.start[index]), box.left);
      const to = Math.min(Math.max(time.x(lane.end[index]), from + 1), right);
      // A hair between neighbours, as long as there is room for one.
      const width = to - from > 3 ? to - from - 0.75 : to - from;
      context.globalAlpha = rank[name] === DIM ? 0.18 : lane.spans && lane.spans[index] > 1 ? 0.6 : 1;
      context.fillStyle = colours[name];
      context.fillRect(from, row.top, width, height);
      if (hasText && width > 26) drawLabel(context, labelOf(lane, index, style.names), from, row.top + height / 2, width, colours[name]);
    },
    node(start, end, busy, longest) {
      const name = lane.name[longest];
      const from = Math.max(time.x(start), box.left);
      const to = Math.min(Math.max(time.x(end), from + 1), right);
      const part = end > start ? Math.min(1, busy / (end - start)) : 1;
      context.globalAlpha = (rank[name] === DIM ? 0.18 : 1) * (0.35 + 0.65 * part);
      context.fillStyle = colours[name];
      context.fillRect(from, row.top, to - from, height);
    },
  });
  context.globalAlpha = 1;
}

function drawLabel(context: CanvasRenderingContext2D, text: string, left: number, middle: number, width: number, colour: string): void {
  const shown = fitted(context, text, width - 8);
  if (!shown) return;
  context.globalAlpha = 1;
  context.fillStyle = inkOn(colour);
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(shown, left + 4, middle + 0.5);
}

const widths = new Map<string, number>();

function widthOf(context: CanvasRenderingContext2D, text: string): number {
  const key = context.font + text;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20_000) widths.clear();
    width = context.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/** A text shortened at its end to a width; empty when nothing would be left of it. */
export function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  const whole = text.length > 300 ? text.slice(0, 300) : text;
  const width = widthOf(context, whole);
  if (width <= room) return whole;
  const kept = Math.floor((whole.length * (room - 8)) / width);
  return kept >= 2 ? `${whole.slice(0, kept)}…` : "";
}

/** Names of tracks, at the left of their first rows. */
export function drawTracks(context: CanvasRenderingContext2D, rows: LaneRow[], box: Box, theme: Theme): void {
  context.textAlign = "right";
  context.textBaseline = "middle";
  let free = -Infinity;
  for (const row of rows) {
    if (!row.isFirst) continue;
    context.strokeStyle = theme.grid;
    context.beginPath();
    context.moveTo(box.left, row.top - GAP / 2 + 0.5);
    context.lineTo(box.left + box.width, row.top - GAP / 2 + 0.5);
    context.stroke();
    if (row.top < free) continue;
    free = row.top + 13;
    context.fillStyle = theme.muted;
    context.fillText(fitted(context, row.pyramid.lane.track, box.left - 16), box.left - 8, row.top + Math.min(row.height, ROW) / 2);
  }
}
