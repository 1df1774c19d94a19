/**
 * How sure a reader is that it recognizes something, from 0 to 1. Where several readers claim one object or
 * one file, the highest level wins, and the first in the list of equals. Neighbouring levels exist where one
 * claim has to win.
 */
export const level = {
  /** It names its own format, and nothing else looks like it. */
  certain: 0.97,
  nearlyCertain: 0.95,
  veryStrong: 0.92,
  /** A distinctive form, without a name. */
  strong: 0.9,
  fairlyStrong: 0.88,
  veryLikely: 0.85,
  likely: 0.8,
  fairlyLikely: 0.75,
  plausible: 0.7,
  fairlyPlausible: 0.65,
  /** Another reader may know better. */
  possible: 0.6,
  barelyPossible: 0.55,
  even: 0.5,
  doubtful: 0.45,
  /** Many formats look like this: it counts if nothing contradicts it. */
  vague: 0.4,
  veryVague: 0.35,
  weak: 0.3,
  /** Not taken unless its context raises it. */
  faint: 0.2,
  faintest: 0.1,
};

/** The minimum certainty for each conclusion. */
export const threshold = {
  /** It is a payload at all. */
  taken: 0.3,
  /**
   * It decides the protocol of an exchange, and is a reply without a request. Errors stay below: all look
   * alike.
   */
  leading: 0.5,
  /** The request belongs to this protocol only, so only replies of this protocol answer it. */
  exclusive: 0.65,
  /** No further event of a stream is inspected. */
  conclusive: 0.9,
};

/** Added to a certainty for the context of an object. */
export const evidence = {
  ownUrl: 0.35,
  foreignUrl: -0.3,
  /** Plain messages in a tool's report have the tool's form; with the whole body, they have the API's. */
  reportedForm: 0.5,
  wireFormInReport: -0.3,
};
