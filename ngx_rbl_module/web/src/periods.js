// The periods that a screen can show, as links: the address has the one that is
// chosen, so that it may be kept or sent.

import { html } from './html.js';
import { t } from './text.js';

// name: of the period in the query of an address; otherwise: without it.
export function periodOf(query, name, periods, otherwise) {
    const wanted = Number(new URLSearchParams(query).get(name));

    return periods.includes(wanted) ? wanted : otherwise;
}

// at: the address of the screen; text: makes the text of a link.
export function Periods({ at, name, periods, chosen, text }) {
    return html`<nav class="ranges" aria-label=${t('period')}>
        ${periods.map((n) => html`<a key=${n} href="#/${at}?${name}=${n}"
            aria-current=${n === chosen ? 'true' : undefined}>
            ${text(n)}</a>`)}</nav>`;
}
