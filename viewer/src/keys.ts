// The keyboard: Perfetto's and speedscope's keys, and arrows that move from span to span.

import type { Hit, Plot } from "./plot";
import { HIDDEN } from "./pyramid";
import type { View } from "./view";

/** What each key does, as the help lists it. */
export const HELP: [string, string][] = [
  ["W S", "zoom in, out"],
  ["A D", "pan left, right"],
  ["wheel", "zoom at the pointer; sideways or with Shift: pan"],
  ["drag", "pan"],
  ["Shift + drag", "select a range, with its statistics"],
  ["double click", "zoom to a span"],
  ["F", "fit: the selection, else the span under the cursor, else all"],
  ["M", "memory axis: from zero, or only what is in view"],
  ["/", "search names"],
  ["arrows, Enter", "go from span to span, zoom to it"],
  ["0", "home: as it was at first"],
  ["Esc", "clear the selection and the search"],
  ["?", "this help"],
];

/** What keys ask for besides the view. */
export interface Actions {
  fit(): void;
  search(): void;
  help(): void;
  escape(): void;
}

const ZOOM = 0.75;
const PAN = 0.15;

/** Listens on the window; typing into a field is left alone. */
export function listen(view: View, actions: Actions): void {
  const does: Record<string, () => void> = {
    w: () => view.zoom(ZOOM),
    s: () => view.zoom(1 / ZOOM),
    "+": () => view.zoom(ZOOM),
    "-": () => view.zoom(1 / ZOOM),
    a: () => view.pan(-PAN),
    d: () => view.pan(PAN),
    f: () => actions.fit(),
    m: () => view.toggleFit(),
    "/": () => actions.search(),
    "0": () => view.reset(),
    "?": () => actions.help(),
    Escape: () => actions.escape(),
  };
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target instanceof HTMLInputElement;
    if (isTyping && event.key !== "Escape") return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (!Object.hasOwn(does, key)) return;
    event.preventDefault();
    does[key]();
  });
}

/** The bar that an arrow leads to from where the cursor stands. */
export function moved(plot: Plot, view: View, key: string): Hit | null {
  const rows = plot.rows;
  if (rows.length === 0) return null;
  if (!plot.cursor) {
    for (const row of rows) {
      const index = row.pyramid.at((view.range[0] + view.range[1]) / 2, Infinity);
      if (index >= 0) return { row, index };
    }
    return null;
  }
  const { row, index } = plot.cursor;
  const { lane } = row.pyramid;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const by = key === "ArrowLeft" ? -1 : 1;
    for (let next = index + by; next >= 0 && next < lane.count; next += by) {
      if (view.rank[lane.name[next]] !== HIDDEN) return { row, index: next };
    }
    return null;
  }
  const by = key === "ArrowUp" ? -1 : 1;
  const middle = (lane.start[index] + lane.end[index]) / 2;
  for (let place = rows.indexOf(row) + by; place >= 0 && place < rows.length; place += by) {
    const found = rows[place].pyramid.at(middle, Infinity);
    if (found >= 0) return { row: rows[place], index: found };
  }
  return null;
}
