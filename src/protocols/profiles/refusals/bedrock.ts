import type { ProfileRefusals } from "../profile.ts";

/** It passes on what Claude's own API says, as the message of an error of its own. */
export const bedrockRefusals: ProfileRefusals = {
  anthropic: { errorBody: ({ message }) => ({ message }) },
};
