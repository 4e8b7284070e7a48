import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drawing, launched, opened } from "./chromium";

// A busy machine draws late.
const PATIENT = { timeout: 30_000 };
let browser: Browser;

beforeAll(async () => {
  browser = await launched();
});
afterAll(() => browser?.close());

const names = (page: Page) => page.locator(".spans tbody tr:visible .find").allTextContents();

test("a heading sorts the rows inside each row, down and up", async () => {
  const { page } = await opened(browser, "tables");
  expect(await names(page)).toEqual(["step", "attention", "linear", "loss"]);
  const total = page.getByRole("button", { name: "total" });
  await total.click();
  await expect.poll(() => names(page), PATIENT).toEqual(["step", "linear", "attention", "loss"]);
  await total.click();
  await expect.poll(() => names(page), PATIENT).toEqual(["loss", "step", "attention", "linear"]);
  expect(await page.locator('[aria-sort="ascending"]').innerText()).toContain("total");
  await page.close();
});

test("a branch folds and opens, by key too", async () => {
  const { page } = await opened(browser, "tables");
  const toggle = page.getByRole("button", { name: "Rows inside" });
  await toggle.click();
  await expect.poll(() => names(page), PATIENT).toEqual(["step", "loss"]);
  await toggle.focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => names(page), PATIENT).toEqual(["step", "attention", "linear", "loss"]);
  await page.close();
});

test("a long table opens with small branches folded", async () => {
  const { page } = await opened(browser, "long");
  const shown = await names(page);
  expect(shown).toContain("layer27");
  expect(shown.at(-1)).toBe("evaluation");
  const small = page.getByRole("row", { name: "evaluation" }).getByRole("button", { name: "Rows inside" });
  expect(await small.getAttribute("aria-expanded")).toBe("false");
  await small.click();
  await expect.poll(async () => (await names(page)).at(-1), PATIENT).toBe("forward");
  await page.close();
});

test("a click on a name finds its spans in the timeline", async () => {
  const { page } = await opened(browser, "tables");
  const before = await drawing(page);
  await page.getByRole("button", { name: "loss", exact: true }).click();
  await expect.poll(() => page.getByRole("searchbox").inputValue(), PATIENT).toBe('"loss"');
  await expect.poll(() => drawing(page), PATIENT).not.toBe(before);
  await expect.poll(() => page.locator(".chip:not(.dim) .name").allTextContents(), PATIENT).toEqual(["loss"]);
  await page.close();
});

test("on a phone nothing is wider than the window, and each number stands below its name", async () => {
  const { page } = await opened(browser, "tables");
  await page.setViewportSize({ width: 390, height: 800 });
  const beyond = () =>
    page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll(".scroll")].map((one) => one.scrollWidth - one.clientWidth),
    );
  await expect.poll(async () => Math.max(...(await beyond())), PATIENT).toBe(0);
  expect(await page.locator(".flame rect").count()).toBe(2);
  expect(await names(page)).toEqual(["step", "attention", "linear", "loss"]);
  const first = page.locator(".spans tbody tr").first();
  const total = first.locator('td[data-heading="total"]');
  const [name, number] = [await first.locator(".find").boundingBox(), await total.boundingBox()];
  expect(number!.y).toBeGreaterThan(name!.y);
  expect(await total.evaluate((cell) => getComputedStyle(cell, "::before").content)).toContain("total");
  await page.close();
});
