// The pages of a list that were loaded behind the first one.

import { useRef, useState } from 'preact/hooks';

import { html } from './html.js';
import { Problem } from './parts.js';
import { reason } from './refusal.js';
import { t } from './text.js';

// Returns the rows of all pages, what the end of the list shows, and where the
// next page begins, if there is one.  first: the answer with the first page;
// read: reads the page behind a place: {data, next}.
export function useMore(first, read) {
    const [more, setMore] = useState({ rows: [] });
    const busy = useRef(false);
    const rows = [...first.data, ...more.rows];
    const next = more.next === undefined ? first.next : more.next;

    async function load() {
        if (busy.current) {
            return;
        }

        busy.current = true;

        try {
            const page = await read(next);

            setMore((was) => ({ next: page.next || '',
                rows: [...was.rows, ...page.data] }));
        } catch (refusal) {
            setMore((was) => ({ ...was, problem: reason(refusal) }));
        }

        busy.current = false;
    }

    return [rows, html`
        ${first.total !== undefined && html`<p role="status">
            ${t('shown', { n: rows.length, total: first.total })}</p>`}
        <${Problem} text=${more.problem} />
        ${next && html`<button onClick=${load}>${t('more')}</button>`}`, next];
}
