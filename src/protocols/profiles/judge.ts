import type { Demands, JudgedBy } from "../../conversation/exchange.ts";
import { protocols } from "../index.ts";
import { fields, list, string } from "../wire.ts";
import { profiles } from "./index.ts";
import type { Marks, Profile } from "./profile.ts";

/** What tells where a request went. */
export interface Clues {
  readonly protocol: string;
  readonly url: string | undefined;
  /** The `host` header, for logs that keep the path only. */
  readonly host: string | undefined;
  readonly model: string | undefined;
  /** The body of the reply, or the first event of a stream. */
  readonly reply: unknown;
}

/** The profile that somebody names: `profile` for where the log's requests went, `target` for where they are to go. */
export interface NamedProfile {
  readonly profile: Profile;
  readonly as: "profile" | "target";
  /** The model there; that of each request when left out. */
  readonly model?: string;
}

/** By what a request is judged. */
export interface Judgement {
  readonly demands: Demands;
  /** Absent where only the protocol is known. */
  readonly profile?: string;
  readonly judgedBy?: JudgedBy;
  /** The request surely went there, or is surely meant to; otherwise the demands are presumed. */
  readonly isOwnProvider: boolean;
}

/**
 * Finds out by whose demands a request is judged: a named profile's, else by host, by the marks of the reply, by the model.
 * A named profile that does not speak the request's protocol is passed over; as a target it is not, since the history can be translated.
 */
export function judgement(clues: Clues, named?: NamedProfile): Judgement {
  const own = demandsOfProtocol(clues.protocol);
  const found = profileFor(clues, named);
  if (!found) return { demands: presumed(own, clues.model), isOwnProvider: false };
  const { profile, judgedBy } = found;
  const model = (named?.profile === profile ? named.model : undefined) ?? clues.model;
  const speaks = (protocol: string): boolean => Object.hasOwn(profile.protocols, protocol);
  const theirs = speaks(clues.protocol)
    ? demandsAt(profile, clues.protocol, model)
    : {
        ...own,
        ...whatTranslationKeeps(demandsAt(profile, Object.keys(profile.protocols)[0] ?? "", model)),
      };
  return {
    demands: theirs,
    profile: profile.name,
    judgedBy,
    isOwnProvider:
      judgedBy === "profile" || judgedBy === "target" || (judgedBy === "host" && !profile.isPresumed),
  };
}

/** The limits of OpenAI's ids are presumed for its own models alone: other servers that speak its protocols give longer ones, as vLLM does. */
function presumed(own: Demands, model: string | undefined): Demands {
  const isElsewhere =
    model !== undefined && !/^(?:openai\/)?(?:gpt-|o\d|chatgpt|codex|computer-use|ft:)/i.test(model);
  return isElsewhere && own.maxIdLength !== undefined
    ? { ...own, maxIdLength: Number.POSITIVE_INFINITY }
    : own;
}

function profileFor(
  { protocol, url, host, model, reply }: Clues,
  named: NamedProfile | undefined,
): { readonly profile: Profile; readonly judgedBy: JudgedBy } | undefined {
  const spoken = profiles.filter((profile) => Object.hasOwn(profile.protocols, protocol));
  if (named && (named.as === "target" || spoken.includes(named.profile)))
    return { profile: named.profile, judgedBy: named.as };
  const asked = hostOf(url) ?? host?.replace(/:\d+$/, "").toLowerCase();
  const find = (judgedBy: JudgedBy, fits: (profile: Profile) => boolean) => {
    const profile = spoken.find(fits);
    return profile && { profile, judgedBy };
  };
  return (
    find("host", ({ hosts }) => asked !== undefined && hosts.some((known) => isHost(asked, known))) ??
    find("reply", ({ marks }) => marks !== undefined && bears(reply, marks)) ??
    find("model", ({ models }) => model !== undefined && models?.test(model) === true)
  );
}

/** The demands of a protocol, as a profile speaks it to one of its models. */
function demandsAt(
  { protocols: own, variants = [] }: Profile,
  name: string,
  model: string | undefined,
): Demands {
  const fitting = variants.filter(
    ({ models, protocol = name }) => protocol === name && model !== undefined && models.test(model),
  );
  return Object.assign({}, demandsOfProtocol(name), own[name], ...fitting.map(({ demands }) => demands));
}

function demandsOfProtocol(name: string): Demands {
  const protocol = protocols.find((known) => known.name === name);
  if (!protocol) throw new RangeError(`no protocol is called \`${name}\``);
  return protocol.demands;
}

/**
 * What is left of a target's demands when a history in the words of another protocol is translated for it: clients take over ids, gaps and
 * the order of turns, but put neighbours of one role together, leave out what is empty, move system prompts to where they belong, and write
 * results and arguments as the target wants them.
 */
function whatTranslationKeeps(theirs: Demands): Partial<Demands> {
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
  // Where calls pair by their order, ids are left out.
  const ids = theirs.pairsBy === "order" ? { maxIdLength: Number.POSITIVE_INFINITY, idPattern: /^/ } : {};
  const roles = theirs.firstRoles && { firstRoles: ["system" as const, ...theirs.firstRoles] };
  return { ...Object.fromEntries(kept.map((name) => [name, theirs[name]])), ...roles, ...ids };
}

function bears(reply: unknown, { members = [], fingerprint }: Marks): boolean {
  const body = fields(reply);
  const choice = fields(list(body["choices"])[0]);
  if (members.some((member) => Object.hasOwn(body, member) || Object.hasOwn(choice, member))) return true;
  const print = string(body["system_fingerprint"]);
  return print !== undefined && fingerprint?.test(print) === true;
}

function hostOf(url: string | undefined): string | undefined {
  return /^\w+:\/\/([^/:?#]+)/.exec(url ?? "")?.[1]?.toLowerCase();
}

function isHost(asked: string, known: string): boolean {
  return known.startsWith("*") ? asked.endsWith(known.slice(1)) : asked === known;
}
