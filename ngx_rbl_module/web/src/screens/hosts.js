// Hosts: a table of any length, searched, filtered and sorted by the query of
// the address; changes of those that are selected.

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState }
    from 'preact/hooks';

import { Bulk } from '../bulk.js';
import { useFind } from '../find.js';
import { addressOf, Filters, queryWith } from '../host_filters.js';
import { heaviest, Listed, useListNames } from '../host_parts.js';
import { html } from '../html.js';
import { present } from '../later.js';
import { useLoad } from '../load.js';
import { groupsOf, Problem, stateOf, When } from '../parts.js';
import { openIn, RangeState, turned, useAddresses } from '../ranges.js';
import { filters, groupsPath, known, profilesPath, searchOf }
    from '../paths.js';
import { reason } from '../refusal.js';
import { Rows } from '../rows.js';
import { Strip, useStrips } from '../strips.js';
import { number, t } from '../text.js';

const slow = 60000;

// The columns, and what their heads sort by.
const columns = [['host', ''], ['name', 'name'], ['group'], ['lists'],
    ['since', 'since'], ['days'], ['checked']];

// What of a host a row shows.
const brief = (host) => ({ id: host.id, host: host.host, name: host.name,
    state: stateOf(host), checked: host.last_checked,
    range: host.type === 'ip_range', kid: host.parent !== '',
    since: host.listed === '1' ? host.first_listed : '',
    groups: groupsOf(host),
    on: heaviest(host.listed_details) });

// A function, not components: rows are made while the table scrolls, and each
// component takes time.
function cellsOf(host, { strip, names, selected, onSelect, open, onOpen }) {
    const [group, ...others] = host.groups;
    const of = `${names.groups.get(group) || ''}${others.length > 0
        ? ` +${number(others.length)}` : ''}`;

    return html`
        ${onSelect && html`<td role="cell" class="select"><input type="checkbox"
            aria-label=${t('select_host', { host: host.host })}
            checked=${selected}
            onChange=${(e) => onSelect(host.id, e.target.checked)} /></td>`}
        <th scope="row" role="rowheader"
            class="host ${onOpen && host.kid ? 'kid' : ''}">
            ${onOpen && host.range && html`<button type="button" class="opens"
                aria-expanded=${`${open}`} onClick=${() => onOpen(host.id)}
                aria-label=${t('range_open', { host: host.host })} />`}
            <a href="#/host/${host.id}">
                <bdi class="address" title=${host.host}>${host.host}</bdi></a>
        </th>
        <td role="cell" class="called"><bdi title=${host.name}>
            ${host.name}</bdi></td>
        <td role="cell" class="of"><bdi title=${of}>${of}</bdi></td>
        <td role="cell" class="lists">${host.range && host.state !== 'paused'
            ? RangeState(strip) : Listed({ state: host.state, on: host.on,
                names: names.lists })}</td>
        <td role="cell" class="since">${host.since
            && When({ text: host.since })}</td>
        <td role="cell" class="days">${Strip(strip)}</td>
        <td role="cell" class="checked">${(host.checked || !host.range)
            && When({ text: host.checked })}</td>`;
}

// A head that sorts is a link: the order is in the address, too.
function Head({ query, all, onAll }) {
    const sort = new URLSearchParams(query).get('sort') || '';

    return html`
        ${onAll && html`<td role="cell" class="select"><input type="checkbox"
            aria-label=${t('select_shown')} checked=${all}
            onChange=${(e) => onAll(e.target.checked)} /></td>`}
        ${columns.map(([name, by]) => html`<th key=${name} scope="col"
            role="columnheader" aria-sort=${by === sort ? 'ascending' : null}>
            ${by === undefined ? t(name, { n: 30 }) : html`<a
                title=${t('rows_keys')}
                href=${addressOf(queryWith(query, { sort: by }))}>
                ${t(name)}</a>`}</th>`)}`;
}

// How many rows there are, or how far the search is.
function Progress({ find, rows, counts, grouped }) {
    const n = rows.length;

    if (find.pages.length === 0 && !find.refusal) {
        return html`<p class="found loading" role="status">
            ${t('loading')}</p>`;
    }

    const text = grouped && (n > 0 || find.next === null) ? ''
        : find.next === null ? t('found', { n })
        : find.run ? t('looked', { at: find.looked,
            total: counts ? counts.hosts : '…' })
            : t('found_more', { n });

    return html`<p role="status" class="found quiet">${text}</p>`;
}

// Ranges are rows that open as long as hosts are not filtered.
const isGrouped = (query) => query === '';

// total: the number of rows of the whole table, or -1.
function totalOf(find, rows, query, counts) {
    const given = new URLSearchParams(query);
    const only = filters.filter((name) => given.get(name) && name !== 'sort');

    return find.next === null ? rows.length : !counts
        || given.get('sort') === 'since' ? -1
        : only.length === 0 ? isGrouped(query)
            && counts.ranges + counts.paused > 0 ? -1 : counts.hosts
            : `${only}` === 'state' ? counts[given.get('state')] ?? -1 : -1;
}

