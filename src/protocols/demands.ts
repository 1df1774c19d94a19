import type { Demands } from "../conversation/exchange.ts";

/** What is demanded where nothing is refused. A protocol that refuses little says what differs from it. */
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
