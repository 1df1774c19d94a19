// What the bundler puts in place of these (build.mjs); the tests get the same from vitest.config.ts.

/** The version in package.json. */
declare const __VERSION__: string;

/** A page as text. */
declare module "*.md" {
  const text: string;
  export default text;
}

/** `schema:report` is the precompiled validator of schemas/report.schema.json. */
declare module "schema:*" {
  const validate: import("ajv").ValidateFunction;
  export default validate;
}
