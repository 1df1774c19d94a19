/**
 * The library behind the command: read logs, check them, write custom rules.
 *
 * @packageDocumentation
 */

export type {
  Change,
  Conversation,
  Loss,
  Pairing,
  Placed,
  Relation,
  Step,
} from "./conversation/conversation.ts";
export type { Demands, Exchange, History, Request, ToolDefinition } from "./conversation/exchange.ts";
export type { Item, Message, Reasoning, ToolCall, ToolResult } from "./conversation/item.ts";
export type { Finish, Reply } from "./conversation/reply.ts";
export type { DiffReport, DivergenceReport } from "./diff/report.ts";
export type { Fix, Safety, Severity } from "./findings/finding.ts";
export type {
  CheckReport,
  DiagnosisReport,
  FileReport,
  FindingCounts,
  FindingReport,
  Location,
  NotChecked,
  Summary,
  SuppressedFinding,
} from "./findings/report.ts";
export type { EditReport, FixedFile, FixReport } from "./fix/report.ts";
export {
  type CheckOptions,
  check,
  type DiffOptions,
  diff,
  type FixedLog,
  type FixOptions,
  fix,
  type Log,
  type ReadOptions,
  read,
  repairedRequest,
} from "./library/api.ts";
export type { LogInput } from "./library/log-inputs.ts";
export { NotUnderstoodError } from "./library/not-understood.ts";
export {
  defineRule,
  type OptionValues,
  type Rule,
  type RuleDefinition,
  type RuleOption,
} from "./rules/rule.ts";
export type { Fidelity } from "./traffic/fidelity.ts";
