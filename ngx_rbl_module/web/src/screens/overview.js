// Overview: how many hosts there are and how many lists answered; is it worse
// than before; which hosts are listed, what changed lately.

import { HostTable } from '../host_table.js';
import { html } from '../html.js';
import { lazy } from '../lazy.js';
import { useLoad } from '../load.js';
import { Answer, State, When } from '../parts.js';
import { t } from '../text.js';

const Trend = lazy(() => import('../trend.js'), 'Trend', 'trend');
const most = 100;
const states = ['listed', 'unknown', 'uncovered', 'clear', 'paused'];

function Change({ entry }) {
    const more = entry.total - entry.changes.length;

    return html`<tr>
        <td data-label=${t('time')}><${When} text=${entry.time} /></td>
        <th scope="row" data-label=${t('host')}>
            <a href="#/host/${entry.id}">
                <bdi class="address">${entry.host}</bdi></a></th>
        <td data-label=${t('changed')}><ul>
            ${entry.changes.map((change) => html`<li key=${change.id}>
                <${State} name=${change.status} /> <bdi>${change.host}</bdi>
            </li>`)}
            ${more > 0 && html`<li>${t('and_more', { n: more })}</li>`}
        </ul></td>
    </tr>`;
}

function Changes({ entries }) {
    if (entries.length === 0) {
        return html`<p>${t('no_changes')}</p>`;
    }

    return html`<table>
        <thead><tr>
            <th scope="col">${t('time')}</th>
            <th scope="col">${t('host')}</th>
            <th scope="col">${t('changed')}</th>
        </tr></thead>
        <tbody>${entries.map((entry) => html`
            <${Change} key=${entry.time + entry.id} entry=${entry} />`)}</tbody>
    </table>`;
}

// The screen is good only if each host is known to be clear, or paused.
function Summary({ counts, coverage }) {
    const { hosts, listed, unknown, uncovered } = counts;
    const { lists_asked: asked, lists_answered: answered } = coverage || {};
    const good = hosts > 0 && unknown + uncovered === 0;

    return html`
        <h1 class=${listed > 0 ? 'bad' : good ? 'good' : ''}>
            ${listed > 0 ? t('total_listed', { n: listed })
                : t(unknown > 0 ? 'none_known' : hosts > 0 ? 'none_listed'
                    : 'no_hosts')}</h1>
        <p>${hosts > 0 ? t('total_hosts', { n: hosts })
            : html`<a href="#/add">${t('no_hosts_text')}</a>`}</p>
        <ul class="counts">${states.map((name) => counts[name] > 0 && html`
            <li key=${name}><a href="#/hosts?state=${name}">
                <${State} name=${name} /> ${counts[name]}</a></li>`)}</ul>
        ${asked > 0 && html`
            <p>${t('lists_answered', { n: answered, total: asked })}</p>`}`;
}

function Listings({ body }) {
    const { total_listed: listed, data } = body;

    return html`
        ${data.length > 0 && html`<h2>${t('listed')}</h2>
            <${HostTable} hosts=${data} />`}
        ${listed > most && html`
            <p>${t('shown', { n: most, total: listed })}</p>`}`;
}

export function Overview({ query }) {
    const counts = useLoad('counts.json');
    const listings = useLoad(`listings.json?page_size=${most}`);
    const changes = useLoad('changes.json');

    return html`
        <${Answer} state=${counts}>${({ data }) => html`
            <${Summary} counts=${data} coverage=${listings.body} />
            ${data.hosts > 0 && html`<${Trend} query=${query} />`}`}<//>
        ${listings.body && html`<${Listings} body=${listings.body} />`}
        <h2>${t('lately')}</h2>
        <${Answer} state=${changes}>${({ data }) => html`
            <${Changes} entries=${data} />`}<//>`;
}
