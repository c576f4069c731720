// System lists, for operators: their state, and what can be done about it.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { isolate } from '../bidi.js';
import { Said, useChange } from '../change.js';
import { Field, Form, Select } from '../form.js';
import { html } from '../html.js';
import { Filter, ListCells, matches } from '../list_parts.js';
import { ListState, needsLook, wordOf } from '../list_state.js';
import { useLoad } from '../load.js';
import { Answer, Place } from '../parts.js';
import { t } from '../text.js';
import { About } from './list.js';

const path = 'operator/lists.json';
const weights = ['critical', 'high', 'normal', 'info'];
const numbers = ['day_quota', 'rate', 'min_interval'];

function Row({ data, word }) {
    const { list } = data;

    return html`<tr>
        <${ListCells} list=${list} shared=${data} word=${word} />
        <td data-label=${t('weight')}>${t(`weight_${data.weight}`)}</td>
        <td data-label=${t('quota_left')}>${data.quota_left >= 0
            && t('number', { value: data.quota_left })}</td>
        <td data-label=${t('by_hand')}>${data.by_hand.map((name) =>
            t(`hand_${name}`)).join(', ')}</td>
    </tr>`;
}

function Table({ all }) {
    const [text, setText] = useState('');
    const rows = all.map((data) => ({ data, word: wordOf(data.list, data) }));
    const look = rows.filter(({ data, word }) => data.list.status === 'active'
        && needsLook(word));
    const sorted = [...look, ...rows.filter((row) => !look.includes(row))];
    const shown = sorted.filter(({ data }) => matches(data.list, text));

    return html`
        <h1>${t('total_lists', { n: all.length })}</h1>
        <p>${look.length > 0 ? t('lists_look', { n: look.length })
            : t('lists_good')}</p>
        <${Filter} value=${text} onChange=${setText} />
        <p role="status">${t('shown', { n: shown.length,
            total: all.length })}</p>
        ${shown.length > 0 && html`<table>
            <thead><tr>
                <th scope="col">${t('list')}</th>
                <th scope="col">${t('state')}</th>
                <th scope="col">${t('weight')}</th>
                <th scope="col">${t('quota_left')}</th>
                <th scope="col">${t('by_hand')}</th>
            </tr></thead>
            <tbody>${shown.map((row) => html`
                <${Row} key=${row.data.list.id} ...${row} />`)}</tbody>
        </table>`}`;
}

// Values instead of those of the catalogue; only what was changed is sent.
function Override({ data, onDone }) {
    const { weight } = data;
    const was = { weight, ...Object.fromEntries(numbers.map((name) =>
        [name, String(data[name])])) };
    const [now, setNow] = useState(was);
    const set = (name) => (value) => setNow({ ...now, [name]: value });

    function call() {
        const fields = Object.fromEntries(Object.entries(now)
            .filter(([name, value]) => value !== was[name]));

        return post(`operator/list/override/${data.list.id}.json`, fields);
    }

    return html`<details><summary>${t('override')}</summary>
        <${Form} button=${t('save')} call=${call} onDone=${onDone}>
            <p>${t('override_text')}</p>
            ${numbers.map((name) => html`<${Field} key=${name} id=${name}
                type="number" min="0" required label=${t(`hand_${name}`)}
                help=${t(`${name}_help`)} value=${now[name]}
                onChange=${set(name)} />`)}
            <${Select} id="weight" label=${t('weight')} value=${now.weight}
                from=${weights.map((id) => ({ id, name: t(`weight_${id}`) }))}
                onChange=${set('weight')} />
        <//></details>`;
}

function Kill({ list, onDone }) {
    const [reason, setReason] = useState('');

    return html`<details><summary>${t('kill')}</summary>
        <${Form} button=${t('kill')} onDone=${onDone} call=${() =>
            post(`operator/list/kill/${list.id}.json`, { reason })}>
            <p>${t('kill_text')}</p>
            <${Field} id="reason" label=${t('kill_reason')} required
                maxlength="255" value=${reason} onChange=${setReason} />
        <//></details>`;
}

function Actions({ data, onDone }) {
    const { list } = data;
    const { run, ...said } = useChange(onDone);
    const act = (verb, fields) => run(t(`list_done_${verb}`), () =>
        post(`operator/list/${verb}/${list.id}.json`, fields));
    const button = (verb, fields) => html`<button onClick=${() =>
        act(verb, fields)}>${t(`list_do_${verb}`)}</button>${' '}`;
    const changed = data.by_hand.some((name) => name !== 'status');

    return html`<section aria-label=${t('actions')}>
        ${list.status === 'killed' ? button('unkill') : html`
            ${data.frozen && button('thaw')}
            ${button(list.status === 'active' ? 'disable' : 'enable')}
            ${changed && html`<button onClick=${() => act('override',
                { none: 1 })}>${t('list_do_reset')}</button>`}`}
        <${Said} of=${said} />
        ${list.status !== 'killed' && html`
            <${Override} key=${JSON.stringify(data.by_hand)} data=${data}
                onDone=${onDone} />
            <${Kill} list=${list} onDone=${onDone} />`}
    </section>`;
}

function One({ me, data, onDone }) {
    if (!data) {
        return html`<h1>${t('list')}</h1><p>${t('no_such_list')}</p>`;
    }

    return html`
        <h1><bdi>${data.list.host}</bdi>
            <${ListState} word=${wordOf(data.list, data)} /></h1>
        ${data.note && html`<p>${t('list_note',
            { note: isolate(data.note) })}</p>`}
        ${data.by_hand.length > 0 && html`<p>${t('changed_by_hand', { what:
            data.by_hand.map((name) => t(`hand_${name}`)).join(', ') })}</p>`}
        ${me.user.role !== 'viewer' && html`<${Actions} data=${data}
            onDone=${onDone} />`}
        <${About} data=${data} />`;
}

export function SystemLists({ me, rest }) {
    const [round, setRound] = useState(0);
    const state = useLoad(path, round, 30000);

    return html`
        ${rest && html`<${Place} path=${[['lists', t('lists')]]} />`}
        <${Answer} state=${state}>${({ data }) => (rest ? html`<${One} me=${me}
            data=${data.find(({ list }) => list.id === rest)}
            onDone=${() => setRound((n) => n + 1)} />`
            : html`<${Table} all=${data} />`)}<//>`;
}
