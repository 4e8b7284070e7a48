// The chart on top of a panel: memory over time, one curve of samples and, where it was
// measured, the level at both ends of every span and its highest in between.

import type { Panel } from "./decode";
import { byteTicks } from "./axis";
import type { Theme } from "./palette";
import { CurvePyramid, firstAfter, memoryRange, type LanePyramid, DIM } from "./pyramid";
import type { Box, LevelScale, TimeScale } from "./scale";
import type { Range } from "./view";

/** Narrower nodes are drawn as one stroke, in pixels. */
const FINEST = 2;

/** What a panel's chart is drawn from. */
export interface MemoryParts {
  panel: Panel;
  curve: CurvePyramid | null;
  lanes: LanePyramid[];
}

/** Lowest and highest level between two moments; null where there is none. */
export function levels(parts: MemoryParts, range: Range): Range | null {
  let low = Infinity;
  let high = -Infinity;
  const take = (a: number, b: number) => {
    low = Math.min(low, a);
    high = Math.max(high, b);
  };
  const { curve } = parts;
  if (curve) {
    const from = Math.max(0, firstAfter(curve.curve.at, range[0]) - 1);
    const to = Math.min(curve.curve.at.length, firstAfter(curve.curve.at, range[1]) + 1);
    take(...curve.range(from, to));
  }
  const finest = (range[1] - range[0]) / 500;
  for (const pyramid of parts.lanes) {
    if (!pyramid.lane.memory) continue;
    pyramid.visit(range[0], range[1], finest, {
      bar: (index) => take(...memoryRange(pyramid.lane, index)),
      node: (_start, _end, _busy, _longest, nodeLow, nodeHigh) => take(nodeLow, nodeHigh),
    });
  }
  return low <= high ? [low, high] : null;
}

/** Lines at round levels with their labels at the left. */
export function drawLevels(context: CanvasRenderingContext2D, scale: LevelScale, right: number, theme: Theme): void {
  const { box, range } = scale;
  context.textAlign = "right";
  context.textBaseline = "middle";
  let above = Infinity;
  for (const tick of byteTicks(range[0], range[1], Math.max(2, box.height / 26))) {
    const y = Math.round(scale.y(tick.value)) + 0.5;
    context.strokeStyle = theme.grid;
    context.beginPath();
    context.moveTo(box.left, y);
    context.lineTo(right, y);
    context.stroke();
    if (above - y < 14) continue;
    above = y;
    context.fillStyle = theme.muted;
    context.fillText(tick.label, box.left - 8, Math.min(Math.max(y, box.top + 5), box.top + box.height - 5));
  }
}

/** The curve of samples, as an area. */
export function drawCurve(context: CanvasRenderingContext2D, curve: CurvePyramid, time: TimeScale, scale: LevelScale, theme: Theme): void {
  const { at, bytes } = curve.curve;
  const from = Math.max(0, firstAfter(at, time.range[0]) - 1);
  const to = Math.min(at.length, firstAfter(at, time.range[1]) + 1);
  if (from >= to) return;
  const line = new Path2D();
  const begin = time.x(at[from]);
  let x = begin;
  const isFew = to - from <= time.width / FINEST;
  if (isFew) {
    for (let index = from; index < to; index++) {
      x = time.x(at[index]);
      line.lineTo(x, scale.y(bytes[index]));
    }
  } else {
    for (let index = from; index < to; ) {
      const next = Math.max(index + 1, firstAfter(at, at[index] + FINEST * time.perPixel));
      const [low, high] = curve.range(index, Math.min(next, to));
      x = time.x(at[index]);
      line.lineTo(x, scale.y(low));
      line.lineTo(x, scale.y(high));
      index = next;
    }
  }
  const area = new Path2D(line);
  const bottom = scale.box.top + scale.box.height;
  area.lineTo(x, bottom);
  area.lineTo(begin, bottom);
  area.closePath();
  context.save();
  clipTo(context, scale.box);
  context.globalAlpha = 0.16;
  context.fillStyle = theme.curve;
  context.fill(area);
  context.globalAlpha = 1;
  context.strokeStyle = theme.curve;
  context.lineWidth = 1.5;
  context.stroke(line);
  if (isFew && to - from <= time.width / 24) {
    context.fillStyle = theme.curve;
    for (let index = from; index < to; index++) {
      context.beginPath();
      context.arc(time.x(at[index]), scale.y(bytes[index]), 2.5, 0, 2 * Math.PI);
      context.fill();
    }
  }
  context.restore();
}

/** Every span's memory: filled below the line from its level at opening to that at closing. */
export function drawSegments(
  context: CanvasRenderingContext2D,
  pyramid: LanePyramid,
  time: TimeScale,
  scale: LevelScale,
  colours: string[],
  rank: Uint8Array,
): void {
  const { lane } = pyramid;
  const memory = lane.memory;
  if (!memory) return;
  const bottom = scale.box.top + scale.box.height;
  context.save();
  clipTo(context, scale.box);
  const strength = (name: number) => (rank[name] === DIM ? 0.2 : 1);
  pyramid.visit(time.range[0], time.range[1], FINEST * time.perPixel, {
    bar(index) {
      if (Number.isNaN(memory.before[index])) return;
      const name = lane.name[index];
      const left = time.x(lane.start[index]);
      const right = Math.max(time.x(lane.end[index]), left + 1);
      const before = scale.y(memory.before[index]);
      const after = scale.y(memory.after[index]);
      context.fillStyle = context.strokeStyle = colours[name];
      if (!Number.isNaN(memory.peak[index])) {
        const peak = scale.y(memory.peak[index]);
        context.globalAlpha = 0.22 * strength(name);
        context.fillRect(left, peak, right - left, bottom - peak);
        context.globalAlpha = strength(name);
        context.fillRect(left, peak - 0.75, right - left, 1.5);
      }
      context.globalAlpha = 0.55 * strength(name);
      context.beginPath();
      context.moveTo(left, bottom);
      context.lineTo(left, before);
      context.lineTo(right, after);
      context.lineTo(right, bottom);
      context.fill();
      context.globalAlpha = strength(name);
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(left, before);
      context.lineTo(right, after);
      context.stroke();
    },
    node(start, end, _busy, longest, low, high) {
      if (!(low <= high)) return;
      const name = lane.name[longest];
      const left = time.x(start);
      const width = Math.max(time.x(end) - left, 1);
      context.fillStyle = colours[name];
      context.globalAlpha = 0.55 * strength(name);
      context.fillRect(left, scale.y(low), width, bottom - scale.y(low));
      context.globalAlpha = strength(name);
      context.fillRect(left, scale.y(high), width, Math.max(1, scale.y(low) - scale.y(high)));
    },
  });
  context.restore();
}

function clipTo(context: CanvasRenderingContext2D, box: Box): void {
  context.beginPath();
  context.rect(box.left, box.top - 2, box.width, box.height + 3);
  context.clip();
}
