// The addresses of a range, or of any subnet: their states as squares of cells,
// those that are listed, when they were.

import { useState } from 'preact/hooks';

import { get } from '../api.js';
import { now } from '../clock.js';
import { HostActions } from '../host_actions.js';
import { useListNames } from '../host_parts.js';
import { html } from '../html.js';
import { lazy } from '../lazy.js';
import { useLoad } from '../load.js';
import { Muted } from '../mute_parts.js';
import { Answer, Changes, groupsOf, NameLink, Place, Problem, State, Table,
    When } from '../parts.js';
import { groupsPath, profilesPath } from '../paths.js';
import { reason } from '../refusal.js';
import { Square } from '../square.js';
import { number, t } from '../text.js';
import { daysOf } from '../timeline.js';
import { Alerts } from '../host_alerts.js';

const RangeHistory = lazy(() => import('../range_history.js'), 'RangeHistory');
const most = 4;                 // squares on a screen
const size = 256;               // addresses of a square
const every = 30000;            // ms
const slow = 60000;
const states = ['listed', 'unknown', 'uncovered', 'clear', 'paused'];

const cellsOf = (net, part) => `range/cells.json?net=${
    encodeURIComponent(net)}&part=${part}`;

// Some parts of a subnet, from one on: the answer of the first one, and of all
// that are there.
function useParts(net, from, round) {
    const first = useLoad(cellsOf(net, from), round, every);
    const n = first.body ? Math.min(first.body.data.parts - from, most) : 0;
    const path = (i) => (i < n ? cellsOf(net, from + i) : '');
    const others = [useLoad(path(1), round, every),
        useLoad(path(2), round, every), useLoad(path(3), round, every)];

    return [first, [first, ...others].filter(({ body }, i) => body && i < n)
        .map(({ body }) => body.data)];
}

function Counts({ cells, all }) {
    return html`<ul class="counts">
        ${states.map((state) => {
            const n = cells.filter((cell) => cell.state === state).length;

            return n > 0 && html`<li key=${state}>
                <${State} name=${state} /> ${number(n)}</li>`;
        })}
        ${cells.length < all && html`<li class="quiet">
            ${t('not_monitored', { n: all - cells.length })}</li>`}</ul>`;
}

function Lists({ host, names }) {
    const more = host.total_lists - host.lists.length;

    return html`${host.lists.map(({ id, host: zone }, i) => html`${i > 0
        && ', '}<a key=${id} href="#/lists/${id}">
            <bdi>${names.get(id) || zone}</bdi></a>`)}
        ${more > 0 && html` ${t('and_more', { n: more })}`}`;
}

// The name of an address of a range ends with the address.
const called = ({ name, host }) => (name.endsWith(` ${host}`)
    ? name.slice(0, -host.length - 1) : name);

const rowOf = (names) => (host) => html`<tr key=${host.id}>
    <th scope="row" data-label=${t('host')}><${NameLink} kind="address"
        to="host/${host.id}" name=${host.host} /></th>
    <td data-label=${t('name')}>
        <bdi class="name" title=${host.name}>${called(host)}</bdi></td>
    <td data-label=${t('weight')}><span class="weight ${host.weight}">
        ${t(`weight_${host.weight}`)}</span></td>
    <td data-label=${t('lists')}><div><${Lists} host=${host}
        names=${names} /></div></td>
    <td data-label=${t('since')}><${When} text=${host.since} /></td>
</tr>`;

