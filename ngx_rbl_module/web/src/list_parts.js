// Parts of the screens of lists and profiles.

import { html } from './html.js';
import { Answer } from './parts.js';
import { t } from './text.js';

// An answer that only accounts on a paid plan get.
export function PaidAnswer({ title, state, children }) {
    return state.refusal && /paid plan/.test(state.refusal.message)
        ? html`<h1>${title}</h1><p>${t('paid_only')}</p>`
        : html`<${Answer} state=${state}>${children}<//>`;
}

export function matches(list, text) {
    return `${list.host} ${list.name}`.toLowerCase()
        .includes(text.trim().toLowerCase());
}

// A field that leaves only the lists that match its text.
export function Filter({ value, onChange }) {
    return html`
        <label for="filter">${t('filter_lists')}</label>
        <input id="filter" type="search" autocomplete="off" spellcheck="false"
            value=${value} onInput=${(e) => onChange(e.target.value)} />`;
}
