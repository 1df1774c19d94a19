import picocolors from "picocolors";
import { listed, paragraph } from "../reporters/layout.ts";
import { protocolNames } from "../reporters/protocol-names.ts";
import { cut } from "../reporters/width.ts";
import { type Pen, type ShowStyle, safe } from "../show/entry.ts";
import { request } from "../show/step.ts";
import { countText } from "../show/words.ts";
import type { StepsReport, StepsReportStep } from "./steps-report.ts";

const relations: Readonly<Record<StepsReportStep["relation"], string>> = {
  start: "",
  continuation: "",
  retry: "the same again, after a failure",
  repeat: "the same again",
  branch: "branches off",
  compaction: "compacted",
};

/** Prints the requests of a log, each compared with its predecessor, line by line. */
export function* printedSuccession(report: StepsReport, style: ShowStyle): Generator<string> {
  const pen: Pen = { ...style, paint: picocolors.createColors(style.color) };
  const [head = "", ...rest] = report.verdict;
  yield* paragraph([[safe(pen, head), pen.paint.bold]], pen.width);
  for (const each of rest) yield* paragraph([safe(pen, each)], pen.width);
  yield "";
  const { path, container, protocols, exchanges } = report.file;
  const parts = [safe(pen, path), container, ...protocolNames(protocols), countText(exchanges, "exchange")];
  for (const line of listed(parts, pen.width)) yield pen.paint.dim(line);
  for (const { name, steps } of report.conversations) {
    if (steps.length === 0) continue;
    yield "";
    if (report.conversations.length > 1) yield pen.paint.bold(name);
    for (const step of steps) yield* succession(step, pen);
  }
}

function* succession(step: StepsReportStep, pen: Pen): Generator<string> {
  const { exchange, after, relation, kept, of, length, added, gone, reasons, isWhole, line } = step;
  const isAgain = relation === "retry" || relation === "repeat";
  const words = [
    relations[relation],
    isAgain ? "" : `keeps ${kept} of ${countText(of, "message")}`,
    [added.length > 0 && `+ ${added.length}`, gone.length > 0 && `− ${gone.length}`]
      .filter(Boolean)
      .join(" "),
    ...reasons,
  ].filter((word) => word !== "");
  const head = `${`${after} → ${exchange}`.padEnd(9)} ${words.join(" · ")}`;
  yield cut(
    `${isWhole ? pen.paint.dim(head) : pen.paint.bold(head)}  ${pen.paint.dim(`:${line}`)}`,
    Number.POSITIVE_INFINITY,
  );
  if (relation === "compaction")
    yield pen.paint.dim(`            ${countText(length, "message")} instead of ${of}`);
  yield* request({ ...step, unanswered: [] }, pen);
}
