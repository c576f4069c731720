// One webhook: what it gets, how it fares, what can be done with it.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { DeliveryLog } from '../delivery_log.js';
import { Field, Form, Select } from '../form.js';
import { DeadLetters } from '../hook_dead.js';
import { HookFields, HookMark, HookState, Secret, typeName, Verify }
    from '../hook_parts.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, Changes, Place, When } from '../parts.js';
import { RecordForm, useFields } from '../record.js';
import { t } from '../text.js';

function Facts({ hook }) {
    return html`<dl class="facts">
        <div><dt>${t('hook_gets')}</dt><dd>${hook.types.length
            ? hook.types.map(typeName).join(', ') : t('hook_all_events')}</dd>
        </div>
        <div><dt>${t('hook_url')}</dt><dd><bdi>${hook.url}</bdi></dd></div>
        <div><dt>${t('hook_created')}</dt>
            <dd><${When} text=${hook.created} /></dd></div>
        <div><dt>${t('hook_pending')}</dt><dd>${hook.pending}</dd></div>
        ${hook.old_secret_until && html`<div><dt>${t('hook_old_until')}</dt>
            <dd><${When} text=${hook.old_secret_until} /></dd></div>`}
    </dl>`;
}

function Turn({ hook, onDone }) {
    const call = useChange(onDone);
    const to = hook.status === 'active' ? 'disable' : 'enable';
    const turn = (how) => call.run(t(`hook_${how}_done`), () =>
        post(`webhook/${how}/${hook.id}.json`), { undo: () =>
        turn(how === 'disable' ? 'enable' : 'disable') });

    return html`<button onClick=${() => turn(to)} disabled=${call.busy}>
            ${t(`hook_${to}`)}</button><${Said} of=${call} />`;
}

const fieldsOf = ({ name, url, types }) => ({ name, url, types });

function Change({ hook, bill, onDone }) {
    const form = useFields(fieldsOf(hook));

    return html`<details>
        <summary>${t('change')}</summary>
        <${RecordForm} form=${form} path="webhook/${hook.id}.json"
            of=${({ data }) => fieldsOf(data)} names=${{
                name: { label: t('name') }, url: { label: t('hook_url') },
                types: { label: t('hook_types'), show: (types) =>
                    types.map(typeName).join(', ') || t('hook_all_events') }
            }} onDone=${onDone} save=${(fields) =>
                post(`webhook/update/${hook.id}.json`, fields)}>
            <${HookFields} form=${form} bill=${bill} /><//>
    </details>`;
}

const overlaps = [['0', 'hook_overlap_none'], ['86400', 'hook_overlap_day'],
    ['604800', 'hook_overlap_week']];

function Rotate({ hook, onDone }) {
    const [made, setMade] = useState(null);
    const [overlap, setOverlap] = useState('86400');

    return html`<details>
        <summary>${t('hook_rotate')}</summary>
        <${Form} button=${t('hook_rotate_now')} call=${() =>
            post(`webhook/rotate/${hook.id}.json`, { overlap })}
            onDone=${({ data }) => {
                setMade(data.secret);
                onDone();
            }}>
            <p>${t('hook_rotate_text')}</p>
            <${Select} id="hook-overlap" label=${t('hook_overlap')}
                value=${overlap} onChange=${setOverlap}
                from=${overlaps.map(([id, name]) => ({ id,
                    name: t(name) }))} />
        <//>
        ${made && html`<${Secret} secret=${made} />`}
    </details>`;
}

function Delete({ hook }) {
    const [typed, setTyped] = useState('');
    const call = useChange(() => {
        location.hash = '#/webhooks';
    });

    function remove(event) {
        event.preventDefault();
        call.run('', () => post(`webhook/delete/${hook.id}.json`));
    }

    return html`<details>
        <summary>${t('delete')}</summary>
        <form onSubmit=${remove}>
            <p>${t('hook_delete_text')}</p>
            <${Field} id="hook-typed" value=${typed} onChange=${setTyped}
                label=${html`${t('hook_delete_name')} <bdi>${hook.name}
                </bdi>`} />
            <button class="danger" disabled=${call.busy
                || typed.trim() !== hook.name.trim()}>
                ${t('hook_delete')}</button>
            <${Said} of=${call} />
        </form>
    </details>`;
}

export function Webhook({ id, may, bill }) {
    const [round, setRound] = useState(0);
    const state = useLoad(`webhook/${encodeURIComponent(id)}.json`, round);
    const again = () => setRound((n) => n + 1);

    return html`
        <${Place} path=${[['webhooks', t('webhooks')]]} />
        <${Answer} state=${state}>${({ data: hook }) => html`
            <h1><bdi>${hook.name}</bdi> <${HookMark} hook=${hook} /></h1>
            <${HookState} hook=${hook} />
            <${Facts} hook=${hook} />
            ${may && html`<section aria-label=${t('actions')}>
                <${Turn} hook=${hook} onDone=${again} />
                <${Change} hook=${hook} bill=${bill} onDone=${again} />
                <${Rotate} hook=${hook} onDone=${again} />
                <${Verify} />
                <${Delete} hook=${hook} />
            </section>`}
            <${DeliveryLog} of="webhook" id=${hook.id} may=${may}
                off=${hook.status === 'active' ? '' : t('hook_enable_first')}
                round=${round} onDone=${again} />
            <${DeadLetters} hook=${hook} may=${may} round=${round}
                onDone=${again} />
            <${Changes} may=${may} id=${hook.id} />`}
        <//>`;
}
