// The buttons: home, zoom and pan at the bottom left, search and export at the top.

import { button, element } from "./element";
import { HELP } from "./keys";
import type { Mode } from "./pointer";
import type { View } from "./view";

const HOME = "⌂";

/** Home, zoom and pan. */
export function navigation(view: View, mode: Mode): HTMLElement {
  const select = button("⬚ Select", "Drag selects a range instead of panning (Shift does so for one drag)", () => {
    mode.selects = !mode.selects;
    select.setAttribute("aria-pressed", String(mode.selects));
  });
  select.setAttribute("aria-pressed", "false");
  return element(
    "div",
    { className: "navigation", role: "toolbar", "aria-label": "Zoom and pan" },
    button(`${HOME} Home`, "Home: show everything again (0)", () => view.reset()),
    button("+", "Zoom in (W)", () => view.zoom(0.6)),
    button("−", "Zoom out (S)", () => view.zoom(1 / 0.6)),
    button("←", "Pan left (A)", () => view.pan(-0.25)),
    button("→", "Pan right (D)", () => view.pan(0.25)),
    select,
  );
}

/** What the buttons at the top do. */
export interface Exports {
  markdown(): void;
  csv(): void;
  png(): void;
}

/** Search and export. */
export function toolbar(view: View, exports: Exports, help: () => void): { root: HTMLElement; search: HTMLInputElement; say: (text: string) => void } {
  const search = element("input", {
    type: "search",
    placeholder: "Search names  /",
    value: view.query,
    "aria-label": "Search names",
    oninput: () => view.search(search.value),
  });
  const said = element("span", { className: "said", role: "status" });
  let timer = 0;
  const say = (text: string) => {
    said.textContent = text;
    clearTimeout(timer);
    timer = window.setTimeout(() => (said.textContent = ""), 4000);
  };
  const fit = button("Memory axis", "Memory axis: from zero, or only what is in view (M)", () => view.toggleFit());
  view.onChange(() => {
    fit.setAttribute("aria-pressed", String(view.fitsMemory));
    if (document.activeElement !== search) search.value = view.query;
  });
  const root = element(
    "div",
    { className: "toolbar", role: "toolbar", "aria-label": "Search and export" },
    search,
    said,
    fit,
    button("Copy", "Copy sums per name of the selection, else of what is in view, as markdown", exports.markdown),
    button("CSV", "Save the spans of the selection, else of what is in view, as CSV", exports.csv),
    button("PNG", "Save the drawing as PNG", exports.png),
    button("?", "Keys (?)", help),
  );
  return { root, search, say };
}

/** The list of keys. */
export function helpBox(): HTMLDialogElement {
  const list = element("dl");
  for (const [key, what] of HELP) list.append(element("dt", {}, element("kbd", {}, key)), element("dd", {}, what));
  const box = element("dialog", { className: "help", "aria-label": "Keys" });
  const close = button("Close", "Close (Esc)", () => box.close());
  box.append(element("h3", {}, "Keys"), list, close);
  box.addEventListener("click", (event) => event.target === box && box.close());
  return box;
}
