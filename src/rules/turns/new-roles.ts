import { apiRoles, isUnheardOfRole } from "../../traffic/roles.ts";
import { nearest } from "../requests/nearest.ts";

/** No known API has the role, and it is not a slip for one that they have: a newer API may have it. */
export function isPerhapsNewRole(role: string): boolean {
  return isUnheardOfRole(role) && nearest(role, apiRoles) === undefined;
}
