// Hosts: a table of any length, searched, filtered and sorted by the query of
// the address; changes of those that are selected.

import { useCallback, useEffect, useLayoutEffect, useRef, useState }
    from 'preact/hooks';

import { Bulk } from '../bulk.js';
import { useFind } from '../find.js';
import { Field, Select } from '../form.js';
import { html } from '../html.js';
import { present } from '../later.js';
import { useLoad } from '../load.js';
import { State, stateOf, When } from '../parts.js';
import { filters, known, searchOf } from '../paths.js';
import { reason } from '../refusal.js';
import { Rows } from '../rows.js';
import { t } from '../text.js';

const states = ['listed', 'unknown', 'uncovered', 'clear', 'paused'];
const sorts = ['created', 'name', 'since'];
const wait = 250;               // ms after the last key
const slow = 60000;

// What of a host a row shows.
const brief = (host) => ({ id: host.id, host: host.host, name: host.name,
    state: stateOf(host), checked: host.last_checked,
    lists: host.listed_details.map(({ host: list }) => list).join(', ') });

// The query of the address, with one filter changed.
function queryWith(query, name, value) {
    const next = new URLSearchParams(query);

    next.delete(name);

    if (value) {
        next.set(name, value);
    }

    return `${next}`;
}

function go(query, replace) {
    const to = `#/hosts${query && `?${query}`}`;

    if (replace) {
        location.replace(to);
    } else {
        location.hash = to;
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
            go(queryWith(query, 'text', text), true);
        }, wait);

        return () => clearTimeout(timer);
    }, [text, query]);

    return html`<${Field} id="text" type="search" label=${t('find_text')}
        maxlength="255" value=${text} onChange=${setText} />`;
}

function Filters({ query, groups, profiles }) {
    const given = new URLSearchParams(query);
    const choice = (name, label, from, any) => from.length > 0 && html`<div>
        <${Select} id=${name} label=${label} value=${given.get(name) || ''}
            from=${any ? [{ id: '', name: t('all') }, ...from] : from}
            onChange=${(value) => go(queryWith(query, name, value))} /></div>`;
    const words = (names, prefix) => names.map((id) => ({ id,
        name: t(`${prefix}_${id}`) }));

    return html`<form class="filters" role="search"
        onSubmit=${(e) => e.preventDefault()}>
        <div class="wide"><${Text} query=${query} /></div>
        ${choice('state', t('state'), words(states, 'state'), true)}
        ${choice('group', t('group'), groups, true)}
        ${choice('profile', t('profile'), profiles, true)}
        ${choice('sort', t('sort'), words(sorts, 'sort')
            .map((one) => (one.id === 'created' ? { ...one, id: '' } : one)))}
    </form>`;
}

// A function, not components: rows are made while the table scrolls, and each
// component takes time.
function cellsOf(host, selected, onSelect) {
    return html`
        ${onSelect && html`<td role="cell" class="select"><input type="checkbox"
            aria-label=${t('select_host', { host: host.host })}
            checked=${selected}
            onChange=${(e) => onSelect(host.id, e.target.checked)} /></td>`}
        <th scope="row" role="rowheader" class="host">
            <a href="#/host/${host.id}">
                <bdi class="address">${host.host}</bdi></a></th>
        <td role="cell" class="called"><bdi title=${host.name}>
            ${host.name}</bdi></td>
        <td role="cell" class="is">${State({ name: host.state })}</td>
        <td role="cell" class="lists"><bdi>${host.lists}</bdi></td>
        <td role="cell" class="checked">${When({ text: host.checked })}</td>`;
}

function Head({ all, onAll }) {
    return html`
        ${onAll && html`<td role="cell" class="select"><input type="checkbox"
            aria-label=${t('select_shown')} checked=${all}
            onChange=${(e) => onAll(e.target.checked)} /></td>`}
        ${['host', 'name', 'state', 'lists', 'checked'].map((name) => html`
            <th scope="col" role="columnheader">${t(name)}</th>`)}`;
}

// How many rows there are, or how far the search is.
function Progress({ find, rows, counts }) {
    const n = rows.length;

    if (find.pages.length === 0 && !find.refusal) {
        return html`<p class="loading" role="status">${t('loading')}</p>`;
    }

    const text = find.next === null ? t('found', { n })
        : find.run ? t('looked', { at: find.looked,
            total: counts ? counts.hosts : '…' })
            : t('found_more', { n });

    return html`<p role="status" class="quiet">${text}</p>`;
}

