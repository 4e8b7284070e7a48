// From the letters in the page to columns of numbers: the inverse of the report crate's
// `html/viewer_data.rs`, whose documentation describes the layout.

/** Where a column stands: its offset and how many bytes each number takes. */
type Place = [number, number];

interface LaneHeader {
  track: string;
  depth: number;
  count: number;
  gap: Place;
  duration: Place;
  name: Place;
  spans?: Place;
  busy?: Place;
  before?: Place;
  net?: Place;
  peak?: Place;
}

interface PanelHeader {
  kind: string;
  title: string;
  end_ns: number;
  memory: { what: string; count: number; gap: Place; bytes: Place } | { why: string };
  lanes: LaneHeader[];
  notes: string[];
}

/** What is drawn besides spans. Moments are nanoseconds since the page's time 0. */
export interface Moments {
  /** What the page opens on; null for everything. */
  first: [number, number] | null;
  marks: [number, string][];
  metrics: Metric[];
}

/** A number over time. */
export interface Metric {
  name: string;
  at: number[];
  values: number[];
}

interface Header {
  version: number;
  title: string;
  names: string[];
  panels: PanelHeader[];
  moments: Moments;
  size: [number, number] | null;
}

/** Memory of a lane's bars in bytes; `NaN` where it wasn't measured. */
export interface LaneMemory {
  before: Float64Array;
  after: Float64Array;
  /** The highest level meanwhile; `NaN` where it wasn't measured. */
  peak: Float64Array;
}

/** Bars of one track and depth, in time order. Moments are nanoseconds since the page's time 0. */
export interface Lane {
  track: string;
  depth: number;
  count: number;
  start: Float64Array;
  end: Float64Array;
  name: Uint32Array;
  /** How many spans each bar stands for; absent where all are single. */
  spans: Float64Array | null;
  /** The sum of their durations. */
  busy: Float64Array | null;
  memory: LaneMemory | null;
}

/** A quantity in bytes at moments. */
export interface Curve {
  what: string;
  at: Float64Array;
  bytes: Float64Array;
}

/** One context over time. */
export interface Panel {
  title: string;
  end: number;
  curve: Curve | null;
  /** Why there is no curve. */
  why: string;
  lanes: Lane[];
  notes: string[];
}

/** Everything in the page. */
export interface Data {
  title: string;
  names: string[];
  panels: Panel[];
  moments: Moments;
  size: [number, number] | null;
}

/** Letters to bytes. */
export function bytesOf(letters: string): Uint8Array<ArrayBuffer> {
  const text = atob(letters);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** Undoes raw deflate. */
export async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Puts the planes of a column together again. Exact up to 2^53. */
export function column(bytes: Uint8Array, place: Place, count: number): Float64Array {
  const [offset, width] = place;
  const out = new Float64Array(count);
  let scale = 1;
  for (let plane = 0; plane < width; plane++) {
    const from = offset + plane * count;
    if (from + count > bytes.length) throw new RangeError("the page's data is cut off");
    for (let index = 0; index < count; index++) out[index] += bytes[from + index] * scale;
    scale *= 256;
  }
  return out;
}

/** Undoes the zigzag of a signed number. */
export function signed(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
}

function laneOf(header: LaneHeader, bytes: Uint8Array): Lane {
  const count = header.count;
  const read = (place: Place) => column(bytes, place, count);
  const start = read(header.gap);
  const end = read(header.duration);
  let last = 0;
  for (let index = 0; index < count; index++) {
    const from = last + signed(start[index]);
    start[index] = from;
    last = end[index] = from + end[index];
  }
  return {
    track: header.track,
    depth: header.depth,
    count,
    start,
    end,
    name: Uint32Array.from(read(header.name)),
    spans: header.spans ? read(header.spans) : null,
    busy: header.busy ? read(header.busy) : null,
    memory: memoryOf(header, read),
  };
}

function memoryOf(header: LaneHeader, read: (place: Place) => Float64Array): LaneMemory | null {
  if (!header.before || !header.net || !header.peak) return null;
  const before = read(header.before);
  const after = read(header.net);
  const peak = read(header.peak);
  for (let index = 0; index < before.length; index++) {
    const level = before[index] === 0 ? NaN : before[index] - 1;
    before[index] = level;
    after[index] = level + signed(after[index]);
    peak[index] = peak[index] === 0 ? NaN : level + peak[index] - 1;
  }
  return { before, after, peak };
}

function panelOf(header: PanelHeader, bytes: Uint8Array): Panel {
  let curve: Curve | null = null;
  const memory = header.memory;
  if ("what" in memory) {
    const at = column(bytes, memory.gap, memory.count);
    for (let index = 0, last = 0; index < at.length; index++) last = at[index] = last + signed(at[index]);
    curve = { what: memory.what, at, bytes: column(bytes, memory.bytes, memory.count) };
  }
  return {
    title: header.title,
    end: header.end_ns,
    curve,
    why: "why" in memory ? memory.why : "",
    lanes: header.lanes.map((lane) => laneOf(lane, bytes)),
    notes: header.notes,
  };
}

/** From the decompressed bytes. */
export function dataOf(raw: Uint8Array): Data {
  const length = new DataView(raw.buffer, raw.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(raw.subarray(4, 4 + length))) as Header;
  if (header.version !== 1) throw new Error(`the page's data has version ${header.version}, this viewer reads 1`);
  const columns = raw.subarray(4 + length);
  const timelines = header.panels.filter((panel) => panel.kind === "timeline");
  return {
    title: header.title,
    names: header.names,
    panels: timelines.map((panel) => panelOf(panel, columns)),
    moments: header.moments,
    size: header.size,
  };
}
