// All panels below each other on one axis of time, with legend, buttons and boxes.

import { timeTicks } from "./axis";
import { helpBox, navigation, toolbar } from "./controls";
import type { Data } from "./decode";
import { element } from "./element";
import { copy, csv, download, fileName, picture } from "./export";
import { listen, moved } from "./keys";
import { Legend } from "./legend";
import { colours, theme, type Theme } from "./palette";
import { FONT, GUTTER, Plot, RIGHT } from "./plot";
import { connect, zoomTo, type Mode } from "./pointer";
import { exactDuration } from "./quantity";
import { TimeScale } from "./scale";
import { MetricPlot } from "./metric";
import { Overview } from "./overview";
import { markdown, SelectionBox, statistics } from "./statistics";
import { Tooltip } from "./tooltip";
import { View, type Range } from "./view";

const AXIS = 30;

export class Figure {
  readonly view: View;
  readonly plots: Plot[];
  private readonly overview: Overview;
  private readonly metrics: MetricPlot[];
  private readonly axis = element("canvas", { className: "axis", "aria-hidden": "true" });
  private readonly tooltip: Tooltip;
  private readonly legend: Legend;
  private readonly selection: SelectionBox;
  private readonly mode: Mode = { selects: false };
  private theme: Theme;
  private isWaiting = false;
  private namesChanged = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly data: Data,
  ) {
    const end = Math.max(1, ...data.panels.map((panel) => panel.end));
    this.view = new View(data.names, [0, end], data.moments.first ?? [0, end]);
    const totals = statistics(data, [0, end], this.view.rank);
    this.view.readFragment(location.hash);
    const seen = new Set(totals.map((total) => total.name));
    const unused = data.names.map((_, index) => index).filter((index) => !seen.has(index));
    const palette = colours(data.names, [...totals.map((total) => total.name), ...unused]);
    const chart = data.size ? (data.size[1] - AXIS) / Math.max(1, data.panels.length) : null;
    this.plots = data.panels.map((panel) => new Plot(panel, data, this.view, palette, chart));
    this.overview = new Overview(data, this.view, palette);
    this.metrics = data.moments.metrics.map((metric) => new MetricPlot(metric, this.view));
    this.tooltip = new Tooltip(data);
    this.legend = new Legend(data, this.view, palette, totals);
    this.selection = new SelectionBox(data, this.view, (range) => this.levels(range));
    this.theme = theme(root);
    this.assemble();
    this.view.onChange((names) => this.changed(names));
  }

  private assemble(): void {
    const help = helpBox();
    const bar = toolbar(this.view, { markdown: () => this.copy(bar.say), csv: () => this.csv(), png: () => void this.png() }, () => help.showModal());
    const foot = element("div", { className: "foot" }, this.axis, navigation(this.view, this.mode));
    // The foot sticks to the window's bottom only while its own plots are there, never over the legend.
    const drawn = [this.overview, ...this.plots, ...this.metrics].map((plot) => plot.canvas);
    const plots = element("div", { className: "plots" }, ...drawn, foot);
    this.root.replaceChildren(bar.root, this.legend.root, plots, this.selection.root, this.tooltip.root, this.tooltip.live, help);
    if (this.data.size) this.root.style.maxWidth = `${this.data.size[0]}px`;
    for (const plot of this.plots) {
      connect(plot, this.view, this.tooltip, this.mode, () => this.changed(false));
      plot.canvas.addEventListener("keydown", (event) => this.arrow(plot, event));
    }
    listen(this.view, {
      fit: () => this.fit(),
      search: () => bar.search.focus(),
      help: () => help.showModal(),
      escape: () => {
        this.tooltip.hide();
        this.view.select(null);
        if (this.view.query) this.view.search("");
        bar.search.blur();
      },
    });
    new ResizeObserver(() => this.changed(false)).observe(this.root);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.theme = theme(this.root);
      this.changed(false);
    });
    addEventListener("hashchange", () => this.view.readFragment(location.hash));
  }

  /** Shows a name's spans among faded others, and brings them into the window. */
  find(name: string): void {
    this.view.search(`"${name}"`);
    this.root.scrollIntoView({ block: "start" });
  }

  private arrow(plot: Plot, event: KeyboardEvent): void {
    if (event.key === "Enter" && plot.cursor) {
      const { row, index } = plot.cursor;
      zoomTo(this.view, row.pyramid.lane.start[index], row.pyramid.lane.end[index]);
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const hit = moved(plot, this.view, event.key);
      if (!hit) return;
      plot.cursor = hit;
      const lane = hit.row.pyramid.lane;
      const [from, to] = this.view.range;
      const middle = (lane.start[hit.index] + lane.end[hit.index]) / 2;
      if (middle < from || middle > to) this.view.show(middle - (to - from) / 2, middle + (to - from) / 2);
      const place = plot.canvas.getBoundingClientRect();
      const x = place.left + plot.time().clamped(middle);
      this.tooltip.bar(plot, hit, x, place.top + hit.row.top + hit.row.height, true);
      this.changed(false);
    }
  }

  private fit(): void {
    const cursor = this.plots.map((plot) => plot.cursor).find((found) => found !== null);
    if (this.view.selected) this.view.show(...this.view.selected);
    else if (cursor) zoomTo(this.view, cursor.row.pyramid.lane.start[cursor.index], cursor.row.pyramid.lane.end[cursor.index]);
    else this.view.show(...this.view.whole);
  }

  /** Lowest and highest memory of all panels between two moments. */
  private levels(range: Range): Range | null {
    const found = this.plots.map((plot) => plot.levels(range)).filter((levels) => levels !== null);
    if (found.length === 0) return null;
    return [Math.min(...found.map((levels) => levels[0])), Math.max(...found.map((levels) => levels[1]))];
  }

  /** The memory axis, the same for all panels. */
  private memoryAxis(): Range | null {
    const levels = this.levels(this.view.fitsMemory ? this.view.range : this.view.whole);
    if (!levels) return null;
    const [low, high] = this.view.fitsMemory ? levels : [Math.min(0, levels[0]), levels[1]];
    const room = Math.max((high - low) * 0.06, 1);
    return [this.view.fitsMemory ? Math.max(0, low - room) : low, high + room];
  }

  private changed(names: boolean): void {
    this.namesChanged ||= names;
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => this.draw());
  }

  /** Draws what has changed. */
  draw(): void {
    this.isWaiting = false;
    if (this.namesChanged) {
      this.namesChanged = false;
      for (const plot of this.plots) plot.rebuild();
    }
    this.legend.update();
    this.selection.update();
    this.overview.draw(this.theme);
    for (const metric of this.metrics) metric.draw(this.theme);
    const memory = this.memoryAxis();
    for (const plot of this.plots) {
      plot.fit();
      plot.draw(memory, this.theme);
    }
    this.drawAxis();
  }

  private drawAxis(): void {
    const ratio = window.devicePixelRatio || 1;
    const width = this.axis.clientWidth;
    this.axis.width = Math.round(width * ratio);
    this.axis.height = Math.round(AXIS * ratio);
    const context = this.axis.getContext("2d");
    if (!context) return;
    const time = new TimeScale(this.view.range, GUTTER, width - GUTTER - RIGHT);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = `12px ${FONT}`;
    context.fillStyle = this.theme.muted;
    context.strokeStyle = this.theme.muted;
    context.textBaseline = "top";
    context.beginPath();
    context.moveTo(GUTTER, 0.5);
    context.lineTo(width - RIGHT, 0.5);
    context.textAlign = "right";
    context.fillText("time", GUTTER - 22, 9);
    context.textAlign = "center";
    for (const tick of timeTicks(...this.view.range, time.width / 110)) {
      const x = Math.round(time.x(tick.value)) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, 6);
      const half = context.measureText(tick.label).width / 2;
      context.fillText(tick.label, Math.min(x, width - half - 2), 9);
    }
    context.stroke();
  }

  private scope(): Range {
    return this.view.selected ?? this.view.range;
  }

  private copy(say: (text: string) => void): void {
    const rows = statistics(this.data, this.scope(), this.view.rank);
    void copy(markdown(this.data, rows, this.scope())).then((isDone) =>
      say(isDone ? `copied ${exactDuration(this.scope()[1] - this.scope()[0])}` : "the browser does not allow copying here"),
    );
  }

  private csv(): void {
    const text = csv(this.data, this.scope(), this.view.rank);
    download(new Blob([text], { type: "text/csv" }), fileName(this.data.title, "csv"));
  }

  private async png(): Promise<void> {
    const content = await picture([...[...this.plots, ...this.metrics].map((plot) => plot.canvas), this.axis], this.theme.ground);
    if (content) download(content, fileName(this.data.title, "png"));
  }
}