// The records of a part come in slices: the others of all parts by a button.
function Listed({ net, parts }) {
    const [more, setMore] = useState({ rows: [], next: new Map() });
    const names = useListNames();
    const listed = parts.flatMap((part) => [...part.listed,
        ...more.rows.filter((row) => row.part === part.part)]);
    const open = parts.map(({ part, next }) => [part,
        more.next.has(part) ? more.next.get(part) : next])
        .filter(([, next]) => next !== null);

    async function load() {
        const [part, after] = open[0];

        try {
            const { data } = await get(`${cellsOf(net, part)}&after=${after}`);

            setMore(({ rows, next }) => ({ rows: [...rows, ...data.listed
                .map((row) => ({ ...row, part }))],
            next: new Map([...next, [part, data.next]]) }));
        } catch (refusal) {
            setMore((old) => ({ ...old, problem: reason(refusal) }));
        }
    }

    return html`<section aria-labelledby="listed">
        <h2 id="listed">${t('listed')}</h2>
        <${Table} rows=${listed} row=${rowOf(names)} none=${t('range_none')}
            names=${['host', 'name', 'weight', 'lists', 'since']} />
        <${Problem} text=${more.problem} />
        ${open.length > 0 && html`<button onClick=${load}>${t('more')}
            </button>`}
    </section>`;
}

function Facts({ range }) {
    return html`<dl class="facts">
        ${range.name !== range.host && html`<div><dt>${t('name')}</dt>
            <dd><bdi>${range.name}</bdi></dd></div>`}
        <${Alerts} id=${range.id} />
    </dl>`;
}

// What can be done with a range of the account.
function Actions({ range, onDone }) {
    const profiles = useLoad(profilesPath, 0, slow).body;
    const groups = useLoad(groupsPath, 0, slow).body;

    return html`<${HostActions} host=${range} onDone=${onDone}
        profiles=${profiles && profiles.data} groups=${groups && groups.data}>
        <a class="button" href="#/mutes/${range.id}">${t('mute_this')}</a>
    <//>`;
}

// The squares before and behind those that are shown, of a large subnet.
function Others({ net, from, parts }) {
    return parts > most && html`<nav class="ranges" aria-label=${t('parts')}>
        ${[...Array(Math.ceil(parts / most)).keys()].map((i) => html`
            <a key=${i} href="#/range/${net}?from=${i * most}"
                aria-current=${i * most === from ? 'true' : undefined}>
                ${number(i * most * size + 1)}–${number(Math.min(
                    (i + 1) * most, parts) * size)}</a>`)}</nav>`;
}

export function Range({ me, rest, query }) {
    const net = decodeURIComponent(rest);
    const wanted = Number(new URLSearchParams(query).get('from')) || 0;
    const from = Math.max(0, Math.floor(wanted / most) * most);
    const [round, setRound] = useState(0);
    const [first, parts] = useParts(net, from, round);
    const again = () => setRound((n) => n + 1);
    const may = me.user.role !== 'viewer';
    const cells = parts.flatMap((part) => part.cells);

    return html`<${Answer} state=${first}>${({ data: { net: name, range,
        parts: n } }) => html`
        <${Place} path=${[['hosts', t('hosts')], ...range
            && range.host !== name
            ? [[`range/${range.host}`, range.host]] : []]} />
        <h1><bdi>${name}</bdi>${range && range.status === 'paused' && html`
            <${State} name="paused" />`}</h1>
        <${Counts} cells=${cells} all=${parts.reduce((sum, part) =>
            sum + part.size, 0)} />
        ${range && html`<${Facts} range=${range} />
            <${Muted} ids=${[range.id, ...groupsOf(range)]} />`}
        ${range && range.host === name && may && html`
            <${Actions} range=${range} onDone=${again} />`}
        <${Others} net=${name} from=${from} parts=${n} />
        <div class="range ${n > 1 ? 'many' : ''}">
            <div class="squares">${parts.map((part) => html`<figure
                key=${part.part}><figcaption><bdi>${part.first}</bdi>
                </figcaption><${Square} part=${part} /></figure>`)}</div>
            <${Listed} net=${name} parts=${parts} />
        </div>
        ${cells.length > 0 && html`<${RangeHistory} net=${name} cells=${cells}
            from=${from} n=${Math.min(n - from, most)} days=${daysOf(query)}
            now=${now()} round=${round} />`}
        ${range && html`<${Changes} may=${may} id=${range.id} />`}`}
    <//>`;
}
