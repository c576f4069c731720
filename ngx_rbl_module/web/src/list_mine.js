// The lists of an account: those that list its hosts, do not answer or are
// muted, the heaviest first; the others can be opened.

import { useState } from 'preact/hooks';

import { html } from './html.js';
import { Answers, shareOf } from './list_answers.js';
import { Filter, matches } from './list_parts.js';
import { ListState, needsLook, troubleOf, wordOf } from './list_state.js';
import { useLoad } from './load.js';
import { mutesPath, openMutes, withinText } from './mute_parts.js';
import { Answer, byWeight, Head, When } from './parts.js';
import { Spark } from './spark.js';
import { number, t } from './text.js';

const every = 30000;            // ms
const poor = 90;                // percent of answers
const columns = ['list', 'weight', 'lists_hosts', 'lists_new', 'lists_days',
    'lists_answers', 'lists_alerts'];

// Did it list a host within the days that are shown?
const moved = ({ days }) => days.some((n) => n > 0);

const silent = ({ asked, answers }) => asked === 1 && answers === 0;

// The share of answers, if queries of the service to it have ended.
const shareIn = (state) => (state ? shareOf(state.responses) : null);

// 0: it does not concern the account.
function concern({ row, word, state, mute }) {
    const share = row.asked === 1 ? shareIn(state) : null;

    return row.hosts > 0 ? 4 : row.new > 0 ? 3
        : silent(row) || needsLook(word) || (share !== null && share < poor)
            ? 2
        : row.list.custom === 1 || mute || moved(row) ? 1 : 0;
}

// What is known of each list: the row of the account, what the daemons share
// about it, the state as a word, the mute that holds.
function rowsOf(lists, states, mutes) {
    const of = new Map(states.map((state) => [state.id, state]));
    const open = openMutes(mutes);
    const all = open.find(({ target }) => target === '');
    const rows = lists.map((row) => {
        const { list } = row;
        const state = of.get(list.id);

        return { row, list, state, word: wordOf(list, state),
            mute: open.find(({ target }) => target === list.id) };
    });

    return rows.map((one) => ({ ...one, concern: concern(one),
        mute: one.mute && !one.mute.group ? one.mute : all || one.mute }))
        .sort((a, b) => b.concern - a.concern
            || byWeight(a.row, b.row)
            || b.row.hosts - a.row.hosts || b.row.new - a.row.new);
}

function Answered({ row, word, state }) {
    const trouble = needsLook(word);
    const why = state && troubleOf(word, state);
    const share = row.asked === 1 && shareIn(state) !== null;

    return html`
        ${share && html`<${Answers} responses=${state.responses} />${' '}`}
        ${trouble && html`<${ListState} word=${word} />${' '}`}
        ${row.asked === 0 ? !trouble && html`<span class="quiet">
                ${t('lists_unasked')}</span>`
            : row.answers === 1 ? !share && html`<span class="quiet">
                <${When} text=${row.answered} /></span>`
            : html`<p class="quiet">${row.answered === ''
                ? t('lists_never') : html`${t('lists_silent')}${' '}
                    <${When} text=${row.answered} />`}</p>`}
        ${why && why.reason && html`<p class="quiet">
            ${t(`why_${why.reason}`)}</p>`}`;
}

function Row({ row, list, word, state, mute }) {
    return html`<tr>
        <th scope="row" data-label=${t('list')}>
            <a href="#/lists/${list.id}"><bdi>${list.name || list.host}</bdi>
                ${list.name !== list.host && list.name && html`${' '}
                    <bdi class="quiet address">${list.host}</bdi>`}</a></th>
        <td data-label=${t('weight')} class="plain weight ${row.weight}">
            ${t(`weight_${row.weight}`)}${list.custom === 1
                && `, ${t('own_list')}`}</td>
        <td data-label=${t('lists_hosts')}>${row.hosts > 0
            ? html`<a href="#/lists/${list.id}"><strong>
                ${number(row.hosts)}</strong></a>` : '0'}</td>
        <td data-label=${t('lists_new')}>${row.new > 0
            ? `+${number(row.new)}` : '0'}</td>
        <td data-label=${t('lists_days')} class="plain">
            ${row.days.length > 1 && moved(row)
                && html`<${Spark} days=${row.days} />`}</td>
        <td data-label=${t('lists_answers')}><span>
            <${Answered} row=${row} word=${word} state=${state} /></span></td>
        <td data-label=${t('lists_alerts')}><a href="#/mutes/${list.id}">
            ${mute ? html`${mute.group && html`<bdi class="name">
                ${withinText(mute)}</bdi>`}
                ${t('lists_muted')}${' '}<${When} text=${mute.ends} />`
                : t('lists_told')}</a></td>
    </tr>`;
}

function Lists({ rows }) {
    return html`<table class="dense brief">
        <${Head} names=${columns} />
        <tbody>${rows.map((one) => html`
            <${Row} key=${one.list.id} ...${one} />`)}</tbody>
    </table>`;
}

// A filter shows all lists that match, also those that do not concern the
// account.
function All({ rows }) {
    const [text, setText] = useState('');
    const [open, setOpen] = useState(false);
    const shown = rows.filter(({ list, concern: n }) => (text.trim()
        ? matches(list, text) : n > 0));
    const rest = text.trim() ? [] : rows.filter(({ concern: n }) => n === 0);

    return html`
        <${Filter} value=${text} onChange=${setText} />
        ${text.trim() && html`<p role="status">
            ${t('shown', { n: shown.length, total: rows.length })}</p>`}
        ${shown.length > 0 && html`<${Lists} rows=${shown} />`}
        ${rest.length > 0 && html`<details
            onToggle=${({ target }) => setOpen(target.open)}>
            <summary>${t('lists_rest', { n: rest.length })}</summary>
            ${open && html`<${Lists} rows=${rest} />`}</details>`}`;
}

function Mine({ me, lists, states, mutes }) {
    const rows = rowsOf(lists, states, mutes);
    const count = (f) => lists.filter(f).length;
    const bad = count(({ hosts }) => hosts > 0);
    const asked = count((row) => row.asked === 1);
    const answered = count((row) => row.asked === 1 && row.answers === 1);

    return html`
        <h1 class=${bad > 0 ? 'bad' : asked > 0 && answered === asked ? 'good'
            : ''}>${bad > 0 ? t('lists_mine', { n: bad })
            : t('lists_mine_none')}</h1>
        <p>${asked > 0 ? t('lists_answered', { n: answered, total: asked })
            : t('lists_unasked_all')}</p>
        ${me.user.role !== 'viewer' && html`<p>
            <a class="button" href="#/lists/add">${t('add_list')}</a></p>`}
        <${All} rows=${rows} />`;
}

export function ListsMine({ me }) {
    const lists = useLoad('lists/mine.json', 0, every);
    const states = useLoad('lists/state.json', 0, every);
    const mutes = useLoad(mutesPath, 0, every);

    return html`<${Answer} state=${lists}>${({ data }) => html`
        <${Mine} me=${me} lists=${data}
            states=${states.body ? states.body.data : []}
            mutes=${mutes.body} />`}<//>`;
}
