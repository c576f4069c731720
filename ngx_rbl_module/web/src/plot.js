// Numbers over time, drawn with uPlot.  The canvas is an image with a sentence;
// a table beside it has the numbers.  Its colours are those of the legend of
// the graph around it, read when it is drawn, so that it follows the colour
// scheme.

import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';

import { html } from './html.js';
import { Head } from './parts.js';
import { absolute, day, number, t, tick, zoneName } from './text.js';

const colour = (element, property = 'color') =>
    getComputedStyle(element)[property];

// The increments of an axis of counts.
const counts = [...Array(10).keys()].flatMap((n) =>
    [1, 2, 5].map((step) => step * 10 ** n));

function seriesOf(root, { name, line, dash }) {
    const key = () => colour(root.querySelector(`.legend .${name}`));

    return line ? { stroke: key, width: 2, dash, points: { show: false },
        paths: uPlot.paths.stepped({ align: 1 }) }
        : { stroke: key, fill: key, width: 0, points: { show: false },
            paths: uPlot.paths.bars({ size: [0.8, 40] }) };
}

function options(root, { series, length, days, height, rows }) {
    const font = `${colour(root, 'fontSize')} system-ui, sans-serif`;
    const axis = { font, stroke: () => colour(root), gap: 6,
        grid: { stroke: () => colour(root, 'borderTopColor'), width: 1 },
        ticks: { show: false } };

    return {
        width: Math.max(root.clientWidth, 200), height,
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { show: false } },
        tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000),
            days ? 'UTC' : zoneName()),
        scales: {
            x: { range: (u, low, high) =>
                [low - length / 2, high + length / 2] },
            y: { range: (u, low, high) => [Math.min(low, 0) * 1.1,
                Math.max(high, 1) * 1.1] }
        },
        series: [{}, ...series.map((one) => seriesOf(root, one))],
        axes: [
            { ...axis, space: 70, values: (u, at) => at.map((ts) =>
                tick(new Date(ts * 1000), days, rows.length * length / 3600)) },
            { ...axis, incrs: counts, size: 60, space: 30,
                values: (u, at) => at.map((n) => number(Math.abs(n))) }
        ]
    };
}

// rows: with a time, the oldest first, of hours or days (in UTC); series: name:
// a class of the legend; of: gives the number of a row, which is below 0 to be
// drawn downwards; line: else bars.  title: what a screen reader says; onPoint
// gets the index of the row that is pointed at; step: seconds of a row, if not
// an hour or a day; dash: of a line; a number that is null leaves a gap.
export function Plot({ rows, series, days, step, height, title, onPoint }) {
    const box = useRef();
    const length = step || (days ? 86400 : 3600);

    useEffect(() => {
        const root = box.current.closest('.graph');
        const plot = new uPlot({
            ...options(root, { series, length, days, height, rows }),
            hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx)] }
        }, [rows.map(({ time }) => Date.parse(time) / 1000),
            ...series.map(({ of }) => rows.map(of))], box.current);
        const looks = ['(prefers-color-scheme: dark)', 'print']
            .map((query) => matchMedia(query));
        const redraw = () => plot.redraw();
        const fit = new ResizeObserver(() => plot.setSize({ height,
            width: Math.max(root.clientWidth, 200) }));

        fit.observe(root);
        looks.forEach((look) => look.addEventListener('change', redraw));

        return () => {
            fit.disconnect();
            looks.forEach((look) => look.removeEventListener('change',
                redraw));
            plot.destroy();
        };
    }, [rows, days]);

    return html`<div class="plot" role="img" aria-label=${title}
        ref=${box}></div>`;
}

export const timeOf = (row, days) => (days ? day : absolute)(
    new Date(row.time));

// names: of the numbers of a row; their texts, with `text` before the names,
// are the heads of the columns.
export function Numbers({ rows, names, days, text = '' }) {
    const [open, setOpen] = useState(false);

    return html`<details onToggle=${(e) => setOpen(e.target.open)}>
        <summary>${t('numbers')}</summary>
        ${open && html`<table>
            <${Head} names=${['time', ...names.map((name) => text + name)]} />
            <tbody>${[...rows].reverse().map((row) => html`
                <tr key=${row.time}>
                    <th scope="row" data-label=${t('time')}>
                        <time datetime=${row.time}>${timeOf(row, days)}</time>
                    </th>
                    ${names.map((name) => html`<td key=${name}
                        data-label=${t(text + name)}>${row[name] !== null
                            && number(row[name])}</td>`)}
                </tr>`)}</tbody>
        </table>`}
    </details>`;
}
