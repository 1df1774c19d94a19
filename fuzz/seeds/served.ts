import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { serve as Serve } from "../../src/library/testing.ts";
import { clients } from "../../test/healthy/client.ts";
import type { Kept } from "./containers.ts";
import { runs } from "./runs.ts";

export interface Served {
  readonly protocol: string;
  /** The requests, with replies that the model server streamed. */
  readonly exchanges: readonly Kept[];
  /** What the server wrote of them. */
  readonly journal: Buffer;
}

/** A healthy run of each protocol, its replies streamed by `toollint serve`; the same bytes in every run. */
export async function served(root: string): Promise<Served[]> {
  const { serve } = (await import(pathToFileURL(join(root, "dist/testing.js")).href)) as {
    serve: typeof Serve;
  };
  const folder = mkdtempSync(join(tmpdir(), "toollint-fuzz-served-"));
  const clock = Date.now;
  Date.now = () => Date.UTC(2026, 0, 5, 12);
  try {
    const all: Served[] = [];
    for (const client of clients) {
      const journal = join(folder, `${client.protocol}.jsonl`);
      const run = runs["healthy"]?.(client);
      if (!run) throw new Error("there is no healthy run");
      const server = await serve({ log: run.text(), journal });
      const exchanges: Kept[] = [];
      for (const { request, url } of run.log as Kept[]) {
        const { pathname } = new URL(url);
        const path = pathname.replace(":generateContent", ":streamGenerateContent");
        const body = client.protocol === "gemini" ? request : { ...request, stream: true };
        const answer = await fetch(`${server.url}${path}${client.protocol === "gemini" ? "?alt=sse" : ""}`, {
          method: "POST",
          headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
          body: JSON.stringify(body),
        });
        exchanges.push({
          url: url.replace(pathname, path),
          request: body,
          status: answer.status,
          response: await answer.text(),
        });
      }
      await server.close();
      all.push({ protocol: client.protocol, exchanges, journal: steady(readFileSync(journal), server.url) });
    }
    return all;
  } finally {
    Date.now = clock;
    rmSync(folder, { recursive: true });
  }
}

/** Without what differs between runs: ports and times. */
function steady(journal: Buffer, url: string): Buffer {
  const text = String(journal)
    .replaceAll(url, "http://127.0.0.1:4000")
    .replaceAll(new URL(url).host, "127.0.0.1:4000")
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, "2026-01-05T12:00:00.000Z")
    .replaceAll(/("(?:ms|duration|time|elapsed)[A-Za-z]*":)\d+(?:\.\d+)?/g, "$11");
  return Buffer.from(text);
}
