/** The finding cannot be shown in the form that was asked for; the message is a sentence. */
export class Unshrinkable extends Error {}
