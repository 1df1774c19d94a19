import type * as Library from "../api.ts";
import { moduleCaller } from "./modules.ts";

export { defineRule } from "../../rules/rule.ts";
export { NotUnderstoodError } from "../not-understood.ts";

const call = moduleCaller<typeof Library>("index.js");

export const check: typeof Library.check = (...args) => call((library) => library.check(...args));
export const diff: typeof Library.diff = (...args) => call((library) => library.diff(...args));
export const fix: typeof Library.fix = (...args) => call((library) => library.fix(...args));
export const read: typeof Library.read = (...args) => call((library) => library.read(...args));
export const repairedRequest: typeof Library.repairedRequest = (...args) =>
  call((library) => library.repairedRequest(...args));
