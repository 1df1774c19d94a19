import type { Copy } from "./copy.ts";
import { frames } from "./frames.ts";
import { patchSigns } from "./patch-signs.ts";
import { psqlRecords } from "./psql-records.ts";

/** What lines show that few programs print. */
export const rareCopies: readonly Copy[] = [patchSigns, psqlRecords, frames];
