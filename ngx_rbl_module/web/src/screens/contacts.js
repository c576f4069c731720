// Contacts: a table of all of them.

import { useState } from 'preact/hooks';

import { typeName } from '../contact_types.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, Head, More, NameLink, State } from '../parts.js';
import { groupsPath } from '../paths.js';
import { t } from '../text.js';
import { Contact, GroupNames } from './contact.js';

function ContactTable({ contacts, groups }) {
    return html`<table class="dense">
        <${Head} names=${['contact', 'type', 'state', 'messages', 'groups']} />
        <tbody>${contacts.map((contact) => html`<tr key=${contact.id}>
            <th scope="row" data-label=${t('contact')}>
                <${NameLink} to="contacts/${contact.id}"
                    name=${contact.contact} /></th>
            <td data-label=${t('type')}>${typeName(contact.type)}</td>
            <td data-label=${t('state')}>
                <${State} name=${contact.status} /></td>
            <td data-label=${t('messages')}>
                ${t(`schedule_${contact.schedule}`)}</td>
            <td data-label=${t('groups')}><span class="name">
                <${GroupNames} contact=${contact}
                    groups=${groups} /></span></td>
        </tr>`)}</tbody>
    </table>`;
}

function All({ me }) {
    const [size, setSize] = useState(100);
    const state = useLoad(`contacts.json?page_size=${size}`);
    const groups = useLoad(groupsPath);

    return html`<${Answer} state=${state}>${({ data, total_contacts: total }) =>
        html`<h1>${t('total_contacts', { n: total })}</h1>
        <p>${t(total > 0 ? 'contacts_text' : 'no_contacts_text')}</p>
        ${me.user.role !== 'viewer' && html`<p><a class="button"
            href="#/contact_add">${t('add_contact')}</a></p>`}
        ${total > 0 && html`
            <${ContactTable} contacts=${data} groups=${groups.body} />
            <${More} n=${data.length} total=${total} size=${size}
                setSize=${setSize} />`}`}
    <//>`;
}

export function Contacts({ me, rest }) {
    return rest ? html`<${Contact} me=${me} id=${rest} />`
        : html`<${All} me=${me} />`;
}
