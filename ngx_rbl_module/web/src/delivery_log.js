// The attempts of deliveries to a webhook or a contact, and a test, which is
// followed to its attempt.

import { useState } from 'preact/hooks';

import { get, post } from './api.js';
import { Said, useChange } from './change.js';
import { now } from './clock.js';
import { sleep } from './clock.js';
import { typeName } from './hook_parts.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { Answer, Table, When } from './parts.js';
import { date, t } from './text.js';

const pause = 700;
const patience = 60000;
const most = 1000;

// What became of an attempt, in words.
export function outcomeText(attempt) {
    const failed = attempt.type.endsWith('.test') && attempt.outcome !== 'ok'
        ? 'test' : attempt.outcome;

    return t(`hook_outcome_${failed}`);
}

// A contact's answer may be one of SMTP.
export function answerText({ http, ms, type }) {
    const name = type.startsWith('contact.') ? 'delivery_answer' : 'hook_http';

    return http ? t(name, { status: String(http), ms })
        : t('hook_no_answer', { ms });
}

function Row({ attempt }) {
    return html`<tr>
        <th scope="row" data-label=${t('hook_time')}>
            <${When} text=${attempt.time} /></th>
        <td data-label=${t('hook_event')}>${typeName(attempt.type)}</td>
        <td data-label=${t('hook_attempt')}>${attempt.attempt}</td>
        <td data-label=${t('outcome')}><span>
            <span class=${attempt.outcome === 'ok' ? 'right' : 'wrong'}>
                ${outcomeText(attempt)}</span> ${answerText(attempt)}
            ${attempt.error && html`: <bdi>${attempt.error}</bdi>`}</span>
        </td>
        <td data-label=${t('hook_next_try')}>${date(attempt.next) > now()
            && html`<${When} text=${attempt.next} />`}</td>
        <td data-label=${t('hook_answer')}><details>
            <summary>${t('hook_answer_show')}</summary>
            ${attempt.answer && html`<pre><bdi>${attempt.answer}</bdi></pre>`}
            <p><code>${attempt.event}</code></p></details></td>
    </tr>`;
}

// Queues a test and waits for its attempt; null: there was none.  of: "webhook"
// or "contact".
async function test(of, id, show) {
    const { data } = await post(`${of}/test/${id}.json`);
    const end = Date.now() + patience;

    show(t('delivery_waits'));

    while (Date.now() < end) {
        const log = await get(`${of}/log/${id}.json?last=20`);
        const found = log.data.find(({ event }) => event === data.event);

        if (found) {
            return found;
        }

        await sleep(pause);
    }

    return null;
}

// off: why no test can be sent, or "".
function Test({ of, id, off, onDone }) {
    const call = useChange(onDone);

    function send() {
        const said = (attempt) => (attempt ? `${outcomeText(attempt)} ${
            answerText(attempt)}` : t('delivery_none'));

        call.run(said, (show) => test(of, id, show));
    }

    return html`<p><button onClick=${send} disabled=${call.busy || off}>
            ${t(`${of}_test`)}</button>${off && html`
            ${' '}<span class="quiet">${off}</span>`}</p>
        <${Said} of=${call} />`;
}

// of: "webhook" or "contact".
export function DeliveryLog({ of, id, off, may, round, onDone }) {
    const [last, setLast] = useState(20);
    const log = useLoad(`${of}/log/${id}.json?last=${last}`, round);

    return html`<section aria-labelledby="delivery-log">
        <h2 id="delivery-log">${t(`${of}_log`)}</h2>
        ${may && html`<${Test} of=${of} id=${id} off=${off}
            onDone=${onDone} />`}
        <${Answer} state=${log}>${({ data }) => html`
            <${Table} rows=${data} none=${t(`${of}_log_none`)}
                names=${['hook_time', 'hook_event', 'hook_attempt', 'outcome',
                    'hook_next_try', 'hook_answer']}
                row=${(attempt) => html`<${Row} attempt=${attempt}
                    key="${attempt.event}-${attempt.attempt}-${
                        attempt.time}" />`} />
            ${data.length === last && last < most && html`<button
                onClick=${() => setLast(Math.min(last * 5, most))}>
                ${t('more')}</button>`}`}
        <//>
    </section>`;
}
