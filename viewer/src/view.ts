// What is looked at: the stretch of time, hidden names, the search and the selected range.
// Everything that changes it goes through here, is told to the drawing, and stands in the
// page's address, so that a link shows the same.

import { DIM, HIDDEN, SHOWN } from "./pyramid";

/** A stretch of time in nanoseconds. */
export type Range = [number, number];

/** Nothing shorter is shown: one nanosecond takes a fifth of the width. */
const SHORTEST = 5;

export class View {
  range: Range;
  selected: Range | null = null;
  query = "";
  /** Whether the memory axis shows only what is in view, rather than from zero. */
  fitsMemory = false;
  /** How each name is shown. */
  readonly rank: Uint8Array;
  private readonly hidden = new Set<number>();
  private readonly listeners: ((names: boolean) => void)[] = [];

  constructor(
    readonly names: string[],
    readonly whole: Range,
    /** What the page opens on. */
    readonly first: Range = whole,
  ) {
    this.range = [...first];
    this.rank = new Uint8Array(names.length).fill(SHOWN);
  }

  /** Calls back after every change; told whether the names shown changed. */
  onChange(listener: (names: boolean) => void): void {
    this.listeners.push(listener);
  }

  private changed(names = false): void {
    for (const listener of this.listeners) listener(names);
    this.writeFragment();
  }

  /** Shows a stretch of time, kept within the whole. */
  show(from: number, to: number): void {
    const [first, last] = this.whole;
    const width = Math.min(Math.max(to - from, Math.min(SHORTEST, last - first)), last - first);
    const start = Math.min(Math.max((from + to - width) / 2, first), last - width);
    this.range = [start, start + width];
    this.changed();
  }

  /** Makes `factor` times as much visible, around a moment. */
  zoom(factor: number, around = (this.range[0] + this.range[1]) / 2): void {
    const [from, to] = this.range;
    const least = Math.min(SHORTEST, this.whole[1] - this.whole[0]);
    const bounded = Math.max(factor, least / (to - from));
    this.show(around - (around - from) * bounded, around + (to - around) * bounded);
  }

  /** Moves by a part of what is visible. */
  pan(part: number): void {
    const [from, to] = this.range;
    const by = (to - from) * part;
    const bounded = Math.max(this.whole[0] - from, Math.min(this.whole[1] - to, by));
    this.show(from + bounded, to + bounded);
  }

  /** Everything, with nothing hidden, sought or selected. */
  reset(): void {
    this.range = [...this.whole];
    this.selected = null;
    this.query = "";
    this.fitsMemory = false;
    this.hidden.clear();
    this.ranked();
  }

  select(range: Range | null): void {
    this.selected = range && range[1] > range[0] ? range : null;
    this.changed();
  }

  toggleFit(): void {
    this.fitsMemory = !this.fitsMemory;
    this.changed();
  }

  isHidden(name: number): boolean {
    return this.hidden.has(name);
  }

  /** Hides a name, or shows it again. */
  toggle(name: number): void {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.ranked();
  }

  /** Shows one name alone; all when it already is alone. */
  isolate(name: number): void {
    const isAlone = !this.hidden.has(name) && this.hidden.size === this.names.length - 1;
    this.hidden.clear();
    if (!isAlone) for (let other = 0; other < this.names.length; other++) if (other !== name) this.hidden.add(other);
    this.ranked();
  }

  /** Shows all names. */
  showAll(): void {
    this.hidden.clear();
    this.ranked();
  }

  search(query: string): void {
    this.query = query;
    this.ranked();
  }

  private ranked(): void {
    const wanted = this.query.toLowerCase();
    const exact = /^"(.*)"$/s.exec(this.query)?.[1];
    for (let name = 0; name < this.names.length; name++) {
      const isFound = wanted === "" || (exact === undefined ? this.names[name].toLowerCase().includes(wanted) : this.names[name] === exact);
      this.rank[name] = this.hidden.has(name) ? HIDDEN : isFound ? SHOWN : DIM;
    }
    this.changed(true);
  }

  private writeFragment(): void {
    const parts = new URLSearchParams();
    if (this.range[0] !== this.first[0] || this.range[1] !== this.first[1]) parts.set("t", written(this.range));
    if (this.selected) parts.set("range", written(this.selected));
    for (const name of this.hidden) parts.append("hide", this.names[name]);
    if (this.query) parts.set("q", this.query);
    if (this.fitsMemory) parts.set("memory", "fit");
    try {
      history.replaceState(null, "", `#${parts}`);
    } catch {
      // A sandboxed frame may not change its address; the view works all the same.
    }
  }

  /** Takes over what the page's address says; what makes no sense is left out. */
  readFragment(fragment: string): void {
    const parts = new URLSearchParams(fragment.replace(/^#/, ""));
    this.hidden.clear();
    const unwanted = new Set(parts.getAll("hide"));
    this.names.forEach((name, index) => unwanted.has(name) && this.hidden.add(index));
    this.query = parts.get("q") ?? "";
    this.fitsMemory = parts.get("memory") === "fit";
    this.selected = rangeOf(parts.get("range"));
    this.range = [...this.first];
    this.ranked();
    const range = rangeOf(parts.get("t"));
    if (range) this.show(...range);
  }
}

const written = (range: Range) => range.map((moment) => Math.round(moment)).join("-");

function rangeOf(text: string | null): Range | null {
  const found = /^(\d+)-(\d+)$/.exec(text ?? "");
  if (!found) return null;
  const range: Range = [Number(found[1]), Number(found[2])];
  return range[1] > range[0] ? range : null;
}
