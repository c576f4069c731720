// Lists that need somebody, for operators: those that are used and whose
// answers do not count, by what is wrong with them.

import { html } from './html.js';
import { needsLook, troubleOf, wordOf } from './list_state.js';
import { byWeight, NameLink, When } from './parts.js';
import { number, t } from './text.js';

const few = 5;                  // lists of a kind that are shown at once

// "30 % of 40", of the queries of the last 24 hours; "" if there were none.
export function answersOf({ responses: { answered, refused, failed } }) {
    const all = answered + refused + failed;

    return all > 0 ? t('percent_of', { all,
        n: Math.floor(answered / all * 100) }) : '';
}

export const Answered = ({ data: { responded } }) => (responded
    ? html`<${When} text=${responded} />` : t('answered_never'));

// Many lists have no entries of one address family, which is no fault.
export function isInNeed(data) {
    const word = wordOf(data.list, data);
    const { answered, refused, failed } = data.responses;

    return data.list.status === 'active' && needsLook(word)
        && (word !== 'unsupported' || answered === 0 && refused + failed > 0);
}

// Of the lists in use, how many were queried, and how many of these answer:
// have given answers lately, and these count.
export function coverageOf(lists) {
    const used = lists.filter(({ list }) => list.status === 'active');
    const queried = used.filter((data) =>
        wordOf(data.list, data) !== 'untested');

    return { queried: queried.length,
        answer: queried.filter((data) => !isInNeed(data)
            && (wordOf(data.list, data) === 'good'
                || data.responses.answered > 0)).length };
}

// Of all lists: {word, reason, rows}, the heaviest lists first.
export function kindsOf(lists) {
    const kinds = new Map();

    lists.filter(isInNeed).sort(byWeight).forEach((data) => {
        const word = wordOf(data.list, data);
        const reason = troubleOf(word, data)?.reason || '';
        const id = `${word} ${reason}`;

        kinds.set(id, kinds.get(id) || { id, word, reason, rows: [] });
        kinds.get(id).rows.push(data);
    });

    return [...kinds.values()];
}

// Its cells say what they are.
const Row = ({ data }) => html`<tr>
    <th scope="row"><${NameLink} to="lists/${data.list.id}" kind="address"
        name=${data.list.host} /></th>
    <td class=${`worst ${data.weight}`}>${t(`weight_${data.weight}`)}</td>
    <td>${answersOf(data) && t('answered_share',
        { share: answersOf(data) })}</td>
    <td>${t('answered_last')}: <${Answered} data=${data} /></td>
    <td class="quiet"><bdi>${data.note}</bdi></td>
</tr>`;

function Kind({ kind: { word, reason, rows }, addresses }) {
    const from = addresses.map(({ address }) => address).join(', ');
    const todo = t(`todo_${word}`, { addresses: from || t('from_nowhere') });

    return html`<details open=${rows.length <= few}>
        <summary>${t('lists_of_kind', { n: rows.length,
            word: t(`list_${word}`) })}</summary>
        <p>${reason && `${t(`why_${reason}`)} `}${todo}</p>
        <table>
            <tbody>${rows.map((data) => html`
                <${Row} key=${data.list.id} data=${data} />`)}</tbody>
        </table></details>`;
}

// addresses: {address}, from which the daemons query.
export function Needs({ lists, addresses }) {
    const kinds = kindsOf(lists);

    return html`<section class="needs" aria-labelledby="needs">
        <h2 id="needs">${t('lists_need')} (${number(lists.filter(isInNeed)
            .length)})</h2>
        ${kinds.length === 0 && html`<p>${t('lists_need_none')}</p>`}
        ${kinds.map((kind) => html`<${Kind} key=${kind.id} kind=${kind}
            addresses=${addresses} />`)}
        <p><a href="#/lists">${t('all_lists')}</a></p></section>`;
}
