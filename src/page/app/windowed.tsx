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
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** Rows outside the view that are drawn, too, so that scrolling shows no gap. */
const margin = 10;

/** A list of which only the rows in view are in the document. */
export function Windowed({ count, rowHeight, current, row, onScroll, attributes, onKeyDown }: WindowedProps) {
  const element = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const list = element.current;
    if (!list) return;
    const look = (): void => {
      const { scrollTop: top, clientHeight: height } = list;
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
    if (!list || current < 0) return;
    const { scrollTop, clientHeight } = list;
    const top = current * rowHeight;
    const isFar = top < scrollTop - clientHeight || top > scrollTop + 2 * clientHeight;
    if (isFar) list.scrollTop = top - clientHeight / 3;
    else if (top < scrollTop + rowHeight) list.scrollTop = top - rowHeight;
    else if (top > scrollTop + clientHeight - 2 * rowHeight)
      list.scrollTop = top - clientHeight + 2 * rowHeight;
  }, [current, rowHeight]);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - margin);
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + margin);
  const rows = [];
  for (let index = first; index < last; index++) rows.push(row(index));
  return (
    <div class="windowed" ref={element} tabIndex={0} onKeyDown={onKeyDown} {...attributes}>
      <div class="spacer" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        <div class="rows" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
