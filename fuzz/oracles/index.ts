import { checkOracle } from "./check.ts";
import { fixOracle } from "./fix.ts";
import { formatsOracle } from "./formats.ts";
import { libraryOracle } from "./library.ts";
import { lossOracle } from "./loss.ts";
import type { Oracle } from "./oracle.ts";
import { viewsOracle } from "./views.ts";

export const oracles: Readonly<Record<string, Oracle>> = {
  check: checkOracle,
  formats: formatsOracle,
  library: libraryOracle,
  views: viewsOracle,
  fix: fixOracle,
  loss: lossOracle,
};
