import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";

/** Where systems install a browser that these tests can drive. */
const usual = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** The browser's program; `undefined` where there is none, and the tests that need one are skipped. */
export const browserPath: string | undefined =
  process.env["CHROMIUM_PATH"] ?? usual.find((each) => existsSync(each));

/** What the skipped tests say. */
export const skipped =
  browserPath === undefined ? " (skipped: no Chromium here; CHROMIUM_PATH names one)" : "";

export interface Visit {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: "light" | "dark";
  /** What follows `#` in the address. */
  readonly hash?: string;
  readonly scripts?: boolean;
}

/** An open page, and what went wrong in it. */
export interface Opened {
  readonly page: Page;
  /** Errors of scripts and messages of the browser. */
  readonly complaints: string[];
  /** Addresses that the page asked for, other than its own. */
  readonly requests: string[];
}

/** A browser that opens pages from files, as people open reports. */
export class Visitor {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "toollint-page-"));
  #browser: Browser | undefined;
  #pages = 0;

  async open(html: string, visit: Visit = {}): Promise<Opened> {
    const { width = 1280, height = 800, scheme = "light", hash = "", scripts = true } = visit;
    this.#browser ??= await chromium.launch({
      ...(browserPath !== undefined && { executablePath: browserPath }),
      args: ["--no-sandbox"],
    });
    const context = await this.#browser.newContext({
      viewport: { width, height },
      colorScheme: scheme,
      javaScriptEnabled: scripts,
    });
    const page = await context.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const file = path.join(this.#folder, `${++this.#pages}.html`);
    writeFileSync(file, html);
    const url = `${pathToFileURL(file)}${hash === "" ? "" : `#${hash}`}`;
    page.on("request", (request) => {
      if (request.url() !== url) requests.push(request.url());
    });
    await page.goto(url);
    if (scripts) await page.locator(":root[data-ready=true]").waitFor();
    return { page, complaints, requests };
  }

  async close(): Promise<void> {
    await this.#browser?.close();
    rmSync(this.#folder, { recursive: true });
  }
}
