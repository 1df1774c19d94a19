import type { Demands, JudgedBy } from "../../conversation/exchange.ts";
import { remembered } from "../../reading/remembered.ts";
import { protocols } from "../index.ts";
import { fields, list, string } from "../wire.ts";
import { extended, madeOnce } from "./extended.ts";
import { templatesOf } from "./families.ts";
import { profiles } from "./index.ts";
import type { Marks, Profile, Variant } from "./profile.ts";
import { statedDemands } from "./stated.ts";

/** Evidence of where a request went. */
export interface Clues {
  readonly protocol: string;
  readonly url: string | undefined;
  /** The `host` header, for logs that record only the path. */
  readonly host: string | undefined;
  readonly model: string | undefined;
  /** The body of the reply, or the first event of a stream. */
  readonly reply: unknown;
  /** What the server said when it refused the request. */
  readonly refusal?: string | undefined;
}

/** A profile named by the user: where the log's requests went (`profile`), or are to go (`target`). */
export interface NamedProfile {
  readonly profile: Profile;
  readonly as: "profile" | "target";
  /** The model there; default: each request's own. */
  readonly model?: string;
}

/** The provider whose demands apply to a request, and why. */
export interface Judgement {
  readonly demands: Demands;
  /** Absent if only the protocol is known. */
  readonly profile?: string;
  /** The profile's name in sentences. */
  readonly provider?: string;
  readonly judgedBy?: JudgedBy;
  /** The request certainly went or will go there; otherwise the demands are presumed. */
  readonly isOwnProvider: boolean;
}

/**
 * Decides whose demands apply to a request: the named profile's, else by host, by marks of the reply, by
 * model. A named profile that does not speak the request's protocol is ignored, except as a target: the
 * history can be translated.
 */
export function judgement(clues: Clues, named?: NamedProfile): Judgement {
  const judged = judgedBeforeRefusal(clues, named);
  // What another server would demand is the question, not what this one said.
  if (judged.judgedBy === "target") return judged;
  const stated = statedDemands(clues.refusal);
  return stated.length === 0 ? judged : { ...judged, demands: extended(judged.demands, stated) };
}

function judgedBeforeRefusal(clues: Clues, named?: NamedProfile): Judgement {
  const { protocol, url, host, model, reply } = clues;
  const asked = askedHost(url, host);
  const spoken = profilesThatSpeak(protocol);
  if (named && (named.as === "target" || spoken.includes(named.profile)))
    return judgedAs({ profile: named.profile, judgedBy: named.as }, protocol, named.model ?? model);
  const atHost = asked === undefined ? undefined : profileAtHost(asked, spoken);
  if (atHost) return judgedAs({ profile: atHost, judgedBy: "host" }, protocol, model);
  const marked = spoken.find(({ marks }) => marks !== undefined && bears(reply, marks));
  if (marked) return judgedAs({ profile: marked, judgedBy: "reply" }, protocol, model);
  return judgedByModel(JSON.stringify([protocol, asked, model]));
}

/** Most requests of a log go to one model, and ten thousand of them share what is demanded of them. */
const judgedByModel = remembered((clues): Judgement => {
  const [protocol, askedOrNull, modelOrNull] = JSON.parse(clues) as [string, string | null, string | null];
  const [asked, model] = [askedOrNull ?? undefined, modelOrNull ?? undefined];
  const profile =
    model === undefined
      ? undefined
      : profilesThatSpeak(protocol).find(
          ({ models, bareModels }) =>
            models?.test(model) === true || (asked === undefined && bareModels?.test(model) === true),
        );
  return profile
    ? judgedAs({ profile, judgedBy: "model" }, protocol, model)
    : { demands: presumed(demandsOfProtocol(protocol), { protocol, asked, model }), isOwnProvider: false };
});

function judgedAs(
  { profile, judgedBy }: { readonly profile: Profile; readonly judgedBy: JudgedBy },
  protocol: string,
  model: string | undefined,
): Judgement {
  const own = demandsOfProtocol(protocol);
  const theirs = Object.hasOwn(profile.protocols, protocol)
    ? demandsAt(profile, protocol, model)
    : extended(own, [afterTranslation(demandsAt(profile, Object.keys(profile.protocols)[0] ?? "", model))]);
  return {
    demands: theirs,
    profile: profile.name,
    provider: profile.title,
    judgedBy,
    isOwnProvider:
      judgedBy === "profile" || judgedBy === "target" || (judgedBy === "host" && !profile.isPresumed),
  };
}

/** What an API's own provider demands of requests for its own models, which have a profile. */
const ofOwnProvider = ["isStrict", "pairsHosted", "needsSeals", "refusesThinkingPrefill"] as const;

/**
 * A request for another model went to a server that implements the protocol, which is more lenient. OpenAI's
 * id limits hold for its own models only; other servers of its protocols (vLLM) issue longer ids. An open
 * model has its template, whoever serves it.
 */
