import { type Fields, isFields } from "../../reading/values.ts";
import { type Evaluation, type Fit, isOver, type Keyword, type Meeting, worse } from "./fit.ts";
import { firstNames } from "./violations.ts";

/** The keywords about entries of lists and members of objects. */
export const memberKeywords: Readonly<Record<string, Keyword>> = {
  prefixItems: (evaluation, meeting) => {
    const { prefixItems } = meeting.schema;
    return Array.isArray(prefixItems) ? byPosition(evaluation, meeting, prefixItems) : "unknown";
  },
  items: (evaluation, meeting) => {
    const { items, prefixItems, additionalItems } = meeting.schema;
    if (!Array.isArray(items))
      return further(evaluation, meeting, items, Array.isArray(prefixItems) ? prefixItems.length : 0);
    // Draft-07: a list of schemas by position, and `additionalItems` for the rest.
    const first = byPosition(evaluation, meeting, items);
    if (additionalItems === undefined || isOver(first, meeting)) return first;
    return worse(first, further(evaluation, meeting, additionalItems, items.length));
  },
  contains: (evaluation, { schema, value, place, base, into }) => {
    if (!Array.isArray(value) || schema["minContains"] === 0) return "fits";
    let best: Fit = "fails";
    for (const item of value) {
      const verdict = evaluation.evaluate(schema["contains"], item, place, base);
      if (verdict === "fits") return "fits";
      if (verdict === "unknown") best = "unknown";
    }
    if (best === "unknown") return "unknown";
    return evaluation.reject(into, {
      kind: "limit",
      place,
      value,
      wanted: "an entry of another kind among them",
    });
  },
  required: (evaluation, meeting) => {
    const { required } = meeting.schema;
    if (!Array.isArray(required)) return "unknown";
    return isFields(meeting.value) ? demand(evaluation, meeting, required) : "fits";
  },
  propertyNames: (evaluation, meeting) => {
    const { schema, place, base, into } = meeting;
    return ofMembers(evaluation, meeting, (_, key) =>
      evaluation.evaluate(schema["propertyNames"], key, place, base, into),
    );
  },
  additionalProperties: (evaluation, meeting) => {
    const { additionalProperties, properties, patternProperties } = meeting.schema;
    if (additionalProperties === true) return "fits";
    // Without `properties` it would reject everything; the author means the members of another part.
    if (additionalProperties === false && !isFields(properties)) return "unknown";
    const patterns = isFields(patternProperties) ? evaluation.keysOf(patternProperties) : [];
    return ofMembers(evaluation, meeting, (value, key) => {
      if (isFields(properties) && Object.hasOwn(properties, key)) return "fits";
      const isKnown = isAmong(evaluation, key, patterns);
      if (isKnown !== false) return isKnown ? "fits" : "unknown";
      if (additionalProperties !== false) return evaluation.member(meeting, key, additionalProperties);
      return evaluation.reject(meeting.into, {
        kind: "unknown",
        place: { outer: meeting.place, key },
        value: value[key],
        wanted: namesIn(evaluation, properties),
      });
    });
  },
  dependencies: (evaluation, meeting) => dependents(evaluation, meeting, meeting.schema["dependencies"]),
  properties: (evaluation, meeting) => {
    const { properties } = meeting.schema;
    if (!isFields(properties)) return "unknown";
    return ofMembers(evaluation, meeting, (_, key) =>
      Object.hasOwn(properties, key) ? evaluation.member(meeting, key, properties[key]) : "fits",
    );
  },
  patternProperties: (evaluation, meeting) => {
    const { patternProperties } = meeting.schema;
    if (!isFields(patternProperties)) return "unknown";
    const patterns = evaluation.keysOf(patternProperties);
    return ofMembers(evaluation, meeting, (_, key) => {
      let all: Fit = "fits";
      for (const pattern of patterns) {
        const isMatch = evaluation.isMatch(pattern, key);
        if (isMatch === undefined) all = worse(all, "unknown");
        if (isMatch) all = worse(all, evaluation.member(meeting, key, patternProperties[pattern]));
        if (isOver(all, meeting)) break;
      }
      return all;
    });
  },
  dependentRequired: (evaluation, meeting) =>
    dependents(evaluation, meeting, meeting.schema["dependentRequired"]),
  dependentSchemas: (evaluation, meeting) =>
    dependents(evaluation, meeting, meeting.schema["dependentSchemas"]),
};

