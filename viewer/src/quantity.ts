// Numbers as text in the viewer, in the words of the report: SI prefixes for time, binary ones
// for bytes. Exact numbers keep all their digits.

const TIME_UNITS: [string, number][] = [
  ["ns", 1],
  ["µs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
];
const BYTE_UNITS: [string, number][] = [
  ["B", 1],
  ["KiB", 2 ** 10],
  ["MiB", 2 ** 20],
  ["GiB", 2 ** 30],
  ["TiB", 2 ** 40],
];

/** A unit and its size. */
export type Unit = [string, number];

function unitFor(units: Unit[], value: number): Unit {
  let best = units[0];
  for (const unit of units) if (Math.abs(value) >= unit[1] * 0.99995) best = unit;
  return best;
}

/** The unit of time that suits a duration. */
export const timeUnit = (ns: number): Unit => unitFor(TIME_UNITS, ns);

/** The unit of memory that suits an amount. */
export const byteUnit = (bytes: number): Unit => unitFor(BYTE_UNITS, bytes);

/** A duration at a glance: two decimals of the best unit. */
export function duration(ns: number): string {
  const [unit, size] = timeUnit(ns);
  return `${(ns / size).toFixed(unit === "ns" ? 0 : 2)} ${unit}`;
}

/** A whole number with separated thousands. */
export function thousands(number: number): string {
  const digits = Math.abs(Math.round(number)).toFixed(0);
  const grouped = digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return number < 0 ? `−${grouped}` : grouped;
}

/** A duration with all its digits beside the glance. */
export function exactDuration(ns: number): string {
  return ns < 1000 ? duration(ns) : `${duration(ns)} (${thousands(ns)} ns)`;
}

/** Bytes at a glance. */
export function bytes(number: number): string {
  const [unit, size] = byteUnit(number);
  const sign = number < 0 ? "−" : "";
  return `${sign}${(Math.abs(number) / size).toFixed(unit === "B" ? 0 : 1)} ${unit}`;
}

/** Bytes with all their digits beside the glance. */
export function exactBytes(number: number): string {
  return Math.abs(number) < 1024 ? bytes(number) : `${bytes(number)} (${thousands(number)} B)`;
}

/** A ratio in percent. */
export function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(ratio > 0 && ratio < 0.001 ? 4 : 1)} %`;
}
