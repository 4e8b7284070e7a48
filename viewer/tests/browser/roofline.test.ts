import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launched, opened } from "./chromium";

let browser: Browser;

beforeAll(async () => {
  browser = await launched();
});
afterAll(() => browser?.close());

test("the roofline is drawn in colours of the page, without a script or a request", async () => {
  const { page, offences } = await opened(browser, "operations", { script: false });
  expect(await page.locator(".roofline .mark").count()).toBe(12);
  const fill = (selector: string, name: string) =>
    page.locator(selector).first().evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);
  const light = [await fill(".roofline .roof", "stroke"), await fill(".roofline .mark", "fill")];
  expect(light).not.toContain("rgb(0, 0, 0)");
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = [await fill(".roofline .roof", "stroke"), await fill(".roofline .mark", "fill")];
  expect(dark).not.toEqual(light);
  expect(offences.requests).toEqual([]);
  expect(offences.errors).toEqual([]);
  await page.close();
});

test("no mark of the roofline hides another, and all are inside", async () => {
  const { page } = await opened(browser, "operations", { script: false });
  const picture = (await page.locator(".roofline").boundingBox())!;
  const marks = await Promise.all((await page.locator(".roofline .mark").all()).map((mark) => mark.boundingBox()));
  marks.forEach((one, index) => {
    expect(one!.x).toBeGreaterThanOrEqual(picture.x);
    expect(one!.y).toBeGreaterThanOrEqual(picture.y);
    for (const other of marks.slice(index + 1)) {
      const apart = Math.hypot(one!.x - other!.x, one!.y - other!.y);
      expect(apart).toBeGreaterThan(one!.width * 0.75);
    }
  });
  await page.close();
});

test("names of modules are text", async () => {
  const { page } = await opened(browser, "operations", { script: false });
  expect(await page.locator("b, i").count()).toBe(0);
  expect(await page.locator("th", { hasText: "<b>gelu</b> (Part)" }).count()).toBe(1);
  await page.close();
});
