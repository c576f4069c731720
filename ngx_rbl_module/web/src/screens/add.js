// Adding hosts: a pasted list of addresses, subnets and domains, a preview of
// what each line is, and what became of it.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Field } from '../form.js';
import { html } from '../html.js';
import { Place } from '../parts.js';
import { refused } from '../refusal.js';
import { t } from '../text.js';
import { parseAll } from '../values.js';

function kind({ type, n }) {
    return type === 'ip_range' ? t('kind_subnet', { n })
        : t(type === 'rbl' ? 'kind_address' : 'kind_domain');
}

function Row({ line, outcome }) {
    return html`<tr>
        <th scope="row" data-label=${t('host')}><bdi>${line.value}</bdi></th>
        <td data-label=${t('kind')}>${line.problem
            ? html`<span class="wrong">${t(line.problem)}</span>`
            : kind(line)}</td>
        <td data-label=${t('outcome')}>${outcome && (outcome.problem
            ? html`<span class="wrong">${outcome.problem}</span>`
            : html`<a href="#/host/${outcome.id}">${t('added')}</a>`)}</td>
    </tr>`;
}

function Preview({ lines, outcomes }) {
    return html`<table>
        <thead><tr>
            <th scope="col">${t('host')}</th>
            <th scope="col">${t('kind')}</th>
            <th scope="col">${t('outcome')}</th>
        </tr></thead>
        <tbody>${lines.map((line) => html`<${Row} key=${line.value}
            line=${line} outcome=${outcomes.get(line.value)} />`)}</tbody>
    </table>`;
}

// Adds one line; the problem is a sentence of the API.
async function add(line, name) {
    try {
        const { data } = await post('host/add.json', { host: line.value,
            type: line.type, name: name || line.value });

        return { id: data[0].id };
    } catch (refusal) {
        return { problem: refusal.status === 400 || refusal.status === 409
            ? refusal.message : refused(refusal), stop: !(refusal.status === 400
            || refusal.status === 409) };
    }
}

export function Add() {
    const [text, setText] = useState('');
    const [name, setName] = useState('');
    const [outcomes, setOutcomes] = useState(new Map());
    const [busy, setBusy] = useState(false);

    const lines = parseAll(text);
    const good = lines.filter(({ problem, value }) => !problem
        && !(outcomes.get(value) && outcomes.get(value).id));
    const hosts = good.reduce((sum, { n }) => sum + n, 0);

    async function submit(event) {
        event.preventDefault();
        setBusy(true);

        const next = new Map(outcomes);

        for (const line of good) {
            const outcome = await add(line, name);

            next.set(line.value, outcome);
            setOutcomes(new Map(next));

            if (outcome.stop) {
                break;
            }
        }

        setBusy(false);
    }

    return html`
        <${Place} path=${[['hosts', t('hosts')]]} />
        <h1>${t('add_hosts')}</h1>
        <form onSubmit=${submit}>
            <label for="lines">${t('add_lines')}</label>
            <textarea id="lines" rows="8" spellcheck="false" autocomplete="off"
                aria-describedby="lines-help" value=${text}
                onInput=${(e) => setText(e.target.value)}></textarea>
            <p id="lines-help" class="quiet">${t('add_help')}</p>
            <${Field} id="name" label=${t('add_name')} maxlength="255"
                value=${name} onChange=${setName} />
            <button class="main" disabled=${busy || good.length === 0}>
                ${good.length ? t('add_n', { n: hosts })
                    : t('add_none')}</button>
            <span role="status">${busy && t('adding')}</span>
        </form>
        ${lines.length > 0 && html`
            <${Preview} lines=${lines} outcomes=${outcomes} />`}`;
}
