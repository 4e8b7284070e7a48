// The flame graph: stands in the page as markup; a click on a bar zooms into it, a second one out again.

const WIDTH = 1000;
const LETTER = 6.3;

interface Bar {
  group: SVGGElement;
  rect: SVGRectElement;
  label: SVGTextElement;
  name: string;
  from: number;
  width: number;
  y: number;
}

function barOf(group: SVGGElement): Bar | undefined {
  const rect = group.querySelector("rect");
  const label = group.querySelector("text");
  const title = group.querySelector("title")?.textContent ?? "";
  if (!rect || !label) return undefined;
  return {
    group,
    rect,
    label,
    name: title.split(" \u00b7 ")[0] ?? "",
    from: Number(group.dataset.x),
    width: Number(group.dataset.w),
    y: Number(rect.getAttribute("y")),
  };
}

function place(bar: Bar, from: number, width: number): void {
  const left = Math.max(0, (bar.from - from) / width);
  const right = Math.min(1, (bar.from + bar.width - from) / width);
  const pixels = (right - left) * WIDTH;
  const isShown = pixels > 0.2;
  bar.group.classList.toggle("gone", !isShown);
  if (!isShown) return;
  bar.rect.setAttribute("x", String(left * WIDTH));
  bar.rect.setAttribute("width", String(pixels));
  bar.label.setAttribute("x", String(left * WIDTH + 3));
  const letters = Math.floor((pixels - 4) / LETTER);
  const isWhole = bar.name.length <= letters;
  bar.label.textContent = letters < 3 ? "" : isWhole ? bar.name : `${bar.name.slice(0, letters - 1)}\u2026`;
}

/** Makes the bars of a flame graph answer to clicks. */
export function zoomable(flame: SVGSVGElement): void {
  const bars = [...flame.querySelectorAll("g")].map(barOf).filter((bar) => bar !== undefined);
  let zoomed: Bar | undefined;
  flame.addEventListener("click", (event) => {
    const group = event.target instanceof Element ? event.target.closest("g") : null;
    const hit = bars.find((bar) => bar.group === group);
    if (!hit) return;
    zoomed = hit === zoomed ? undefined : hit;
    const [from, width] = zoomed ? [zoomed.from, zoomed.width] : [0, 1];
    for (const bar of bars) place(bar, from, width);
  });
}
