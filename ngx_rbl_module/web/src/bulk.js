// Changes of many hosts: a call for each, with progress, and what was refused.

import { useRef, useState } from 'preact/hooks';

import { post } from './api.js';
import { Ask } from './form.js';
import { html } from './html.js';
import { refused } from './refusal.js';
import { t } from './text.js';

const together = 4;
const most = 20;                // refusals that are shown

// Whether all other calls would be refused as well.
const isGeneral = ({ status, again }) => again || ![400, 403, 404, 409, 422]
    .includes(status);

// Calls call(host) for each host.  done: the hosts for which the call was
// accepted; refusals: [{host, why}] of those for which it was refused.
async function callEach(hosts, call, show, isOver) {
    const done = [];
    const refusals = [];
    const left = [...hosts];
    let over = false;

    async function go() {
        while (left.length > 0 && !over && !isOver()) {
            const host = left.shift();

            try {
                await call(host);
                done.push(host);
            } catch (refusal) {
                refusals.push({ host, why: refused(refusal) });
                over = over || isGeneral(refusal);
            }

            show(done.length + refusals.length);
        }
    }

    await Promise.all(Array.from({ length: together }, go));
    return { done, refusals, left: left.length };
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

function Summary({ said: { text, undo, refusals, left } }) {
    return html`
        <p>${text}${undo && html`${' '}<button type="button" onClick=${undo}>
            ${t('undo')}</button>`}</p>
        ${left > 0 && html`<p>${t('bulk_left', { n: left })}</p>`}
        ${refusals.length > 0 && html`
            <p class="wrong">${t('bulk_refused', { n: refusals.length })}</p>
            <ul>${refusals.slice(0, most).map(({ host, why }) => html`
                <li key=${host.id}><bdi>${host.host}</bdi>: ${why}</li>`)}
                ${refusals.length > most && html`<li>
                    ${t('and_more', { n: refusals.length - most })}</li>`}
            </ul>`}`;
}

// hosts: those that are selected; onDone: called after a change.
export function Bulk({ hosts, groups, profiles, onClear, onDone }) {
    const [state, setState] = useState({});
    const over = useRef(false);
    const n = hosts.length;

    // what: the name of the messages; back: [name, call] of what undoes it.
    async function run(of, what, call, back) {
        const stay = (event) => event.preventDefault();

        over.current = false;
        setState({ at: 0, total: of.length });
        addEventListener('beforeunload', stay);

        const { done, ...rest } = await callEach(of, call, (at) => setState(
            { at, total: of.length }), () => over.current);

        removeEventListener('beforeunload', stay);
        setState({ said: { ...rest, text: t(`bulk_${what}`,
            { n: done.length }), undo: back && done.length > 0
            && (() => run(done, ...back)) } });
        onDone();
    }

    const verb = (how) => ({ id }) => post(`host/${how}/${id}.json`);
    const update = (fields) => ({ id }) =>
        post(`host/update/${id}.json`, fields);
    // Only those that are not so already, or to undo it would turn others too.
    const turn = (on) => {
        const [how, back] = on ? ['resume', 'pause'] : ['pause', 'resume'];

        run(hosts.filter((host) => (host.state === 'paused') === on), how,
            verb(how), [back, verb(back)]);
    };
    const { at, total, said } = state;

    return (n > 0 || at >= 0 || said) && html`<section class="bulk"
        aria-label=${t('selected')}>
        <div role="status">${at >= 0 ? html`
            <p>${t('bulk_at', { at, total })}</p>` : html`
            ${said && html`<${Summary} said=${said} />`}
            ${n > 0 && html`<p>${t('bulk_selected', { n })}</p>`}`}</div>
        ${at >= 0 && html`<progress max=${total} value=${at}
                aria-label=${t('bulk_progress')} />
            <button type="button" onClick=${() => {
                over.current = true;
            }}>${t('stop')}</button>`}
        ${!(at >= 0) && n > 0 && html`<div class="acts">
            <button type="button" onClick=${() => turn(false)}>
                ${t('pause')}</button>
            <button type="button" onClick=${() => turn(true)}>
                ${t('resume')}</button>
            <${Ask} question=${t('bulk_delete_ask', { n })}
                onYes=${() => run(hosts, 'delete', verb('delete'))} />
            <details><summary>${t('move')}</summary>
                <${Choice} id="to-group" label=${t('group')} from=${groups}
                    onChoose=${(id) => run(hosts, 'update',
                        update({ contact_group: id }))} />
                <${Choice} id="to-profile" label=${t('profile')}
                    from=${profiles} onChoose=${(id) => run(hosts, 'update',
                        update({ rbl_profile: id }))} />
            </details>
            <button type="button" onClick=${() => {
                setState({});
                onClear();
            }}>${t('clear_selection')}</button>
        </div>`}
        ${said && n === 0 && html`<button type="button"
            onClick=${() => setState({})}>${t('close')}</button>`}
    </section>`;
}
