// The filters of hosts: a text, and chips for states, weights, groups and more.
// The query of the address has them all.

import { useEffect, useRef, useState } from 'preact/hooks';

import { html } from './html.js';
import { State, weights } from './parts.js';
import { filters } from './paths.js';
import { number, t } from './text.js';

const states = ['listed', 'unknown', 'uncovered', 'clear', 'paused'];
const hours = [24, 168, 720];
const wait = 250;               // ms after the last key

// The query with some filters changed; '': one is taken away.
export function queryWith(query, changes) {
    const next = new URLSearchParams(query);

    Object.entries(changes).forEach(([name, value]) => {
        next.delete(name);

        if (value) {
            next.set(name, value);
        }
    });

    return `${next}`;
}

export const addressOf = (query) => `#/hosts${query && `?${query}`}`;

function go(query, replace) {
    if (replace) {
        location.replace(addressOf(query));
    } else {
        location.hash = addressOf(query);
    }
}

// What is typed counts when nothing was typed for a moment.  The page learns of
// a text that it put into the address, and more may be typed till then; only
// another text comes into the field.
function Text({ query }) {
    const given = new URLSearchParams(query).get('text') || '';
    const [text, setText] = useState(given);
    const [seen, setSeen] = useState(given);
    const put = useRef(null);

    if (given !== seen) {
        setSeen(given);

        if (given !== put.current) {
            setText(given);
        }

        put.current = null;
    }

    useEffect(() => {
        const timer = text !== given && setTimeout(() => {
            put.current = text;
            go(queryWith(query, { text }), true);
        }, wait);

        return () => clearTimeout(timer);
    }, [text, query]);

    return html`<input id="text" type="search" aria-label=${t('find_text')}
        placeholder=${t('find_text')} maxlength="255" value=${text}
        autocomplete="off" spellcheck="false"
        onInput=${(e) => setText(e.target.value)} />`;
}

function Chip({ query, on, to, n, children }) {
    return html`<a class="chip" href=${addressOf(queryWith(query, to))}
        aria-current=${on ? 'true' : undefined}>${children}
        ${n >= 0 && html` <strong>${number(n)}</strong>`}</a>`;
}

function Choice({ query, name, label, from }) {
    const value = new URLSearchParams(query).get(name) || '';

    return (from.length > 0 || value) && html`<select id=${name}
        class="chip ${value && 'on'}" aria-label=${label} value=${value}
        onChange=${(e) => go(queryWith(query, { [name]: e.target.value }))}>
        <option value="">${label}</option>
        ${from.map((one) => html`<option key=${one.id} value=${one.id}>
            ${one.name}</option>`)}
        ${value && !from.some(({ id }) => `${id}` === value) && html`
            <option value=${value}>${value}</option>`}
    </select>`;
}

// A state, or a weight, is chosen alone; chosen again it is none.  Only listed
// hosts have a weight, a list and a time since when.
function Chips({ query, counts, groups, profiles, names }) {
    const given = new URLSearchParams(query);
    const chips = (all, name, others, content) => all.map((value) => {
        const on = given.get(name) === value;

        return (on || counts && counts[value] > 0) && html`<${Chip} key=${value}
            query=${query} on=${on} n=${counts ? counts[value] : -1}
            to=${{ ...others(value), [name]: on ? '' : value }}>
            ${content(value)}<//>`;
    });
    const lists = [...names].map(([id, name]) => ({ id, name }))
        .sort((a, b) => a.name.localeCompare(b.name));

    return html`
        ${chips(states, 'state', (value) => (value === 'listed' ? {}
            : { weight: '', list: '', since: '' }), (value) => html`
                <${State} name=${value} />`)}
        ${chips(weights, 'weight', () => ({ state: '' }), (value) =>
            t(`weight_${value}`))}
        ${html`<${Choice} query=${query} name="group" label=${t('group')}
            from=${groups} />
        <${Choice} query=${query} name="list" label=${t('list')}
            from=${lists} />
        <${Choice} query=${query} name="since" label=${t('sort_since')}
            from=${hours.map((n) => ({ id: n, name: n < 48
                ? t('within_hours', { n }) : t('within_days',
                    { n: n / 24 }) }))} />
        <${Choice} query=${query} name="profile" label=${t('profile')}
            from=${profiles} />`}`;
}

// In a small window a button opens the chips.
export function Filters({ query, ...lists }) {
    const [open, setOpen] = useState(false);
    const given = new URLSearchParams(query);
    const n = filters.filter((name) => given.get(name)
        && !['sort', 'text'].includes(name)).length;

    return html`<form class="filters ${open ? 'open' : ''}" role="search"
        onSubmit=${(e) => e.preventDefault()}>
        <${Text} query=${query} />
        <button type="button" class="more" aria-expanded=${`${open}`}
            onClick=${() => setOpen(!open)}>
            ${t('filters')}${n > 0 && ` (${number(n)})`}</button>
        <div class="chips"><${Chips} query=${query} ...${lists} />
            ${n > 0 && html`<a href=${addressOf(queryWith('', {
                text: given.get('text'), sort: given.get('sort') }))}>
                ${t('filters_clear')}</a>`}</div>
    </form>`;
}
