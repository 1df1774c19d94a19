import { type Evaluation, type Fit, isOver, type Keyword, type Meeting, worse } from "./fit.ts";
import { referent } from "./references.ts";
import { type Violation, withoutForms } from "./violations.ts";

/** The keywords that hold the same value against further schemas. */
export const formKeywords: Readonly<Record<string, Keyword>> = {
  $ref: (evaluation, { schema, value, place, base, into }) => {
    const { $ref } = schema;
    if (typeof $ref !== "string") return "unknown";
    evaluation.work.spend(1 + ($ref.length >> 4));
    const target = referent($ref, base);
    if (typeof target === "object")
      return evaluation.evaluate(target.schema, value, place, target.base, into);
    const written = `\`${$ref.slice(0, 80)}\``;
    return evaluation.note(
      target === "missing"
        ? `refers to ${written}, which it does not hold`
        : `refers to ${written}, which is not followed`,
    );
  },
  not: (evaluation, meeting) => {
    const verdict = evaluation.same(meeting, meeting.schema["not"]);
    if (verdict !== "fits") return verdict === "fails" ? "fits" : "unknown";
    const { place, value, into } = meeting;
    return evaluation.reject(into, { kind: "limit", place, value, wanted: "another value" });
  },
  anyOf: (evaluation, meeting) => oneOfForms(evaluation, meeting, meeting.schema["anyOf"]),
  // If several alternatives fit, the schema is wrong, not the arguments.
  oneOf: (evaluation, meeting) => worse("unknown", oneOfForms(evaluation, meeting, meeting.schema["oneOf"])),
  allOf: (evaluation, meeting) => {
    const { allOf } = meeting.schema;
    if (!Array.isArray(allOf)) return "unknown";
    let all: Fit = "fits";
    for (const schema of allOf) {
      all = worse(all, evaluation.same(meeting, schema, meeting.into));
      if (isOver(all, meeting)) break;
    }
    return all;
  },
  if: (evaluation, meeting) => {
    const condition = evaluation.same(meeting, meeting.schema["if"]);
    if (condition === "unknown") return "unknown";
    const branch = condition === "fits" ? "then" : "else";
    if (!Object.hasOwn(meeting.schema, branch)) return "fits";
    return evaluation.same(meeting, meeting.schema[branch], meeting.into);
  },
};

function oneOfForms(evaluation: Evaluation, meeting: Meeting, forms: unknown): Fit {
  if (!Array.isArray(forms) || forms.length === 0) return "unknown";
  let best: Fit = "fails";
  for (const form of forms) {
    const verdict = evaluation.same(meeting, form);
    if (verdict === "fits") return "fits";
    if (verdict === "unknown") best = "unknown";
  }
  const { into, place, value } = meeting;
  if (best === "unknown" || !into) return best;
  // Only where no form fits, it matters what each lacks.
  const lacks = forms.map((form) => {
    const own: Violation[] = [];
    evaluation.same(meeting, form, own);
    return own;
  });
  for (const violation of withoutForms(lacks, place, value)) evaluation.reject(into, violation);
  return "fails";
}
