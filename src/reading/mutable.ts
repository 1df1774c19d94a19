/** A value while it is made, before others may only read it. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
