// Debian's Chromium, one page at a time, with everything noted that a page must not do.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";

const PLACES = [process.env.CHROMIUM ?? "", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function launched(): Promise<Browser> {
  const executablePath = PLACES.find((place) => place !== "" && existsSync(place));
  if (!executablePath) throw new Error("no Chromium: install the package chromium, or name one in CHROMIUM");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** What a page did that it must not do. */
export interface Offences {
  requests: string[];
  dialogs: string[];
  errors: string[];
}

/** A page of `make viewer`, opened from disk and drawn. */
export async function opened(browser: Browser, name: string, options: { script?: boolean; fragment?: string } = {}): Promise<{ page: Page; offences: Offences }> {
  const script = options.script ?? true;
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 }, javaScriptEnabled: script });
  const offences: Offences = { requests: [], dialogs: [], errors: [] };
  const address = `file://${resolve(process.env.VIEWER_PAGES ?? "pages", `${name}.html`)}`;
  page.on("request", (request) => request.url().split("#")[0] === address || offences.requests.push(request.url()));
  page.on("dialog", (dialog) => {
    offences.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => offences.errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && offences.errors.push(message.text()));
  await page.goto(address + (options.fragment ?? ""));
  const draws = name !== "empty" && !name.startsWith("recorded-compare");
  if (script && draws) await page.waitForSelector("html[data-first-frame-ms]", { state: "attached", timeout: 50_000 });
  return { page, offences };
}

/** The drawing as numbers that differ when it does. */
export function drawing(page: Page): Promise<string> {
  return page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const parts = [...document.querySelectorAll("canvas")].map((canvas) => canvas.toDataURL());
    const bytes = new TextEncoder().encode(parts.join());
    let sum = 0;
    for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) | 0;
    return `${bytes.length}:${sum}`;
  });
}
