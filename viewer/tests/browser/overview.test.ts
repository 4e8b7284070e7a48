import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drawing, launched, opened } from "./chromium";

// A busy machine draws late.
const PATIENT = { timeout: 30_000 };
const MS = 1_000_000;
const WHOLE = 5_500;
let browser: Browser;

beforeAll(async () => {
  browser = await launched();
});
afterAll(() => browser?.close());

/** What is in view, in milliseconds; null for what the page opens on. */
async function viewed(page: Page): Promise<[number, number] | null> {
  const hash = await page.evaluate(() => location.hash.slice(1));
  const found = new URLSearchParams(hash).get("t")?.split("-").map((at) => Math.round(Number(at) / MS));
  return found ? [found[0], found[1]] : null;
}

/** Drags in the overview from one moment to another, in milliseconds. */
async function drag(page: Page, from: number, to: number): Promise<void> {
  const box = (await page.locator(".overview").boundingBox())!;
  const x = (ms: number) => box.x + 104 + ((box.width - 104 - 16) * ms) / WHOLE;
  await page.mouse.move(x(from), box.y + 17);
  await page.mouse.down();
  await page.mouse.move(x((from + to) / 2), box.y + 17);
  await page.mouse.move(x(to), box.y + 17);
  await page.mouse.up();
}

test("the page opens on the steps, and Home shows everything", async () => {
  const { page, offences } = await opened(browser, "run");
  expect(await viewed(page)).toBeNull();
  const first = await drawing(page);
  await page.getByRole("button", { name: /^Home/ }).click();
  await expect.poll(() => viewed(page), PATIENT).toEqual([0, WHOLE]);
  await expect.poll(() => drawing(page), PATIENT).not.toBe(first);
  expect(offences).toEqual({ requests: [], dialogs: [], errors: [] });
  await page.close();
});

test("an address says what is in view, whatever the page opens on", async () => {
  const { page } = await opened(browser, "run", { fragment: `#t=${100 * MS}-${200 * MS}` });
  await expect.poll(() => viewed(page), PATIENT).toEqual([100, 200]);
  await page.close();
});

test("the window in the overview is dragged, and another one is drawn beside it", async () => {
  const { page } = await opened(browser, "run");
  await drag(page, 500, 1_500);
  const isNear = async (from: number, to: number) => {
    const range = await viewed(page);
    return range !== null && Math.abs(range[0] - from) < 40 && Math.abs(range[1] - to) < 40;
  };
  await expect.poll(() => isNear(500, 1_500), PATIENT).toBe(true);
  await drag(page, 1_000, 3_000);
  await expect.poll(() => isNear(2_500, 3_500), PATIENT).toBe(true);
  // It stops at the end of the run.
  await drag(page, 3_000, 5_450);
  await expect.poll(() => isNear(4_500, WHOLE), PATIENT).toBe(true);
  await page.close();
});

test("a metric is a curve with a name for those who don't see it, and follows what is in view", async () => {
  const { page } = await opened(browser, "run");
  const curve = page.getByRole("img", { name: /^loss over time, at last 0\.\d+$/ });
  expect(await curve.count()).toBe(1);
  const picture = () => curve.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  const before = await picture();
  await page.keyboard.press("w");
  await expect.poll(picture, PATIENT).not.toBe(before);
  await page.close();
});
