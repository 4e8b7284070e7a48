// A metric as a curve of its own below the plots.

import type { Metric } from "./decode";
import { fitted } from "./lanes";
import type { Theme } from "./palette";
import { FONT, GUTTER, RIGHT } from "./plot";
import { TimeScale } from "./scale";
import type { Range, View } from "./view";

const HEIGHT = 54;
const PAD = 8;

/** A value as a person reads it. */
export function plain(value: number): string {
  return Number(value.toPrecision(4)).toString().replace("-", "−");
}

/** One metric over time, on an axis of its own. */
export class MetricPlot {
  readonly canvas = document.createElement("canvas");

  constructor(
    readonly metric: Metric,
    private readonly view: View,
  ) {
    this.canvas.className = "metric";
    const last = metric.values.at(-1) ?? Number.NaN;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${metric.name} over time, at last ${plain(last)}`);
  }

  /** Indexes of the points in view, with one beyond each side. */
  private inView(range: Range): [number, number] {
    const { at } = this.metric;
    let from = at.findIndex((moment) => moment >= range[0]);
    if (from < 0) from = at.length;
    let to = at.findIndex((moment) => moment > range[1]);
    if (to < 0) to = at.length;
    return [Math.max(0, from - 1), Math.min(at.length, to + 1)];
  }

  draw(theme: Theme): void {
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context) return;
    const ratio = window.devicePixelRatio || 1;
    const width = this.canvas.clientWidth;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(HEIGHT * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = theme.ground;
    context.fillRect(0, 0, width, HEIGHT);
    context.font = `12px ${FONT}`;
    const time = new TimeScale(this.view.range, GUTTER, width - GUTTER - RIGHT);
    const [from, to] = this.inView(time.range);
    const values = this.metric.values.slice(from, to);
    const [low, high] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
    const y = (value: number) => HEIGHT - PAD - (high > low ? (value - low) / (high - low) : 0.5) * (HEIGHT - 2 * PAD);
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = theme.ink;
    context.fillText(fitted(context, this.metric.name, GUTTER - 16), GUTTER - 8, HEIGHT / 2);
    if (values.length === 0) return;
    context.fillStyle = theme.muted;
    context.fillText(plain(high), GUTTER - 8, PAD + 2);
    if (high > low) context.fillText(plain(low), GUTTER - 8, HEIGHT - PAD - 2);
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, time.width, HEIGHT);
    context.clip();
    context.strokeStyle = theme.curve;
    context.lineWidth = 1.5;
    context.beginPath();
    values.forEach((value, index) => context.lineTo(time.x(this.metric.at[from + index]), y(value)));
    context.stroke();
    context.restore();
  }
}
