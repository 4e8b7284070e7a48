// Ticks at round numbers, as many as fit, each with a label that tells it from its neighbours.

import { byteUnit, timeUnit, type Unit } from "./quantity";

/** A mark on an axis. */
export interface Tick {
  value: number;
  label: string;
}

/** The smallest round step (1, 2 or 5 times a power of ten) that is at least `least`. */
export function roundStep(least: number): number {
  if (!(least > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5]) if (factor * power >= least * 0.999999) return factor * power;
  return 10 * power;
}

/** The same for bytes: a power of two, or a round number of a unit. */
export function roundBytes(least: number): number {
  if (least <= 1) return 1;
  const [, size] = byteUnit(least);
  for (const factor of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]) {
    if (factor * size >= least * 0.999999) return factor * size;
  }
  return 1024 * size;
}

function labelled(from: number, to: number, step: number, unit: Unit): Tick[] {
  const [name, size] = unit;
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  const ticks: Tick[] = [];
  const first = Math.ceil(from / step - 1e-9);
  // Counting steps rather than adding them up: no rounding creeps in.
  for (let count = first; count * step <= to + step * 1e-9; count++) {
    const value = count * step;
    const text = (value / size).toFixed(Math.min(decimals, 9)).replace("-", "−");
    ticks.push({ value, label: `${text} ${name}` });
  }
  return ticks;
}

/** Ticks of time between two moments, at most `most` of them. A step is at least 1 ns. */
export function timeTicks(from: number, to: number, most: number): Tick[] {
  const step = Math.max(1, roundStep((to - from) / Math.max(1, most)));
  return labelled(from, to, step, timeUnit(Math.max(Math.abs(from), Math.abs(to), step)));
}

/** Ticks of memory between two levels, at most about `most` of them. */
export function byteTicks(from: number, to: number, most: number): Tick[] {
  const step = roundBytes((to - from) / Math.max(1, most));
  return labelled(from, to, step, byteUnit(Math.max(Math.abs(from), Math.abs(to), step)));
}
