// Marks: lines through the plots, with their names as far as there is room.

import { fitted } from "./lanes";
import type { Theme } from "./palette";
import type { Box, TimeScale } from "./scale";

/** Labels of marks are this wide at most, and stand no closer, in pixels. */
const LABEL = 120;

/** Lines at the marks in view, with their names as far as there is room. */
export function drawMarks(context: CanvasRenderingContext2D, marks: [number, string][], time: TimeScale, box: Box, theme: Theme): void {
  context.save();
  context.strokeStyle = context.fillStyle = theme.accent;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.textAlign = "left";
  context.textBaseline = "middle";
  let free = -Infinity;
  let last = -Infinity;
  for (const [at, name] of marks) {
    if (at < time.range[0] || at > time.range[1]) continue;
    const x = Math.round(time.x(at)) + 0.5;
    if (x === last) continue;
    last = x;
    context.beginPath();
    context.moveTo(x, box.top);
    context.lineTo(x, box.top + box.height);
    context.stroke();
    const room = Math.min(LABEL, box.left + box.width - x - 4);
    if (x < free || room < 24) continue;
    const text = fitted(context, name, room);
    context.fillText(text, x + 4, box.top + 7);
    free = x + context.measureText(text).width + 12;
  }
  context.restore();
}
