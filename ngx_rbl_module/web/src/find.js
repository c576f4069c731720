// A search that is read page by page, from a cursor to the next one, and stays
// for the time when its screen is shown again.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { get, kept } from './api.js';
import { pageOf } from './paths.js';

const few = 50;                 // rows that more() reads at least
const many = 500;               // the same with a text: all that match matter
const pause = 10000;            // ms between two looks at what is shown
const used = new WeakSet();     // answers that rows were made of

// run: what reads on now; top: where the window was.
function begin(name, key) {
    const before = kept.get(name);
    const find = before && before.key === key ? before
        : { key, pages: [], rows: [], ids: new Set(), next: '', looked: 0,
            refusal: null, run: null, top: 0 };

    kept.set(name, find);
    return find;
}

const read = ({ key }, after) => get(pageOf(key, after));

// A row may be on two pages, if others went in between.
function fill(find, page, data, brief) {
    const rows = data.filter(({ id }) => !find.ids.has(id));

    rows.forEach(({ id }) => find.ids.add(id));
    used.add(data);
    page.rows = rows.map(brief);
}

// Reads on until there are n more rows; a search that another one has replaced
// ends, and its late answer is dropped.
async function readOn(find, n, brief, draw) {
    const run = {};
    const want = find.rows.length + n;

    find.run = run;
    find.refusal = null;

    try {
        while (find.next !== null && find.rows.length < want) {
            const page = { after: find.next };
            const { data, next, looked } = await read(find, page.after);

            if (find.run !== run) {
                return;
            }

            fill(find, page, data, brief);
            find.pages.push(page);
            find.rows.push(...page.rows);
            find.next = next;
            find.looked += looked;
            draw();
        }
    } catch (refusal) {
        if (find.run !== run) {
            return;
        }

        find.refusal = refusal;
    }

    find.run = null;
    draw();
}

// Reads the pages again that have rows from first to last.
async function refresh(find, [first, last], brief, draw) {
    let from = 0;

    for (const page of [...find.pages]) {
        const till = from + page.rows.length;

        if (from <= last && till >= first) {
            const { data } = await read(find, page.after);

            if (!used.has(data)) {
                page.rows.forEach(({ id }) => find.ids.delete(id));
                fill(find, page, data, brief);
                find.rows = find.pages.flatMap(({ rows }) => rows);
                draw();
            }
        }

        from = till;
    }
}

// key: the path of the search with its query; brief makes a row of a record.
// What it returns: rows; next, null at the end; looked, the number of records;
// run, not null while it reads; refusal; more(n); again(), which reads what is
// shown again; near(first, last), to be called with the rows that are shown.
export function useFind(name, key, brief) {
    const now = useRef(null);
    const shown = useRef([0, 0]);
    const [, set] = useState(0);
    const draw = () => set((n) => n + 1);

    if (!now.current || now.current.key !== key) {
        if (now.current) {
            now.current.run = null;
        }

        now.current = begin(name, key);
    }

    const find = now.current;
    const least = key.includes('text=') ? many : few;
    const more = async (n = least) => find.run || readOn(find, n, brief, draw);

    async function again() {
        if (document.visibilityState !== 'visible' || find.run) {
            return;
        }

        if (find.refusal || find.pages.length === 0) {
            await more();
        } else {
            await refresh(find, shown.current, brief, draw).catch((refusal) => {
                find.refusal = refusal;
                draw();
            });
        }
    }

    // An answer that has arrived already is drawn at once.
    useLayoutEffect(() => {
        const timer = setInterval(again, pause);

        document.addEventListener('visibilitychange', again);
        again();

        return () => {
            find.run = null;
            clearInterval(timer);
            document.removeEventListener('visibilitychange', again);
        };
    }, [key]);

    function near(first, last) {
        shown.current = [first, last];

        if (find.pages.length > 0 && last + few > find.rows.length
            && find.next !== null && !find.refusal)
        {
            more();
        }
    }

    return { find, more, again, near };
}
