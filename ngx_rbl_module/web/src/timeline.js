// When lists listed a host, in the last 24 hours to 90 days: a bar for each
// list that ever did, drawn from the changes, which come the newest first; and
// the changes as a table.

import { useState } from 'preact/hooks';

import { html } from './html.js';
import { Noted } from './marks.js';
import { Head, State, When } from './parts.js';
import { periodOf, Periods } from './periods.js';
import { absolute, date, lasts, t } from './text.js';

const periods = [1, 7, 30, 90]; // days
const day = 86400000;
const most = 12;                // rows that are shown at first

export const daysOf = (query) => periodOf(query, 'days', periods, 90);

export const periodText = (days) => (days === 1 ? t('hours_24')
    : t('last_days', { n: days }));

// at: the address that gets the number of days.
export const Days = ({ at, days }) => html`<${Periods} at=${at} name="days"
    periods=${periods} chosen=${days} text=${periodText} />`;

// The times in which each list listed the host: [{id, host, spans: [[from,
// till]]}] in ms, of the current ones till `now`.  A listing whose beginning is
// not recorded began before everything that is.  Those that list it now come
// first, then those that did last.
export function listings(changes, now) {
    const lists = new Map();

    for (const { time, id, host, status } of [...changes].reverse()) {
        const list = lists.get(id) || { id, host, spans: [], from: null };
        const at = date(time).getTime();

        if (status === 'listed') {
            list.from = list.from ?? at;
        } else {
            if (list.from !== null || list.spans.length === 0) {
                list.spans.push([list.from ?? 0, at]);
            }

            list.from = null;
        }

        lists.set(id, list);
    }

    const last = ({ spans }) => spans.at(-1)[1];

    return [...lists.values()].map(({ id, host, spans, from }) => ({ id, host,
        spans: from === null ? spans : [...spans, [from, now]] }))
        .sort((a, b) => last(b) - last(a));
}

// The parts of a period that ends now, from 0 to 1.
function partsOf(spans, days, now) {
    const start = now - days * day;

    return spans.filter(([, till]) => till > start).map((span) =>
        span.map((at) => Math.max(0, (at - start) / (days * day))));
}

function Bars({ parts }) {
    return html`<svg class="bars" viewBox="0 0 900 16" aria-hidden="true"
        preserveAspectRatio="none">
        <rect class="ground" width="900" height="16" />
        ${parts.map(([from, till]) => html`<rect class="span"
            x=${Math.min(from * 900, 896)}
            width=${Math.max(4, (till - from) * 900)} height="16" />`)}
    </svg>`;
}

// How often a list listed the host in the period.
function Row({ list, name, days, now }) {
    const parts = partsOf(list.spans, days, now);

    return html`<li>
        <a href="#/lists/${list.id}"><bdi>${name || list.host}</bdi></a>
        <${Bars} parts=${parts} />
        <span class="quiet">${t(parts.length === 0 ? 'never_then'
            : 'times', { n: parts.length })}</span></li>`;
}

function Rows({ rows, names, days, now }) {
    const [all, setAll] = useState(false);
    const shown = all ? rows : rows.slice(0, most);

    return html`<div class="timeline">
        <ul>${shown.map((list) => html`<${Row} key=${list.id} list=${list}
            name=${names.get(list.id)} days=${days} now=${now} />`)}</ul>
        <p class="quiet" aria-hidden="true">
            <span>${absolute(now - days * day)}</span>
            <span>${t('now_word')}</span></p>
        ${shown.length < rows.length && html`<button
            onClick=${() => setAll(true)}>${t('more_lists', {
                n: rows.length - shown.length })}</button>`}
    </div>`;
}

// For how long what ends at a change had stood, by the span that ends then.
export function after(change, rows) {
    const at = date(change.time).getTime();
    const { spans } = rows.find(({ id }) => id === change.id);
    const span = change.status !== 'listed'
        && spans.find(([from, till]) => from > 0 && till === at);

    return span ? t('after', { time: lasts(at - span[0]) }) : '';
}

function ChangeTable({ changes, rows, names }) {
    return html`<table class="dense">
        <${Head} names=${['time', 'list', 'state']} />
        <tbody>${changes.map((change) => html`<tr>
            <td data-label=${t('time')}><${When} text=${change.time} /></td>
            <td data-label=${t('list')}>
                <bdi>${names.get(change.id) || change.host}</bdi></td>
            <td data-label=${t('state')}><div>
                <${State} name=${change.status} />
                ${' '}<span class="quiet">${after(change, rows)}</span>
                <${Noted} mark=${change.mark} /></div></td>
        </tr>`)}</tbody>
    </table>`;
}

// names: of lists, by id; at: the address of the screen.
export function Timeline({ changes, names, now, days, at }) {
    const rows = listings(changes, now);

    return html`<section aria-labelledby="history">
        <h2 id="history">${t('history')}</h2>
        ${changes.length === 0 ? html`<p>${t('no_history')}</p>` : html`
            <${Days} at=${at} days=${days} />
            <${Rows} rows=${rows} names=${names} days=${days} now=${now} />
            <details>
                <summary>${t('changes', { n: changes.length })}</summary>
                <${ChangeTable} changes=${changes} rows=${rows}
                    names=${names} />
            </details>`}
    </section>`;
}
