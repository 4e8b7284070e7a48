import { expect, test } from "vitest";
import { byteTicks, roundBytes, roundStep, timeTicks } from "../../src/axis";
import { bytes, duration, exactDuration, thousands } from "../../src/quantity";
import { colours, hash } from "../../src/palette";

test("steps are round", () => {
  expect([0.3, 1, 1.1, 3, 7, 40].map(roundStep)).toEqual([0.5, 1, 2, 5, 10, 50]);
  expect([1, 3, 1000, 3 * 2 ** 20, 700 * 2 ** 20].map(roundBytes)).toEqual([1, 4, 1024, 4 * 2 ** 20, 2 ** 30]);
});

test("neighbouring ticks of time never read the same, however far one zooms in", () => {
  for (let width = 10; width < 1e12; width *= 7) {
    const from = 13_601_234_567;
    const labels = timeTicks(from, from + width, 12).map((tick) => tick.label);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels.length).toBeLessThanOrEqual(13);
  }
});

test("levels of memory have binary units", () => {
  expect(byteTicks(0, 300 * 2 ** 20, 3).map((tick) => tick.label)).toEqual(["0 MiB", "128 MiB", "256 MiB"]);
});

test("numbers read as in the report", () => {
  expect(duration(999)).toBe("999 ns");
  expect(duration(1_234_567)).toBe("1.23 ms");
  expect(exactDuration(1_234_567)).toBe("1.23 ms (1,234,567 ns)");
  expect(bytes(-4096)).toBe("−4.0 KiB");
  expect(thousands(-1234567)).toBe("−1,234,567");
});

test("a name's colour depends on the name, and names of one page differ", () => {
  expect(hash("forward")).toBe(hash("forward"));
  const names = ["conv1", "conv2", "linear", "relu", "loss", "forward", "__proto__", "constructor"];
  const order = names.map((_, index) => index);
  const made = colours(names, order);
  expect(new Set(made).size).toBe(names.length);
  expect(colours(["forward"], [0])[0]).toBe(made[5]);
});
