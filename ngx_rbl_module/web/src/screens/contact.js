// One contact: confirm it with the code that it got, pause, change or delete
// it; what it is notified about, and when; what was sent to it, and what came
// of that.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { schedules, typeName } from '../contact_types.js';
import { DeliveryLog } from '../delivery_log.js';
import { Delete, Field, Form, Options, Select, Turn } from '../form.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, Changes, Place, State } from '../parts.js';
import { namesIn, RecordForm, useFields } from '../record.js';
import { t } from '../text.js';

// The names of the groups of a contact, once they are known.
export function GroupNames({ contact, groups }) {
    const ids = contact.contact_group.split(',');

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
    groups: contact.contact_group.split(',') });

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

const choice = (of, ids) => ids.map((id) => ({ id, name: t(`${of}_${id}`) }));
const weights = () => choice('weight', ['critical', 'high', 'normal', 'info']);
const rhythms = () => choice('rhythm', ['now', 'hourly', 'daily', 'weekly']);
const days = () => choice('day', ['mon', 'tue', 'wed', 'thu', 'fri', 'sat',
    'sun']);

// rhythm: "now", "hourly", "daily 08:00", "weekly mon 08:00"; quiet: "none",
// "22:00-06:30".
function alertOf({ weight, rhythm, quiet, after, checks }) {
    const [often, ...at] = rhythm.split(' ');
    const [from, to] = quiet === 'none' ? ['', ''] : quiet.split('-');

    return { weight, often, day: at.length > 1 ? at[0] : 'mon',
        time: at[at.length - 1] || '08:00', from, to, after: `${after}`,
        checks: `${checks}` };
}

const alertFrom = ({ weight, often, day, time, from, to, after, checks }) => ({
    weight, rhythm: [often, often === 'weekly' && day, (often === 'daily'
        || often === 'weekly') && time].filter(Boolean).join(' '),
    quiet: from || to ? `${from}-${to}` : 'none', after: Number(after),
    checks: Number(checks) });

// When messages go, as people say it.
function Rhythm({ of: { often, day, time, from, to, after, checks } }) {
    return html`${t(`rhythm_${often}`)}${often === 'weekly'
        && `, ${t(`day_${day}`)}`}${(often === 'daily' || often === 'weekly')
        && `, ${time}`}${from && `; ${t('quiet_from_to', { from, to })}`}${
        after !== '0' && `; ${t('alert_after', { n: after })}`}${
        checks !== '1' && `; ${t('alert_checks', { n: checks })}`}`;
}

function AlertForm({ id, alert, onDone }) {
    const form = useFields(alertOf(alert));
    const { mine, set } = form;
    const number = (name, label, max) => html`<${Field} id=${name}
        label=${label} type="number" min=${name === 'checks' ? 1 : 0}
        max=${max} required value=${mine[name]} onChange=${set(name)} />`;
    const time = (name, label, help) => html`<${Field} id=${name} type="time"
        label=${label} help=${help} required=${mine.from || mine.to
            || name === 'time'} value=${mine[name]} onChange=${set(name)} />`;
    const names = {
        weight: { label: t('least_weight'), show: namesIn(weights()) },
        often: { label: t('rhythm'), show: namesIn(rhythms()) },
        day: { label: t('day'), show: namesIn(days()) },
        time: { label: t('time_of_day') }, from: { label: t('quiet_from') },
        to: { label: t('quiet_to') }, after: { label: t('after_minutes') },
        checks: { label: t('after_checks') } };

    return html`<${RecordForm} form=${form} path="contact/alerts/${id}.json"
        of=${({ data }) => alertOf(data)} names=${names} onDone=${onDone}
        save=${(fields) => post(`contact/alert/${id}.json`,
            alertFrom(fields))}>
        <${Select} id="weight" label=${t('least_weight')}
            help=${t('least_weight_help')} value=${mine.weight}
            from=${weights()} onChange=${set('weight')} />
        ${number('after', t('after_minutes'), 10080)}
        ${number('checks', t('after_checks'), 5)}
        <${Select} id="often" label=${t('rhythm')} help=${t('rhythm_help')}
            value=${mine.often} from=${rhythms()} onChange=${set('often')} />
        ${mine.often === 'weekly' && html`<${Select} id="day"
            label=${t('day')} value=${mine.day} from=${days()}
            onChange=${set('day')} />`}
        ${(mine.often === 'daily' || mine.often === 'weekly')
            && time('time', t('time_of_day'))}
        ${time('from', t('quiet_from'), t('quiet_help'))}
        ${time('to', t('quiet_to'))}
    <//>`;
}

function Alert({ id, may }) {
    const [round, setRound] = useState(0);
    const { body } = useLoad(`contact/alerts/${id}.json`, round);
    const mine = body && body.data;

    return mine && html`<section>
        <dl class="facts">
            <div><dt>${t('least_weight')}</dt>
                <dd>${t(`weight_${mine.weight}`)}</dd></div>
            <div><dt>${t('rhythm')}</dt>
                <dd><${Rhythm} of=${alertOf(mine)} /></dd></div>
        </dl>
        ${may && html`<details>
            <summary>${t('alert_change')}</summary>
            <${AlertForm} id=${id} alert=${mine}
                onDone=${() => setRound((n) => n + 1)} />
        </details>`}</section>`;
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
    const groups = useLoad('contactgroups.json?page_size=1000').body;
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
        <${Alert} id=${contact.id} may=${may} />
        <${DeliveryLog} of="contact" id=${contact.id} may=${may}
            off=${contact.status === 'active' ? ''
                : t(`contact_test_${contact.status}`)}
            round=${round} onDone=${again} />
        <${Changes} may=${may} id=${contact.id} />`}
    <//>`;
}
