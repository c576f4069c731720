// A graph of requests and errors over time.  The canvas is an image with a
// sentence; a table beside it has the numbers.  Its colours are those of the
// legend, read when it is drawn, so that it follows the colour scheme.

import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

import { html } from './html.js';
import { absolute, day, number, t, tick, zoneName } from './text.js';

const height = 220;
const colour = (element, property = 'color') =>
    getComputedStyle(element)[property];

// The increments of an axis of counts.
const counts = [...Array(10).keys()].flatMap((n) =>
    [1, 2, 5].map((step) => step * 10 ** n));

function options(root, days, span) {
    const length = days ? 86400 : 3600;
    const key = (name) => () => colour(root.querySelector(`.${name}`));
    const font = `${colour(root, 'fontSize')} system-ui, sans-serif`;
    const axis = { font, stroke: () => colour(root), gap: 6,
        grid: { stroke: () => colour(root, 'borderTopColor'), width: 1 },
        ticks: { show: false } };
    const bars = uPlot.paths.bars({ size: [0.8, 40] });
    const series = (name) => ({ stroke: key(name), fill: key(name),
        paths: bars, points: { show: false }, width: 0 });

    return {
        width: Math.max(root.clientWidth, 200), height,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { show: false } },
        tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000),
            days ? 'UTC' : zoneName()),
        scales: {
            x: { range: (u, low, high) =>
                [low - length / 2, high + length / 2] },
            y: { range: (u, low, high) => [0, Math.max(high, 1) * 1.1] }
        },
        series: [{}, series('requests'), series('errors')],
        axes: [
            { ...axis, space: 70, values: (u, at) => at.map((ts) =>
                tick(new Date(ts * 1000), days, span)) },
            { ...axis, incrs: counts, size: 60,
                values: (u, at) => at.map((n) => number(n)) }
        ]
    };
}

function useGraph(box, rows, days, onPoint) {
    useEffect(() => {
        const root = box.current;
        const at = rows.map(({ time }) => Date.parse(time) / 1000);
        const plot = new uPlot({
            ...options(root, days, rows.length),
            hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx)] }
        }, [at, rows.map((r) => r.requests), rows.map((r) => r.errors)],
        root.querySelector('.plot'));
        const scheme = matchMedia('(prefers-color-scheme: dark)');
        const redraw = () => plot.redraw();
        const fit = new ResizeObserver(() => plot.setSize({ height,
            width: Math.max(root.clientWidth, 200) }));

        fit.observe(root);
        scheme.addEventListener('change', redraw);

        return () => {
            fit.disconnect();
            scheme.removeEventListener('change', redraw);
            plot.destroy();
        };
    }, [rows, days]);
}

function Numbers({ rows, time }) {
    const [open, setOpen] = useState(false);

    return html`<details onToggle=${(e) => setOpen(e.target.open)}>
        <summary>${t('numbers')}</summary>
        ${open && html`<table>
            <thead><tr><th scope="col">${t('time')}</th>
                <th scope="col">${t('requests')}</th>
                <th scope="col">${t('errors')}</th></tr></thead>
            <tbody>${[...rows].reverse().map((row) => html`
                <tr key=${row.time}>
                    <th scope="row" data-label=${t('time')}>
                        <time datetime=${row.time}>${time(row)}</time></th>
                    <td data-label=${t('requests')}>${number(row.requests)}</td>
                    <td data-label=${t('errors')}>${number(row.errors)}</td>
                </tr>`)}</tbody>
        </table>`}
    </details>`;
}

// rows: {time, requests, errors}, the oldest first, of hours or days (in UTC);
// title: what a screen reader says.
export function Graph({ rows, days, title }) {
    const box = useRef();
    const [point, setPoint] = useState(null);
    const time = (row) => (days ? day : absolute)(new Date(row.time));
    const row = point === null || point === undefined ? null : rows[point];

    useGraph(box, rows, days, setPoint);

    return html`<div class="graph" ref=${box}>
        <p class="legend" aria-hidden="true">
            <span class="requests">${t('requests')}</span>
            <span class="errors">${t('errors')}</span>
            <span class="point">${row && t('point', { time: time(row),
                requests: row.requests, errors: row.errors })}</span>
        </p>
        <div class="plot" role="img" aria-label=${title}></div>
        <${Numbers} rows=${rows} time=${time} />
    </div>`;
}
