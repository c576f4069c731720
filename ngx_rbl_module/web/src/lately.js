// What changed lately, the newest first.  Addresses of a subnet that changed
// alike, one after the other, are one row.

import { useListNames } from './host_parts.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { Answer, Head, State, When } from './parts.js';
import { netOf } from './paths.js';
import { t } from './text.js';

const few = 8;                  // rows that are shown at first

const isAddress = (host) => /^[\d.]+$|:/.test(host);

function rowsOf(entries) {
    const rows = [];

    for (const entry of entries) {
        const net = isAddress(entry.host) ? netOf(entry.host) : entry.host;
        const what = JSON.stringify([net, entry.total,
            entry.changes.map(({ id, status }) => [id, status])]);
        const last = rows.at(-1);

        if (last && last.what === what && isAddress(entry.host)) {
            last.hosts.add(entry.id);
        } else {
            rows.push({ entry, net, what, hosts: new Set([entry.id]) });
        }
    }

    return rows;
}

function Where({ row: { entry, net, hosts } }) {
    return hosts.size > 1 ? html`
        <a href="#/range/${net}"><bdi class="address">${net}</bdi></a>
        <p class="quiet">${t('total_hosts', { n: hosts.size })}</p>`
        : html`<a href="#/host/${entry.id}">
            <bdi class="address">${entry.host}</bdi></a>`;
}

function Row({ row, names }) {
    const { entry } = row;
    const more = entry.total - entry.changes.length;

    return html`<tr>
        <td data-label=${t('time')}><${When} text=${entry.time} /></td>
        <th scope="row" data-label=${t('host')}><${Where} row=${row} /></th>
        <td data-label=${t('changed')}><ul>
            ${entry.changes.map(({ id, status, host }) => html`<li key=${id}>
                <${State} name=${status} />
                ${' '}<bdi>${names.get(id) || host}</bdi></li>`)}
            ${more > 0 && html`<li>${t('and_more', { n: more })}</li>`}
        </ul></td>
    </tr>`;
}

function Rows({ rows, names }) {
    return html`<table class="dense brief">
        <${Head} names=${['time', 'host', 'changed']} />
        <tbody>${rows.map((row) => html`<${Row} row=${row} names=${names}
            key=${row.entry.time + row.entry.id} />`)}</tbody>
    </table>`;
}

export function Lately() {
    const state = useLoad('changes.json');
    const names = useListNames();
    const rows = state.body ? rowsOf(state.body.data) : [];

    return html`<section aria-labelledby="lately">
        <h2 id="lately">${t('lately')}</h2>
        <${Answer} state=${state}>${() => html`
            ${rows.length === 0 ? html`<p>${t('no_changes')}</p>`
                : html`<${Rows} rows=${rows.slice(0, few)} names=${names} />`}
            ${rows.length > few && html`<details>
                <summary>${t('changes', { n: rows.length - few })}</summary>
                <${Rows} rows=${rows.slice(few)} names=${names} />
            </details>`}`}
        <//></section>`;
}
