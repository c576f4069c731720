// One contact: confirm it with the code that it got, pause, change or delete
// it; what it is notified about, and when; what was sent to it, and what came
// of that.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { ContactAlert } from '../contact_alert.js';
import { schedules, typeName } from '../contact_types.js';
import { DeliveryLog } from '../delivery_log.js';
import { Delete, Field, Form, Options, Turn } from '../form.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, Changes, groupsOf, Place, State } from '../parts.js';
import { groupsPath } from '../paths.js';
import { namesIn, RecordForm, useFields } from '../record.js';
import { t } from '../text.js';

// The names of the groups of a contact, once they are known.
export function GroupNames({ contact, groups }) {
    const ids = groupsOf(contact);

    return groups && groups.data.filter(({ id }) => ids.includes(id))
        .map(({ name }, i) => html`${i > 0 && ', '}<bdi>${name}</bdi>`);
}

function Facts({ contact, groups }) {
    return html`<dl class="facts">
        <div><dt>${t('type')}</dt><dd>${typeName(contact.type)}</dd></div>
        <div><dt>${t('messages')}</dt>
            <dd>${t(`schedule_${contact.schedule}`)}</dd></div>
        <div><dt>${t('groups')}</dt>
            <dd><${GroupNames} contact=${contact} groups=${groups} /></dd></div>
    </dl>`;
}

function Confirm({ contact, onDone, run }) {
    const [code, setCode] = useState('');

    return html`<section>
        <h2>${t('confirm_contact')}</h2>
        <p>${t(`code_at_${contact.type}`)} ${t('code_text')}</p>
        <${Form} button=${t('confirm')} onDone=${onDone} call=${() =>
            post(`contact/confirm/${contact.id}.json`,
                { authcode: code.trim() })}>${(problem) => html`
            <${Field} id="code" label=${t('code')} help=${t('help_code')}
                error=${problem} required autocomplete="one-time-code"
                autocapitalize="none" pattern="\\s*[A-Za-z0-9]{6}\\s*"
                title=${t('help_code')} value=${code} onChange=${setCode} />`}
        <//>
        <button onClick=${() => run(t('code_sent'), () =>
            post(`contact/resend/${contact.id}.json`))}>${t('resend')}</button>
    </section>`;
}

const fieldsOf = (contact) => ({ schedule: contact.schedule,
    groups: groupsOf(contact) });

function Change({ contact, groups, onDone }) {
    const form = useFields(fieldsOf(contact));
    const { mine, set } = form;
    const all = groups ? groups.data : [];
    const names = {
        schedule: { label: t('schedule'), show: namesIn(schedules()) },
        groups: { label: t('groups'), show: namesIn(all) } };

    return html`<${RecordForm} form=${form} path="contact/${contact.id}.json"
        of=${({ data: [now] }) => fieldsOf(now)} names=${names}
        onDone=${onDone} save=${({ schedule, groups: chosen }) =>
            post(`contact/update/${contact.id}.json`, { schedule,
                contact_group: chosen.join(',') })}>
        <${Options} id="schedule" legend=${t('schedule')} from=${schedules()}
            chosen=${mine.schedule} onChange=${set('schedule')} />
        ${groups && html`<${Options} id="groups" legend=${t('groups')}
            help=${t('help_groups')} from=${all} chosen=${mine.groups}
            onChange=${set('groups')} />`}
    <//>`;
}

function Actions({ contact, groups, again }) {
    const { say, run, ...said } = useChange(again);

    const done = (text) => () => {
        say(text);
        again();
    };

    return html`
        <${Said} of=${said} />
        ${contact.status === 'pending' && html`<${Confirm} contact=${contact}
            run=${run} onDone=${done(t('confirmed'))} />`}
        <section aria-label=${t('actions')}>
            ${contact.status !== 'pending' && html`<${Turn} path="contact"
                id=${contact.id} paused=${contact.status === 'paused'}
                words=${{ pause: t('contact_paused'),
                    resume: t('contact_resumed') }} run=${run} />${' '}`}
            <${Delete} path="contact" id=${contact.id}
                name=${contact.contact} back="contacts" />
            <details>
                <summary>${t('change')}</summary>
                <${Change} contact=${contact} groups=${groups}
                    onDone=${again} />
            </details>
        </section>`;
}

export function Contact({ me, id }) {
    const [round, setRound] = useState(0);
    const state = useLoad(`contact/${encodeURIComponent(id)}.json`, round);
    const groups = useLoad(groupsPath).body;
    const may = me.user.role !== 'viewer';
    const again = () => setRound((n) => n + 1);

    return html`
        <${Place} path=${[['contacts', t('contacts')]]} />
        <${Answer} state=${state}>${({ data: [contact] }) => html`
        <h1><bdi>${contact.contact}</bdi>
            <${State} name=${contact.status} /></h1>
        <${Facts} contact=${contact} groups=${groups} />
        ${may && html`<${Actions} contact=${contact} groups=${groups}
            again=${again} />`}
        <${ContactAlert} id=${contact.id} may=${may} />
        <${DeliveryLog} of="contact" id=${contact.id} may=${may}
            off=${contact.status === 'active' ? ''
                : t(`contact_test_${contact.status}`)}
            round=${round} onDone=${again} />
        <${Changes} may=${may} id=${contact.id} />`}
    <//>`;
}
