// A strip of the whole run above the plots: what is in view is a window in it, which can be dragged.

import type { Data } from "./decode";
import type { Theme } from "./palette";
import { GUTTER, RIGHT } from "./plot";
import { LanePyramid } from "./pyramid";
import { TimeScale } from "./scale";
import type { View } from "./view";

const HEIGHT = 34;
const PAD = 5;
/** Rows of spans that are drawn, the outermost first. */
const MOST_ROWS = 4;
/** A window is never drawn narrower, in pixels. */
const NARROWEST = 4;

export class Overview {
  readonly canvas = document.createElement("canvas");
  private readonly lanes: LanePyramid[];

  constructor(
    data: Data,
    private readonly view: View,
    private readonly colours: string[],
  ) {
    this.canvas.className = "overview";
    this.canvas.setAttribute("aria-hidden", "true");
    this.canvas.title = "The whole run: drag the window, or draw another one";
    const outermost = data.panels.flatMap((panel) => panel.lanes.filter((lane) => lane.depth <= 1));
    this.lanes = outermost.slice(0, MOST_ROWS).map((lane) => new LanePyramid(lane, view.rank));
    this.listen();
  }

  private time(): TimeScale {
    return new TimeScale(this.view.whole, GUTTER, this.canvas.clientWidth - GUTTER - RIGHT);
  }

  /** Inside of the window a drag moves it; outside it draws a new one. */
  private listen(): void {
    let press: { moment: number; range: [number, number]; moves: boolean } | null = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      const moment = this.time().moment(event.offsetX);
      const [from, to] = this.view.range;
      const slack = NARROWEST * this.time().perPixel;
      const isWhole = from === this.view.whole[0] && to === this.view.whole[1];
      press = { moment, range: [from, to], moves: !isWhole && moment >= from - slack && moment <= to + slack };
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!press) return;
      const [first, last] = this.view.whole;
      const moment = Math.min(Math.max(this.time().moment(event.offsetX), first), last);
      if (press.moves) {
        const by = Math.min(Math.max(moment - press.moment, first - press.range[0]), last - press.range[1]);
        this.view.show(press.range[0] + by, press.range[1] + by);
      } else if (moment !== press.moment) {
        this.view.show(Math.min(press.moment, moment), Math.max(press.moment, moment));
      }
    });
    const release = () => (press = null);
    this.canvas.addEventListener("pointerup", release);
    this.canvas.addEventListener("pointercancel", release);
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
    const time = this.time();
    context.fillStyle = theme.grid;
    context.fillRect(GUTTER, PAD, time.width, HEIGHT - 2 * PAD);
    const height = (HEIGHT - 2 * PAD) / Math.max(1, this.lanes.length);
    this.lanes.forEach((lane, row) => {
      const top = PAD + row * height;
      const paint = (name: number, from: number, to: number, part: number) => {
        context.globalAlpha = 0.25 + 0.6 * part;
        context.fillStyle = this.colours[name];
        context.fillRect(time.x(from), top, Math.max(time.x(to) - time.x(from), 1), height - 0.5);
      };
      lane.visit(...time.range, 2 * time.perPixel, {
        bar: (index) => paint(lane.lane.name[index], lane.lane.start[index], lane.lane.end[index], 1),
        node: (start, end, busy, longest) => paint(lane.lane.name[longest], start, end, end > start ? Math.min(1, busy / (end - start)) : 1),
      });
    });
    this.drawWindow(context, time, theme);
  }

  /** What is out of view is veiled. */
  private drawWindow(context: CanvasRenderingContext2D, time: TimeScale, theme: Theme): void {
    const from = time.x(this.view.range[0]);
    const to = Math.max(time.x(this.view.range[1]), from + NARROWEST);
    context.globalAlpha = 0.6;
    context.fillStyle = theme.ground;
    context.fillRect(GUTTER, PAD, from - GUTTER, HEIGHT - 2 * PAD);
    context.fillRect(to, PAD, GUTTER + time.width - to, HEIGHT - 2 * PAD);
    context.globalAlpha = 1;
    context.strokeStyle = theme.accent;
    context.lineWidth = 1.5;
    context.strokeRect(from, PAD - 1.5, to - from, HEIGHT - 2 * PAD + 3);
  }
}
