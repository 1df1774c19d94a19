/**
 * How closely a payload matches the wire. `wire`: in the form in which a client sends or keeps it.
 * `reported`: described by an SDK or a tracing tool, with its own order, ids and forms; what is missing here
 * may have been on the wire.
 */
export type Fidelity = "wire" | "reported";
