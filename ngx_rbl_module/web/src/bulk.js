// Changes of many hosts: the server makes them in slices, with progress and
// undo; what was refused.

import { useEffect, useRef, useState } from 'preact/hooks';

import { get, post } from './api.js';
import { undoFor } from './change.js';
import { Ask } from './form.js';
import { html } from './html.js';
import { refused } from './refusal.js';
import { t } from './text.js';

const together = 200;           // hosts of a call
const page = 500;               // ids of a call

// The calls that change a range with its addresses.
const rangeCall = (id, action, to) => (action === 'group'
    ? post(`host/update/${id}.json`, { contact_group: to })
    : action === 'profile'
        ? post(`host/update/${id}.json`, { rbl_profile: to })
        : post(`host/${action}/${id}.json`));

// Changes the hosts with these ids.  changed: [{id, was}], those that were not
// so already; ranges: the same of ranges; gone: how many there were not; left:
// how many are as they were; why: what was refused, each once.
async function change(ids, action, to, show, isOver) {
    const all = { changed: [], ranges: [], gone: 0, left: 0, why: [] };
    const rest = [...ids];

    try {
        while (rest.length > 0 && !isOver()) {
            const hosts = rest.slice(0, together);
            const { data } = await post('hosts/bulk.json', {
                hosts: hosts.join(), action, ...to && { to } });

            rest.splice(0, hosts.length - data.left);
            all.changed.push(...data.changed);
            all.gone += data.gone;

            for (const range of data.ranges) {
                await rangeCall(range.id, action, to).then(
                    () => all.ranges.push(range),
                    (refusal) => all.why.push(refused(refusal)));
            }

            show(ids.length - rest.length);
        }
    } catch (refusal) {
        all.why.push(refused(refusal));
    }

    return { ...all, left: rest.length, why: [...new Set(all.why)] };
}

// The ids of all hosts that a search finds.
export async function idsOf(search, show, isOver) {
    const ids = [];
    let looked = 0;
    let after = '';

    do {
        const answer = await get(`${search.replace('hosts/find', 'hosts/ids')
            .replace('&parent=none', '')}&limit=${page}${after
            && `&after=${after}`}`);

        ids.push(...answer.data);
        looked += answer.looked;
        after = answer.next;
        show(ids.length, looked);
    } while (after && !isOver());

    return isOver() ? null : [...new Set(ids)];
}

// What undoes a change: [[ids, action, to]].
function backOf({ changed, ranges }, action) {
    const back = { pause: 'resume', resume: 'pause' }[action];
    const all = [...ranges, ...changed];
    const to = new Map();

    all.forEach(({ id, was }) => to.set(was, [...to.get(was) || [], id]));

    return action === 'delete' || all.length === 0 ? []
        : back ? [[all.map(({ id }) => id), back]]
            : [...to].map(([was, ids]) => [ids, action, was]);
}

function Choice({ id, label, from, onChoose }) {
    const [chosen, setChosen] = useState('');

    return from.length > 0 && html`<div class="move">
        <label for=${id}>${label}</label>
        <select id=${id} value=${chosen}
            onChange=${(e) => setChosen(e.target.value)}>
            <option value="">${t('choose')}</option>
            ${from.map((one) => html`
                <option key=${one.id} value=${one.id}>${one.name}</option>`)}
        </select>
        <button type="button" disabled=${!chosen}
            onClick=${() => onChoose(chosen)}>${t('move')}</button>
    </div>`;
}

function Summary({ said: { text, undo, gone, left, why } }) {
    return html`
        <p>${text}${undo && html`${' '}<button type="button" onClick=${undo}>
            ${t('undo')}</button>`}</p>
        ${gone > 0 && html`<p>${t('bulk_gone', { n: gone })}</p>`}
        ${left > 0 && html`<p>${t('bulk_left', { n: left })}</p>`}
        ${why.map((one) => html`<p class="wrong" key=${one}>${one}</p>`)}`;
}

