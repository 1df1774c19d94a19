import { type Fields, fields, session } from "./session.ts";

/** Session files of coding agents: a line each, and a module each, which is loaded when a file of its kind is there. */
export const sessions = [
  session({
    name: "claude-code",
    summary: "session files of Claude Code (~/.claude/projects), also of its sub-agents",
    signs: "records with uuid, sessionId and a message",
    recognize: ({ lines }) =>
      lines.some((line) => has(line, "uuid", "sessionId") && has(fields(line["message"]), "role", "content")),
    load: () => import("./claude-code-session.ts"),
  }),
];

function has(value: Fields, ...keys: readonly string[]): boolean {
  return keys.every((key) => Object.hasOwn(value, key));
}
