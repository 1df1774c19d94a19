import type { Demands } from "../conversation/exchange.ts";

/** The demands of an API that rejects nothing. A protocol that rejects little states only the differences. */
export const noDemands: Demands = {
  pairsBy: "order",
  adjacency: "anywhere",
  resultsFirst: false,
  refusesUnanswered: false,
  refusesOrphans: false,
  hasCallsReason: false,
  forcedChoiceStops: false,
  callKinds: new Map(),
  argumentsAre: "object",
  mergesRoles: false,
  hasServerHistory: false,
  keepsPrompt: false,
  refusesEmptyText: false,
  refusesDuplicateResults: false,
};
