/** Joins things into groups: what belongs to the same thing belongs together. */
export class Groups<T> {
  readonly #parents = new Map<T, T>();

  /** Puts two things, and all that is with them, into one group. */
  join(one: T, other: T): void {
    const [first, second] = [this.#rootOf(one), this.#rootOf(other)];
    if (first !== second) this.#parents.set(second, first);
  }

  /** The groups of these things, in the order of their first members. */
  of(things: Iterable<T>): T[][] {
    const groups = new Map<T, T[]>();
    for (const thing of things) {
      const root = this.#rootOf(thing);
      const group = groups.get(root);
      if (group) group.push(thing);
      else groups.set(root, [thing]);
    }
    return [...groups.values()];
  }

  #rootOf(thing: T): T {
    let root = thing;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root)) root = next;
    // What was passed on the way points to the root from now on.
    for (let each = thing; each !== root; ) {
      const next = this.#parents.get(each) as T;
      this.#parents.set(each, root);
      each = next;
    }
    return root;
  }
}
