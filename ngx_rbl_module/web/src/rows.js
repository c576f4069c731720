// A table of any length.  The document has only the rows near the window, and
// the row with the focus.  All rows have the height --row of the style sheet.

import { useEffect, useLayoutEffect, useMemo, useRef, useState }
    from 'preact/hooks';

import { now } from './clock.js';
import { html } from './html.js';

const spare = 8;                // rows above and below the window
const step = 4;                 // the first row is a multiple of this
const most = 4;                 // new rows in a frame: more would take too long
const few = 2;                  // in one after a long frame
const long = 20;                // ms
const stale = 10000;            // ms after which the times in rows are made new

// What of the rows is near the window: {first, seen, last, tall}; seen: the
// first one in it.  While it scrolls, nothing is measured: that would make the
// browser lay out the page twice.
function near({ top, tall }) {
    const at = (y) => Math.max(0,
        Math.floor((y - top) / tall / step) * step);
    const seen = at(scrollY);

    return { first: Math.max(0, seen - spare), seen, tall,
        last: at(scrollY + innerHeight) + step + spare };
}

// The rows of the next frame: those of `old` that are near, and up to n more.
function toward(old, { first, seen, last, tall }, n) {
    const known = Math.max(old.first, first) < Math.min(old.last, last);
    const from = known ? Math.max(old.first, first) : seen;
    const till = known ? Math.min(old.last, last) : seen;
    const below = Math.min(n, last - till);

    return { first: from - Math.min(n - below, from - first),
        last: till + below, tall };
}

const same = (a, b) => a.first === b.first && a.last === b.last
    && a.tall === b.tall;

function measure(body) {
    const row = body.firstElementChild;

    return { top: body.getBoundingClientRect().top + scrollY,
        tall: row ? row.getBoundingClientRect().height : 36 };
}

// The arrow keys go to the same place of another row, Escape to what leads out.
function onKey(event, out) {
    const { target, key } = event;
    const row = target.closest('tr');
    const to = key === 'ArrowDown' ? row.nextElementSibling
        : key === 'ArrowUp' ? row.previousElementSibling : null;
    const next = to ? to.querySelector(target.localName)
            || to.querySelector('a')
        : key === 'Escape' && out.map((selector) =>
            document.querySelector(selector)).find((found) => found);

    if (next) {
        event.preventDefault();
        next.focus();
    }
}

// head: the cells of the head; cells(item): those of one of `items`, which have
// an id; it is the same function while they stay the same; also(item): what
// else a row depends on, which is compared; total: the number of
// all rows, or -1 if it is not known; out: the selectors of where Escape goes,
// the first that there is; selects: rows have a checkbox.  onNear is called
// with the first and the last row that are near.
export function Rows({ label, head, items, cells, also = () => null, selects,
    total, out, onNear })
{
    const body = useRef();
    const [view, setView] = useState({ first: 0, last: most, tall: 36 });
    const [held, setHeld] = useState('');
    const made = useMemo(() => new WeakMap(), [cells, view.tall,
        Math.floor(now() / stale)]);

    useLayoutEffect(() => {
        let asked = 0;
        let before = 0;
        let size = measure(body.current);

        function look(at) {
            const want = near(size);
            const n = at - before < long ? most : few;

            asked = 0;
            before = at;
            setView((old) => {
                const next = toward(old, want, n);

                if (!same(next, want)) {
                    soon();
                }

                return same(next, old) ? old : next;
            });
        }

        const soon = () => {
            asked = asked || requestAnimationFrame(look);
        };
        const again = () => {
            size = measure(body.current);
            soon();
        };
        const watch = new ResizeObserver(again);

        addEventListener('scroll', soon, { passive: true });
        addEventListener('resize', again);
        watch.observe(body.current);
        watch.observe(body.current.closest('main'));
        look(0);

        return () => {
            cancelAnimationFrame(asked);
            removeEventListener('scroll', soon);
            removeEventListener('resize', again);
            watch.disconnect();
        };
    }, []);

    useEffect(() => onNear(view.first, view.last), [view, items.length]);

    // A row that was made already is the same again: Preact passes it over.
    function make(item, i) {
        const before = made.get(item);
        const of = also(item);

        if (before && before.i === i && before.of === of) {
            return before.row;
        }

        const row = html`<tr key=${item.id} role="row" data-id=${item.id}
            aria-rowindex=${i + 2} style=${{ top: `${i * view.tall}px` }}>
            ${cells(item)}</tr>`;

        made.set(item, { row, i, of });
        return row;
    }

    const shown = items.slice(view.first, view.last)
        .map((item, i) => make(item, view.first + i));
    const at = held ? items.findIndex(({ id }) => id === held) : -1;

    if (at >= 0 && at < view.first) {
        shown.unshift(make(items[at], at));
    } else if (at >= view.last) {
        shown.push(make(items[at], at));
    }

    return html`<table class="rows ${selects ? 'selects' : ''}" role="table"
        aria-label=${label} aria-describedby="rows-keys"
        aria-rowcount=${total < 0 ? -1 : total + 1}>
        <thead role="rowgroup"><tr role="row" aria-rowindex="1">${head}</tr>
        </thead>
        <tbody role="rowgroup" ref=${body}
            style=${{ height: `${items.length * view.tall}px` }}
            onFocusIn=${(e) => setHeld(e.target.closest('tr').dataset.id)}
            onFocusOut=${() => setHeld('')}
            onKeyDown=${(e) => onKey(e, out)}>${shown}</tbody>
    </table>`;
}
