// Taking things out of the page: markdown to the clipboard, spans as CSV, the drawing as PNG.

import type { Data } from "./decode";
import { element } from "./element";
import { HIDDEN } from "./pyramid";
import type { Range } from "./view";

function field(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Bars that touch a stretch of time, one line each, plain numbers in the units of their names. */
export function csv(data: Data, range: Range, rank: Uint8Array): string {
  const heading = "context,track,depth,name,count,start_ns,duration_ns,busy_ns,memory_before_bytes,memory_net_bytes,memory_peak_bytes";
  const lines = [heading];
  const known = (number: number) => (Number.isNaN(number) ? "" : number);
  for (const panel of data.panels) {
    for (const lane of panel.lanes) {
      for (let index = 0; index < lane.count; index++) {
        if (lane.end[index] < range[0] || lane.start[index] > range[1] || rank[lane.name[index]] === HIDDEN) continue;
        const took = lane.end[index] - lane.start[index];
        const memory = lane.memory;
        const before = memory ? memory.before[index] : NaN;
        lines.push(
          [
            field(panel.title),
            field(lane.track),
            lane.depth,
            field(data.names[lane.name[index]]),
            lane.spans ? lane.spans[index] : 1,
            lane.start[index],
            took,
            lane.busy ? lane.busy[index] : took,
            known(before),
            known(memory ? memory.after[index] - before : NaN),
            known(memory ? memory.peak[index] - before : NaN),
          ].join(","),
        );
      }
    }
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** Hands a file to the reader. */
export function download(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A file's name made of a title. */
export function fileName(title: string, extension: string): string {
  const stem = title.replace(/\.[a-z0-9]{1,5}$/i, "").replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 60);
  return `${stem || "timeline"}.${extension}`;
}

/** Puts text on the clipboard; false where that is not allowed. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { value: text });
    document.body.append(area);
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    return isDone;
  }
}

/** Canvases below each other as one picture. */
export function picture(canvases: HTMLCanvasElement[], ground: string): Promise<Blob | null> {
  const whole = element("canvas");
  whole.width = Math.max(...canvases.map((canvas) => canvas.width));
  whole.height = canvases.reduce((sum, canvas) => sum + canvas.height, 0);
  const context = whole.getContext("2d");
  if (!context) return Promise.resolve(null);
  context.fillStyle = ground;
  context.fillRect(0, 0, whole.width, whole.height);
  let top = 0;
  for (const canvas of canvases) {
    context.drawImage(canvas, 0, top);
    top += canvas.height;
  }
  return new Promise((resolve) => whole.toBlob(resolve, "image/png"));
}
