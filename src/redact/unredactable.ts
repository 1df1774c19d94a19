/** Thrown when a log cannot be written in its form; a sentence for the user. */
export class Unredactable extends Error {}
