// Is it worse than yesterday?  Listed hosts by weight, and day by day.  Hosts
// and listings have axes of their own: one host may be on many lists.

import { useMemo, useState } from 'preact/hooks';

import { html } from './html.js';
import { Answer } from './parts.js';
import { Numbers, Plot, timeOf } from './plot.js';
import { number, signed, t } from './text.js';

const ranges = [7, 30, 90];
const hosts = ['listed', 'critical'].map((name) => ({ name, line: true,
    of: (row) => row[name] }));
const listings = [{ name: 'new', of: (row) => row.new },
    { name: 'ended', of: (row) => -row.ended }];

function Since({ now, yesterday }) {
    return yesterday !== null && html`<span class="quiet">
        ${now === yesterday ? t('as_yesterday')
            : t('since_yesterday', { change: signed(now - yesterday) })}
    </span>`;
}

// state: of the trend.
export function Weights({ state: { body } }) {
    const known = !body ? [] : body.data.weights.filter((one) => one.hosts > 0
        || one.yesterday > 0);

    return known.length > 0 && html`<ul class="weights">
        ${known.map(({ weight, hosts: n, yesterday }) => html`
            <li key=${weight} class=${weight}>
                <a href="#/hosts?state=listed&weight=${weight}">
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
                <span class="point">${row && t('trend_point', { ...row,
                    begun: row.new, time: timeOf(row, true) })}</span>
            </p>
            <${Plot} rows=${rows} series=${hosts} days height=${180}
                title=${says} onPoint=${setPoint} />
            <p class="legend" aria-hidden="true">
                <span class="new">${t('trend_new')}</span>
                <span class="ended">${t('trend_ended')}</span></p>
            <${Plot} rows=${rows} series=${listings} days height=${130}
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

// state: of the trend.
export function Trend({ state, query }) {
    const wanted = Number(new URLSearchParams(query).get('days'));
    const range = ranges.includes(wanted) ? wanted : 30;

    return html`<section aria-labelledby="trend">
        <h2 id="trend">${t('trend')}</h2>
        <${Ranges} days=${range} />
        <${Answer} state=${state}>${({ data }) => html`
            <${Chart} days=${data.days} range=${range} />`}<//></section>`;
}
