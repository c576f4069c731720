// Parts that screens share: the state of a host, a time, what is shown while an
// answer is awaited or cannot be had.

import { now } from './clock.js';
import { html } from './html.js';
import { reason } from './refusal.js';
import { absolute, date, relative, t } from './text.js';

// The state of a host of the API.  Nobody knows whether a host is listed that
// no list could be asked about: that is never shown as clear.
export function stateOf(host) {
    if (host.status === 'paused') {
        return 'paused';
    }

    const stopped = { 'plan expired': 'stopped', 'not checked yet': 'waiting' };

    if (stopped[host.reason]) {
        return stopped[host.reason];
    }

    if (host.listed === '1') {
        return 'listed';
    }

    if (host.covered === '0') {
        return 'uncovered';
    }

    if (!host.last_checked) {
        return 'waiting';
    }

    return Number(host.unknown_count) > 0 ? 'unknown' : 'clear';
}

// The ids of the groups of a host or a contact.
export const groupsOf = ({ contact_group: groups }) => groups.split(',');

// The weights of listings, the heaviest first.
export const weights = ['critical', 'high', 'normal', 'info'];

const rank = ({ weight }) => (weights.indexOf(weight) + 1)
    || weights.length + 1;

// The order of what has a weight; one that is not known comes last.
export const byWeight = (a, b) => rank(a) - rank(b);

// Why no list could be asked about a host or address.
export const uncovered = (why) => t(/not a public address/.test(why)
    ? 'uncovered_local' : 'check_uncovered');

export const shapes = {
    listed: 'M8 1 15 14H1z',
    clear: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z',
    unknown: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z M8 3a5 5 0 0 0 0 10z',
    stopped: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z M8 3a5 5 0 0 0 0 10z',
    uncovered: 'M2 7h12v2H2z',
    ended: 'M2 7h12v2H2z',
    paused: 'M3 2h4v12H3z M9 2h4v12H9z',
    waiting: 'M8 1 15 8 8 15 1 8z',
    pending: 'M8 1 15 8 8 15 1 8z',
    active: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z',
    skipped: 'M2 7h12v2H2z',
    enabled: 'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1z',
    failing: 'M8 1 15 14H1z',
    disabled: 'M3 2h4v12H3z M9 2h4v12H9z'
};

// name: of the state; other classes may follow.
export function State({ name, text = t(`state_${name}`) }) {
    return html`<span class="state ${name}">
        <svg viewBox="0 0 16 16" aria-hidden="true"><path
            fill-rule="evenodd" d=${shapes[name.split(' ')[0]]} />
        </svg>${text}</span>`;
}

// The head of a table, of columns by the names of their texts.
export const Head = ({ names }) => html`<thead><tr>${names.map((name) => html`
    <th key=${name} scope="col">${t(name)}</th>`)}</tr></thead>`;

// A table of rows, each made by `row`, which has the key; none: what is said
// instead if there are no rows.
export const Table = ({ names, rows, row, none, dense = true }) =>
    (rows.length === 0 ? none && html`<p>${none}</p>`
        : html`<table class=${dense ? 'dense' : ''}><${Head} names=${names} />
            <tbody>${rows.map(row)}</tbody></table>`);

// The exact time is made when it is pointed at: the formatter of it alone takes
// longer than the rows of a table.
export function When({ text }) {
    const at = date(text);

    return at
        ? html`<time datetime=${at.toISOString()}
            onPointerEnter=${({ target }) => {
                target.title = absolute(at);
            }}>${relative(at, now())}</time>`
        : html`<span>${t('never')}</span>`;
}

// A link to the screen of one thing by its name, which may be cut.  kind: a
// class, "name" or "address".
export const NameLink = ({ to, name, kind = 'name' }) => html`
    <a href="#/${to}"><bdi class=${kind} title=${name}>${name}</bdi></a>`;

// A link to another site, which must not learn where it came from.
export const Away = ({ to, text }) => /^https?:/.test(to) && html`
    <a href=${to} target="_blank" rel="noopener noreferrer">${text}</a> `;

// Where a screen belongs: links to those above it.
export function Place({ path }) {
    return html`<nav class="place" aria-label=${t('place')}>
        ${path.map(([to, text]) => html`<a key=${to} href="#/${to}">
            ${text}</a>`)}</nav>`;
}

// A link to the changes of an object, for those who may read them.
export function Changes({ may, id }) {
    return may && html`<p>
        <a href="#/audit/target/${id}">${t('audit_history')}</a></p>`;
}

// The end of a list: how much of it is shown, and a button for more.
export function More({ n, total, size, setSize }) {
    return html`
        <p role="status">${n < total && t('shown', { n, total })}</p>
        ${n < total && size < 1000 && html`
            <button onClick=${() => setSize(Math.min(size + 100, 1000))}>
                ${t('more')}</button>`}`;
}

// Why something was refused; nothing without a text.
export const Problem = ({ text }) => text && html`
    <p class="banner" role="alert">${text}</p>`;

// The content of a screen, once it has an answer.
export function Answer({ state, children }) {
    const { body, refusal } = state;
    const why = refusal && reason(refusal);

    return html`
        <${Problem} text=${why} />
        ${body ? children(body)
            : !why && html`<p class="loading" role="status">
                ${t('loading')}</p>`}`;
}