// total: the number of rows of the whole table, or -1.
function totalOf(find, rows, query, counts) {
    const given = new URLSearchParams(query);
    const only = filters.filter((name) => given.get(name) && name !== 'sort');

    return find.next === null ? rows.length : !counts
        || given.get('sort') === 'since' ? -1
        : only.length === 0 ? counts.hosts
            : `${only}` === 'state' ? counts[given.get('state')] ?? -1 : -1;
}

function Found({ me, query, counts, groups, profiles, onChange }) {
    const may = me.user.role !== 'viewer';
    const { find, again, near } = useFind(`hosts ${me.account.id}`,
        searchOf(query), brief);
    const [selected, setSelected] = useState(new Set());
    const place = useRef(0);
    const rows = present(find.rows);
    const chosen = selected.size > 0
        ? rows.filter(({ id }) => selected.has(id)) : [];
    const why = find.refusal && reason(find.refusal);
    const clear = () => setSelected((old) => (old.size > 0 ? new Set() : old));

    useEffect(clear, [query]);

    // Begins before the page scrolls to its top, and ends before the window
    // scrolls because the table is gone.
    useLayoutEffect(() => {
        const keep = () => {
            find.top = scrollY;
        };

        place.current = find.top;
        addEventListener('scroll', keep, { passive: true });
        return () => removeEventListener('scroll', keep);
    }, [find]);

    useEffect(() => scrollTo(0, place.current), [find]);

    const select = may && ((id, on) => setSelected((old) => {
        const next = new Set(old);

        next[on ? 'add' : 'delete'](id);
        return next;
    }));
    const selectAll = may && ((on) => setSelected(new Set(on
        ? rows.map(({ id }) => id) : [])));

    const cells = useCallback((host) => cellsOf(host, selected.has(host.id),
        select), [selected, may]);

    return html`
        ${why && html`<p class="banner" role="alert">${why}</p>`}
        <${Progress} find=${find} rows=${rows} counts=${counts} />
        ${rows.length === 0 && find.next === null && html`<p>${query
            ? html`${t('found_none')}${' '}<a class="button" href="#/hosts">
                ${t('filters_clear')}</a>` : t('no_hosts_text')}</p>`}
        <p id="rows-keys" class="quiet">${rows.length > 0 && t('rows_keys')}</p>
        ${rows.length > 0 && html`<${Rows} label=${t('hosts')} items=${rows}
            total=${totalOf(find, rows, query, counts)} onNear=${near}
            selects=${may}
            out=${['.bulk button', '.filters input']} head=${html`<${Head}
                all=${chosen.length === rows.length} onAll=${selectAll} />`}
            cells=${cells} />`}
        ${may && html`<${Bulk} hosts=${chosen} groups=${groups}
            profiles=${profiles} onClear=${clear} onDone=${() => {
                clear();
                again();
                onChange();
            }} />`}`;
}

function Table({ me, query, counts, onChange }) {
    const groups = useLoad('contactgroups.json?page_size=1000', 0, slow).body;
    const profiles = useLoad('rblprofiles.json?page_size=1000', 0, slow).body;
    const lists = { groups: groups ? groups.data : [],
        profiles: profiles ? profiles.data : [] };

    return html`<${Filters} query=${query} ...${lists} />
        <${Found} me=${me} query=${query} counts=${counts} ...${lists}
            onChange=${onChange} />`;
}

export function Hosts({ me, query }) {
    const counts = useLoad('counts.json');
    const data = counts.body && counts.body.data;

    // The table does not wait for the numbers.
    return html`
        ${!data && counts.refusal && html`<p class="banner" role="alert">
            ${reason(counts.refusal)}</p>`}
        <h1>${data ? t('total_hosts', { n: data.hosts }) : t('hosts')}</h1>
        ${me.user.role !== 'viewer' && html`<p><a class="button" href="#/add">
            ${t('add_hosts')}</a></p>`}
        ${data && data.hosts === 0 ? html`<p>${t('no_hosts_text')}</p>`
            : (data || !counts.refusal) && html`
            <${Table} me=${me} query=${known(query)} counts=${data}
                onChange=${counts.reload} />`}`;
}
