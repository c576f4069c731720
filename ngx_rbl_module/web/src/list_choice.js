// The choice of the lists of a profile: all active system lists, or checkboxes.

import { useState } from 'preact/hooks';

import { html } from './html.js';
import { Filter, matches } from './list_parts.js';
import { families } from './list_state.js';
import { t } from './text.js';

export function Follow({ value, onChange }) {
    const one = (follows, text) => html`<div>
        <input id="follows-${follows}" type="radio" name="follows"
            checked=${value === follows} onChange=${() => onChange(follows)} />
        <label for="follows-${follows}">${text}</label></div>`;

    return html`<fieldset class="choose">
        <legend>${t('which_lists')}</legend>
        ${one(true, t('follow_defaults'))}
        ${one(false, t('choose_lists'))}
    </fieldset>`;
}

function Choice({ list, checked, onChange }) {
    return html`<div>
        <input id=${list.id} type="checkbox" checked=${checked}
            onChange=${(e) => onChange(list.id, e.target.checked)} />
        <label for=${list.id}><bdi>${list.host}</bdi>${' '}
            <span class="quiet">${families(list)}${list.custom === 1
                && `, ${t('own_list')}`}</span></label>
    </div>`;
}

// chosen: a set of ids, which may name lists that are no longer active.
export function ListChoice({ lists, chosen, onChange }) {
    const [text, setText] = useState('');
    const shown = lists.filter((list) => matches(list, text));

    function put(ids, on) {
        const next = new Set(chosen);

        ids.forEach((id) => (on ? next.add(id) : next.delete(id)));
        onChange(next);
    }

    return html`<fieldset class="choose">
        <legend>${t('chosen', { n: chosen.size })}</legend>
        <${Filter} value=${text} onChange=${setText} />
        <p class="quiet" role="status">
            ${t('shown', { n: shown.length, total: lists.length })}</p>
        <button type="button" onClick=${() => put(shown.map(({ id }) => id),
            true)}>${t('choose_shown')}</button>${' '}
        <button type="button" onClick=${() => put(shown.map(({ id }) => id),
            false)}>${t('clear_shown')}</button>
        <div class="scroll">${shown.map((list) => html`
            <${Choice} key=${list.id} list=${list}
                checked=${chosen.has(list.id)}
                onChange=${(id, on) => put([id], on)} />`)}</div>
    </fieldset>`;
}
