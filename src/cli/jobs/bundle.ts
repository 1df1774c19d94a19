import { existsSync } from "node:fs";

/** The program's bundle; absent where the source runs, as in tests, which a thread cannot load. */
export function programBundle(): URL | undefined {
  const bundle = new URL("../cli.cjs", import.meta.url);
  return existsSync(bundle) ? bundle : undefined;
}
