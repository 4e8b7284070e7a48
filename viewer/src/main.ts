// Reads the page's data and draws it. The page is complete without this: tables stand in it.

import { bytesOf, dataOf, inflated } from "./decode";
import { element } from "./element";
import { Figure } from "./figure";
import { zoomable } from "./flame";
import { enliven, label } from "./tables";
import "./viewer.css";

for (const flame of document.querySelectorAll<SVGSVGElement>("svg.flame")) zoomable(flame);

async function main(): Promise<void> {
  const letters = document.getElementById("laptime-data");
  const root = document.getElementById("figure");
  if (!letters || !root) return;
  try {
    const data = dataOf(await inflated(bytesOf(letters.textContent ?? "")));
    letters.textContent = "";
    document.documentElement.classList.add("drawn");
    const figure = new Figure(root, data);
    figure.draw();
    for (const table of document.querySelectorAll<HTMLTableElement>("table:not(.spans)")) if (table.tHead) label(table);
    for (const table of document.querySelectorAll<HTMLTableElement>("table.spans")) enliven(table, (name) => figure.find(name));
    // When the first frame stood, for those who measure it.
    document.documentElement.dataset.firstFrameMs = performance.now().toFixed(1);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    root.replaceChildren(element("p", { className: "empty" }, `The timeline cannot be drawn: ${said}.`));
  }
}

void main();
