// Lists: a table of all of them, system lists and those of the account.

import { useState } from 'preact/hooks';

import { html } from '../html.js';
import { Filter, ListCells, matches, PaidAnswer } from '../list_parts.js';
import { families, needsLook, wordOf } from '../list_state.js';
import { useLoad } from '../load.js';
import { t } from '../text.js';
import { List } from './list.js';
import { ListAdd } from './list_add.js';

function Row({ list, state = {}, word }) {
    return html`<tr>
        <${ListCells} list=${list} shared=${state} word=${word} />
        <td data-label=${t('families')}>${families(list)}</td>
        <td data-label=${t('weight')}>${t(`weight_${state.weight}`)}</td>
        <td data-label=${t('whose')}>
            ${t(list.custom ? 'own_list' : 'system_list')}</td>
        <td data-label=${t('quota_left')}>${state.quota_left >= 0
            && t('number', { value: state.quota_left })}</td>
    </tr>`;
}

function ListTable({ rows }) {
    return html`<table>
        <thead><tr>
            <th scope="col">${t('list')}</th>
            <th scope="col">${t('state')}</th>
            <th scope="col">${t('families')}</th>
            <th scope="col">${t('weight')}</th>
            <th scope="col">${t('whose')}</th>
            <th scope="col">${t('quota_left')}</th>
        </tr></thead>
        <tbody>${rows.map((row) => html`
            <${Row} key=${row.list.id} ...${row} />`)}</tbody>
    </table>`;
}

// Own lists first, then those that need a look, then in the order of the API.
function rowsOf(lists, states) {
    const of = new Map(states.map((state) => [state.id, state]));
    const rows = lists.map((list) => {
        const state = of.get(list.id);

        return { list, state, word: wordOf(list, state) };
    });
    const rank = ({ list, word }) => (list.custom ? 0
        : needsLook(word) ? 1 : 2);

    return rows.sort((a, b) => rank(a) - rank(b));
}

function Table({ me, lists, total, states }) {
    const [text, setText] = useState('');
    const rows = rowsOf(lists, states);
    const shown = rows.filter(({ list }) => matches(list, text));
    const look = rows.filter(({ word }) => needsLook(word)).length;

    return html`
        <h1>${t('total_lists', { n: total })}</h1>
        <p>${look > 0 ? t('lists_look', { n: look }) : t('lists_good')}</p>
        ${me.user.role !== 'viewer' && html`<p>
            <a class="button" href="#/lists/add">${t('add_list')}</a></p>`}
        <${Filter} value=${text} onChange=${setText} />
        <p role="status">${t('shown', { n: shown.length, total })}</p>
        ${shown.length > 0 && html`<${ListTable} rows=${shown} />`}`;
}

function All({ me }) {
    const lists = useLoad('rbls.json?page_size=1000');
    const states = useLoad('lists/state.json');

    return html`<${PaidAnswer} title=${t('lists')} state=${lists}>
        ${({ data, total_rbls: total }) => html`
            <${Table} me=${me} lists=${data} total=${total}
                states=${states.body ? states.body.data : []} />`}
    <//>`;
}

export function Lists({ me, rest }) {
    return rest === 'add' ? html`<${ListAdd} me=${me} />`
        : rest ? html`<${List} me=${me} id=${rest} />`
            : html`<${All} me=${me} />`;
}
