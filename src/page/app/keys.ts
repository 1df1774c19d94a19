import type { State } from "./state.ts";

/** Answers the keys of the whole page; true if the key meant something. */
export function pressed(state: State, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("input, textarea, select, dialog")) return false;
  const isInSteps = target?.closest("[role=tree], [role=listbox]") != null;
  switch (event.key) {
    case "j":
      state.move(1);
      return true;
    case "k":
      state.move(-1);
      return true;
    case "ArrowDown":
    case "ArrowUp":
      if (!isInSteps) return false;
      state.move(event.key === "ArrowDown" ? 1 : -1);
      return true;
    case "n":
      state.moveFinding(1);
      return true;
    case "p":
      state.moveFinding(-1);
      return true;
    case "Enter":
      // Buttons and links keep their key.
      if (target?.closest("button, a, summary")) return false;
      state.tab.value = "step";
      document.querySelector<HTMLElement>("#step-view")?.focus();
      return true;
    case "e":
      state.areEventsShown.value = !state.areEventsShown.value;
      return true;
    case "f":
      if (state.repair.value < 0) return false;
      state.view.value = state.view.value === "repaired" ? "sent" : "repaired";
      return true;
    case "g":
      if (!state.data.diff || state.data.diff.first < 0) return false;
      state.goToDiffRow(state.data.diff.first);
      return true;
    case "t":
      state.view.value = state.view.value === "calls" ? "sent" : "calls";
      state.tab.value = "step";
      return true;
    case "/":
      document.querySelector<HTMLElement>("[role=searchbox]")?.focus();
      return true;
    case "?":
      state.isHelpShown.value = true;
      return true;
    case "Escape":
      if (state.view.value !== "sent") state.view.value = "sent";
      else void state.search("");
      return true;
    default:
      return false;
  }
}
