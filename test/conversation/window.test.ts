import { describe, expect, test } from "vitest";
import { windowOf } from "../../src/conversation/window.ts";
import { calls, result, says, stitched, system, type Told, user } from "./story.ts";

/** A run of rounds; the client sends what `cut` leaves of the history. */
function run(rounds: number, cut: (history: readonly object[]) => readonly object[]): Told[] {
  const history: object[] = [system("Be careful."), user("Move the billing service to gRPC.")];
  return Array.from({ length: rounds }, (_, index) => {
    const back = calls([`call_${index}`, "read", `{"page":${index}}`]);
    const told = { sent: cut([...history]), back };
    history.push(back, result(`call_${index}`, `page ${index}`));
    return told;
  });
}

async function windowIn(story: readonly Told[]) {
  const [conversation] = await stitched(story);
  const window = conversation && windowOf(conversation);
  return (
    window && {
      kind: window.kind,
      size: window.size,
      keepsAsk: window.keepsAsk,
      requests: window.steps.map(({ exchange }) => exchange.number),
      lacks: window.steps.map((step) => window.lacks.get(step)),
    }
  );
}

describe("the part of a history that a client sends", () => {
  test("is the last six messages, without the task", async () => {
    const found = await windowIn(run(6, ([prompt = {}, ...rest]) => [prompt, ...rest.slice(-6)]));
    expect(found).toEqual({
      kind: "last",
      size: 6,
      keepsAsk: false,
      requests: [4, 5, 6],
      lacks: [
        { missing: 1, of: 7 },
        { missing: 3, of: 9 },
        { missing: 5, of: 11 },
      ],
    });
  });

  test("is the last five messages behind the task, wherever that cuts a round", async () => {
    const found = await windowIn(
      run(6, ([prompt = {}, ask = {}, ...rest]) => [prompt, ask, ...rest.slice(-5)]),
    );
    expect(found).toMatchObject({ kind: "last", size: 5, keepsAsk: true, requests: [4, 5, 6] });
  });

  test("is the first prompt and the newest round", async () => {
    const found = await windowIn(
      run(5, ([prompt = {}, ask = {}, ...rest]) => [prompt, ask, ...rest.slice(-2)]),
    );
    expect(found).toMatchObject({ kind: "newest", keepsAsk: true, requests: [3, 4, 5] });
    expect(found?.lacks.at(-1)).toEqual({ missing: 6, of: 9 });
  });

  test("is nothing peculiar where the whole history is sent", async () => {
    expect(await windowIn(run(6, (history) => history))).toBeUndefined();
  });

  test("is not named after two cuts, nor where something in the middle is gone", async () => {
    expect(await windowIn(run(5, ([prompt = {}, ...rest]) => [prompt, ...rest.slice(-6)]))).toBeUndefined();
    expect(
      await windowIn(run(8, (history) => history.filter((_, index) => index < 4 || index % 8 > 1))),
    ).toBeUndefined();
  });

  test("is not named where its size varies, as where tokens are counted", async () => {
    const sizes = [9, 9, 9, 7, 4, 6, 8];
    let at = 0;
    const story = run(7, ([prompt = {}, ...rest]) => [prompt, ...rest.slice(-(sizes[at++] ?? 9))]);
    expect(await windowIn(story)).toBeUndefined();
  });

  test("counts a sentence that the model says again and again as gone", async () => {
    const history: object[] = [user("Move the billing service to gRPC.")];
    const story = Array.from({ length: 9 }, (_, index): Told => {
      const told = { sent: history.slice(-9), back: says("I'll read the next page.") };
      history.push(told.back, user(`This is page ${index}.`));
      return told;
    });
    expect(await windowIn(story)).toMatchObject({ kind: "last", size: 9 });
  });
});
