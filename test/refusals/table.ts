import { expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { readPasted } from "../../src/explain/pasted.ts";
import { findErrorPlace } from "../../src/explain/place.ts";
import { check } from "../../src/index.ts";
import { profileAtHost } from "../../src/protocols/profiles/judge.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { shortAnswers } from "../../src/serve/answers/answer-source.ts";
import { ModelServer } from "../../src/serve/model-server.ts";

type Severity = "error" | "warning" | "info";

/** A request that a provider refuses, and what a check of this one body says. */
export interface Refusal {
  /** What the provider refuses, in a few words. */
  readonly refusal: string;
  /** Where the refusal is documented or was reported: an address, or the provider's own words. */
  readonly source: string;
  readonly body: object;
  /** The only root above info. */
  readonly rule: string;
  /** Without a host: the provider is presumed from the body. */
  readonly severity: Severity;
  /** Sent to the provider's own host; default: an error. */
  readonly atHost?: Severity;
  readonly pointer: string;
  /** The nearest bodies that the provider accepts: nothing above info is said about them. */
  readonly legal: readonly object[];
}

/**
 * Checks each body alone: pasted without a host, and as a request to the provider's own host. With `served`,
 * a model server with the provider's profile refuses the body, and `explain --error` finds rule and element
 * again by the server's words.
 */
export function testRefusals(url: string | undefined, rows: readonly Refusal[], how?: "served"): void {
  for (const { refusal, body, rule, severity, atHost = "error", pointer, legal } of rows) {
    test(refusal, async () => {
      expect(await roots(body)).toEqual([`${severity} ${rule} ${pointer}`]);
      if (url !== undefined)
        expect(await roots({ url, request: body })).toEqual([`${atHost} ${rule} ${pointer}`]);
      if (url !== undefined && how && atHost === "error") {
        const { status, reason } = (await served(url, body)) ?? {};
        if (status !== undefined) expect(status).toBeGreaterThanOrEqual(400);
        if (reason) {
          expect(`${reason.rule} ${reason.pointer}`).toBe(`${rule} ${pointer}`);
          expect(await explained(reason.answer, { url, request: body })).toBe(`${rule} ${pointer}`);
        }
      }
      for (const accepted of legal) {
        // A server that has just begun has stored nothing that a body might refer to.
        if (url !== undefined && how) expect((await served(url, accepted))?.reason?.rule).toBeUndefined();
        expect(await roots(accepted)).toEqual([]);
        if (url !== undefined) expect(await roots({ url, request: accepted })).toEqual([]);
      }
    });
  }
}

/** What counts in a check: findings that are no consequences, above info unless it is all there is. */
async function roots(log: object): Promise<string[]> {
  const { findings } = await check(log);
  const own = findings.filter(({ cause, severity }) => cause === null && severity !== "info");
  return own.map(({ rule, severity, location }) => `${severity} ${rule} ${location.pointer}`);
}

interface Served {
  readonly status: number;
  /** The rule and the place behind a refusal, and the body that the server sends. */
  readonly reason:
    | { readonly rule: string | undefined; readonly pointer: string | undefined; readonly answer: string }
    | undefined;
}

/** What a model server answers to a body at a provider's address; `undefined` if nobody plays that server. */
async function served(url: string, body: object): Promise<Served | undefined> {
  const { hostname, pathname, search } = new URL(url);
  const server = await ModelServer.create({ profile: profileAtHost(hostname), answers: shortAnswers });
  const { status, body: answer } = await server.handle({
    method: "POST",
    target: pathname + search,
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
    headerList: [],
    body: Buffer.from(JSON.stringify(body)),
  });
  if (server.misses.length > 0) return undefined;
  const [refused] = server.refused;
  return {
    status,
    reason: refused && { rule: refused.rule, pointer: refused.pointer, answer: String(answer) },
  };
}

/** The rule and the place that `explain --error` names for an error and the log of its request. */
async function explained(error: string, log: object): Promise<string | undefined> {
  const source = bytesSource("log", Buffer.from(JSON.stringify(log)));
  const { report, runs } = await checkFiles([{ path: source.name, source }]);
  const conversations = runs.flatMap((run) => run.conversations);
  const found = findErrorPlace(readPasted(error), conversations, report.findings);
  if (!found) return undefined;
  const { finding } = found;
  return finding ? `${finding.rule} ${finding.location.pointer}` : `${found.how} ${found.pointer}`;
}
