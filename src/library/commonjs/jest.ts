import type * as Matchers from "../jest.ts";
import { moduleCaller } from "./modules.ts";

export { toHaveAcceptedEveryHistory } from "../testing-matcher.ts";

const call = moduleCaller<typeof Matchers>("jest.js");

export const toHaveHealthyConversations: typeof Matchers.toHaveHealthyConversations = (...args) =>
  call((matchers) => matchers.toHaveHealthyConversations(...args));
