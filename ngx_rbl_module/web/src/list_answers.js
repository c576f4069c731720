// How the queries of the service to a list ended in the last 24 hours: the
// share that was answered, and each hour as a column.

import { html } from './html.js';
import { t } from './text.js';

const height = 16;

// In percent, 100 only if all were answered; null: none has ended.
export function shareOf({ answered, refused, failed }) {
    const all = answered + refused + failed;

    return all > 0 ? Math.floor(100 * answered / all) : null;
}

// An hour in which none was answered has a low column of another colour.
export function Answers({ responses }) {
    const column = (c, i) => `M${i} ${height}v-${
        Math.max(2, c / 9 * height)}h.8V${height}z`;
    const path = (of) => [...responses.hours].map((c, i) => (of(c)
        ? column(c, i) : '')).join('');

    return html`<span class="answers"><svg class="spark"
        viewBox="0 0 24 ${height}" preserveAspectRatio="none"
        aria-hidden="true">
        <path class="ground" d="M0 ${height - 1}h24v1H0z" />
        <path class="given" d=${path((c) => c > '0')} />
        <path d=${path((c) => c === '0')} /></svg>${' '}
        ${t('lists_share', { share: shareOf(responses) })}</span>`;
}
