import { expect, test } from "vitest";
import { column, dataOf, signed } from "../../src/decode";

/** A payload as the report crate writes it: a header and columns. */
function payload(header: object, columns: number[]): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(4 + text.length + columns.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, 4);
  bytes.set(columns, 4 + text.length);
  return bytes;
}

test("planes of bytes are put together, lowest first", () => {
  expect([...column(new Uint8Array([9, 1, 2, 0, 1]), [1, 2], 2)]).toEqual([1, 258]);
});

test("a column without bytes is zeros", () => {
  expect([...column(new Uint8Array(0), [0, 0], 3)]).toEqual([0, 0, 0]);
});

test("a column that is cut off is an error rather than wrong numbers", () => {
  expect(() => column(new Uint8Array([1]), [0, 2], 1)).toThrow("cut off");
});

test("moments beyond 32 bits of nanoseconds keep every digit", () => {
  const most = 2 ** 53 - 1;
  const bytes = Array.from({ length: 7 }, (_, plane) => Math.floor(most / 256 ** plane) % 256);
  expect(column(new Uint8Array(bytes), [0, 7], 1)[0]).toBe(most);
});

test("zigzag gives signs back", () => {
  expect([0, 1, 2, 3, 4].map(signed)).toEqual([0, -1, 1, -2, 2]);
});

test("gaps become moments, and memory that wasn't measured is not a number", () => {
  const lane = {
    track: "main", depth: 0, count: 2,
    gap: [0, 1], duration: [2, 1], name: [4, 1], before: [6, 1], net: [8, 1], peak: [10, 1],
  };
  const columns = [10, 3, 5, 6, 0, 1, 101, 0, 3, 0, 0, 0];
  const memory = { why: "not measured" };
  const panel = { kind: "timeline", title: "p", end_ns: 14, memory, lanes: [lane], notes: [] };
  const data = dataOf(payload({ version: 1, title: "t", names: ["a", "b"], panels: [panel], size: null }, columns));
  const read = data.panels[0].lanes[0];
  expect([...read.start]).toEqual([5, 8]);
  expect([...read.end]).toEqual([10, 14]);
  expect([...read.memory!.before]).toEqual([100, NaN]);
  expect(read.memory!.after[0]).toBe(98);
  expect(read.memory!.peak[0]).toBeNaN();
  expect(data.panels[0].why).toBe("not measured");
});

test("data of a newer version is refused", () => {
  expect(() => dataOf(payload({ version: 2 }, []))).toThrow("version 2");
});
