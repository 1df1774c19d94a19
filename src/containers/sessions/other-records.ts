/** Why a record with a type outside the conversation is skipped. Types come from the log. */
export function otherType(type: string | undefined, what = "a record"): string {
  const named =
    type === undefined || type === "" ? "without a type" : `of type \`${type.slice(0, longest)}\``;
  return `${what} ${named}, not a message`;
}

const longest = 60;

/** Why a record of a session file is skipped that only describes the session. */
export const aboutSession = "data about the session, not a message";

/** Why a record that repeats an earlier one is skipped. */
export const repeatsEarlier = "a repeat of an earlier record";
