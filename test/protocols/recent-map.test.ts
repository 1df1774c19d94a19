import { expect, test } from "vitest";
import { RecentMap } from "../../src/protocols/recent-map.ts";

test("a new entry takes the place of the oldest; a changed one stays where it is", () => {
  const map = new RecentMap<number>(2);
  map.set("a", 1).set("b", 2).set("a", 3);
  expect([...map]).toEqual([
    ["a", 3],
    ["b", 2],
  ]);
  map.set("c", 4);
  expect([...map.keys()]).toEqual(["b", "c"]);
});