function Found({ me, query, open, counts, groups, profiles, names, onChange }) {
    const may = me.user.role !== 'viewer';
    const { find, again, near } = useFind(`hosts ${me.account.id}`,
        searchOf(query), brief);
    const [selected, setSelected] = useState(new Set());
    const strips = useStrips(me.account.id);
    const place = useRef(0);
    const grouped = isGrouped(query);
    const opened = useMemo(() => openIn(grouped ? open : ''), [grouped, open]);
    const addresses = useAddresses(me.account.id, opened, brief);
    const rows = present(opened.length === 0 ? find.rows
        : find.rows.flatMap((row) => (opened.includes(row.id)
            ? [row, ...addresses.of.get(row.id) || []] : [row])));
    const [all, setAll] = useState(false);
    const allShown = selected.size > 0
        && rows.every(({ id }) => selected.has(id));
    const why = find.refusal && reason(find.refusal);
    const clear = () => {
        setAll(false);
        setSelected((old) => (old.size > 0 ? new Set() : old));
    };

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

    const select = may && ((id, on) => {
        setAll(false);
        setSelected((old) => {
            const next = new Set(old);

            next[on ? 'add' : 'delete'](id);
            return next;
        });
    });
    const selectAll = may && ((on) => {
        setAll(false);
        setSelected(new Set(on ? rows.map(({ id }) => id) : []));
    });

    // Addresses below a range are not of the search.
    const found = (n) => (opened.length === 0 ? n
        : rows.slice(0, n).filter(({ kid }) => !kid).length);
    const onNear = (first, last) => {
        near(found(first), found(last));
        strips.near(rows.slice(first, last).map(({ id }) => id));
    };

    const onOpen = grouped && ((id) => location.replace(addressOf(
        queryWith(query, { open: turned(open, id) }))));
    const cells = useCallback((host) => cellsOf(host, {
        strip: strips.of(host.id), names, selected: selected.has(host.id),
        onSelect: select, open: opened.includes(host.id), onOpen }),
    [names, selected, may, grouped, opened]);

    return html`
        <${Problem} text=${why} />
        <${Progress} find=${find} rows=${rows} counts=${counts}
            grouped=${grouped && counts && counts.ranges > 0} />
        ${rows.length === 0 && find.next === null && html`<p>${query
            ? html`${t('found_none')}${' '}<a class="button" href="#/hosts">
                ${t('filters_clear')}</a>` : t('no_hosts_text')}</p>`}
        <p id="rows-keys" hidden>${t('rows_keys')}</p>
        ${rows.length > 0 && html`<${Rows} label=${t('hosts')} items=${rows}
            total=${totalOf(find, rows, query, counts)}
            also=${(host) => strips.of(host.id)} onNear=${onNear} selects=${may}
            out=${['.bulk button', '.filters input']} head=${html`<${Head}
                query=${query}
                all=${allShown} onAll=${selectAll} />`}
            cells=${cells} />`}
        ${may && html`<${Bulk} key=${query} ids=${[...selected]}
            search=${searchOf(query)} all=${all} groups=${groups}
            profiles=${profiles} onAll=${(ids) => {
                setSelected(new Set(ids));
                setAll(true);
            }} onClear=${clear} onDone=${() => {
                clear();
                again();
                addresses.reload();
                onChange();
            }} />`}`;
}

function Table({ me, query, open, counts, onChange }) {
    const groups = useLoad(groupsPath, 0, slow).body;
    const profiles = useLoad(profilesPath, 0, slow).body;
    const lists = useListNames();
    const of = { groups: groups ? groups.data : [],
        profiles: profiles ? profiles.data : [] };
    const names = useMemo(() => ({ lists, groups: new Map(of.groups.map(
        ({ id, name }) => [id, name])) }), [lists, groups]);

    return html`<${Filters} query=${query} counts=${counts} names=${lists}
            ...${of} />
        <${Found} me=${me} query=${query} open=${open} counts=${counts}
            names=${names} ...${of} onChange=${onChange} />`;
}

// Ranges are no hosts: their addresses are.
const hostsOf = ({ hosts, ranges }) => hosts - ranges;

export function Hosts({ me, query }) {
    const counts = useLoad('counts.json');
    const data = counts.body && counts.body.data;

    // The table does not wait for the numbers.
    return html`<div class="hosts">
        <${Problem} text=${!data && counts.refusal
            && reason(counts.refusal)} />
        <h1>${data ? t('total_hosts', { n: hostsOf(data) }) : t('hosts')}</h1>
        ${me.user.role !== 'viewer' && html`<a class="button" href="#/add">
            ${t('add_hosts')}</a>`}
        ${data && data.hosts === 0 ? html`<p>${t('no_hosts_text')}</p>`
            : (data || !counts.refusal) && html`
            <${Table} me=${me} query=${known(query)} open=${query}
                counts=${data} onChange=${counts.reload} />`}
    </div>`;
}
