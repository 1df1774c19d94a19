import type { Demands } from "../../conversation/exchange.ts";
import type { ErrorText } from "../error-text.ts";
import type { Refusals } from "../refusals.ts";

/**
 * How a provider's demands differ from those of its protocol. The same history is judged by where it was
 * sent. The tables contain only what providers' own errors, sources and recordings prove; anything else is
 * not demanded.
 */
export interface Profile {
  /** The name that users type. */
  readonly name: string;
  /** The name in sentences. */
  readonly title: string;
  /** One line for `toollint formats`. */
  readonly summary: string;
  /** Hosts with these demands; a leading `*` matches anything. */
  readonly hosts: readonly string[];
  /** Paths that only its servers have. */
  readonly paths?: RegExp;
  /** What only its replies contain, from any host; its demands are then presumed. */
  readonly marks?: Marks;
  /** The provider's own models, wherever they are served; its demands are then presumed. */
  readonly models?: RegExp;
  /**
   * The provider's own models, where the log names no host: a body alone. A server or gateway that serves
   * them under an address of its own may take more, or mend what it passes on.
   */
  readonly bareModels?: RegExp;
  /** Its demands are presumed even at its own hosts: it forwards requests, or little is known of it. */
  readonly isPresumed?: true;
  /** The protocols it speaks, by name, with the differences; its own protocol first. */
  readonly protocols: Readonly<Record<string, Partial<Demands>>>;
  /** Demands of some of its models only; all matching variants apply. */
  readonly variants?: readonly Variant[];
  /**
   * How it words refusals, where it differs from its protocols' own providers, by protocol: its texts come
   * before theirs, its other members replace theirs.
   */
  readonly refusals?: ProfileRefusals;
  /** What the error texts mean that only its servers send. */
  readonly errorTexts?: readonly ErrorText[];
}

/** Marks of a server in a reply's body or in the first event of a stream. */
export interface Marks {
  /** Members that only this provider writes. */
  readonly members?: readonly string[];
  /** The form of its `system_fingerprint`. */
  readonly fingerprint?: RegExp;
}

/** The demands of some models behind a provider. */
export interface Variant {
  readonly models: RegExp;
  /** Applies to this protocol only; default: all. */
  readonly protocol?: string;
  readonly demands: Partial<Demands>;
}

/** How a profile words refusals, by protocol, where it differs from the protocol's own provider. */
export type ProfileRefusals = Readonly<Record<string, RefusalChanges>>;

export interface RefusalChanges extends Partial<Refusals> {
  /** Rules for which the protocol's own provider has words, and this one accepts what they find. */
  readonly accepts?: readonly string[];
}
