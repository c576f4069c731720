// The dead letters of a webhook, and delivering them again: one, those of a
// time, or all.

import { useState } from 'preact/hooks';

import { get, post } from './api.js';
import { Said, useChange } from './change.js';
import { Field } from './form.js';
import { typeName } from './hook_parts.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { useMore } from './more.js';
import { Answer, Table, When } from './parts.js';
import { t } from './text.js';

// The service queues a part of the letters per call.
async function replay(id, fields) {
    let sum = 0;
    let after = '';

    do {
        const { data } = await post(`webhook/replay/${id}.json`,
            after ? { ...fields, after } : fields);

        sum += data.deliveries;
        after = data.next;
    } while (after);

    return { sum };
}

// The next letters: a call may look at letters of other receivers only.
async function further(id, before) {
    let body = { data: [], next: before };

    while (body.next && body.data.length === 0) {
        body = await get(`webhook/dead/${id}.json?before=${body.next}`);
    }

    return body;
}

function Row({ letter, off, may, onAgain }) {
    return html`<tr>
        <th scope="row" data-label=${t('hook_time')}>
            <${When} text=${letter.time} /></th>
        <td data-label=${t('hook_event')}><p>${typeName(letter.type)}</p>
            <p class="quiet"><code>${letter.event}</code></p></td>
        <td data-label=${t('hook_attempts')}>${letter.attempts}</td>
        <td data-label=${t('outcome')}>
            ${letter.http > 0 && html`<p>HTTP ${letter.http}</p>`}
            <p><bdi>${letter.error}</bdi></p></td>
        <td data-label=${t('actions')}>${!letter.kept ? t('hook_not_kept')
            : may && html`<button disabled=${off} aria-label=${t(
                'hook_again_event', { event: letter.event })}
                onClick=${() => onAgain({ event: letter.event })}>
                ${t('hook_again')}</button>`}</td>
    </tr>`;
}

// A time of the browser's clock as the API takes it.
function utc(text) {
    return new Date(text).toISOString().replace(/\.\d+Z$/, 'Z');
}

function Many({ off, onAgain }) {
    const [from, setFrom] = useState('');
    const [to, setTo] = useState('');

    function submit(event) {
        event.preventDefault();
        onAgain({ from: utc(from), ...(to ? { to: utc(to) } : {}) });
    }

    return html`
        <p><button disabled=${off} onClick=${() => onAgain({ all: 1 })}>
            ${t('hook_again_all')}</button></p>
        <details>
            <summary>${t('hook_again_span')}</summary>
            <form onSubmit=${submit}>
                <${Field} id="hook-from" label=${t('hook_from')} required
                    type="datetime-local" step="1" value=${from}
                    onChange=${setFrom} />
                <${Field} id="hook-to" label=${t('hook_to')} step="1"
                    type="datetime-local" value=${to} onChange=${setTo} />
                <button disabled=${off}>${t('hook_again')}</button>
            </form>
        </details>`;
}

function Letters({ hook, first, may, again }) {
    const off = hook.status !== 'active' || again.busy;
    const [letters, end, rest] = useMore(first, (before) =>
        further(hook.id, before));

    function deliver(fields) {
        again.run(({ sum }) => t('hook_queued', { n: sum }), () =>
            replay(hook.id, fields));
    }

    return html`
        ${letters.length === 0 && !rest && html`
            <p>${t('hook_dead_none')}</p>`}
        ${hook.status !== 'active' && letters.length > 0 && html`
            <p class="quiet">${t('hook_enable_first')}</p>`}
        ${may && (letters.length > 0 || rest) && html`
            <${Many} off=${off} onAgain=${deliver} />`}
        <${Said} of=${again} />
        <${Table} dense=${false} rows=${letters} names=${['hook_time',
            'hook_event', 'hook_attempts', 'outcome', 'actions']}
            row=${(letter) => html`<${Row} key=${letter.id} letter=${letter}
                off=${off} may=${may} onAgain=${deliver} />`} />
        ${end}`;
}

export function DeadLetters({ hook, may, round, onDone }) {
    const first = useLoad(`webhook/dead/${hook.id}.json`, round);
    const again = useChange(onDone);

    return html`<section aria-labelledby="hook-dead">
        <h2 id="hook-dead">${t('hook_dead')}</h2>
        <p>${t('hook_dead_text')}</p>
        <${Answer} state=${first}>${(body) => html`
            <${Letters} key=${round} hook=${hook} first=${body} may=${may}
                again=${again} />`}<//>
    </section>`;
}
