import path from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import { NotUnderstoodError } from "../not-understood.ts";
import { importHere } from "./import.ts";

/** The folder of the built file, which is a CommonJS module. */
declare const __dirname: string;

type ImportModule = (url: string) => Promise<unknown>;

let importModule: ImportModule | undefined;

/**
 * `import()` as Node itself does it. Jest runs tests in a context of their own, where `import()` is refused
 * unless Node was started with a flag; a module that Node loads is not in that context. Node has this way in
 * since 20.16.
 */
function importer(): ImportModule {
  const main: typeof globalThis = vm.runInThisContext("globalThis");
  const node = main === globalThis ? undefined : main.process.getBuiltinModule?.("node:module");
  return node ? node.createRequire(path.join(__dirname, "index.cjs"))("./import.cjs").importHere : importHere;
}

/** Calls what a module of the package exports; the module is loaded when it is first needed. */
export function moduleCaller<M>(file: string): <R>(call: (module: M) => R | Promise<R>) => Promise<R> {
  let loaded: Promise<M> | undefined;
  return async (call) => {
    try {
      importModule ??= importer();
      loaded ??= importModule(pathToFileURL(path.join(__dirname, file)).href) as Promise<M>;
      return await call(await loaded);
    } catch (error) {
      throw ownError(error);
    }
  };
}

const ownClasses: Readonly<Record<string, { readonly prototype: object }>> = {
  Error,
  TypeError,
  RangeError,
  NotUnderstoodError,
};

/** An error of the other context as an instance of the classes of this one: `toThrow` asks for that. */
function ownError(error: unknown): unknown {
  if (typeof error !== "object" || error === null || error instanceof Error) return error;
  const { name } = error as { readonly name?: unknown };
  const known = typeof name === "string" && Object.hasOwn(ownClasses, name) ? ownClasses[name] : undefined;
  return Object.setPrototypeOf(error, (known ?? Error).prototype);
}
