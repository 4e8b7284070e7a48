import { expect, test } from "vitest";
import type { Lane } from "../../src/decode";
import { CurvePyramid, HIDDEN, LanePyramid, SHOWN } from "../../src/pyramid";

/** `count` bars of 6 ns, one every 10 ns, names in turn. */
function lane(count: number, names = 1): Lane {
  const start = Float64Array.from({ length: count }, (_, index) => index * 10);
  return {
    track: "main", depth: 0, count, start, end: start.map((at) => at + 6),
    name: Uint32Array.from({ length: count }, (_, index) => index % names),
    spans: null, busy: null, memory: null,
  };
}

function visited(pyramid: LanePyramid, from: number, to: number, finest: number) {
  const seen = { bars: 0, nodes: 0, busy: 0 };
  pyramid.visit(from, to, finest, {
    bar: (index) => {
      seen.bars++;
      seen.busy += pyramid.lane.end[index] - pyramid.lane.start[index];
    },
    node: (_start, _end, busy) => {
      seen.nodes++;
      seen.busy += busy;
    },
  });
  return seen;
}

test("busy time is the same at every level of detail", () => {
  const pyramid = new LanePyramid(lane(1000), new Uint8Array([SHOWN]));
  for (const finest of [0, 50, 500, 5000, 1e9]) {
    expect(visited(pyramid, 0, 1e9, finest).busy).toBe(6000);
  }
});

test("what is drawn depends on the pixels, not on the spans", () => {
  const pyramid = new LanePyramid(lane(100_000), new Uint8Array([SHOWN]));
  const seen = visited(pyramid, 0, 1e6, 1e6 / 700);
  expect(seen.bars + seen.nodes).toBeLessThan(4 * 700);
  expect(seen.bars + seen.nodes).toBeGreaterThan(100);
});

test("only what is in view is visited", () => {
  const pyramid = new LanePyramid(lane(1000), new Uint8Array([SHOWN]));
  expect(visited(pyramid, 100, 126, 0).bars).toBe(3);
});

test("hidden names are neither drawn nor counted nor found", () => {
  const rank = new Uint8Array([SHOWN, HIDDEN]);
  const pyramid = new LanePyramid(lane(1000, 2), rank);
  expect(visited(pyramid, 0, 1e9, 0).bars).toBe(500);
  expect(visited(pyramid, 0, 1e9, 1e9).busy).toBe(3000);
  expect(pyramid.at(13, 0)).toBe(-1);
  expect(pyramid.at(23, 0)).toBe(2);
});

test("no peak of a curve disappears, wherever a stretch begins and ends", () => {
  const bytes = Float64Array.from({ length: 321 }, (_, index) => (index * 7919) % 1000);
  const pyramid = new CurvePyramid({ what: "", at: bytes.map((_, index) => index), bytes });
  for (let from = 0; from < 320; from += 13) {
    for (let to = from + 1; to <= 321; to += 17) {
      const part = bytes.subarray(from, to);
      expect(pyramid.range(from, to)).toEqual([Math.min(...part), Math.max(...part)]);
    }
  }
});
