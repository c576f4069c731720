// The card of a listing: what usually causes it, what to look at first, how and
// when it ends, links, a text to copy.  Nothing is sent from here.

import { Copied } from './copied.js';
import { html } from './html.js';
import { Marks } from './marks.js';
import { When } from './parts.js';
import { t } from './text.js';

const asks = ['form', 'account', 'mail', 'owner'];

// A link to another site, which must not learn where it came from.
function Away({ to, text }) {
    return /^https?:/.test(to) && html`<a href=${to} target="_blank"
        rel="noopener noreferrer">${text}</a> `;
}

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

// Hours up to two days, then days.
function hours(n) {
    return n > 48 && n % 24 === 0 ? t('card_days', { n: n / 24 })
        : t('card_hours', { n });
}

function Ends({ card }) {
    return html`
        <p>${word('when', card.how, card.when)}</p>
        ${card.ages > 0 && html`<p>${t('card_ages',
            { time: hours(card.ages) })}
            ${card.ends && html` ${t('card_not_before')}
                <${When} text=${card.ends} />`}</p>`}
        ${card.takes > 0 && html`<p>${t('card_takes',
            { time: hours(card.takes) })}</p>`}
        ${card.note && html`<p>${t('card_note')} <bdi>${card.note}</bdi></p>`}`;
}

// A mail address of the catalogue is no more than that: it gets no subject.
function Links({ card, lookup }) {
    return html`<p>
        <${Away} to=${card.url} text=${t(asks.includes(card.how)
            ? 'delisting' : 'card_page')} />
        ${lookup !== card.url && html`
            <${Away} to=${lookup} text=${t('lookup')} />`}
        ${card.mail && html`<a href="mailto:${encodeURIComponent(card.mail)
            .replace('%40', '@')}"><bdi>${card.mail}</bdi></a> `}</p>`;
}

export function Card({ list, ...marks }) {
    const { card } = list;

    return html`<section class="card">
        <h3><bdi>${list.name || list.host}</bdi></h3>
        <${Marks} list=${list} ...${marks} />
        <p>${t('card_cause')} ${word('cause', card.cause, card.cause_text)}</p>
        <${Looks} card=${card} />
        <p>${t('card_how')} ${word('how', card.how, card.how_text)}</p>
        <${Ends} card=${card} />
        <${Links} card=${card} lookup=${list.lookup} />
        ${card.text && html`<details>
            <summary>${t('card_text')}</summary>
            <p class="quiet">${t('card_gaps')}</p>
            <${Copied} label=${t('card_text')} text=${card.text} />
        </details>`}
        ${card.source && html`<p class="quiet">${t('card_source',
            { day: card.read })} <${Away} to=${card.source}
            text=${t('card_source_page')} /></p>`}
    </section>`;
}

// host: its id; may: the user may mark listings; onDone: they did.
export function Cards({ lists, ...marks }) {
    const some = lists.filter(({ card }) => card);

    return some.length > 0 && html`<h2>${t('cards')}</h2>
        ${some.map((list) => html`<${Card} key=${list.id} list=${list}
            ...${marks} />`)}`;
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
