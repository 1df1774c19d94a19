import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface WindowedProps {
  readonly count: number;
  /** Height of each row in CSS pixels. */
  readonly rowHeight: number;
  /** The row that has to be in view; −1 for none. */
  readonly current: number;
  readonly row: (index: number) => ComponentChildren;
  readonly onScroll?: (top: number, height: number) => void;
  readonly attributes?: Record<string, string | number | undefined>;
}

/** Rows outside the view that are drawn, too, so that scrolling shows no gap. */
const margin = 10;

/** Scrolls a list so that the row that begins at `top` is in view; a negative `top` is none. */
function keepInView(list: HTMLElement, top: number): void {
  const { scrollTop, clientHeight } = list;
  if (top < 0 || clientHeight === 0) return;
  const margin = clientHeight / 8;
  const isFar = top < scrollTop - clientHeight || top > scrollTop + 2 * clientHeight;
  if (isFar) list.scrollTop = top - clientHeight / 3;
  else if (top < scrollTop + margin) list.scrollTop = top - margin;
  else if (top > scrollTop + clientHeight - 2 * margin) list.scrollTop = top - clientHeight + 2 * margin;
}

/** A list of which only the rows in view are in the document. */
export function Windowed({ count, rowHeight, current, row, onScroll, attributes }: WindowedProps) {
  const element = useRef<HTMLDivElement>(null);
  /** Where the row begins that has to be in view. */
  const wanted = useRef(-1);
  const [view, setView] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const list = element.current;
    if (!list) return;
    let wasHidden = list.clientHeight === 0;
    const look = (): void => {
      const { scrollTop: top, clientHeight: height } = list;
      if (wasHidden && height > 0) keepInView(list, wanted.current);
      wasHidden = height === 0;
      setView((known) => (known.top === top && known.height === height ? known : { top, height }));
      onScroll?.(top, height);
    };
    const observer = new ResizeObserver(look);
    observer.observe(list);
    list.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      list.removeEventListener("scroll", look);
    };
  }, []);
  useLayoutEffect(() => {
    const list = element.current;
    wanted.current = current * rowHeight;
    if (!list) return;
    keepInView(list, wanted.current);
    // The event comes with the next frame; the row is drawn now.
    setView(({ height }) => ({ top: list.scrollTop, height }));
  }, [current, rowHeight]);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin);
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + margin);
  const rows = [];
  for (let index = first; index < last; index++) rows.push(row(index));
  return (
    <div class="windowed" ref={element} tabIndex={0} {...attributes}>
      <div class="spacer" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        <div class="rows" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
