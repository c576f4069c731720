// What lists said of a host in the last 90 days: a bar for each list, drawn
// from the changes, which come the newest first; and the changes as a table.

import { html } from './html.js';
import { Noted } from './marks.js';
import { State, When } from './parts.js';
import { date, t } from './text.js';

const days = 90;
const day = 86400000;

// The spans of each list in which it listed the host: {list: [[from, till]]},
// in parts of the 90 days, from 0 to 1.
function spans(changes, now) {
    const start = now - days * day;
    const place = (at) => Math.max(0, Math.min(1, (at - start) / (days * day)));
    const lists = new Map();

    for (const { time, host, status } of [...changes].reverse()) {
        const list = lists.get(host) || { bars: [], from: null };
        const at = date(time).getTime();

        if (status === 'listed') {
            list.from = list.from ?? at;
        } else if (list.from !== null) {
            list.bars.push([place(list.from), place(at)]);
            list.from = null;
        }

        lists.set(host, list);
    }

    return [...lists].map(([host, { bars, from }]) => ({ host,
        bars: (from === null ? bars : [...bars, [place(from), 1]])
            .filter(([, till]) => till > 0) }))
        .filter(({ bars }) => bars.length > 0);
}

function Bars({ bars }) {
    return html`<svg class="bars" viewBox="0 0 900 16" aria-hidden="true"
        preserveAspectRatio="none">
        <rect class="ground" width="900" height="16" />
        ${bars.map(([from, till]) => html`<rect class="span" x=${from * 900}
            width=${Math.max(4, (till - from) * 900)} height="16" />`)}
    </svg>`;
}

export function Timeline({ changes, now }) {
    const rows = spans(changes, now);

    if (changes.length === 0) {
        return html`<p>${t('no_history')}</p>`;
    }

    return html`
        ${rows.length > 0 && html`<div class="timeline" role="img"
            aria-label=${t('timeline', { n: rows.length, days })}>
            ${rows.map(({ host, bars }) => html`<div key=${host}>
                <bdi>${host}</bdi><${Bars} bars=${bars} /></div>`)}
            <p class="quiet"><span>${t('days_ago', { n: days })}</span>
                <span>${t('today')}</span></p>
        </div>`}
        <details>
            <summary>${t('changes', { n: changes.length })}</summary>
            <table>
                <thead><tr>
                    <th scope="col">${t('time')}</th>
                    <th scope="col">${t('list')}</th>
                    <th scope="col">${t('state')}</th>
                </tr></thead>
                <tbody>${changes.map((change) => html`<tr>
                    <td data-label=${t('time')}>
                        <${When} text=${change.time} /></td>
                    <td data-label=${t('list')}><bdi>${change.host}</bdi></td>
                    <td data-label=${t('state')}>
                        <${State} name=${change.status} />
                        <${Noted} mark=${change.mark} /></td>
                </tr>`)}</tbody>
            </table>
        </details>`;
}
