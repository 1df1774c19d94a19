// What the bundler puts in place of these (build.mjs); the tests get the same from vitest.config.ts.

/** The version in package.json. */
declare const __VERSION__: string;

/** The home page in package.json: the README of the published package, next to its other files. */
declare const __HOMEPAGE__: string;

/** A page as text. */
declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.jsonl" {
  const text: string;
  export default text;
}

/** `schema:report` is the precompiled validator of schemas/report.schema.json. */
declare module "schema:*" {
  const validate: import("ajv").ValidateFunction;
  export default validate;
}

/** What an HTML page holds beside its data: the bundle of src/page/app/main.tsx, and its style sheet. */
declare module "page:app" {
  export const script: string;
  export const style: string;
}

/**
 * `schema:requests/anthropic` holds the precompiled validators of schemas/requests/anthropic.schema.json: one
 * of a body, one of an element of its history. `words` are the types and roles that any request's schema has.
 */
declare module "schema:requests/*" {
  export const body: import("ajv").ValidateFunction;
  export const element: import("ajv").ValidateFunction;
  export const words: readonly string[];
}

/** In Node from version 20 on, and in the library of TypeScript from ES2024 on. */
interface String {
  isWellFormed(): boolean;
}

/** Words and names that a redacted log keeps, in one text with spaces between them. */
declare module "vocabulary:*" {
  const list: string;
  export default list;
}
