// The pointer on a panel: wheel, drag, shift-drag, double click, hover.

import { GUTTER, type Plot } from "./plot";
import type { Tooltip } from "./tooltip";
import type { View } from "./view";

/** A press that moves less than this is a click, in pixels. */
const CLICK = 3;

/** What dragging does when Shift isn't held. */
export interface Mode {
  selects: boolean;
}

/** Connects a panel's canvas. */
export function connect(plot: Plot, view: View, tooltip: Tooltip, mode: Mode, redraw: () => void): void {
  const { canvas } = plot;
  let press: { x: number; from: number; range: [number, number]; selects: boolean; moved: boolean } | null = null;

  canvas.addEventListener(
    "wheel",
    (event) => {
      // Over the labels the wheel scrolls the page.
      if (event.offsetX < GUTTER) return;
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        view.pan((sideways * lines) / Math.max(1, canvas.clientWidth - GUTTER));
      } else {
        const by = Math.max(-240, Math.min(240, event.deltaY * lines));
        view.zoom(Math.exp(by * 0.0022), plot.time().moment(event.offsetX));
      }
    },
    { passive: false },
  );

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.offsetX < GUTTER) return;
    canvas.setPointerCapture(event.pointerId);
    const selects = event.shiftKey !== mode.selects;
    press = { x: event.offsetX, from: plot.time().moment(event.offsetX), range: [...view.range], selects, moved: false };
  });

  canvas.addEventListener("pointermove", (event) => {
    if (!press) return hover(event);
    if (!press.moved && Math.abs(event.offsetX - press.x) < CLICK) return;
    press.moved = true;
    tooltip.hide();
    if (press.selects) {
      const to = Math.min(Math.max(plot.time().moment(event.offsetX), view.range[0]), view.range[1]);
      view.select(to > press.from ? [press.from, to] : [to, press.from]);
    } else {
      canvas.classList.add("dragging");
      const by = (press.x - event.offsetX) * plot.time().perPixel;
      const bounded = Math.max(view.whole[0] - press.range[0], Math.min(view.whole[1] - press.range[1], by));
      view.show(press.range[0] + bounded, press.range[1] + bounded);
    }
  });

  const release = (event: PointerEvent) => {
    if (press && !press.moved && event.type === "pointerup") {
      plot.cursor = plot.hit(event.offsetX, event.offsetY);
      redraw();
    }
    press = null;
    canvas.classList.remove("dragging");
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => tooltip.hide());

  canvas.addEventListener("dblclick", (event) => {
    const hit = plot.hit(event.offsetX, event.offsetY);
    if (hit) zoomTo(view, hit.row.pyramid.lane.start[hit.index], hit.row.pyramid.lane.end[hit.index]);
  });

  function hover(event: PointerEvent): void {
    const hit = plot.hit(event.offsetX, event.offsetY);
    const point = hit ? -1 : plot.nearestPoint(event.offsetX, event.offsetY);
    canvas.style.cursor = event.offsetX < GUTTER ? "default" : hit ? "pointer" : mode.selects ? "crosshair" : "grab";
    if (hit) tooltip.bar(plot, hit, event.clientX, event.clientY);
    else if (point >= 0) tooltip.point(plot, point, event.clientX, event.clientY);
    else tooltip.hide();
  }
}

/** Shows a stretch with a little room at both ends. */
export function zoomTo(view: View, from: number, to: number): void {
  const room = Math.max((to - from) * 0.05, 1);
  view.show(from - room, to + room);
}
