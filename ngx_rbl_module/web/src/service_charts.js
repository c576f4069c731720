// What the service did in the last hours, for operators: queries to lists by
// outcome, how long checks have waited, deliveries by outcome.  One time range
// for all three.

import { useMemo, useState } from 'preact/hooks';

import { html } from './html.js';
import { periodOf, Periods } from './periods.js';
import { Numbers, Plot, timeOf } from './plot.js';
import { number, t } from './text.js';

const periods = [1, 24, 168];    // hours

export const hoursOf = (query) => periodOf(query, 'hours', periods, 24);

// name: of a class of the legend, and of the text there; of: of a point.
const charts = {
    queries: [
        ['answered', (p) => p.answered], ['refused', (p) => p.refused],
        ['unanswered', (p) => p.timed_out + p.failed]
    ],
    waits: [['oldest', (p) => p.oldest]],
    deliveries: [
        ['delivered', (p) => p.delivered], ['retried', (p) => p.retried],
        ['dead', (p) => p.dead]
    ]
};

// A chart: nothing is drawn where no daemon has reported.
function Chart({ name, points, step, says }) {
    const [point, setPoint] = useState(null);
    const names = charts[name].map(([one]) => one);
    const rows = useMemo(() => points.map((p) => ({ time: p.time,
        ...Object.fromEntries(charts[name].map(([one, of]) =>
            [one, p.reports > 0 ? of(p) : null])) })), [points]);
    const series = useMemo(() => names.map((one, i) => ({ name: one,
        line: true, dash: [[], [6, 4], [2, 3]][i], of: (row) => row[one] })),
    [name]);
    const row = rows[point ?? -1];

    return html`<section class="graph" aria-labelledby=${`chart-${name}`}>
        <h2 id=${`chart-${name}`}>${t(`chart_${name}`)}</h2>
        <p class="quiet">${says}</p>
        <${Plot} rows=${rows} series=${series} step=${step} height=${150}
            title=${`${t(`chart_${name}`)}: ${says}`} onPoint=${setPoint} />
        <p class="legend" aria-hidden="true">
            ${names.map((one) => html`<span key=${one} class=${one}>
                ${t(`point_${one}`)}${row && row[one] !== null
                    && ` ${number(row[one])}`}</span>`)}
            <span class="point">${row && timeOf(row)}</span></p>
        <${Numbers} rows=${rows} names=${names} text="point_" />
    </section>`;
}

const sum = (points, of) => points.reduce((n, p) => n + of(p), 0);

// health: the answer of operator/health.
export function Charts({ health: { points, step }, hours }) {
    const known = points.filter((p) => p.reports > 0);
    const most = Math.max(0, ...known.map((p) => p.oldest));
    const says = {
        queries: t('chart_says_queries', {
            answered: sum(known, (p) => p.answered),
            all: sum(known, (p) => p.answered + p.refused + p.timed_out
                + p.failed) }),
        waits: t('chart_says_waits', { value: most }),
        deliveries: t('chart_says_deliveries', {
            done: sum(known, (p) => p.delivered),
            dead: sum(known, (p) => p.dead) })
    };

    return html`
        <${Periods} at="status" name="hours" periods=${periods}
            chosen=${hours} text=${(n) => t(`range_${n}`)} />
        ${known.length === 0 ? html`<p>${t('chart_empty')}</p>`
            : html`<div class="charts">${Object.keys(charts).map((name) => html`
                <${Chart} key=${name} name=${name} points=${points}
                    step=${step} says=${says[name]} />`)}</div>
            ${known.length < points.length && html`<p class="quiet">
                ${t('chart_gaps')}</p>`}`}`;
}
