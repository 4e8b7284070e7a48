// Where moments and levels stand on the canvas.

import type { Range } from "./view";

/** A rectangle in CSS pixels. */
export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Moments to pixels and back. */
export class TimeScale {
  readonly perPixel: number;

  constructor(
    readonly range: Range,
    readonly left: number,
    readonly width: number,
  ) {
    this.perPixel = (range[1] - range[0]) / Math.max(1, width);
  }

  x(moment: number): number {
    return this.left + (moment - this.range[0]) / this.perPixel;
  }

  /** The same, not far outside: huge coordinates are drawn imprecisely. */
  clamped(moment: number): number {
    return Math.min(Math.max(this.x(moment), this.left - 4), this.left + this.width + 4);
  }

  moment(x: number): number {
    return this.range[0] + (x - this.left) * this.perPixel;
  }
}

/** Levels of memory to pixels; the lowest level is at the box's bottom. */
export class LevelScale {
  constructor(
    readonly range: Range,
    readonly box: Box,
  ) {}

  y(level: number): number {
    const part = (level - this.range[0]) / Math.max(1, this.range[1] - this.range[0]);
    return this.box.top + this.box.height * (1 - Math.min(Math.max(part, -0.02), 1.02));
  }

  level(y: number): number {
    return this.range[0] + (1 - (y - this.box.top) / this.box.height) * (this.range[1] - this.range[0]);
  }
}
