// System lists, for operators: their state, how their queries ended, and what
// can be done about it.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { isolate } from '../bidi.js';
import { Said, useChange } from '../change.js';
import { Field, Form, Select } from '../form.js';
import { html } from '../html.js';
import { Answered, answersOf, coverageOf, isInNeed }
    from '../list_needs.js';
import { Filter, matches } from '../list_parts.js';
import { ListState, troubleOf, wordOf } from '../list_state.js';
import { useLoad } from '../load.js';
import { Answer, byWeight, Head, Place, weights, When } from '../parts.js';
import { t } from '../text.js';
import { About } from './list.js';

const path = 'operator/lists.json';
const numbers = ['day_quota', 'rate', 'min_interval'];

// Why its answers do not count, and since when.
function Why({ data, word }) {
    const { frozen, refusing_till: till } = data;
    const trouble = troubleOf(word, data);
    const time = frozen || till || trouble?.since;

    return time && html`<p class="quiet">
        ${t(till && !frozen ? 'until_word' : 'since_word')}${' '}
        <${When} text=${time} />${trouble?.reason
            && `. ${t(`why_${trouble.reason}`)}`}</p>`;
}

function Row({ data, word, hand }) {
    const { list } = data;

    return html`<tr>
        <th scope="row" data-label=${t('list')}>
            <a href="#/lists/${list.id}" title=${list.name}>
                <bdi class="address">${list.host}</bdi></a></th>
        <td class="why" data-label=${t('state')}><span>
            <${ListState} word=${word} />
            <${Why} data=${data} word=${word} /></span></td>
        <td class="short" data-label=${t('weight')}>
            ${t(`weight_${data.weight}`)}</td>
        <td class="short" data-label=${t('answers_day')}>${answersOf(data)}</td>
        <td data-label=${t('answered_last')}><${Answered} data=${data} /></td>
        <td data-label=${t('quota_left')}>${data.quota_left >= 0
            && t('number', { value: data.quota_left })}</td>
        ${hand && html`<td data-label=${t('by_hand')}>${data.by_hand.map(
            (name) => t(`hand_${name}`)).join(', ')}</td>`}
    </tr>`;
}

const rank = (data) => (data.list.status !== 'active' ? 3
    : isInNeed(data) ? 0 : wordOf(data.list, data) === 'untested' ? 2 : 1);

const before = (a, b) => rank(a) - rank(b) || byWeight(a, b);

// Those in use, what needs attention first; with `off` the others behind them.
function Table({ all, off }) {
    const [text, setText] = useState('');
    const used = all.filter(({ list }) => list.status === 'active');
    const look = used.filter(isInNeed).length;
    const { queried, answer } = coverageOf(all);
    const rows = (off ? all : used).toSorted(before);
    const shown = rows.filter(({ list }) => matches(list, text));
    const others = all.length - used.length;
    const hand = shown.some(({ by_hand: names }) => names.length > 0);

    return html`
        <h1>${queried > 0 ? t('lists_answering', { n: answer, all: queried })
            : t('lists_unqueried', { n: used.length })}</h1>
        ${queried > 0 && queried < used.length && html`<p>
            ${t('lists_unqueried', { n: used.length - queried })}</p>`}
        ${look > 0 && html`<p>${t('lists_attention', { n: look })}</p>`}
        <${Filter} value=${text} onChange=${setText} />
        ${others > 0 && html`<p><a href=${off ? '#/lists' : '#/lists?off=1'}>
            ${off ? t('lists_off_hide')
                : t('lists_off_show', { n: others })}</a></p>`}
        ${shown.length < rows.length && html`<p role="status">${t('shown',
            { n: shown.length, total: rows.length })}</p>`}
        ${shown.length > 0 && html`<table class="dense many">
            <${Head} names=${['list', 'state', 'weight', 'answers_day',
                'answered_last', 'quota_left', ...hand ? ['by_hand'] : []]} />
            <tbody>${shown.map((data) => html`<${Row} key=${data.list.id}
                data=${data} word=${wordOf(data.list, data)}
                hand=${hand} />`)}</tbody>
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
        <dl class="facts"><div><dt>${t('answers_day')}</dt>
                <dd>${answersOf(data) || '0'}</dd></div>
            <div><dt>${t('answered_last')}</dt>
                <dd><${Answered} data=${data} /></dd></div></dl>
        ${data.by_hand.length > 0 && html`<p>${t('changed_by_hand', { what:
            data.by_hand.map((name) => t(`hand_${name}`)).join(', ') })}</p>`}
        ${me.user.role !== 'viewer' && html`<${Actions} data=${data}
            onDone=${onDone} />`}
        <${About} data=${data} />`;
}

export function SystemLists({ me, rest, query }) {
    const [round, setRound] = useState(0);
    const state = useLoad(path, round, 30000);

    return html`
        ${rest && html`<${Place} path=${[['lists', t('lists')]]} />`}
        <${Answer} state=${state}>${({ data }) => (rest ? html`<${One} me=${me}
            data=${data.find(({ list }) => list.id === rest)}
            onDone=${() => setRound((n) => n + 1)} />`
            : html`<${Table} all=${data} off=${query === 'off=1'} />`)}<//>`;
}
