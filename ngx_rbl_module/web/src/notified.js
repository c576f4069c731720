// Contacts with what each is notified about, and when (contacts/alerts): those
// of a group; a table of them.

import { useState } from 'preact/hooks';

import { timesText } from './contact_alert.js';
import { typeName } from './contact_types.js';
import { html } from './html.js';
import { groupsOf, Head, More, NameLink, State } from './parts.js';
import { t } from './text.js';

export const alertsPath = 'contacts/alerts.json?page_size=1000';

const rows = 50;
const order = ['pending', 'paused', 'active'];

// Keys of services are not shown: of such a contact the type says more.
export const contactName = ({ contact, type }) => (contact.includes('****')
    ? `${typeName(type)} ${contact}` : contact);

// The contacts that are notified about a group.
export const notifiedOf = (contacts, id) => contacts.filter(({ contact }) =>
    contact.status === 'active' && groupsOf(contact).includes(id));

// Those first that get nothing.
export function NotifiedTable({ contacts }) {
    const [size, setSize] = useState(rows);
    const sorted = [...contacts].sort((a, b) =>
        order.indexOf(a.contact.status) - order.indexOf(b.contact.status));

    return html`<table class="dense">
        <${Head} names=${['contact', 'type', 'state', 'least_weight',
            'rhythm', 'groups']} />
        <tbody>${sorted.slice(0, size).map(({ contact, ...alert }) => html`
            <tr key=${contact.id}>
                <th scope="row" data-label=${t('contact')}>
                    <${NameLink} to="contacts/${contact.id}"
                        name=${contactName(contact)} /></th>
                <td data-label=${t('type')}>${typeName(contact.type)}</td>
                <td data-label=${t('state')}>
                    <${State} name=${contact.status} /></td>
                <td data-label=${t('least_weight')}>
                    ${t(`weight_${alert.weight}`)}</td>
                <td data-label=${t('rhythm')}>${timesText(alert)}</td>
                <td data-label=${t('groups')}>${groupsOf(contact).length}</td>
            </tr>`)}</tbody>
        </table>
        ${contacts.length > size && html`<${More} n=${size} size=${size}
            total=${contacts.length} setSize=${setSize} />`}`;
}
