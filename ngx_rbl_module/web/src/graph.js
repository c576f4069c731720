// A graph of requests and errors over time.

import { useState } from 'preact/hooks';

import { html } from './html.js';
import { Numbers, Plot, timeOf } from './plot.js';
import { t } from './text.js';

const names = ['requests', 'errors'];
const series = names.map((name) => ({ name, of: (row) => row[name] }));

// rows: {time, requests, errors}, the oldest first, of hours or days (in UTC);
// title: what a screen reader says.
export function Graph({ rows, days, title }) {
    const [point, setPoint] = useState(null);
    const row = rows[point ?? -1];

    return html`<div class="graph">
        <p class="legend" aria-hidden="true">
            <span class="requests">${t('requests')}</span>
            <span class="errors">${t('errors')}</span>
            <span class="point">${row && t('point', { time: timeOf(row, days),
                requests: row.requests, errors: row.errors })}</span>
        </p>
        <${Plot} rows=${rows} series=${series} days=${days} height=${160}
            title=${title} onPoint=${setPoint} />
        <${Numbers} rows=${rows} names=${names} days=${days} />
    </div>`;
}
