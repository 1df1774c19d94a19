import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const validators = new Map<string, ValidateFunction>();

/** Reads the schemas of these names. */
export function loadSchemas(root: string, names: readonly string[]): void {
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, validateFormats: false });
  for (const name of names) {
    const text = readFileSync(join(root, "schemas", `${name}.schema.json`), "utf8");
    ajv.addSchema(JSON.parse(text), `${name}.schema.json`);
  }
  for (const name of names) {
    const validate = ajv.getSchema(`${name}.schema.json`);
    if (validate) validators.set(name, validate);
  }
}

/** What is wrong with a report by its schema, one sentence each. */
export function schemaErrors(name: string, value: unknown): string[] {
  const validate = validators.get(name);
  if (!validate) throw new RangeError(`there is no schema ${name}`);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
