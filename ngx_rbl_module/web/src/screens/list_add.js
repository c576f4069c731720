// An own list: the form that adds or changes it.

import { post } from '../api.js';
import { Field, Form, Select } from '../form.js';
import { html } from '../html.js';
import { Place } from '../parts.js';
import { useFields } from '../record.js';
import { t } from '../text.js';

export const listTypes = () => ['rbl', 'uribl'].map((id) => ({ id,
    name: t(`type_${id}`) }));

export function ListFields({ form: { mine, set } }) {
    return html`
        <${Field} id="zone" label=${t('zone')} help=${t('zone_help')} required
            maxlength="255" autocapitalize="off" value=${mine.host}
            onChange=${set('host')} />
        <${Select} id="type" label=${t('list_type')} value=${mine.type}
            from=${listTypes()} onChange=${set('type')} />`;
}

function Add() {
    const form = useFields({ type: 'rbl', host: '' });

    return html`<${Form} button=${t('add_list')} invalid="refused_name"
        call=${() => post('rbl/add.json', form.mine)} onDone=${({ data }) => {
            location.hash = `#/lists/${data.id}`;
        }}><${ListFields} form=${form} /><//>`;
}

export function ListAdd({ me }) {
    return html`
        <${Place} path=${[['lists', t('lists')]]} />
        <h1>${t('add_list')}</h1>
        ${me.user.role === 'viewer' ? html`<p>${t('viewers_read')}</p>` : html`
            <p>${t('add_list_text')}</p>
            <${Add} />`}`;
}
