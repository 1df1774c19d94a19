import type { Demands, Exchange } from "../conversation/exchange.ts";
import type { Role } from "../conversation/item.ts";

/**
 * What rules ask of a provider beyond {@link Demands}: each field says nothing while it is absent, so that a rule is silent until a
 * profile fills it in.
 */
export interface WantedDemands extends Demands {
  /** A message with neither text nor call is refused, also where an empty text is not. */
  readonly refusesEmptyMessages?: boolean;
  /** An empty list of calls is taken for none. */
  readonly acceptsEmptyCalls?: boolean;
  /** The roles with which a history may begin, system prompts left out. */
  readonly firstRoles?: readonly Role[];
  /** User and assistant take turns, system prompts and results left out. */
  readonly alternates?: boolean;
  /** The model speaks between a result and the user's next words. */
  readonly refusesUserAfterResult?: boolean;
  /** System prompts stand at the beginning, or nowhere. */
  readonly systemFirst?: boolean;
  /** A history may not end with words of the model. */
  readonly refusesPrefill?: boolean;
  /** Words of the model at the end of a history may not end with white space. */
  readonly refusesTrailingSpace?: boolean;
  /** No reasoning may come back (`anywhere`), or none in the last message of a history that ends with the model (`last`). */
  readonly refusesReasoning?: "anywhere" | "last";
  /** Members of a message under which reasoning is refused, though not under others. */
  readonly refusedReasoningMembers?: readonly string[];
  /** The calls of one reply have to come back as one turn, and those of two replies as two. */
  readonly keepsRounds?: boolean;
}

/** The demands of an exchange's provider, with those that only some profiles know. */
export function demandsOf(exchange: Exchange): WantedDemands {
  return exchange.demands;
}
