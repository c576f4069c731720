// Is it worse than yesterday, and which list is it?  Listed hosts by weight,
// day by day, and by list.  Hosts and listings have axes of their own: one host
// may be on many lists.

import { useMemo, useState } from 'preact/hooks';

import { html } from './html.js';
import { useLoad } from './load.js';
import { Answer, Head } from './parts.js';
import { Numbers, Plot, timeOf } from './plot.js';
import { number, t } from './text.js';

const ranges = [7, 30, 90];
const most = 90;
const every = 60000;            // ms
const hosts = ['listed', 'critical'].map((name) => ({ name, line: true,
    of: (row) => row[name] }));
const listings = [{ name: 'new', of: (row) => row.new },
    { name: 'ended', of: (row) => -row.ended }];

const signed = (n) => (n > 0 ? `+${number(n)}` : `\u2212${number(-n)}`);

function Since({ now, yesterday }) {
    return yesterday !== null && html`<span class="quiet">
        ${now === yesterday ? t('as_yesterday')
            : t('since_yesterday', { change: signed(now - yesterday) })}
    </span>`;
}

function Weights({ weights }) {
    const known = weights.filter((one) => one.hosts > 0 || one.yesterday > 0);

    return known.length > 0 && html`<ul class="weights">
        ${known.map(({ weight, hosts: n, yesterday }) => html`
            <li key=${weight} class=${weight}>
                <a href="#/hosts?state=listed">
                    <strong>${number(n)}</strong>${' '}
                    ${t(`weight_${weight}`)}</a>${' '}
                <${Since} now=${n} yesterday=${yesterday} /></li>`)}</ul>`;
}

// The ranges are in the address, so that one may be kept or sent.
function Ranges({ days }) {
    return html`<nav class="ranges" aria-label=${t('period')}>
        ${ranges.map((n) => html`<a key=${n} href="#/overview?days=${n}"
            aria-current=${n === days ? 'true' : undefined}>
            ${t('trend_days', { n })}</a>`)}</nav>`;
}

function Chart({ days, range }) {
    const rows = useMemo(() => days.slice(-range).map(({ date, ...row }) =>
        ({ ...row, time: `${date}T00:00:00Z` })), [days, range]);
    const [point, setPoint] = useState(null);
    const row = rows[point ?? -1];
    const sum = (name) => rows.reduce((n, one) => n + one[name], 0);
    const blind = rows.slice(0, -1).filter(({ unknown }) => unknown > 0).length;
    const says = t('trend_says', { range: t('trend_days', { n: range }),
        listed: rows.at(-1).listed, begun: sum('new'), ended: sum('ended') });

    return html`<p>${says}</p>
        ${blind > 0 && html`<p class="quiet">
            ${t('trend_unknown', { n: blind })}</p>`}
        ${rows.length < range && html`<p class="quiet">
            ${t('trend_since', { time: timeOf(rows[0], true) })}</p>`}
        <div class="graph">
            <p class="legend" aria-hidden="true">
                <span class="listed">${t('trend_listed')}</span>
                <span class="critical">${t('weight_critical')}</span>
                <span class="new">${t('trend_new')}</span>
                <span class="ended">${t('trend_ended')}</span>
                <span class="point">${row && t('trend_point', { ...row,
                    begun: row.new, time: timeOf(row, true) })}</span>
            </p>
            <${Plot} rows=${rows} series=${hosts} days height=${180}
                title=${says} onPoint=${setPoint} />
            <${Plot} rows=${rows} series=${listings} days height=${120}
                title=${t('trend_listings', { begun: sum('new'),
                    ended: sum('ended') })} onPoint=${setPoint} />
            <${Numbers} rows=${rows.map(({ listed, critical, unknown, ended,
                time, new: begun }) => ({ time, trend_listed: listed,
                weight_critical: critical, trend_new: begun,
                trend_ended: ended, state_unknown: unknown }))}
                names=${['trend_listed', 'weight_critical', 'trend_new',
                    'trend_ended', 'state_unknown']} days />
        </div>`;
}

function ByList({ lists, total }) {
    return html`<h2>${t('by_list')}</h2>
        ${lists.length === 0 ? html`<p>${t('by_list_none')}</p>`
            : html`<table class="dense">
                <${Head} names=${['list', 'weight', 'trend_listed',
                    'new_week']} />
                <tbody>${lists.map((list) => html`<tr key=${list.id}>
                    <th scope="row" data-label=${t('list')}>
                        <a href="#/lists/${list.id}">
                            <bdi>${list.name || list.host}</bdi></a></th>
                    <td data-label=${t('weight')}>
                        ${t(`weight_${list.weight}`)}</td>
                    <td data-label=${t('trend_listed')}>
                        ${number(list.hosts)}</td>
                    <td data-label=${t('new_week')}>${number(list.new)}</td>
                </tr>`)}</tbody>
            </table>`}
        ${total > lists.length && html`<p>
            ${t('by_list_more', { n: total - lists.length })}</p>`}`;
}

export function Trend({ query }) {
    const wanted = Number(new URLSearchParams(query).get('days'));
    const range = ranges.includes(wanted) ? wanted : 30;
    const state = useLoad(`trend.json?days=${most}`, 0, every);

    return html`<${Answer} state=${state}>${({ data }) => html`
        <${Weights} weights=${data.weights} />
        <section aria-labelledby="trend">
            <h2 id="trend">${t('trend')}</h2>
            <${Ranges} days=${range} />
            <${Chart} days=${data.days} range=${range} />
        </section>
        <${ByList} lists=${data.lists} total=${data.total_lists} />`}<//>`;
}
