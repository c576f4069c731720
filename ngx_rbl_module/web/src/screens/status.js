// Status, for operators: the verdict with the reasons, what waits, and the
// daemons with their resolvers.

import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, When } from '../parts.js';
import { t } from '../text.js';

const pause = 30000;

function Fact({ name, value }) {
    return html`<div><dt>${t(name)}</dt><dd>${value}</dd></div>`;
}

const counted = (n) => t('number', { value: n });

// The counts of checks are those of the accounts that have waited longest.
function Queues({ queues }) {
    const least = (n) => (queues.more ? t('at_least', { value: n })
        : counted(n));

    return html`<dl class="facts">
        <${Fact} name="queue_due" value=${least(queues.due)} />
        <${Fact} name="queue_manual" value=${least(queues.manual)} />
        <${Fact} name="queue_oldest" value=${t('seconds',
            { value: queues.oldest })} />
        <${Fact} name="queue_running" value=${counted(queues.running)} />
        <${Fact} name="queue_soon" value=${least(queues.soon)} />
        <${Fact} name="queue_outbox" value=${counted(queues.outbox)} />
        <${Fact} name="queue_deliveries" value=${counted(queues.deliveries)} />
        <${Fact} name="queue_digests" value=${counted(queues.digests)} />
        <${Fact} name="queue_payments" value=${counted(queues.payments)} />
    </dl>`;
}

function Resolvers({ resolvers }) {
    return html`<ul>${resolvers.map((one) => html`<li key=${one.address}>
        <bdi>${one.address}</bdi>${' '}${t('resolver_says', {
            answered: one.answered, failed: one.failed,
            ms: Math.round(one.latency_us / 1000) })}</li>`)}</ul>`;
}

function Daemon({ daemon }) {
    return html`<tr>
        <th scope="row" data-label=${t('daemon')}><bdi>${daemon.name}</bdi>
            <p class="quiet"><bdi>${daemon.version}</bdi></p></th>
        <td data-label=${t('last_seen')}><${When} text=${daemon.seen} /></td>
        <td data-label=${t('started')}><${When} text=${daemon.started} /></td>
        <td data-label=${t('checks')}><span>${t('done_failed', {
            done: daemon.checks, failed: daemon.checks_failed })}
            <p class="quiet">${t('running_now',
                { value: daemon.checks_running })}</p></span></td>
        <td data-label=${t('queries')}><span>${counted(daemon.queries)}
            <p class="quiet">${t('timed_out',
                { value: daemon.timeouts })}</p></span></td>
        <td data-label=${t('deliveries')}>${t('done_failed', {
            done: daemon.delivered, failed: daemon.deliveries_failed })}</td>
        <td data-label=${t('resolvers')}>
            <${Resolvers} resolvers=${daemon.resolvers} /></td>
    </tr>`;
}

function Daemons({ daemons }) {
    return html`<table>
        <thead><tr>
            <th scope="col">${t('daemon')}</th>
            <th scope="col">${t('last_seen')}</th>
            <th scope="col">${t('started')}</th>
            <th scope="col">${t('checks')}</th>
            <th scope="col">${t('queries')}</th>
            <th scope="col">${t('deliveries')}</th>
            <th scope="col">${t('resolvers')}</th>
        </tr></thead>
        <tbody>${daemons.map((daemon) => html`
            <${Daemon} key=${daemon.name} daemon=${daemon} />`)}</tbody>
    </table>`;
}

function Conditions({ conditions }) {
    return html`<ul class="conditions">${conditions.map((one) => html`
        <li key=${one.name}><strong>${one.name}</strong>${' '}
            ${t(`verdict_${one.state}`)}
            ${one.since && html`${' '}(<${When} text=${one.since} />)`}
            <p><bdi>${one.reason}</bdi></p>
            <p class="quiet"><bdi>${one.remedy}</bdi></p></li>`)}</ul>`;
}

function Shown({ data: { verdict, conditions, store, queues, daemons } }) {
    return html`
        <h1 class=${verdict === 'good' ? 'good' : 'bad'}>
            ${t(`verdict_${verdict}`)}</h1>
        ${conditions.length > 0 && html`
            <${Conditions} conditions=${conditions} />`}
        <p>${t('total_daemons', { n: daemons.length })}</p>
        <p>${t('store_has', { accounts: store.accounts, lists: store.lists,
            active: store.lists_active })}</p>
        ${store.partitions_away > 0 && html`<p class="bad">
            ${t('parts_away', { n: store.partitions_away,
                of: store.partitions })}</p>`}
        ${daemons.length === 0 && html`<p>${t('no_daemons')}</p>`}
        ${daemons.length > 0 && html`<${Daemons} daemons=${daemons} />`}
        <section><h2>${t('queues')}</h2>
            <${Queues} queues=${queues} /></section>`;
}

export function Status() {
    const state = useLoad('operator/status.json', 0, pause);

    return html`<${Answer} state=${state}>${({ data }) => html`
        <${Shown} data=${data} />`}<//>`;
}
