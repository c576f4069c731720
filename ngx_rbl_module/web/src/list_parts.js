// Parts of the screens of lists and profiles.

import { html } from './html.js';
import { ListState, troubleOf } from './list_state.js';
import { Answer, When } from './parts.js';
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

// The first cells of a row: the list, and its state; shared: what the daemons
// know of it.
export function ListCells({ list, shared, word }) {
    const trouble = troubleOf(word, shared);
    const time = shared.frozen || shared.refusing_till
        || (trouble && trouble.since);

    return html`
        <th scope="row" data-label=${t('list')}>
            <a href="#/lists/${list.id}">
                <bdi class="zone">${list.host}</bdi></a>
            ${list.name !== list.host && html`
                <p class="quiet"><bdi>${list.name}</bdi></p>`}</th>
        <td data-label=${t('state')}><span><${ListState} word=${word} />
            ${time && html`<p class="quiet">${t(!shared.frozen
                && shared.refusing_till ? 'until_word' : 'since_word')}${' '}
                <${When} text=${time} /></p>`}
            ${trouble && trouble.reason && html`<p class="quiet">
                ${t(`why_${trouble.reason}`)}</p>`}</span>
        </td>`;
}
