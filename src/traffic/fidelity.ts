/**
 * How true to the wire a payload is. `wire`: in the form in which a client sends or keeps it. `reported`:
 * an SDK or a tracing tool says what was sent and what came back; order, ids and forms are its own, and
 * what is missing need not have been missing on the wire.
 */
export type Fidelity = "wire" | "reported";
