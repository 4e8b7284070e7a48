import { readdirSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { drawing, launched, opened, type Offences } from "./chromium";

const NOTHING: Offences = { requests: [], dialogs: [], errors: [] };
const pages = process.env.VIEWER_PAGES ?? "pages";
// A busy machine draws late.
const PATIENT = { timeout: 30_000 };
let browser: Browser;

beforeAll(async () => {
  browser = await launched();
});
afterAll(() => browser?.close());

test("a page opens from disk, draws and asks for nothing", async () => {
  const { page, offences } = await opened(browser, "timer");
  expect(await page.locator(".plots > .plot").count()).toBe(2);
  expect(await page.locator(".chip").allTextContents()).toContainEqual(expect.stringMatching(/^attention/));
  expect(offences).toEqual(NOTHING);
  await page.close();
});

test("the time axis sticks to the window's bottom within its plots and never covers the legend", async () => {
  const { page } = await opened(browser, "timer");
  const legend = (await page.locator(".legend").boundingBox())!;
  const end = legend.y + legend.height;
  await page.setViewportSize({ width: 1400, height: Math.round(end) - 4 });
  const foot = () => page.locator(".foot").boundingBox();
  expect((await foot())!.y).toBeGreaterThanOrEqual(end);
  const height = Math.round(end) + 160;
  await page.setViewportSize({ width: 1400, height });
  const stuck = (await foot())!;
  expect(Math.abs(stuck.y + stuck.height - height)).toBeLessThan(2);
  await page.close();
});

test("the legend hides a segment and shows it again", async () => {
  const { page } = await opened(browser, "timer");
  const before = await drawing(page);
  const chip = page.locator(".chip", { hasText: "attention" });
  const pressed = () => chip.getAttribute("aria-pressed");
  await chip.click();
  await expect.poll(pressed, PATIENT).toBe("false");
  const without = await drawing(page);
  expect(without).not.toBe(before);
  await chip.click();
  await page.mouse.move(5, 5);
  await expect.poll(pressed, PATIENT).toBe("true");
  expect(await drawing(page)).not.toBe(without);
  await page.close();
});

test("keys, wheel and buttons zoom and pan; home brings everything back", async () => {
  const { page } = await opened(browser, "timer");
  const home = await drawing(page);
  const seen = new Set([home]);
  const canvas = page.locator(".plots > .plot").first();
  for (const act of [
    () => page.keyboard.press("w"),
    () => page.keyboard.press("d"),
    () => page.getByRole("button", { name: "Zoom in" }).click(),
    () => page.getByRole("button", { name: "Pan left" }).click(),
    () => canvas.hover({ position: { x: 600, y: 90 } }).then(() => page.mouse.wheel(0, -200)),
  ]) {
    await act();
    let now = home;
    await expect.poll(async () => seen.has((now = await drawing(page))), PATIENT).toBe(false);
    seen.add(now);
  }
  expect(page.url()).toMatch(/#t=\d+-\d+/);
  await page.getByRole("button", { name: "Home" }).click();
  await expect.poll(() => drawing(page), PATIENT).toBe(home);
  expect(page.url()).not.toMatch(/t=/);
  await page.close();
});

test("an address with a view shows that view", async () => {
  const { page, offences } = await opened(browser, "timer", { fragment: "#t=100000000-200000000&hide=linear&q=loss" });
  expect(await page.locator('.chip[aria-pressed="false"]').allTextContents()).toEqual([expect.stringMatching(/^linear/)]);
  expect(await page.getByRole("searchbox").inputValue()).toBe("loss");
  const { page: whole } = await opened(browser, "timer");
  expect(await drawing(page)).not.toBe(await drawing(whole));
  expect(offences).toEqual(NOTHING);
  await page.close();
  await whole.close();
});

test("the tooltip and a selected range say exact numbers with units", async () => {
  const { page } = await opened(browser, "timer");
  const canvas = page.locator(".plots > .plot").nth(1);
  const box = (await canvas.boundingBox())!;
  await canvas.focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => page.locator(".tooltip").innerText(), PATIENT).toMatch(/backward[\s\S]*duration[\s\S]*\d ms \([\d,]+ ns\)[\s\S]*net[\s\S]*MiB \(−[\d,]+ B\)/);
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 900, box.y + 60, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect.poll(() => page.locator(".selection").innerText(), PATIENT).toMatch(/backward/);
  const selected = await page.locator(".selection").innerText();
  expect(selected).toMatch(/ms from .* on · memory .* MiB to .* MiB/);
  expect(selected).toMatch(/backward\s+\d+\s+[\d.]+ ms/);
  await page.keyboard.press("Escape");
  await expect.poll(() => page.locator(".selection").isVisible(), PATIENT).toBe(false);
  await page.close();
});

test("two hundred hostile names give no dialog and no element", async () => {
  const { page, offences } = await opened(browser, "hostile");
  await page.locator(".more").click();
  await expect.poll(() => page.locator(".chip").count(), PATIENT).toBe(200);
  await page.locator(".plots > .plot").hover({ position: { x: 400, y: 50 } });
  await page.keyboard.press("Tab");
  for (const key of ["ArrowRight", "Enter", "?", "Escape"]) await page.keyboard.press(key);
  await page.waitForTimeout(200);
  const elements = await page.evaluate(() => {
    const unwanted = "img, svg, iframe, a, b, #x5, main script, main style";
    return [...document.querySelectorAll(unwanted)].map((found) => found.outerHTML);
  });
  expect(elements).toEqual([]);
  expect(await page.locator("script").count()).toBe(2);
  expect(offences).toEqual(NOTHING);
  await page.close();
});

test("no text of a recording acts on a page", async () => {
  const recorded = readdirSync(pages).filter((name) => name.startsWith("recorded-"));
  expect(recorded.length).toBeGreaterThanOrEqual(16);
  for (const name of recorded) {
    const { page, offences } = await opened(browser, name.replace(".html", ""));
    const elements = await page.evaluate(() => {
      const unwanted = "img, iframe, b, a[href^='http'], main script, main style";
      return [...document.querySelectorAll(unwanted)].map((found) => found.outerHTML);
    });
    expect(elements, name).toEqual([]);
    expect(offences, name).toEqual(NOTHING);
    await page.close();
  }
});

test("without JavaScript the page still says what it holds", async () => {
  const { page } = await opened(browser, "hostile", { script: false });
  expect(await page.locator(".measured").innerText()).toContain("host time");
  expect(await page.locator("#figure").innerText()).toContain("JavaScript");
  await page.close();
});

test("a page with nothing to draw says why", async () => {
  const { page, offences } = await opened(browser, "empty");
  expect(await page.locator(".empty").innerText()).toBe("No timeline: no segment was measured.");
  expect(offences).toEqual(NOTHING);
  await page.close();
});

test("sizes stay within their budgets", () => {
  const assets = resolve(import.meta.dirname, "../../../crates/laptime-report/assets");
  const viewer = ["viewer.js", "viewer.css"].map((name) => gzipSync(readFileSync(resolve(assets, name)), { level: 9 }).length);
  const size = (name: string) => statSync(resolve(pages, `${name}.html`)).size;
  console.log(`viewer ${viewer.join(" + ")} B gz; empty page ${size("empty")} B; 1.07 M spans ${size("million")} B`);
  expect(viewer[0] + viewer[1]).toBeLessThanOrEqual(80_000);
  expect(size("empty")).toBeLessThanOrEqual(250_000);
  expect(size("timer")).toBeLessThanOrEqual(250_000);
  expect(size("million")).toBeLessThanOrEqual(7_000_000);
});

test("a million spans are drawn, and how fast is printed", async () => {
  const { page, offences } = await opened(browser, "million");
  const first = await page.evaluate(() => document.documentElement.dataset.firstFrameMs);
  const frames = await page.evaluate(async () => {
    const times: number[] = [];
    const frame = (act: () => void) =>
      new Promise<void>((done) => {
        act();
        // Runs after the drawing that `act` asked for, in the same frame.
        requestAnimationFrame((begin) => {
          times.push(performance.now() - begin);
          done();
        });
      });
    const press = (key: string) => window.dispatchEvent(new KeyboardEvent("keydown", { key }));
    for (let count = 0; count < 30; count++) await frame(() => press("w"));
    for (let count = 0; count < 30; count++) await frame(() => press(count % 2 ? "a" : "d"));
    for (let count = 0; count < 30; count++) await frame(() => press("s"));
    return times.sort((a, b) => a - b);
  });
  const at = (part: number) => frames[Math.floor((frames.length - 1) * part)].toFixed(1);
  console.log(`1.07 M spans: first frame ${first} ms, frames p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
  expect(frames.length).toBe(90);
  expect(offences).toEqual(NOTHING);
  await page.close();
});
