// The pages of a list that were loaded behind the first one.

import { useState } from 'preact/hooks';

import { get } from './api.js';
import { html } from './html.js';
import { Problem } from './parts.js';
import { reason } from './refusal.js';
import { t } from './text.js';

// The rows of all pages, and what the end of the list shows.  first: the answer
// with the first page; at: the address of a page, to which "after" is added.
export function useMore(first, at) {
    const [more, setMore] = useState({ rows: [] });

    async function load(after) {
        try {
            const { data, next } = await get(`${at}after=${after}`);

            setMore((was) => ({ next, rows: [...was.rows, ...data] }));
        } catch (refusal) {
            setMore((was) => ({ ...was, problem: reason(refusal) }));
        }
    }

    const rows = [...first.data, ...more.rows];
    const after = more.next === undefined ? first.next : more.next;

    return [rows, html`
        <p role="status">${t('shown', { n: rows.length,
            total: first.total })}</p>
        <${Problem} text=${more.problem} />
        ${after && html`<button onClick=${() => load(after)}>
            ${t('more')}</button>`}`];
}
