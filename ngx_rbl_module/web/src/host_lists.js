// The lists of a host that do not list it: those without an answer by the
// reason, and those that are clear as a number, with a table behind each.

import { html } from './html.js';
import { whyNot } from './list_state.js';
import { Away, Head, When } from './parts.js';
import { t } from './text.js';

// Reasons that lie in the resolver or the network rather than in one list.
const ours = ['timeout', 'servfail', 'refused', 'network', 'resolver'];
const least = 5;                // lists

// Of a list that never answered the time is missing, too.
function Answered({ list }) {
    return list.asked || list.error === 'unasked'
        ? html`<${When} text=${list.asked} />` : t('state_untold');
}

function ListTable({ lists }) {
    return html`<table class="dense">
        <${Head} names=${['list', 'weight', 'answered', 'links']} />
        <tbody>${lists.map((list) => html`<tr key=${list.id}>
            <th scope="row" data-label=${t('list')}>
                <a href="#/lists/${list.id}">
                    <bdi>${list.name || list.host}</bdi></a></th>
            <td data-label=${t('weight')}>${t(`weight_${list.weight}`)}</td>
            <td data-label=${t('answered')}><${Answered} list=${list} /></td>
            <td data-label=${t('links')}>
                <${Away} to=${list.lookup} text=${t('lookup')} /></td>
        </tr>`)}</tbody>
    </table>`;
}

// [[error, lists]], the reason of most lists first.
function byReason(lists) {
    const reasons = new Map();

    for (const list of lists) {
        reasons.set(list.error, [...reasons.get(list.error) || [], list]);
    }

    return [...reasons].sort(([, a], [, b]) => b.length - a.length);
}

function Part({ text, lists }) {
    return html`<details>
        <summary>${text}</summary>
        <${ListTable} lists=${lists} />
    </details>`;
}

export function OtherLists({ lists }) {
    const sorted = [...lists].sort((a, b) =>
        (a.name || a.host).localeCompare(b.name || b.host));
    const of = (state) => sorted.filter(({ status }) => status === state);
    const [unknown, skipped, clear] = ['unknown', 'skipped', 'clear'].map(of);
    const failed = unknown.filter(({ error }) => ours.includes(error));

    return lists.length > 0 && html`<section aria-labelledby="answers">
        <h2 id="answers">${t('lists_answered', { total: lists.length,
            n: lists.filter(({ error }) => !error).length })}</h2>
        ${failed.length >= least && failed.length * 2 > lists.length && html`
            <p class="banner">${t('lists_fail', { n: failed.length,
                total: lists.length })}</p>`}
        ${byReason(unknown).map(([error, some]) => html`<${Part} key=${error}
            text=${t('lists_silent', { n: some.length, why: whyNot(error) })}
            lists=${some} />`)}
        ${skipped.length > 0 && html`<${Part} lists=${skipped}
            text=${t('lists_skipped', { n: skipped.length })} />`}
        ${clear.length > 0 && html`<${Part} lists=${clear}
            text=${t('lists_clear', { n: clear.length })} />`}
    </section>`;
}
