// One host: its state at each list, why, since when, what to do; what changed
// in the last 90 days; a check on demand.

import { useState } from 'preact/hooks';

import { CheckNow } from '../check_now.js';
import { now } from '../clock.js';
import { HostActions } from '../host_actions.js';
import { html } from '../html.js';
import { lazy } from '../lazy.js';
import { useLoad } from '../load.js';
import { Muted } from '../mute_parts.js';
import { Answer, Changes, Place, State, stateOf, uncovered, When }
    from '../parts.js';
import { date, t } from '../text.js';
import { Timeline } from '../timeline.js';

const Cards = lazy(() => import('../card.js'), 'Cards', 'cards');
const order = { listed: 0, unknown: 1, skipped: 2, clear: 3 };

// Why a list gave no answer: a sentence for each class of reasons.
function why(list) {
    return t(`error_${list.error}`) || t('error_other', { error: list.error });
}

function Says({ list }) {
    const codes = list.codes.join(', ');

    return html`
        ${list.error && html`<p>${why(list)}</p>`}
        ${list.details && html`<p><bdi>${list.details}</bdi></p>`}
        ${codes && html`<p class="quiet">${t('codes', { codes })}</p>`}
        ${list.status === 'listed' && list.errors > 0
            && html`<p class="quiet">
                ${t('still_listed', { n: list.errors })}</p>`}`;
}

// Of a list that never answered the time is missing, too.
function Answered({ list }) {
    return list.asked || list.error === 'unasked'
        ? html`<${When} text=${list.asked} />` : t('state_untold');
}

// A link to another site, which must not learn where it came from.
function Away({ to, text }) {
    return /^https?:/.test(to) && html`<a href=${to} target="_blank"
        rel="noopener noreferrer">${text}</a> `;
}

function ListRow({ list }) {
    return html`<tr>
        <th scope="row" data-label=${t('list')}>
            <a href="#/lists/${list.id}">
                <bdi>${list.name || list.host}</bdi></a>
            ${list.name && html`<p class="quiet">
                <bdi class="zone">${list.host}</bdi></p>`}
        </th>
        <td data-label=${t('state')}>
            <${State} name=${list.status} /></td>
        <td data-label=${t('since')}>${list.since
            && html`<${When} text=${list.since} />`}</td>
        <td data-label=${t('answered')}><${Answered} list=${list} /></td>
        <td data-label=${t('says')}><${Says} list=${list} /></td>
        <td data-label=${t('links')}>
            <${Away} to=${list.lookup} text=${t('lookup')} />
            ${list.status !== 'clear' && html`
                <${Away} to=${list.delisting} text=${t('delisting')} />`}</td>
    </tr>`;
}

function ListTable({ lists, caption }) {
    return html`<table>
        <caption>${caption}</caption>
        <thead><tr>
            <th scope="col">${t('list')}</th>
            <th scope="col">${t('state')}</th>
            <th scope="col">${t('since')}</th>
            <th scope="col">${t('answered')}</th>
            <th scope="col">${t('says')}</th>
            <th scope="col">${t('links')}</th>
        </tr></thead>
        <tbody>${lists.map((list) => html`
            <${ListRow} key=${list.id} list=${list} />`)}</tbody>
    </table>`;
}

// Those that need no look are behind a summary.
function Lists({ lists }) {
    const sorted = [...lists].sort((a, b) => order[a.status] - order[b.status]
        || a.host.localeCompare(b.host));
    const of = (...states) => sorted.filter(({ status }) => states
        .includes(status));
    const first = of('listed', 'unknown');
    const others = [['lists_skipped', of('skipped')],
        ['lists_clear', of('clear')]].filter(([, some]) => some.length > 0);

    return html`
        ${first.length > 0 && html`
            <${ListTable} lists=${first} caption=${t('lists_first')} />`}
        ${others.map(([key, some]) => html`
            <details key=${key} open=${first.length === 0}>
                <summary>${t(key, { n: some.length })}</summary>
                <${ListTable} lists=${some} caption=${t(key,
                    { n: some.length })} />
            </details>`)}`;
}

function Next({ at }) {
    return at && date(at) < now() ? t('due') : html`<${When} text=${at} />`;
}

function Facts({ host }) {
    return html`<dl class="facts">
        <div><dt>${t('name')}</dt><dd><bdi>${host.name}</bdi></dd></div>
        <div><dt>${t('checked')}</dt>
            <dd><${When} text=${host.last_checked} /></dd></div>
        ${host.reason === 'plan expired' ? html`
            <div><dt>${t('stopped_since')}</dt>
                <dd><${When} text=${host.not_checked_since} /></dd></div>`
            : html`<div><dt>${t('next_check')}</dt>
                <dd><${Next} at=${host.next_check} /></dd></div>`}
        ${host.flapping_since && html`<div><dt>${t('flapping_since')}</dt>
            <dd><${When} text=${host.flapping_since} /></dd></div>`}
        ${host.parent && html`<div><dt>${t('range')}</dt><dd>
            <a href="#/host/${host.parent}">${t('show_range')}</a></dd></div>`}
    </dl>`;
}

export function Host({ me, rest: id }) {
    const [round, setRound] = useState(0);
    const lists = useLoad(`host/lists/${encodeURIComponent(id)}.json`, round);
    const history = useLoad(`host/history/${encodeURIComponent(id)}.json`,
        round);
    const again = () => setRound((n) => n + 1);

    return html`<${Answer} state=${lists}>${({ data }) => html`
        <${Place} path=${[['hosts', t('hosts')]]} />
        <h1><bdi>${data.host.host}</bdi>
            <${State} name=${stateOf(data.host)} /></h1>
        ${data.host.covered === '0' && html`
            <p>${uncovered(data.host.reason)}</p>`}
        <${Facts} host=${data.host} />
        <${Muted} ids=${[data.host.id, data.host.parent,
            ...data.host.contact_group.split(',')]} id=${data.host.id}
            may=${me.user.role !== 'viewer'} />
        ${me.user.role !== 'viewer' && html`
            ${data.host.type !== 'ip_range' && html`
                <${CheckNow} id=${data.host.id} onDone=${again} />`}
            <${HostActions} host=${data.host} onDone=${again} />`}
        ${data.lists.some(({ card }) => card) && html`
            <${Cards} lists=${data.lists} host=${data.host.id}
                may=${me.user.role !== 'viewer'} onDone=${again} />`}
        <${Lists} lists=${data.lists} />
        <h2>${t('history')}</h2>
        <${Answer} state=${history}>${(body) => html`
            <${Timeline} changes=${body.data} now=${now()} />`}<//>
        <${Changes} may=${me.user.role !== 'viewer'} id=${data.host.id} />`}
    <//>`;
}