// ids: of the hosts that are selected; search: the path of the search; all:
// whether all that it finds are selected; onAll: called with their ids;
// onDone: called after a change.
export function Bulk({ ids, search, all, groups, profiles, onAll, onClear,
    onDone })
{
    const [state, setState] = useState({});
    const over = useRef(false);
    const timer = useRef(0);
    const n = ids.length;
    const stay = (event) => event.preventDefault();
    const isOver = () => over.current;

    useEffect(() => () => {
        over.current = true;
        clearTimeout(timer.current);
        removeEventListener('beforeunload', stay);
    }, []);

    // changes: [[ids, action, to]]
    async function run(changes) {
        const total = changes.reduce((sum, [of]) => sum + of.length, 0);
        const sum = { changed: [], ranges: [], gone: 0, left: 0, why: [] };
        let at = 0;

        over.current = false;
        setState({ at, total });
        addEventListener('beforeunload', stay);

        for (const [of, action, to] of changes) {
            const begun = at;
            const done = await change(of, action, to, (so) => {
                at = begun + so;
                setState({ at, total });
            }, isOver);

            sum.changed.push(...done.changed);
            sum.ranges.push(...done.ranges);
            sum.gone += done.gone;
            sum.left += done.left;
            sum.why.push(...done.why);
        }

        removeEventListener('beforeunload', stay);
        return sum;
    }

    async function make(action, to) {
        const what = to ? 'update' : action;
        const { changed, ranges, ...rest } = await run([[ids, action, to]]);
        const back = backOf({ changed, ranges }, action);

        setState({ said: { ...rest, text: t(`bulk_${what}`, { n: changed.length
            + ranges.length }), undo: back.length > 0 && (async () => {
            const undone = await run(back);

            setState({ said: { ...undone, text: t('bulk_undone',
                { n: undone.changed.length + undone.ranges.length }) } });
            onDone();
        }) } });
        onDone();
    }

    // Nothing is deleted before it can no longer be undone.
    function deleteLater() {
        setState({ waits: true });
        addEventListener('beforeunload', stay);
        timer.current = setTimeout(() => make('delete'), undoFor);
    }

    function keep() {
        clearTimeout(timer.current);
        removeEventListener('beforeunload', stay);
        setState({});
    }

    async function selectAll() {
        over.current = false;
        setState({ found: 0, looked: 0 });

        const found = await idsOf(search, (so, looked) => setState(
            { found: so, looked }), isOver).catch(() => null);

        setState({});

        if (found) {
            onAll(found);
        }
    }

    const { at, total, said, waits, found, looked } = state;
    const busy = at >= 0 || found >= 0;

    return (n > 0 || busy || said) && html`<section class="bulk"
        aria-label=${t('selected')}>
        <div role="status">${at >= 0 ? html`
            <p>${t('bulk_at', { at, total })}</p>`
            : found >= 0 ? html`<p>${t('bulk_found', { n: found, looked })}</p>`
            : waits ? html`<p>${t('bulk_waits', { n })}${' '}
                <button type="button" onClick=${keep}>${t('undo')}</button></p>`
            : html`${said && html`<${Summary} said=${said} />`}
                ${n > 0 && html`<p>${t('bulk_selected', { n })}</p>`}`}</div>
        ${at >= 0 && html`<progress max=${total} value=${at}
                aria-label=${t('bulk_progress')} />`}
        ${busy && html`<button type="button" onClick=${() => {
            over.current = true;
        }}>${t('stop')}</button>`}
        ${!busy && !waits && n > 0 && html`<div class="acts">
            <button type="button" onClick=${() => make('pause')}>
                ${t('pause')}</button>
            <button type="button" onClick=${() => make('resume')}>
                ${t('resume')}</button>
            <${Ask} question=${t('bulk_delete_ask', { n })}
                onYes=${deleteLater} />
            <details><summary>${t('move')}</summary>
                <${Choice} id="to-group" label=${t('group')} from=${groups}
                    onChoose=${(id) => make('group', id)} />
                <${Choice} id="to-profile" label=${t('profile')}
                    from=${profiles} onChoose=${(id) => make('profile', id)} />
            </details>
            ${!all && html`<button type="button" onClick=${selectAll}>
                ${t('select_all')}</button>`}
            <button type="button" onClick=${() => {
                setState({});
                onClear();
            }}>${t('clear_selection')}</button>
        </div>`}
        ${said && n === 0 && html`<button type="button"
            onClick=${() => setState({})}>${t('close')}</button>`}
    </section>`;
}
