// The attempts of deliveries to a webhook, and a test event, which is followed
// to its attempt.

import { useState } from 'preact/hooks';

import { get, post } from './api.js';
import { Said, useChange } from './change.js';
import { typeName } from './hook_parts.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { Answer, When } from './parts.js';
import { t } from './text.js';

const pause = 700;
const patience = 60000;
const most = 1000;

// What became of an attempt, in words.
function outcome(attempt) {
    const failed = attempt.type === 'webhook.test' && attempt.outcome !== 'ok'
        ? 'test' : attempt.outcome;

    return t(`hook_outcome_${failed}`);
}

function answer(attempt) {
    return attempt.http ? t('hook_http', { status: String(attempt.http),
        ms: attempt.ms }) : t('hook_no_answer', { ms: attempt.ms });
}

function Row({ attempt }) {
    return html`<tr>
        <th scope="row" data-label=${t('hook_time')}>
            <${When} text=${attempt.time} /></th>
        <td data-label=${t('hook_event')}><p>${typeName(attempt.type)}</p>
            <p class="quiet"><code>${attempt.event}</code></p></td>
        <td data-label=${t('hook_attempt')}>${attempt.attempt}</td>
        <td data-label=${t('outcome')}>
            <p class=${attempt.outcome === 'ok' ? 'right' : 'wrong'}>
                ${outcome(attempt)}</p>
            <p>${answer(attempt)}</p>
            ${attempt.error && html`<p><bdi>${attempt.error}</bdi></p>`}</td>
        <td data-label=${t('hook_next_try')}>${attempt.next && html`
            <${When} text=${attempt.next} />`}</td>
        <td data-label=${t('hook_answer')}>${attempt.answer && html`<details>
            <summary>${t('hook_answer_show')}</summary>
            <pre><bdi>${attempt.answer}</bdi></pre></details>`}</td>
    </tr>`;
}

function Table({ attempts }) {
    return html`<table>
        <thead><tr>
            <th scope="col">${t('hook_time')}</th>
            <th scope="col">${t('hook_event')}</th>
            <th scope="col">${t('hook_attempt')}</th>
            <th scope="col">${t('outcome')}</th>
            <th scope="col">${t('hook_next_try')}</th>
            <th scope="col">${t('hook_answer')}</th>
        </tr></thead>
        <tbody>${attempts.map((attempt) => html`<${Row}
            key="${attempt.event}-${attempt.attempt}-${attempt.time}"
            attempt=${attempt} />`)}</tbody>
    </table>`;
}

// Queues a test event and waits for its attempt; null: there was none.
async function test(id, show) {
    const { data } = await post(`webhook/test/${id}.json`);
    const end = Date.now() + patience;

    show(t('hook_test_waits'));

    while (Date.now() < end) {
        const log = await get(`webhook/log/${id}.json?last=20`);
        const found = log.data.find(({ event }) => event === data.event);

        if (found) {
            return found;
        }

        await new Promise((go) => setTimeout(go, pause));
    }

    return null;
}

function Test({ hook, onDone }) {
    const call = useChange(onDone);
    const off = hook.status !== 'active';

    function send() {
        call.run((attempt) => (attempt
            ? `${outcome(attempt)} ${answer(attempt)}` : t('hook_test_none')),
        (show) => test(hook.id, show));
    }

    return html`<p><button onClick=${send} disabled=${call.busy || off}>
            ${t('hook_test')}</button>${off && html`
            ${' '}<span class="quiet">${t('hook_enable_first')}</span>`}</p>
        <${Said} of=${call} />`;
}

export function HookLog({ hook, may, round, onDone }) {
    const [last, setLast] = useState(20);
    const log = useLoad(`webhook/log/${hook.id}.json?last=${last}`, round);

    return html`<section aria-labelledby="hook-log">
        <h2 id="hook-log">${t('hook_log')}</h2>
        ${may && html`<${Test} hook=${hook} onDone=${onDone} />`}
        <${Answer} state=${log}>${({ data }) => html`
            ${data.length === 0 ? html`<p>${t('hook_log_none')}</p>`
                : html`<${Table} attempts=${data} />`}
            ${data.length === last && last < most && html`<button
                onClick=${() => setLast(Math.min(last * 5, most))}>
                ${t('more')}</button>`}`}
        <//>
    </section>`;
}
