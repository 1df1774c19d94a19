/** The JSON of a message before and behind a part of it. */
export interface AroundPart {
  readonly before: string;
  readonly after: string;
  /** The part is an element of a history by itself. */
  readonly isElement?: boolean;
}

/** A message, or a part of one, that stands alone in a text, with what a message lacks around it. */
export interface PastedPart extends AroundPart {
  readonly hasCall: boolean;
  readonly hasResult: boolean;
  readonly isOfModel: boolean;
  /** The ids of its calls. */
  readonly made: readonly string[];
  /** The ids of the calls that its results answer. */
  readonly answered: readonly string[];
}

/** What a value is as a part of a history; `undefined` for any other value. */
export type RecognizePart = (value: Readonly<Record<string, unknown>>) => PastedPart | undefined;
