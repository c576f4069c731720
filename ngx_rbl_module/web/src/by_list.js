// Hosts by list, the heaviest list first.

import { html } from './html.js';
import { Answer, byWeight, Head } from './parts.js';
import { Spark } from './spark.js';
import { number, t } from './text.js';

const few = 8;

function Row({ list }) {
    return html`<tr>
        <th scope="row" data-label=${t('list')}>
            <a href="#/lists/${list.id}">
                <bdi class="name">${list.name || list.host}</bdi></a></th>
        <td data-label=${t('weight')} class="plain weight ${list.weight}">
            ${t(`weight_${list.weight}`)}</td>
        <td data-label=${t('listed')}><a
            href="#/hosts?state=listed&list=${list.id}">
            ${number(list.hosts)}</a></td>
        <td data-label=${t('new_week')}>${number(list.new)}</td>
        <td data-label=${t('days_30')} class="plain">${list.days.length > 1
            && html`<${Spark} days=${list.days} />`}</td>
    </tr>`;
}

// state: of the trend, which has the lists with most hosts.
export function ByList({ state }) {
    return html`<section aria-labelledby="by-list">
        <h2 id="by-list">${t('by_list')}</h2>
        <${Answer} state=${state}>${({ data: { lists, total_lists: total } }) =>
            html`${lists.length === 0 ? html`<p>${t('by_list_none')}</p>`
                : html`<table class="dense brief">
                    <${Head} names=${['list', 'weight', 'listed',
                        'new_week', 'days_30']} />
                    <tbody>${[...lists].sort((a, b) => byWeight(a, b)
                        || b.hosts - a.hosts || b.new - a.new).slice(0, few)
                        .map((list) => html`
                            <${Row} key=${list.id} list=${list} />`)}</tbody>
                </table>`}
            <p><a href="#/lists">${total > few
                ? t('by_list_more', { n: total - few }) : t('lists_all')}</a>
            </p>`}<//></section>`;
}
