// Listed hosts, with the heaviest and newest listing first.

import { html } from './html.js';
import { Answer, byWeight, Head, State, stateOf, When } from './parts.js';
import { t } from './text.js';

const few = 8;

// The heaviest listing of a host: its list by name, and its weight, which is
// that of the list unless the listing has one of its own.
function heaviest({ listed_details: listings }, lists) {
    return listings.map(({ host, weight }) => {
        const list = lists.find((one) => one.host === host);

        return { name: list && list.name || host,
            weight: weight || (list && list.weight) || 'normal' };
    }).sort(byWeight)[0]
        || { name: '', weight: 'info' };
}

export function rowsOf(hosts, lists) {
    return hosts.map((host) => ({ host, ...heaviest(host, lists) }))
        .sort((a, b) => byWeight(a, b)
            || (a.host.first_listed < b.host.first_listed ? 1 : -1));
}

function Row({ host, name, weight }) {
    const more = host.listed_details.length - 1;

    return html`<tr>
        <th scope="row" data-label=${t('host')}>
            <a href="#/host/${host.id}">
                <bdi class="address">${host.host}</bdi></a>
            ${host.name !== host.host && html`<p class="quiet">
                <bdi class="name">${host.name}</bdi></p>`}</th>
        <td data-label=${t('weight')} class="plain weight ${weight}">
            ${t(`weight_${weight}`)}</td>
        <td data-label=${t('list')} class="plain">
            ${stateOf(host) !== 'listed' && html`
                <${State} name=${stateOf(host)} />`}
            <span class="name"><bdi>${name}</bdi>${more > 0
                && ` +${more}`}</span></td>
        <td data-label=${t('listed_since')}>
            <${When} text=${host.first_listed} /></td>
    </tr>`;
}

// state: of a search for listed hosts, or of listings; lists: of the trend.
export function Todo({ state, lists }) {
    return html`<section aria-labelledby="todo">
        <h2 id="todo">${t('todo')}</h2>
        <${Answer} state=${state}>${({ data, next }) => html`
            ${data.length === 0 ? html`<p>${t('todo_none')}</p>`
                : html`<table class="dense brief todo">
                    <${Head} names=${['host', 'weight', 'list',
                        'listed_since']} />
                    <tbody>${rowsOf(data, lists).slice(0, few).map((row) =>
                        html`<${Row} key=${row.host.id} ...${row} />`)}</tbody>
                </table>`}
            ${(data.length > few || next) && html`
                <p><a href="#/hosts?state=listed">${next ? t('todo_all')
                    : t('todo_more', { n: data.length - few })}</a></p>`}`}
        <//></section>`;
}
