// The card of a listing: what usually causes it, what to look at first, how and
// when it ends, links, a text to copy.  Nothing is sent from here.

import { Copied } from './copied.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { Marks } from './marks.js';
import { mutesPath, openMutes, Until } from './mute_parts.js';
import { Away, byWeight, When } from './parts.js';
import { date, number, t } from './text.js';

// On the page of the list one asks for the removal.
const asks = ['form', 'account'];

// A word of the catalogue in the language of the page; of a newer one, the text
// of the service.
function word(kind, name, text) {
    return t(`${kind}_${name}`) || text;
}

function Looks({ card }) {
    return html`<ol>${card.look.map((text, i) => html`
        <li key=${text}>${word('look', `${card.cause}_${i + 1}`, text)}</li>`)}
    </ol>`;
}

// An entry by policy has no cause that could end.
function when({ how, cause, when: text }) {
    return cause === 'policy' && t(`policy_${how}`) || word('when', how, text);
}

// Hours up to two days, then days.
function hours(n) {
    return n > 48 && n % 24 === 0 ? t('card_days', { n: n / 24 })
        : t('card_hours', { n });
}

// How an entry ends, and when.
function Ends({ card }) {
    return html`<p>${t('card_how')} ${word('how', card.how, card.how_text)}.
        ${' '}${when(card)}
        ${card.ages > 0 && html` ${t('card_ages', { time: hours(card.ages) })}
            ${card.ends && html` ${t('card_not_before')}
                ${' '}<${When} text=${card.ends} />.`}`}
        ${card.takes > 0 && ` ${t('card_takes',
            { time: hours(card.takes) })}`}</p>
        ${card.note && html`<p>${t('card_note')} <bdi
            lang="en">${card.note}</bdi></p>`}`;
}

// A mail address of the catalogue is no more than that: it gets no subject.
function Links({ card, lookup }) {
    return html`<p class="acts">
        ${lookup !== card.url && html`
            <${Away} to=${lookup} text=${t('lookup')} />`}
        <${Away} to=${card.url} text=${t(asks.includes(card.how)
            ? 'delisting' : 'card_page')} />
        ${card.mail && html`<a href="mailto:${encodeURIComponent(card.mail)
            .replace('%40', '@')}"><bdi>${card.mail}</bdi></a> `}</p>`;
}

// What the list said, and since when.
function Says({ list }) {
    return html`<p class="why"><strong>${word('cause', list.card.cause,
        list.card.cause_text)}</strong>
        ${' '}<span class="quiet"><bdi>${list.meaning}</bdi>
        ${' '}${t('since_word')}${' '}<${When} text=${list.since} /></span></p>
        ${list.details && html`<p><bdi>${list.details}</bdi></p>`}
        ${list.errors > 0 && html`<p class="quiet">
            ${t('still_listed', { n: list.errors })}</p>`}`;
}

// mutes: of the list, that hold now.
export function Card({ list, alone, mutes, ...marks }) {
    const { card } = list;

    return html`<section class="card ${list.weight}">
        <h3><a href="#/lists/${list.id}"><bdi>${list.name || list.host}</bdi>
            </a>${' '}<span class="weight">${t(`weight_${list.weight}`)}
            </span></h3>
        <${Says} list=${list} />
        ${mutes.map((mute) => html`<p key=${mute.id}>
            <${Until} mute=${mute} id=${list.id} />:
            ${' '}<bdi>${mute.reason}</bdi></p>`)}
        <${Links} card=${card} lookup=${list.lookup} />
        <${Ends} card=${card} />
        <details open=${alone}>
            <summary>${t('card_look')}</summary>
            <${Looks} card=${card} />
            ${card.source && html`<p class="quiet">${t('card_source',
                { day: card.read })} <${Away} to=${card.source}
                text=${t('card_source_page')} /></p>`}
        </details>
        <${Marks} list=${list} ...${marks} />
        ${card.text && html`<details>
            <summary>${t('card_text')}</summary>
            <p class="quiet">${t('card_gaps')}</p>
            <${Copied} label=${t('card_text')} text=${card.text} />
        </details>`}
    </section>`;
}

// The heaviest listings first, and of these the newest.  groups: of the host;
// host: its id; may: the user may mark listings; onDone: they did.
export function Cards({ lists, groups, ...marks }) {
    const open = openMutes(useLoad(mutesPath).body).filter(({ group }) =>
        group === '' || groups.includes(group));
    const some = lists.filter(({ card }) => card).sort((a, b) =>
        byWeight(a, b) || date(b.since) - date(a.since));

    return some.length > 0 && html`<section aria-labelledby="cards">
        <h2 id="cards">${t('cards')}${some.length > 1 && ` (${
            number(some.length)})`}</h2>
        <div class="cards">${some.map((list) => html`<${Card} key=${list.id}
            list=${list} alone=${some.length === 1} ...${marks}
            mutes=${open.filter(({ target }) => target === list.id)} />`)}</div>
    </section>`;
}

// How entries leave a list, for its page.
export function Ways({ ways }) {
    return html`<h2>${t('card_how_title')}</h2>
        <ul>${ways.map((way) => html`<li key=${way.codes.join(' ')}>
        ${way.codes.length > 0 && html`<bdi>${way.codes.join(', ')}</bdi>: `}
        ${word('how', way.how, way.how)}
        ${' ('}${word('cause', way.cause, way.cause)})
        ${way.ages > 0 && html`. ${t('card_ages', { time: hours(way.ages) })}`}
        ${way.note && html`<p class="quiet"><bdi>${way.note}</bdi></p>`}
        ${way.source && html`<p class="quiet">${t('card_source',
            { day: way.read })} <${Away} to=${way.source}
            text=${t('card_source_page')} /></p>`}
    </li>`)}</ul>`;
}
