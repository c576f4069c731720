// What a contact is notified about, and when: its least weight, how long a
// listing stands before, a rhythm, quiet hours.

import { useState } from 'preact/hooks';

import { post } from './api.js';
import { Field, Select } from './form.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { weights } from './parts.js';
import { namesIn, RecordForm, useFields } from './record.js';
import { rhythmText } from './rhythm.js';
import { t } from './text.js';

const choice = (of, ids) => ids.map((id) => ({ id, name: t(`${of}_${id}`) }));
const leastWeights = () => choice('weight', weights);
const rhythms = () => choice('rhythm', ['now', 'hourly', 'daily', 'weekly']);
const days = () => choice('day', ['mon', 'tue', 'wed', 'thu', 'fri', 'sat',
    'sun']);

const joined = (parts, by) => parts.filter(Boolean).join(by);
const atTime = (often) => often === 'daily' || often === 'weekly';

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
    weight, rhythm: joined([often, often === 'weekly' && day, atTime(often)
        && time], ' '),
    quiet: from || to ? `${from}-${to}` : 'none', after: Number(after),
    checks: Number(checks) });

// When messages go, as people say it.
export function timesText(alert) {
    const { from, to, after, checks } = alertOf(alert);

    return joined([rhythmText(alert.rhythm),
        from && t('quiet_from_to', { from, to }),
        after !== '0' && t('alert_after', { n: after }),
        checks !== '1' && t('alert_checks', { n: checks })], '; ');
}

function AlertForm({ id, alert, onDone }) {
    const form = useFields(alertOf(alert));
    const { mine, set } = form;
    const number = (name, label, min, max) => html`<${Field} id=${name}
        label=${label} type="number" min=${min} max=${max} required
        value=${mine[name]} onChange=${set(name)} />`;
    const time = (name, label, help) => html`<${Field} id=${name} type="time"
        label=${label} help=${help} required=${mine.from || mine.to
            || name === 'time'} value=${mine[name]} onChange=${set(name)} />`;
    const names = {
        weight: { label: t('least_weight'), show: namesIn(leastWeights()) },
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
            from=${leastWeights()} onChange=${set('weight')} />
        ${number('after', t('after_minutes'), 0, 10080)}
        ${number('checks', t('after_checks'), 1, 5)}
        <${Select} id="often" label=${t('rhythm')} help=${t('rhythm_help')}
            value=${mine.often} from=${rhythms()} onChange=${set('often')} />
        ${mine.often === 'weekly' && html`<${Select} id="day"
            label=${t('day')} value=${mine.day} from=${days()}
            onChange=${set('day')} />`}
        ${atTime(mine.often) && time('time', t('time_of_day'))}
        ${time('from', t('quiet_from'), t('quiet_help'))}
        ${time('to', t('quiet_to'))}
    <//>`;
}

export function ContactAlert({ id, may }) {
    const [round, setRound] = useState(0);
    const { body } = useLoad(`contact/alerts/${id}.json`, round);
    const mine = body && body.data;

    return mine && html`<section>
        <dl class="facts">
            <div><dt>${t('least_weight')}</dt>
                <dd>${t(`weight_${mine.weight}`)}</dd></div>
            <div><dt>${t('rhythm')}</dt>
                <dd>${timesText(mine)}</dd></div>
        </dl>
        ${may && html`<details>
            <summary>${t('alert_change')}</summary>
            <${AlertForm} id=${id} alert=${mine}
                onDone=${() => setRound((n) => n + 1)} />
        </details>`}</section>`;
}
