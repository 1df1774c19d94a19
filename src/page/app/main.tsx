import { render } from "preact";
import type { PageData } from "../data.ts";

/** The page without its app: says what the index holds. */
function Summary({ data }: { readonly data: PageData }) {
  return (
    <p>
      {data.title}: {data.conversations.length} conversations, {data.items.length} items
    </p>
  );
}

const index = document.getElementById("index")?.textContent;
const root = document.getElementById("app");
if (index && root) {
  render(<Summary data={JSON.parse(index) as PageData} />, root);
  document.documentElement.dataset["ready"] = "true";
}
