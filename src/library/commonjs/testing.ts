import type * as Testing from "../testing.ts";
import { moduleCaller } from "./modules.ts";

export { toHaveAcceptedEveryHistory } from "../testing-matcher.ts";

const call = moduleCaller<typeof Testing>("testing.js");

export const serve: typeof Testing.serve = (...args) => call((testing) => testing.serve(...args));
