// How many addresses of a subnet were listed, day by day, and what changed:
// read one address after the other.

import { useEffect, useMemo, useState } from 'preact/hooks';

import { get } from './api.js';
import { useListNames } from './host_parts.js';
import { html } from './html.js';
import { Head, NameLink, Problem, State, When } from './parts.js';
import { Numbers, Plot, timeOf } from './plot.js';
import { reason } from './refusal.js';
import { date, t } from './text.js';
import { after, Days, listings, periodText } from './timeline.js';

const hour = 3600000;
const calls = 64;               // most, for one period
const most = 50;                // changes that are shown

// Reads all parts.  done: how many of them were; full: all that there is.
function useChanges(net, from, n, days, round) {
    const [state, setState] = useState({ rows: [], done: 0 });

    useEffect(() => {
        let over = false;

        async function read() {
            const rows = [];
            let made = 0;

            for (let i = 0; i < n; i++) {
                let place = 0;

                while (place !== null && made < calls) {
                    const { data, next } = await get(`range/history.json?net=${
                        encodeURIComponent(net)}&part=${from + i}&days=${days
                    }&after=${place}`);

                    if (over) {
                        return;
                    }

                    rows.push(...data);
                    place = next;
                    made++;
                }

                setState({ rows: [...rows], done: i + 1, full: made < calls });
            }
        }

        setState((old) => ({ ...old, done: 0 }));
        read().catch((refusal) => over || setState((old) => ({ ...old,
            problem: reason(refusal) })));

        return () => {
            over = true;
        };
    }, [net, from, n, days, round]);

    return state;
}

// By host: its changes, the newest first, and the listings that they tell of.
function byHost(rows, now) {
    const hosts = new Map();

    for (const { time, id, host, changes } of rows) {
        const of = hosts.get(id) || { id, host, changes: [] };

        of.changes.push(...changes.map((change) => ({ ...change, time })));
        hosts.set(id, of);
    }

    return [...hosts.values()].map((of) => ({ ...of,
        lists: listings(of.changes, now) }));
}

// The times in which a host was on any list.
function joined(spans) {
    const all = [];

    for (const [from, till] of [...spans].sort(([a], [b]) => a - b)) {
        const last = all.at(-1);

        if (last && from <= last[1]) {
            last[1] = Math.max(last[1], till);
        } else {
            all.push([from, till]);
        }
    }

    return all;
}

// Points of the chart: hours, or days of UTC, the last one now.
function pointsOf(hosts, cells, days, now) {
    const step = days === 1 ? hour : 24 * hour;
    const spans = new Map(hosts.map(({ id, lists }) => [id, lists.flatMap(
        (list) => list.spans)]));

    for (const { id, since } of cells) {
        if (since) {
            spans.set(id, [...spans.get(id) || [],
                [date(since).getTime(), now]]);
        }
    }

    const all = [...spans.values()].flatMap(joined);
    const last = Math.floor(now / step) * step;
    const count = (test) => all.filter(test).length;

    return [...Array(days === 1 ? 24 : days).keys()].reverse().map((back) => {
        const from = last - back * step;
        const till = Math.min(from + step, now);

        return { time: new Date(from).toISOString(),
            range_listed: count(([begin, end]) => begin < till && end >= till),
            range_new: count(([begin]) => begin >= from && begin < till),
            range_ended: count(([, end]) => end >= from && end < till) };
    });
}

const series = [{ name: 'listed', line: true, of: (row) => row.range_listed }];

function Chart({ points, days }) {
    const [point, setPoint] = useState(null);
    const row = points[point];
    const highest = Math.max(...points.map((one) => one.range_listed));
    const says = t('range_says', { period: periodText(days), highest,
        listed: points.at(-1).range_listed });

    return html`<div class="graph">
        <p class="legend" aria-hidden="true">
            <span class="listed">${t('range_listed')}</span>
            <span class="point">${row && t('range_point', {
                n: row.range_listed, time: timeOf(row, days > 1) })}</span></p>
        <${Plot} rows=${points} series=${series} days=${days > 1} height=${160}
            title=${says} onPoint=${setPoint} />
        <${Numbers} rows=${points} days=${days > 1}
            names=${['range_listed', 'range_new', 'range_ended']} />
    </div>`;
}

function Changes({ hosts, days, now }) {
    const [all, setAll] = useState(false);
    const names = useListNames();
    const start = now - days * 24 * hour;
    const rows = hosts.flatMap((of) => of.changes.map((change) =>
        ({ ...change, of }))).filter(({ time }) => date(time) >= start)
        .sort((a, b) => date(b.time) - date(a.time));
    const shown = all ? rows : rows.slice(0, most);

    return html`<h3>${t('changes', { n: rows.length })}</h3>
        ${rows.length > 0 && html`<table class="dense">
            <${Head} names=${['time', 'host', 'list', 'state']} />
            <tbody>${shown.map((change) => html`<tr>
                <td data-label=${t('time')}><${When} text=${change.time} /></td>
                <th scope="row" data-label=${t('host')}>
                    <${NameLink} to="host/${change.of.id}" kind="address"
                        name=${change.of.host} /></th>
                <td data-label=${t('list')}>
                    <bdi>${names.get(change.id) || change.host}</bdi></td>
                <td data-label=${t('state')}><div>
                    <${State} name=${change.status} />
                    ${' '}<span class="quiet">
                        ${after(change, change.of.lists)}</span></div></td>
            </tr>`)}</tbody>
        </table>`}
        ${shown.length < rows.length && html`<button
            onClick=${() => setAll(true)}>${t('more')}</button>`}`;
}

// from, n: the first part, and how many; cells: of all of them.
export function RangeHistory({ net, from, n, cells, days, now, round }) {
    const { rows, done, full = true, problem } = useChanges(net, from, n, days,
        round);
    const hosts = useMemo(() => byHost(rows, now), [rows]);
    const points = useMemo(() => pointsOf(hosts, cells, days, now),
        [hosts, cells, days]);

    return html`<section aria-labelledby="history">
        <h2 id="history">${t('range_history')}</h2>
        <${Days} at="range/${net}" days=${days} />
        <${Problem} text=${problem} />
        ${done < n && !problem && html`<p role="status"
            class="quiet">${t('loading')}</p>`}
        ${!full && html`<p class="quiet">${t('range_cut')}</p>`}
        <${Chart} points=${points} days=${days} />
        <${Changes} hosts=${hosts} days=${days} now=${now} />
    </section>`;
}
