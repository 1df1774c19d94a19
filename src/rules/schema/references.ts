import { pointerTokens } from "../../reading/pointer.ts";
import { type Fields, isFields } from "../../reading/values.ts";

/** A schema that references begin at: the whole, or a part with an `$id` of its own. */
export interface Base {
  readonly root: Fields;
  readonly id: string | undefined;
  /** Drafts 03 to 07 ignore what stands next to a `$ref`. */
  readonly ignoresSiblings: boolean;
  readonly targets: Map<string, Target | Unresolved>;
}

export interface Target {
  readonly schema: unknown;
  readonly base: Base;
}

/** Why a reference leads nowhere: the log does not have the schema, or the schema not the place. */
export type Unresolved = "elsewhere" | "missing";

const bases = new WeakMap<object, Base>();

/** The base that a schema opens, within an outer one if there is one. */
export function baseOf(root: Fields, outer?: Base): Base {
  const known = bases.get(root);
  if (known) return known;
  const id = typeof root["$id"] === "string" ? root["$id"].replace(/#$/, "") : outer?.id;
  const draft = root["$schema"];
  const base: Base = {
    root,
    id,
    ignoresSiblings:
      typeof draft === "string"
        ? /\/draft-0[3-7]\//.test(draft.slice(0, 200))
        : (outer?.ignoresSiblings ?? false),
    targets: new Map(),
  };
  bases.set(root, base);
  return base;
}

/** Whether a part of a schema opens a base of its own. An `$id` of `#name` only names the part. */
export function opensBase(schema: Fields): boolean {
  const id = schema["$id"];
  return typeof id === "string" && id !== "" && !id.startsWith("#");
}

/** Longer pointers than any schema needs. */
const maxReference = 2_000;

/** The target of a reference. */
export function referent(reference: string, base: Base): Target | Unresolved {
  const known = base.targets.get(reference);
  if (known) return known;
  const target = resolve(reference, base);
  base.targets.set(reference, target);
  return target;
}

function resolve(reference: string, base: Base): Target | Unresolved {
  const isOwn = base.id !== undefined && base.id !== "" && reference.startsWith(base.id);
  const local = isOwn ? reference.slice(base.id?.length) || "#" : reference;
  if (!local.startsWith("#") || reference.length > maxReference) return "elsewhere";
  const pointer = decoded(local.slice(1));
  // The name of an `$anchor`.
  if (pointer !== "" && !pointer.startsWith("/")) return "elsewhere";
  let schema: unknown = base.root;
  let inner = base;
  for (const token of pointerTokens(pointer)) {
    if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, token)) return "missing";
    schema = (schema as Fields)[token];
    if (isFields(schema) && opensBase(schema)) inner = baseOf(schema, inner);
  }
  return { schema, base: inner };
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
