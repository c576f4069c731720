// Parts of the screens of lists and profiles.

import { Field } from './form.js';
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
export const Filter = ({ value, onChange }) => html`<${Field} id="filter"
    type="search" label=${t('filter_lists')} value=${value}
    onChange=${onChange} />`;
