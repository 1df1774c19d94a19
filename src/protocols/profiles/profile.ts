import type { Demands } from "../../conversation/exchange.ts";

/**
 * What a provider demands where it differs from the protocol that it speaks. The same history is judged for where it was sent. A table is
 * filled from the providers' own errors, sources and recordings only; what is not known there is not demanded.
 */
export interface Profile {
  /** As users type it. */
  readonly name: string;
  /** One line for `toollint formats`. */
  readonly summary: string;
  /** Hosts at which these are the demands; `*` at the beginning stands for anything. */
  readonly hosts: readonly string[];
  /** What only its replies hold, wherever they come from; its demands are then presumed. */
  readonly marks?: Marks;
  /** Models that are this provider's own, wherever they are served; its demands are then presumed. */
  readonly models?: RegExp;
  /** At its own hosts, too, the demands are only presumed: it passes requests on, or little is known of it. */
  readonly isPresumed?: true;
  /** The protocols that it speaks, by name, and what is different there; its own protocol first. */
  readonly protocols: Readonly<Record<string, Partial<Demands>>>;
  /** What only some of its models demand; all that fit hold. */
  readonly variants?: readonly Variant[];
}

/** Signs of a server in the body of a reply, or in the first event of a stream. */
export interface Marks {
  /** Members that nobody else writes. */
  readonly members?: readonly string[];
  /** How its `system_fingerprint` looks. */
  readonly fingerprint?: RegExp;
}

/** The demands of some models behind a provider. */
export interface Variant {
  readonly models: RegExp;
  /** Only where it speaks this protocol; everywhere when left out. */
  readonly protocol?: string;
  readonly demands: Partial<Demands>;
}