function byPosition(evaluation: Evaluation, meeting: Meeting, schemas: readonly unknown[]): Fit {
  if (!Array.isArray(meeting.value)) return "fits";
  const most = Math.min(schemas.length, meeting.value.length);
  let all: Fit = "fits";
  for (let index = 0; index < most && !isOver(all, meeting); index++)
    all = worse(all, evaluation.member(meeting, index, schemas[index]));
  return all;
}

/** Holds the entries from an index on against one schema. */
function further(evaluation: Evaluation, meeting: Meeting, schema: unknown, from: number): Fit {
  if (!Array.isArray(meeting.value) || schema === true) return "fits";
  let all: Fit = "fits";
  for (let index = from; index < meeting.value.length && !isOver(all, meeting); index++)
    all = worse(all, evaluation.member(meeting, index, schema));
  return all;
}

/** The verdict of all members of an object, each judged by its key; `fits` for anything else. */
function ofMembers(
  evaluation: Evaluation,
  meeting: Meeting,
  judge: (value: Fields, key: string) => Fit,
): Fit {
  const { value } = meeting;
  if (!isFields(value)) return "fits";
  let all: Fit = "fits";
  for (const key of evaluation.keysOf(value)) {
    all = worse(all, judge(value, key));
    if (isOver(all, meeting)) break;
  }
  return all;
}

/** Whether a key matches one of the patterns; `undefined` if that cannot be told. */
function isAmong(evaluation: Evaluation, key: string, patterns: readonly string[]): boolean | undefined {
  let isKnown: boolean | undefined = false;
  for (const pattern of patterns) {
    const isMatch = evaluation.isMatch(pattern, key);
    if (isMatch) return true;
    if (isMatch === undefined) isKnown = undefined;
  }
  return isKnown;
}

/** The first few members that a schema knows, by its `properties`. */
const namesOf = new WeakMap<object, string>();

function namesIn(evaluation: Evaluation, properties: unknown): string {
  if (!isFields(properties)) return "";
  const known = namesOf.get(properties);
  if (known !== undefined) return known;
  const names = firstNames(evaluation.keysOf(properties).slice(0, 6));
  namesOf.set(properties, names);
  return names;
}

/** What the members that are there demand. Drafts 03 to 07 have one keyword for members and schemas. */
function dependents(evaluation: Evaluation, meeting: Meeting, dependencies: unknown): Fit {
  if (!isFields(dependencies)) return "unknown";
  return ofMembers(evaluation, meeting, (_, key) => {
    if (!Object.hasOwn(dependencies, key)) return "fits";
    const demanded = dependencies[key];
    return Array.isArray(demanded)
      ? demand(evaluation, meeting, demanded)
      : evaluation.same(meeting, demanded, meeting.into);
  });
}

/** Demands members of an object. */
function demand(evaluation: Evaluation, meeting: Meeting, names: readonly unknown[]): Fit {
  const { schema, value, place, into } = meeting;
  const { properties } = schema;
  let all: Fit = "fits";
  for (const name of names) {
    evaluation.work.spend(1);
    if (typeof name !== "string" || Object.hasOwn(value as Fields, name)) continue;
    const own = isFields(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    // The tool fills in a default.
    all =
      isFields(own) && Object.hasOwn(own, "default")
        ? worse(all, "unknown")
        : evaluation.reject(into, {
            kind: "missing",
            place: { outer: place, key: name },
            wanted: firstNames([name]),
          });
    if (isOver(all, meeting)) break;
  }
  return all;
}
