// What operators want of accounts: forms, and what has become of it.  A daemon
// carries it out.

import { useState } from 'preact/hooks';

import { post } from './api.js';
import { isolate } from './bidi.js';
import { now } from './clock.js';
import { Field, Form, Select } from './form.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { NewLink } from './new_link.js';
import { When } from './parts.js';
import { date, t } from './text.js';

const soon = 600000;            // ms for which what has ended is shown
const most = 10;

export const useRequests = (round) => useLoad('operator/requests.json', round,
    5000);

function Line({ one: { kind, account, name, mail, plan, by, state, why, queued,
    ended } })
{
    const what = t(`request_${kind}`, { name: isolate(kind === 'account' ? name
        : mail || plan) });

    return html`<li><a class="name" title=${what} href="#/accounts/${account}">
        ${what}</a> <strong>${t(`request_${state}`)}</strong>
        ${why && ` ${t(`request_why_${why}`)}`}
        ${' '}<${When} text=${ended || queued} /> <span class="quiet">
        <bdi>${by}</bdi></span></li>`;
}

const Lines = ({ rows }) => html`<ul class="requests">${rows.map((one) => html`
    <${Line} key=${one.id} one=${one} />`)}</ul>`;

// Those that have not ended or just have; the others on demand.  account: only
// those of this one.
export function Requests({ all, account }) {
    const rows = all.filter((one) => !account || one.account === account);
    const first = rows.filter(({ ended }) => !ended
        || now() - date(ended) < soon).slice(0, most);
    const rest = rows.filter((one) => !first.includes(one));

    return rows.length > 0 && html`<section aria-label=${t('requests')}>
        <${Lines} rows=${first} />
        ${rest.length > 0 && html`<details>
            <summary>${t('requests_before', { n: rest.length })}</summary>
            <${Lines} rows=${rest} /></details>`}</section>`;
}

// A form that queues a request with these fields, and shows the owner's link.
function Queue({ title, call, empty, onDone, children }) {
    const [fields, setFields] = useState(empty);
    const [link, setLink] = useState('');
    const set = (name) => (value) => setFields({ ...fields, [name]: value });

    return html`<details><summary>${t(title)}</summary>
        ${link && html`<${NewLink} link=${link} text=${t('request_link')} />`}
        <${Form} button=${t('request_queue')} call=${() =>
            post(`operator/${call}.json`, fields)} onDone=${({ data }) => {
            setLink(data.link);
            setFields(empty);
            onDone();
        }}>${children(fields, set)}<//></details>`;
}

function Mail({ value, onChange, help }) {
    return html`<${Field} id="owner" type="email" label=${t('request_mail')}
        required=${!help} help=${help} value=${value} onChange=${onChange} />`;
}

function Plan({ plans, none, value, onChange }) {
    const from = [{ id: '', name: none }, ...plans.map((name) =>
        ({ id: name, name }))];

    return plans.length > 0 && html`<${Select} id="plan" label=${t('plan')}
        value=${value} from=${from} onChange=${onChange} />`;
}

export function NewAccount({ plans, onDone }) {
    return html`<${Queue} title="request_new" call="account/add"
        empty=${{ name: '', mail: '', plan: '' }} onDone=${onDone}>
        ${(fields, set) => html`
            <${Field} id="new" label=${t('name')} required maxlength="255"
                value=${fields.name} onChange=${set('name')} />
            <${Mail} value=${fields.mail} onChange=${set('mail')}
                help=${t('request_mail_help')} />
            <${Plan} plans=${plans} none=${t('request_no_plan')}
                value=${fields.plan} onChange=${set('plan')} />`}<//>`;
}

export function NewOwner({ account, onDone }) {
    return html`<${Queue} title="request_new_owner" call="owner/add"
        empty=${{ account, mail: '' }} onDone=${onDone}>
        ${(fields, set) => html`<${Mail} value=${fields.mail}
            onChange=${set('mail')} />`}<//>`;
}

export function NewPlan({ account, plans, onDone }) {
    return plans.length > 0 && html`<${Queue} title="request_new_plan"
        call="account/plan" empty=${{ account, plan: '' }} onDone=${onDone}>
        ${(fields, set) => html`<${Plan} plans=${plans} none=""
            value=${fields.plan} onChange=${set('plan')} />`}<//>`;
}
