// How many hosts of an account a list lists, day by day, and which ones.

import { useMemo, useState } from 'preact/hooks';

import { useFind } from './find.js';
import { html } from './html.js';
import { Answers, shareOf } from './list_answers.js';
import { useLoad } from './load.js';
import { Answer, Head, When } from './parts.js';
import { searchOf } from './paths.js';
import { Numbers, Plot, timeOf } from './plot.js';
import { number, t } from './text.js';

const ranges = [7, 30, 90, 400];
const every = 60000;            // ms
const rows = 100;
const hosts = [{ name: 'listed', line: true, of: (row) => row.hosts }];
const moves = [{ name: 'new', of: (row) => row.new },
    { name: 'ended', of: (row) => -row.left }];

// The range is in the address, so that it may be kept or sent.
function Ranges({ id, days }) {
    return html`<nav class="ranges" aria-label=${t('period')}>
        ${ranges.map((n) => html`<a key=${n} href="#/lists/${id}?days=${n}"
            aria-current=${n === days ? 'true' : undefined}>
            ${t('lists_range', { n })}</a>`)}</nav>`;
}

function Chart({ days, range }) {
    const points = useMemo(() => days.slice(-range).map(({ date, ...row }) =>
        ({ ...row, time: `${date}T00:00:00Z` })), [days, range]);
    const [point, setPoint] = useState(null);
    const row = points[point ?? -1];
    const sum = (name) => points.reduce((n, one) => n + one[name], 0);
    const says = t('list_says', { range: t('lists_range', { n: range }),
        hosts: points.at(-1).hosts, came: sum('new'), left: sum('left') });

    return html`<p>${says}</p>
        ${points.length < range && html`<p class="quiet">
            ${t('list_since', { time: timeOf(points[0], true) })}</p>`}
        <div class="graph">
            <p class="legend" aria-hidden="true">
                <span class="listed">${t('list_hosts')}</span>
                <span class="new">${t('list_came')}</span>
                <span class="ended">${t('list_left')}</span>
                <span class="point">${row && t('list_point', {
                    hosts: row.hosts, came: row.new, left: row.left,
                    time: timeOf(row, true) })}</span>
            </p>
            <${Plot} rows=${points} series=${hosts} days height=${160}
                title=${says} onPoint=${setPoint} />
            <${Plot} rows=${points} series=${moves} days height=${100}
                title=${t('list_moves', { came: sum('new'),
                    left: sum('left') })} onPoint=${setPoint} />
            <${Numbers} rows=${points.map(({ time, hosts: n, new: came,
                left }) => ({ time, list_hosts: n, list_came: came,
                list_left: left }))}
                names=${['list_hosts', 'list_came', 'list_left']} days />
        </div>`;
}

// A host with its listing by this list.
function briefOf(zone) {
    return ({ id, host, name, first_listed: first,
        listed_details: listings }) => {
        const listing = listings.find(({ host: at }) => at === zone);

        return { id, host, name, others: listings.length - 1,
            on: listing !== undefined,
            since: listing && listing.since ? listing.since : first };
    };
}

function Hosts({ id, zone, total }) {
    const query = new URLSearchParams({ list: id, state: 'listed',
        sort: 'since' });
    const { find, more } = useFind(`on ${id}`, searchOf(query), briefOf(zone));
    const shown = find.rows.filter(({ on }) => on)
        .sort((a, b) => (a.since < b.since ? 1 : -1));

    return html`
        <table class="dense">
            <${Head} names=${['host', 'name', 'list_on_since',
                'list_others']} />
            <tbody>${shown.slice(0, rows).map((row) => html`
                <tr key=${row.id}>
                    <th scope="row" data-label=${t('host')}>
                        <a href="#/host/${row.id}"><bdi class="address">${
                            row.host}</bdi></a></th>
                    <td data-label=${t('name')}>
                        <bdi class="name">${row.name}</bdi></td>
                    <td data-label=${t('list_on_since')}>
                        <${When} text=${row.since} /></td>
                    <td data-label=${t('list_others')}>
                        ${row.others > 0 && number(row.others)}</td>
                </tr>`)}</tbody>
        </table>
        <p role="status">${t('shown', { n: Math.min(shown.length, rows),
            total })}${' '}
            ${shown.length > rows && html`<a
                href="#/hosts?state=listed&list=${id}">
                ${t('list_all_hosts')}</a>`}</p>
        ${find.next !== null && shown.length < Math.min(rows, total)
            && html`<p><button disabled=${find.run !== null}
                onClick=${() => more(rows)}>${t('more')}</button></p>`}`;
}

// responses: how the queries of the service ended; of a list of the account
// nothing is known of them.
function Answered({ row: { asked, answers, answered }, responses }) {
    return html`${asked === 0 ? t('lists_unasked_text')
        : answered === '' ? t('lists_never')
        : html`${t(answers === 1 ? 'lists_answered_at' : 'lists_silent')}${' '}
            <${When} text=${answered} />.`}
        ${shareOf(responses) !== null && html`${' '}
            ${t('list_share')}${' '}<${Answers} responses=${responses} />`}`;
}

export function ListTrend({ id, zone, query, responses }) {
    const wanted = Number(new URLSearchParams(query).get('days'));
    const range = ranges.includes(wanted) ? wanted : 30;
    const state = useLoad(`list/trend/${encodeURIComponent(id)}.json?days=${
        ranges.at(-1)}`, 0, every);

    return html`<${Answer} state=${state}>${({ data }) => html`
        <section aria-labelledby="mine">
            <h2 id="mine">${data.hosts > 0 ? t('list_mine', { n: data.hosts })
                : t('list_mine_none')}</h2>
            <p><${Answered} row=${data} responses=${responses} />
                ${data.new > 0 && html` ${t('list_new', { n: data.new })}`}</p>
            <${Ranges} id=${id} days=${range} />
            <${Chart} days=${data.days} range=${range} />
            ${data.hosts > 0 && html`<${Hosts} id=${id} zone=${zone}
                total=${data.hosts} />`}
        </section>`}<//>`;
}
