/** A log holds more than can be kept in memory at once. The message is a clause: "it unpacks to more …". */
export class TooLarge extends Error {
  readonly code = "TOO_LARGE";
}

/** The most bytes that a compressed file, a pipe or a device may hold: they are kept in memory whole. */
export const maxInMemory = 1 << 30;
