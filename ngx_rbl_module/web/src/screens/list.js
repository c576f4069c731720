// One list: which hosts of the account it lists, and did before; its state and
// why, the limits of its queries, the meaning of its answers; own lists can be
// changed.

import { useState } from 'preact/hooks';

import { isolate } from '../bidi.js';
import { html } from '../html.js';
import { lazy } from '../lazy.js';
import { ListActions } from '../list_actions.js';
import { families, ListState, sentenceOf, wordOf } from '../list_state.js';
import { useLoad } from '../load.js';
import { Muted } from '../mute_parts.js';
import { Answer, Away, Head, Place, When } from '../parts.js';
import { absolute, date, t } from '../text.js';

const Ways = lazy(() => import('../card.js'), 'Ways', 'cards');
const ListTrend = lazy(() => import('../list_trend.js'), 'ListTrend', 'lists');

function time(text) {
    const at = date(text);

    return at ? absolute(at) : '';
}

// What can be said of the state of a list: sentences.
function sentences(data) {
    const { list } = data;

    if (list.status !== 'active') {
        return [t(`about_${list.status}`), data.reason
            && t('about_reason', { reason: isolate(data.reason) })];
    }

    if (list.custom) {
        return [t('about_own')];
    }

    return [
        data.frozen && t('about_frozen', { since: time(data.frozen),
            turned: data.turned, of: data.of }),
        data.refusing_till && t('about_refusing', {
            since: time(data.refusing), till: time(data.refusing_till) }),
        data.quota_left === 0 && t('about_used_up'),
        ...data.tests.map(sentenceOf),
        data.tests.length === 0 && t('test_none')
    ];
}

function limits(data) {
    return [
        data.day_quota > 0 && t('limit_quota', { quota: data.day_quota,
            used: data.quota_used, left: data.quota_left }),
        data.rate > 0 && t('limit_rate', { n: data.rate }),
        data.min_interval > 0 && t('limit_interval',
            { n: Math.max(1, Math.round(data.min_interval / 60)) })
    ].filter(Boolean);
}

function Sentences({ from }) {
    return html`<ul>${from.filter(Boolean).map((text) => html`
        <li key=${text}>${text}</li>`)}</ul>`;
}

// A rule is "<answer>@<weight>=<meaning>", or without the weight; "!" marks an
// error of the list, "~" an answer that is no listing.
function Codes({ codes }) {
    return html`<table>
        <${Head} names=${['answer_code', 'counts_as', 'meaning']} />
        <tbody>${codes.map((rule) => {
            const [, mark, code, weight, text] =
                /^([!~]?)([^=@]*)(?:@([^=]*))?=?([^]*)$/.exec(rule);

            return html`<tr key=${rule}>
                <th scope="row" data-label=${t('answer_code')}>
                    <bdi class="address">${code}</bdi></th>
                <td data-label=${t('counts_as')}>${t(mark === '!' ? 'code_error'
                    : mark === '~' ? 'code_neutral' : 'code_listing')}${
                    weight && `, ${t(`weight_${weight}`)}`}</td>
                <td data-label=${t('meaning')}><bdi>${text}</bdi></td>
            </tr>`;
        })}</tbody>
    </table>`;
}

// The pages of a list that there are.
function Links({ list, lookup, delisting }) {
    const links = [[list.website, 'website'], [lookup.split('%s')[0], 'lookup'],
        [delisting, 'delisting']].map(([to, name]) =>
        Away({ to, text: t(name) })).filter(Boolean);

    return html`<ul>${links.map((link) => html`<li>${link}</li>`)}</ul>`;
}

function Facts({ data }) {
    const { list } = data;

    return html`<dl class="facts">
        ${list.name !== list.host && html`<div><dt>${t('name')}</dt>
            <dd><bdi>${list.name}</bdi></dd></div>`}
        <div><dt>${t('whose')}</dt>
            <dd>${t(list.custom ? 'own_list' : 'system_list')}</dd></div>
        <div><dt>${t('families')}</dt><dd>${families(list)}</dd></div>
        <div><dt>${t('weight')}</dt><dd>${t(`weight_${data.weight}`)}</dd></div>
        ${data.frozen && html`<div><dt>${t('frozen_since')}</dt>
            <dd><${When} text=${data.frozen} /></dd></div>`}
    </dl>`;
}

// What can be said of a list of the account, or of the system.
export function About({ data }) {
    const { list } = data;
    const bounds = limits(data);

    return html`
        <${Facts} data=${data} />
        <${Sentences} from=${sentences(data)} />
        <section><h2>${t('about_list')}</h2>
            <${Sentences} from=${[t(`kind_${data.kind}`),
                t(`scope_${data.scope}`), t(`weight_means_${data.weight}`)]} />
            <${Links} ...${data} />
        </section>
        ${data.removal.length > 0 && html`<section>
            <${Ways} ways=${data.removal} /></section>`}
        ${!list.custom && html`<section><h2>${t('list_limits')}</h2>
            <${Sentences} from=${bounds.length ? bounds
                : [t('no_limits')]} /></section>`}
        <section><h2>${t('answers')}</h2>
            ${data.codes.length > 0 ? html`<details>
                <summary>${t('list_codes', { n: data.codes.length })}</summary>
                <${Codes} codes=${data.codes} /></details>`
                : html`<p>${t('any_answer')}</p>`}</section>`;
}

export function List({ me, id, query }) {
    const [round, setRound] = useState(0);
    const state = useLoad(`list/${encodeURIComponent(id)}.json`, round);

    return html`
        <${Place} path=${[['lists', t('lists')]]} />
        <${Answer} state=${state}>${({ data }) => html`
            <h1><bdi>${data.list.host}</bdi>
                <${ListState} word=${wordOf(data.list, data)} /></h1>
            ${data.list.custom === 1 && me.user.role !== 'viewer' && html`
                <${ListActions} list=${data.list}
                    onDone=${() => setRound((n) => n + 1)} />`}
            <${Muted} ids=${[id]} id=${id}
                may=${me.user.role !== 'viewer'} />
            <${ListTrend} id=${id} zone=${data.list.host} query=${query}
                responses=${data.responses} />
            <${About} data=${data} />`}
        <//>`;
}
