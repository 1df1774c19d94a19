/**
 * How sure a reader is that something is its own, from 0 to 1. The levels are an order: where several claim
 * one object or one file, the highest wins, and of equals the first in the list. So neighbours differ where
 * one claim has to win over another.
 */
export const level = {
  /** It says itself what it is, and nothing else looks like this. */
  certain: 0.97,
  nearlyCertain: 0.95,
  veryStrong: 0.92,
  /** A form of its own, without a name. */
  strong: 0.9,
  fairlyStrong: 0.88,
  veryLikely: 0.85,
  likely: 0.8,
  fairlyLikely: 0.75,
  plausible: 0.7,
  fairlyPlausible: 0.65,
  /** Another reader may well know better. */
  possible: 0.6,
  barelyPossible: 0.55,
  even: 0.5,
  doubtful: 0.45,
  /** Many formats look like this: it counts where nothing contradicts it. */
  vague: 0.4,
  veryVague: 0.35,
  weak: 0.3,
  /** Only what stands around it can raise it to something that is taken. */
  faint: 0.2,
  faintest: 0.1,
};

/** From which certainty on something may be concluded. */
export const threshold = {
  /** It is a payload at all. */
  taken: 0.3,
  /**
   * It decides by which protocol an exchange is read, and is a reply without a request. Errors stay below:
   * they look alike everywhere.
   */
  leading: 0.5,
  /** A request is of its protocol and no other, so that only a reply of that protocol answers it. */
  exclusive: 0.65,
  /** No further event of a stream is looked at. */
  conclusive: 0.9,
};

/** What is added for the place in which an object stands. */
export const evidence = {
  ownUrl: 0.35,
  foreignUrl: -0.3,
  /**
   * Plain messages in a tool's report are in the tool's words, unless the whole body is there: then they
   * are in the API's.
   */
  reportedForm: 0.5,
  wireFormInReport: -0.3,
};
