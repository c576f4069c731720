// An own list: the form that adds or changes it.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { html } from '../html.js';
import { Place } from '../parts.js';
import { t } from '../text.js';

export function ListForm({ type: was = 'rbl', host = '', button, onSubmit }) {
    const [type, setType] = useState(was);
    const [zone, setZone] = useState(host);

    function submit(event) {
        event.preventDefault();
        onSubmit({ type, host: zone });
    }

    return html`<form onSubmit=${submit}>
        <label for="zone">${t('zone')}</label>
        <input id="zone" required maxlength="255" autocomplete="off"
            spellcheck="false" autocapitalize="off" value=${zone}
            aria-describedby="zone-help"
            onInput=${(e) => setZone(e.target.value)} />
        <p id="zone-help" class="quiet">${t('zone_help')}</p>
        <label for="type">${t('list_type')}</label>
        <select id="type" value=${type}
            onChange=${(e) => setType(e.target.value)}>
            <option value="rbl">${t('type_rbl')}</option>
            <option value="uribl">${t('type_uribl')}</option>
        </select>
        <button class="main">${button}</button>
    </form>`;
}

export function ListAdd({ me }) {
    const { run, ...said } = useChange(({ data }) => {
        location.hash = `#/lists/${data.id}`;
    });

    return html`
        <${Place} path=${[['lists', t('lists')]]} />
        <h1>${t('add_list')}</h1>
        ${me.user.role === 'viewer' ? html`<p>${t('viewers_read')}</p>` : html`
            <p>${t('add_list_text')}</p>
            <${ListForm} button=${t('add_list')} onSubmit=${(fields) =>
                run('', () => post('rbl/add.json', fields),
                    { invalid: 'refused_name' })} />
            <${Said} of=${said} />`}`;
}
