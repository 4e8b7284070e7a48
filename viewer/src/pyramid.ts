// Levels of detail: what is drawn costs as much as there are pixels, not as there are spans.
//
// Every node stands for four of the level below. A lane's node knows its busy time, its
// longest span (which gives the colour) and the lowest and highest memory in it; a curve's node
// knows the lowest and the highest value, so that no peak ever disappears.

import type { Curve, Lane } from "./decode";

/** Children of a node. */
export const FAN_OUT = 4;

/** How a name is shown: not at all, behind others, or plainly. */
export const HIDDEN = 0;
export const DIM = 1;
export const SHOWN = 2;

/** One level above the bars of a lane. */
interface LaneLevel {
  start: Float64Array;
  end: Float64Array;
  busy: Float64Array;
  /** Index of the bar that stands for the node; -1 when all are hidden. */
  longest: Int32Array;
  low: Float64Array | null;
  high: Float64Array | null;
}

/** What to draw of a lane: one bar, or a node that is narrower than what can be seen. */
export interface LaneVisitor {
  bar(index: number): void;
  node(start: number, end: number, busy: number, longest: number, low: number, high: number): void;
}

export class LanePyramid {
  private readonly levels: LaneLevel[] = [];

  constructor(
    readonly lane: Lane,
    private readonly rank: Uint8Array,
  ) {
    let size = lane.count;
    while (size > FAN_OUT) {
      this.levels.push(this.above(size, this.levels.at(-1)));
      size = Math.ceil(size / FAN_OUT);
    }
  }

  private above(size: number, below: LaneLevel | undefined): LaneLevel {
    const { lane, rank } = this;
    const count = Math.ceil(size / FAN_OUT);
    const numbers = () => new Float64Array(count);
    const level: LaneLevel = {
      start: numbers(),
      end: numbers(),
      busy: numbers(),
      longest: new Int32Array(count).fill(-1),
      low: lane.memory ? numbers().fill(Infinity) : null,
      high: lane.memory ? numbers().fill(-Infinity) : null,
    };
    const starts = below ? below.start : lane.start;
    const ends = below ? below.end : lane.end;
    for (let node = 0; node < count; node++) {
      const from = node * FAN_OUT;
      const to = Math.min(from + FAN_OUT, size);
      level.start[node] = starts[from];
      let last = -Infinity;
      let best = -1;
      for (let child = from; child < to; child++) {
        last = Math.max(last, ends[child]);
        const bar = below ? below.longest[child] : rank[lane.name[child]] === HIDDEN ? -1 : child;
        if (bar < 0) continue;
        level.busy[node] += below ? below.busy[child] : lane.end[child] - lane.start[child];
        if (best < 0 || this.isBefore(bar, best)) best = bar;
        if (level.low && level.high) {
          const [low, high] = below ? [below.low![child], below.high![child]] : memoryRange(lane, child);
          level.low[node] = Math.min(level.low[node], low);
          level.high[node] = Math.max(level.high[node], high);
        }
      }
      level.end[node] = last;
      level.longest[node] = best;
    }
    return level;
  }

  /** Whether one bar stands for a node rather than another. */
  private isBefore(one: number, other: number): boolean {
    const { lane, rank } = this;
    const difference = rank[lane.name[one]] - rank[lane.name[other]];
    if (difference !== 0) return difference > 0;
    return lane.end[one] - lane.start[one] > lane.end[other] - lane.start[other];
  }

  /** Visits what lies between two moments, in nodes no wider than `finest` nanoseconds. */
  visit(from: number, to: number, finest: number, visitor: LaneVisitor): void {
    const top = this.levels.length;
    const size = top === 0 ? this.lane.count : this.levels[top - 1].start.length;
    for (let node = 0; node < size; node++) this.descend(top, node, from, to, finest, visitor);
  }

  private descend(height: number, node: number, from: number, to: number, finest: number, visitor: LaneVisitor): void {
    const { lane } = this;
    if (height === 0) {
      if (lane.end[node] >= from && lane.start[node] <= to && this.rank[lane.name[node]] !== HIDDEN) visitor.bar(node);
      return;
    }
    const level = this.levels[height - 1];
    const start = level.start[node];
    const end = level.end[node];
    if (end < from || start > to || level.longest[node] < 0) return;
    if (end - start <= finest) {
      visitor.node(start, end, level.busy[node], level.longest[node], level.low?.[node] ?? NaN, level.high?.[node] ?? NaN);
      return;
    }
    const first = node * FAN_OUT;
    const size = height === 1 ? lane.count : this.levels[height - 2].start.length;
    const last = Math.min(first + FAN_OUT, size);
    for (let child = first; child < last; child++) this.descend(height - 1, child, from, to, finest, visitor);
  }

  /** Index of the bar at a moment, or the nearest within `slack`; -1 for none. */
  at(moment: number, slack: number): number {
    const { lane } = this;
    const next = firstAfter(lane.start, moment);
    let best = -1;
    let nearest = slack;
    for (const index of [next - 1, next]) {
      if (index < 0 || index >= lane.count || this.rank[lane.name[index]] === HIDDEN) continue;
      const away = Math.max(lane.start[index] - moment, moment - lane.end[index], 0);
      if (away <= nearest) {
        best = index;
        nearest = away;
      }
    }
    return best;
  }
}

/** Lowest and highest memory of a bar; infinities where it wasn't measured. */
export function memoryRange(lane: Lane, index: number): [number, number] {
  const memory = lane.memory;
  if (!memory || Number.isNaN(memory.before[index])) return [Infinity, -Infinity];
  const { before, after, peak } = memory;
  const high = Math.max(before[index], after[index]);
  return [Math.min(before[index], after[index]), Number.isNaN(peak[index]) ? high : Math.max(high, peak[index])];
}

/** Index of the first entry beyond a value, in ascending numbers. */
export function firstAfter(numbers: Float64Array, value: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Lowest and highest values of a curve, over any stretch. */
export class CurvePyramid {
  private readonly low: Float64Array[];
  private readonly high: Float64Array[];

  constructor(readonly curve: Curve) {
    this.low = [curve.bytes];
    this.high = [curve.bytes];
    while (this.low.at(-1)!.length > FAN_OUT) {
      this.low.push(halved(this.low.at(-1)!, Math.min));
      this.high.push(halved(this.high.at(-1)!, Math.max));
    }
  }

  /** Lowest and highest of the points from `from` up to, not including, `to`. */
  range(from: number, to: number): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    let height = 0;
    const take = (index: number) => {
      low = Math.min(low, this.low[height][index]);
      high = Math.max(high, this.high[height][index]);
    };
    while (from < to) {
      while (from < to && (from % FAN_OUT !== 0 || height === this.low.length - 1)) take(from++);
      while (from < to && to % FAN_OUT !== 0) take(--to);
      from /= FAN_OUT;
      to /= FAN_OUT;
      height++;
    }
    return [low, high];
  }
}

function halved(numbers: Float64Array, pick: (a: number, b: number) => number): Float64Array {
  const out = new Float64Array(Math.ceil(numbers.length / FAN_OUT));
  for (let index = 0; index < numbers.length; index++) {
    const node = Math.floor(index / FAN_OUT);
    out[node] = index % FAN_OUT === 0 ? numbers[index] : pick(out[node], numbers[index]);
  }
  return out;
}
