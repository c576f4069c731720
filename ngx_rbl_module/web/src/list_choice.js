// The choice of the lists of a profile: all active system lists, all but some,
// or some; with checkboxes.

import { useState } from 'preact/hooks';

import { Options } from './form.js';
import { html } from './html.js';
import { Filter, matches } from './list_parts.js';
import { families } from './list_state.js';
import { t } from './text.js';

// The kinds of profiles, with the text that says which lists one has.
const kinds = { all: 'follows', except: 'follows_some', chosen: 'chosen' };

export const kindOf = ({ profile, except }) => (profile.uses_defaults !== 1
    ? 'chosen' : except.length > 0 ? 'except' : 'all');

export const listsOf = (shown) => t(kinds[kindOf(shown)],
    { n: shown.profile.total_entries });

export function Kind({ value, onChange }) {
    return html`<${Options} id="kind" legend=${t('which_lists')}
        from=${Object.keys(kinds).map((id) => ({ id,
            name: t(`profile_kind_${id}`) }))}
        chosen=${value} onChange=${onChange} />`;
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
// legend: a text for their number.
export function ListChoice({ lists, chosen, legend = 'chosen', onChange }) {
    const [text, setText] = useState('');
    const shown = lists.filter((list) => matches(list, text));

    function put(ids, on) {
        const next = new Set(chosen);

        ids.forEach((id) => (on ? next.add(id) : next.delete(id)));
        onChange(next);
    }

    return html`<fieldset class="choose">
        <legend>${t(legend, { n: chosen.size })}</legend>
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
