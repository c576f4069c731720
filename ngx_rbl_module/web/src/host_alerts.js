// Who is notified of the listings of a host: its contact groups, and some
// contacts of each, with what they are notified about.

import { html } from './html.js';
import { useLoad } from './load.js';
import { NameLink } from './parts.js';
import { rhythmText } from './rhythm.js';
import { t } from './text.js';

const most = 3;                 // contacts of a group
const slow = 60000;             // ms

// What a contact is notified about, unless that is everything, and at once.
function terms({ weight, rhythm }) {
    return [weight !== 'info' && t(`notify_from_${weight}`),
        rhythm !== 'now' && rhythmText(rhythm)].filter(Boolean).join(', ');
}

function Contact({ alert }) {
    const { contact } = alert;
    const said = terms(alert);

    return html`<${NameLink} to="contacts/${contact.id}" kind="contact"
            name=${contact.contact} />
        ${said && html` <span class="quiet">${said}</span>`}`;
}

function Group({ group, contacts }) {
    const some = group.contacts.map((id) => contacts.get(id)).filter(Boolean)
        .slice(0, most);
    const more = group.active_contacts - some.length;

    return html`<li class=${group.active_contacts === 0 ? 'nobody' : ''}>
        <${NameLink} to="groups/${group.id}" name=${group.name} />
        ${group.active_contacts === 0 ? html` <span class="state failing">
                ${t(group.total_contacts > 0 ? 'notify_inactive'
                    : 'notify_nobody')}</span>`
            : html`<span class="quiet"> → </span>
                ${some.map((alert, i) => html`${i > 0 && ', '}
                    <${Contact} key=${alert.contact.id} alert=${alert} />`)}
                ${more > 0 && html`, ${t('and_more', { n: more })}`}`}
    </li>`;
}

// id: of a host or a range.
export function Alerts({ id }) {
    const { body } = useLoad(`host/alerts/${id}.json`, 0, slow);

    if (!body) {
        return null;
    }

    const contacts = new Map(body.data.contacts.map((alert) =>
        [alert.contact.id, alert]));

    return html`<div class="alerts"><dt>${t('notify_to')}</dt>
        <dd><ul>${body.data.groups.map((group) => html`
            <${Group} key=${group.id} group=${group}
                contacts=${contacts} />`)}</ul></dd></div>`;
}