function presumed(
  all: Demands,
  {
    protocol: name,
    asked,
    model,
  }: { protocol: string; asked: string | undefined; model: string | undefined },
): Demands {
  if (model === undefined) return all;
  const own = extended(
    ofAnyServer(all),
    fitting(templatesOf(model, asked), name, model).map(({ demands }) => demands),
  );
  const isElsewhere = !/^(?:openai\/)?(?:gpt-|o\d|chatgpt|codex|computer-use|ft:)/i.test(model);
  return isElsewhere && own.maxIdLength !== undefined ? extended(own, [anyIdLength]) : own;
}

const anyIdLength: Partial<Demands> = { maxIdLength: Number.POSITIVE_INFINITY };

/** The demands of a protocol without those that only its own provider has. */
const ofAnyServer = madeOnce(
  (all: Demands): Demands =>
    Object.assign(
      {},
      all,
      Object.fromEntries(ofOwnProvider.filter((member) => all[member]).map((member) => [member, false])),
    ),
);

/** The variants that hold for a model, in one protocol. */
function fitting(variants: readonly Variant[], name: string, model: string | undefined): readonly Variant[] {
  return variants.filter(
    ({ models, protocol = name }) => protocol === name && model !== undefined && models.test(model),
  );
}

/** Computed once for each protocol: a log may have tens of thousands of requests. */
function profilesThatSpeak(protocol: string): readonly Profile[] {
  let speaking = spokenBy.get(protocol);
  if (!speaking) {
    speaking = profiles.filter((profile) => Object.hasOwn(profile.protocols, protocol));
    spokenBy.set(protocol, speaking);
  }
  return speaking;
}

const spokenBy = new Map<string, readonly Profile[]>();

/** The profile of a host, among these. */
export function profileAtHost(host: string, among: readonly Profile[] = profiles): Profile | undefined {
  return among.find(({ hosts }) => hosts.some((known) => isHost(host, known)));
}

/**
 * Whether a host is a provider's own, which is asked over TLS only. Amazon names its customers' machines and
 * load balancers like its own services.
 */
export function isProvidersHost(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, "");
  if (/\.(?:compute(?:-1)?|elb)\.(?:[a-z0-9-]+\.)?amazonaws\.com$/.test(name)) return false;
  return profileAtHost(name) !== undefined;
}

/** The demands of a profile on one of its models, in one protocol. */
function demandsAt(
  { protocols: own, variants = [] }: Profile,
  name: string,
  model: string | undefined,
): Demands {
  const further = fitting(variants, name, model).map(({ demands }) => demands);
  return extended(demandsOfProtocol(name), [...(own[name] ? [own[name]] : []), ...further]);
}

function demandsOfProtocol(name: string): Demands {
  const protocol = protocols.find((known) => known.name === name);
  if (!protocol) throw new RangeError(`no protocol is called \`${name}\``);
  return protocol.demands;
}

/**
 * The target's demands that matter when a history is translated from another protocol. Clients keep ids, gaps
 * and the order of turns, but merge adjacent elements of one role, drop empty ones, move system prompts into
 * place, and write results and arguments in the target's form.
 */
const afterTranslation = madeOnce((theirs: Demands): Partial<Demands> => {
  const kept: (keyof Demands)[] = [
    "refusesUnanswered",
    "refusesOrphans",
    "refusesDuplicateResults",
    "refusesPrefill",
    "refusesTrailingSpace",
    "refusesUserAfterResult",
    "systemFirst",
    "needsTools",
    "idPattern",
    "maxIdLength",
  ];
  // Protocols that pair by order carry no ids.
  const ids = theirs.pairsBy === "order" ? { maxIdLength: Number.POSITIVE_INFINITY, idPattern: /^/ } : {};
  const roles = theirs.firstRoles && { firstRoles: ["system" as const, ...theirs.firstRoles] };
  return { ...Object.fromEntries(kept.map((name) => [name, theirs[name]])), ...roles, ...ids };
});

function bears(reply: unknown, { members = [], fingerprint }: Marks): boolean {
  if (typeof reply !== "object" || reply === null) return false;
  const body = fields(reply);
  const choice = fields(list(body["choices"])[0]);
  if (members.some((member) => Object.hasOwn(body, member) || Object.hasOwn(choice, member))) return true;
  const print = string(body["system_fingerprint"]);
  return print !== undefined && fingerprint?.test(print) === true;
}

function askedHost(url: string | undefined, host: string | undefined): string | undefined {
  return hostOf(url) ?? host?.replace(/:\d+$/, "").toLowerCase();
}

function hostOf(url: string | undefined): string | undefined {
  return /^\w+:\/\/([^/:?#]+)/.exec(url ?? "")?.[1]?.toLowerCase();
}

function isHost(asked: string, known: string): boolean {
  return known.startsWith("*") ? asked.endsWith(known.slice(1)) : asked === known;
}
