// Numbers of the last days as a small picture, one column a day, today last.

import { html } from './html.js';
import { t } from './text.js';

const width = 30;               // days
const height = 16;

// days: the oldest first; fewer if no more are known.  What it shows is said in
// words.  kind: another class, of its colour.
export function Spark({ days, kind = '', label }) {
    const most = Math.max(1, ...days);
    const shown = days.slice(-width);
    const path = shown.map((n) => `V${(height - 1) * (1 - n / most)}h1`);

    return html`<svg class="spark ${kind}" viewBox="0 0 ${width} ${height}"
        role="img" preserveAspectRatio="none" aria-label=${label || t('spark', {
            days: shown.length, from: shown[0], to: shown.at(-1),
            most: Math.max(...shown) })}>
        <path class="ground" d="M0 ${height - 1}h${width}v1H0z" />
        <path d="M${width - shown.length} ${height}${path.join('')}V${height}z"
            /></svg>`;
}
