/** As many values as a log may have of what repeats: names of members, of models. */
const most = 4096;

/**
 * A function of a text that keeps its newest values. For what a log asks again with each of its records: the
 * meaning of a member's name, the demands on a model. Long texts do not repeat, and are not kept.
 */
export function remembered<Value>(make: (text: string) => Value): (text: string) => Value {
  const made = new Map<string, Value>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined || made.has(text)) return known as Value;
    const value = make(text);
    if (text.length > longest) return value;
    if (made.size >= most) made.clear();
    made.set(text, value);
    return value;
  };
}

const longest = 256;
