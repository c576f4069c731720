// Adding a contact: its type first, then what that type needs.  The form exists
// only while it is shown, and with it the secrets that are typed.

import { useEffect, useState } from 'preact/hooks';

import { post } from '../api.js';
import { schedules, steps, typeName, types } from '../contact_types.js';
import { Field, Form, Options, Select } from '../form.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, Place } from '../parts.js';
import { groupsPath } from '../paths.js';
import { t } from '../text.js';

// Those that the operator has configured.
function Types() {
    const state = useLoad('contact/types.json');

    return html`<${Answer} state=${state}>${({ data }) => html`
        <p>${t('choose_type')}</p>
        <ul class="choices">${Object.keys(types).filter((type) =>
            data.includes(type)).map((type) => html`
            <li key=${type}><a href="#/contact_add/${type}">
                ${typeName(type)}</a>
                <p class="quiet">${t(`about_${type}`)}</p></li>`)}
        </ul>`}<//>`;
}

function Part({ part, value, onChange }) {
    const { name, from, pattern, ...rest } = part;
    const help = t(`help_${name}`);

    return from
        ? html`<${Select} id=${name} label=${t(`part_${name}`)} help=${help}
            value=${value} onChange=${onChange}
            from=${from.map((one) => ({ id: one, name: one }))} />`
        : html`<${Field} id=${name} label=${t(`part_${name}`)} help=${help}
            required maxlength="2048" value=${value} onChange=${onChange}
            pattern=${pattern && `\\s*(${pattern})\\s*`} title=${help}
            ...${rest} />`;
}

function Add({ type, groups }) {
    const { parts } = types[type];
    const [values, setValues] = useState(() => parts.map(({ from }) =>
        (from ? from[0] : '')));
    const [schedule, setSchedule] = useState('start_and_end');
    const [chosen, setChosen] = useState(() => groups
        .filter((group) => group.is_default === 1).map(({ id }) => id));

    const set = (i) => (value) => setValues((all) => all.with(i, value));
    const how = steps(type);

    // The browser may keep a page that is left, to show it again.
    useEffect(() => {
        const clear = () => setValues((all) => all.map((value, i) =>
            (parts[i].secret ? '' : value)));

        addEventListener('pagehide', clear);
        return () => removeEventListener('pagehide', clear);
    }, []);

    return html`
        ${how.length > 1 ? html`<ol>${how.map((step) => html`
            <li>${step}</li>`)}</ol>` : html`<p>${how[0]}</p>`}
        <${Form} button=${t('add_contact')} onDone=${({ data }) => {
            location.hash = `#/contacts/${data.id}`;
        }} call=${() => post('contact/add.json', { type, schedule,
            contact: values.map((value) => value.trim()).join(','),
            contact_group: chosen.join(',') })}>
            ${parts.map((part, i) => html`<${Part} key=${part.name}
                part=${part} value=${values[i]} onChange=${set(i)} />`)}
            <${Options} id="schedule" legend=${t('schedule')}
                from=${schedules()} chosen=${schedule}
                onChange=${setSchedule} />
            <${Options} id="groups" legend=${t('groups')}
                help=${t('help_groups')} from=${groups} chosen=${chosen}
                onChange=${setChosen} />
        <//>
        <p class="quiet">${t('code_follows')}</p>`;
}

export function ContactAdd({ me, rest: type }) {
    const groups = useLoad(groupsPath);
    const known = Object.hasOwn(types, type);

    if (me.user.role === 'viewer') {
        return html`<h1>${t('add_contact')}</h1><p>${t('not_viewers')}</p>`;
    }

    return html`
        <${Place} path=${[['contacts', t('contacts')],
            ...(known ? [['contact_add', t('add_contact')]] : [])]} />
        <h1>${t('add_contact')}${known && `: ${typeName(type)}`}</h1>
        ${known ? html`<${Answer} state=${groups}>${({ data }) => html`
            <${Add} type=${type} groups=${data} />`}<//>`
            : html`<${Types} />`}`;
}
