// Status, for operators.  First the verdict with its reasons, from what the
// daemons found; then numbers and charts; then what somebody has to do, and the
// parts of the service.

import { html } from '../html.js';
import { coverageOf, Needs } from '../list_needs.js';
import { useLoad } from '../load.js';
import { want } from '../opened.js';
import { Answer, Table, When } from '../parts.js';
import { Charts, hoursOf } from '../service_charts.js';
import { number, t } from '../text.js';

const pause = 30000;

const Fact = ({ name, children }) => html`<div><dt>${t(name)}</dt>
    <dd>${children}</dd></div>`;
const minutely = (rate) => number(Math.round(rate * 6 / 10) / 10);

function Conditions({ conditions }) {
    return html`<ul class="conditions">${conditions.map((one) => html`
        <li key=${one.name}><strong>${one.name}</strong>${' '}
            ${t(`verdict_${one.state}`)}
            ${one.since && html`${' '}(<${When} text=${one.since} />)`}
            <p><bdi>${one.reason}</bdi></p>
            <p class="quiet"><bdi>${one.remedy}</bdi></p></li>`)}</ul>`;
}

// The counts of checks are those of the accounts that have waited longest.
const least = (queues, n) => (queues.more ? t('at_least', { value: n })
    : number(n));

// The most telling numbers.  lists: null: not known yet.
function Tiles({ status: { queues, daemons, store }, lists }) {
    const known = lists && coverageOf(lists);

    return html`<dl class="facts tiles">
        <${Fact} name="checks_minute">${minutely(daemons.reduce((n, one) =>
            n + one.checks_per_1000s, 0))}<//>
        <${Fact} name="queue_due">${least(queues, queues.due)}<//>
        <${Fact} name="queue_oldest">${t('seconds',
            { value: queues.oldest })}<//>
        ${known && html`<${Fact} name="lists_answer"><a href="#/lists">
            ${t('n_of', { n: known.answer, all: known.queried })}</a><//>`}
        <${Fact} name="queue_deliveries">${number(queues.deliveries)}<//>
        <${Fact} name="accounts"><a href="#/accounts">
            ${number(store.accounts)}</a><//>
    </dl>`;
}

function Daemon({ one }) {
    return html`<tr>
        <th scope="row" data-label=${t('daemon')}><bdi>${one.name}</bdi>
            <span class="quiet"> <bdi>${one.version}</bdi></span></th>
        <td data-label=${t('last_seen')}><${When} text=${one.seen} /></td>
        <td data-label=${t('started')}><${When} text=${one.started} /></td>
        <td data-label=${t('checks_minute')}>
            ${minutely(one.checks_per_1000s)}</td>
        <td data-label=${t('queue_running')}>${number(one.checks_running)}</td>
        <td data-label=${t('queries_waiting')}>
            ${number(one.queries_waiting)}</td>
        <td data-label=${t('deliveries')}>${t('deliveries_of', {
            done: one.delivered, failed: one.deliveries_failed,
            dead: one.deliveries_dead })}</td>
    </tr>`;
}

function Daemons({ daemons, addresses }) {
    return html`<section aria-labelledby="daemons">
        <h2 id="daemons">${t('total_daemons', { n: daemons.length })}</h2>
        <${Table} rows=${daemons} none=${t('no_daemons')} names=${['daemon',
            'last_seen', 'started', 'checks_minute', 'queue_running',
            'queries_waiting', 'deliveries']}
            row=${(one) => html`<${Daemon} key=${one.name} one=${one} />`} />
        ${addresses.length > 0 && html`<p>${t('queries_from')}${' '}
            <bdi class="address">${addresses.map(({ address, host }) =>
                `${address} (${host})`).join(', ')}</bdi></p>`}
    </section>`;
}

function Resolver({ one }) {
    return html`<tr>
        <th scope="row" data-label=${t('resolver')}>
            <bdi class="address">${one.address}</bdi></th>
        <td data-label=${t('daemon')}><bdi>${one.name}</bdi></td>
        <td data-label=${t('point_answered')}>${number(one.answered)}</td>
        <td data-label=${t('point_unanswered')}>${number(one.failed)}</td>
        <td data-label=${t('mean_time')}>${one.answered > 0
            && t('milliseconds', { value: Math.round(one.latency_us / 1000)
            })}</td>
    </tr>`;
}

function Resolvers({ daemons }) {
    const rows = daemons.flatMap(({ name, resolvers }) =>
        resolvers.map((one) => ({ ...one, name })));

    return rows.length > 0 && html`<section aria-labelledby="resolvers">
        <h2 id="resolvers">${t('resolvers')}</h2>
        <${Table} rows=${rows} names=${['resolver', 'daemon', 'point_answered',
            'point_unanswered', 'mean_time']}
            row=${(one) => html`<${Resolver} one=${one}
                key=${`${one.name} ${one.address}`} />`} /></section>`;
}

function Receiver({ one }) {
    const { account, id, name, waiting, fails, failing } = one;

    return html`<tr>
        <th scope="row" data-label=${t('account')}><a href="#/open/${account}"
            onClick=${() => want(account)}>
            <bdi class="name">${one.account_name}</bdi></a></th>
        <td data-label=${t('receiver')}>${id
            ? html`<bdi class="name">${name}</bdi>`
            : t('receiver_callbacks')}</td>
        <td data-label=${t('receiver_waits')}>${number(waiting)}</td>
        <td data-label=${t('receiver_fails')}>${fails > 0 && html`
            <${When} text=${failing} /> (${number(fails)})`}</td>
    </tr>`;
}

function Receivers({ receivers }) {
    return html`<section aria-labelledby="receivers">
        <h2 id="receivers">${t('receivers_wait')}</h2>
        <${Table} rows=${receivers} none=${t('receivers_none')}
            names=${['account', 'receiver', 'receiver_waits', 'receiver_fails']}
            row=${(one) => html`<${Receiver} one=${one}
                key=${one.account + one.id} />`} /></section>`;
}

function Waiting({ queues }) {
    return html`<section aria-labelledby="queues">
        <h2 id="queues">${t('queues')}</h2>
        <dl class="facts">
            <${Fact} name="queue_soon">${least(queues, queues.soon)}<//>
            <${Fact} name="queue_manual">${least(queues, queues.manual)}<//>
            <${Fact} name="queue_running">${number(queues.running)}<//>
            <${Fact} name="queue_outbox">${number(queues.outbox)}<//>
            <${Fact} name="queue_digests">${number(queues.digests)}<//>
            <${Fact} name="queue_payments"><a href="#/unpaid">
                ${number(queues.payments)}</a><//>
        </dl></section>`;
}

const megabytes = (n) => number(Math.round(n / 1048576));

function Store({ store }) {
    const { partitions: all, partitions_away: away, memory,
        memory_max: limit, replicas } = store;

    return html`<section aria-labelledby="store">
        <h2 id="store">${t('store')}</h2>
        ${away > 0 && html`<p class="wrong">
            ${t('parts_away', { n: away, of: all })}</p>`}
        <dl class="facts">
            <${Fact} name="store_parts">${t('n_of', { n: all - away, all })}<//>
            ${memory > 0 && html`<${Fact} name="store_memory">${t('n_of', {
                n: megabytes(memory), all: limit > 0 ? megabytes(limit)
                    : t('no_limit') })}<//>`}
            <${Fact} name="store_replicas">${number(replicas)}<//>
            <${Fact} name="lists_used">${t('n_of', { n: store.lists_active,
                all: store.lists })}<//>
        </dl></section>`;
}

function Shown({ status, lists, health, receivers, hours }) {
    const { verdict, conditions, daemons, addresses } = status;

    return html`
        <h1 class=${verdict === 'good' ? 'good' : 'bad'}>
            ${t(`verdict_${verdict}`)}</h1>
        ${conditions.length > 0 && html`
            <${Conditions} conditions=${conditions} />`}
        <${Tiles} status=${status} lists=${lists.body && lists.body.data} />
        <${Answer} state=${health}>${({ data }) => html`
            <${Charts} health=${data} hours=${hours} />`}<//>
        <${Answer} state=${lists}>${({ data }) => html`
            <${Needs} lists=${data} addresses=${addresses} />`}<//>
        <div class="panels">
            <${Answer} state=${receivers}>${({ data }) => html`
                <${Receivers} receivers=${data} />`}<//>
            <div><${Waiting} queues=${status.queues} />
                <${Store} store=${status.store} /></div>
        </div>
        <${Daemons} daemons=${daemons} addresses=${addresses} />
        <${Resolvers} daemons=${daemons} />`;
}

export function Status({ query }) {
    const hours = hoursOf(query);
    const state = useLoad('operator/status.json', 0, pause);
    const lists = useLoad('operator/lists.json', 0, 2 * pause);
    const receivers = useLoad('operator/receivers.json', 0, 2 * pause);
    const health = useLoad(`operator/health.json?hours=${hours}`, 0, 2 * pause);

    return html`<${Answer} state=${state}>${({ data }) => html`
        <${Shown} status=${data} lists=${lists} health=${health}
            receivers=${receivers} hours=${hours} />`}<//>`;
}
