import { expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { profileAtHost } from "../../src/protocols/profiles/judge.ts";
import { matchErrorText } from "../../src/rules/error-texts.ts";
import { shortAnswers } from "../../src/serve/answers.ts";
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
 * a model server with the provider's profile refuses the body, in words by which `explain --error` finds the
 * rule again.
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
        if (reason) expect([reason.rule, matchErrorText(reason.words)?.rule]).toEqual([rule, rule]);
      }
      for (const accepted of legal) {
        if (url !== undefined && how) expect((await served(url, accepted))?.reason).toBeUndefined();
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
  /** The rule behind a refusal, and what the server says. */
  readonly reason: { readonly rule: string | undefined; readonly words: string } | undefined;
}

/** What a model server answers to a body at a provider's address; `undefined` if nobody plays that server. */
async function served(url: string, body: object): Promise<Served | undefined> {
  const { hostname, pathname, search } = new URL(url);
  const server = await ModelServer.create({ profile: profileAtHost(hostname), answers: shortAnswers });
  const { status } = await server.handle({
    method: "POST",
    target: pathname + search,
    headers: { "content-type": "application/json" },
    headerList: [],
    body: Buffer.from(JSON.stringify(body)),
  });
  if (server.misses.length > 0) return undefined;
  const [refused] = server.refused;
  return {
    status,
    reason: refused && { rule: refused.rule, words: `${refused.error.message} ${refused.error.param ?? ""}` },
  };
}
