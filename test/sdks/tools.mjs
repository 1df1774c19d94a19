/** The tools of the agents that the tests record. */
export const question = "Do I need an umbrella in Oslo?";

export const run = {
  find_city: () => '{"id":3143244}',
  forecast: () => '{"sky":"rain"}',
  warnings: () => '{"list":"none"}',
};

export const parameters = {
  find_city: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  forecast: {
    type: "object",
    properties: { city: { type: "integer" }, days: { type: "integer" } },
    required: ["city"],
  },
  warnings: { type: "object", properties: { city: { type: "integer" } }, required: ["city"] },
};

export const names = Object.keys(parameters);

/** A broken agent would go on for ever. */
export const maxRounds = 5;

/** What is wrong with the agent; nothing when left out. */
export const fault = process.argv[2] ?? "none";
