// The log of all contacts and webhooks: the last attempts of each, the newest
// first.  The receivers are asked a few at a time.

import { useEffect, useState } from 'preact/hooks';

import { get } from '../api.js';
import { answerText, outcomeText } from '../delivery_log.js';
import { typeName } from '../hook_parts.js';
import { html } from '../html.js';
import { Answer, NameLink, Table, When } from '../parts.js';
import { t } from '../text.js';

const each = 20;                // attempts of a receiver
const most = 60;                // receivers
const atOnce = 6;
const rows = 200;

// The receivers, with where their log and their page are.
async function receivers() {
    const [contacts, hooks] = await Promise.all([
        get(`contacts.json?page_size=${most}`),
        get(`webhooks.json?page_size=${most}`)]);

    return [...hooks.data.map(({ id, name }) => ({ id, name, of: 'webhook' })),
        ...contacts.data.map(({ id, contact }) => ({ id, name: contact,
            of: 'contact' }))].slice(0, most);
}

async function readAll() {
    const all = await receivers();
    const waiting = [...all];
    let found = [];

    async function next() {
        while (waiting.length > 0) {
            const to = waiting.shift();
            const { data } = await get(
                `${to.of}/log/${to.id}.json?last=${each}`);

            found = [...found, ...data.map((one) => ({ ...one, to }))];
        }
    }

    await Promise.all(Array.from({ length: atOnce }, next));
    return { attempts: found.sort((a, b) => new Date(b.time)
        - new Date(a.time)).slice(0, rows), asked: all.length };
}

function Row({ attempt }) {
    const { to } = attempt;

    return html`<tr>
        <td data-label=${t('hook_time')}><${When} text=${attempt.time} /></td>
        <th scope="row" data-label=${t('log_to')}>
            <${NameLink} to="${to.of}s/${to.id}" name=${to.name} /></th>
        <td data-label=${t('hook_event')}>${typeName(attempt.type)}</td>
        <td data-label=${t('hook_attempt')}>${attempt.attempt}</td>
        <td data-label=${t('outcome')} class=${attempt.outcome === 'ok'
            ? 'right' : 'wrong'}>${outcomeText(attempt)}</td>
        <td data-label=${t('hook_answer')}><span>${answerText(attempt)}
            ${attempt.error && html`: <bdi>${attempt.error}</bdi>`}</span>
        </td>
    </tr>`;
}

export function Log({ query }) {
    const [round, setRound] = useState(0);
    const [state, setState] = useState({});
    const bad = query === 'failed';
    const shown = (state.body ? state.body.attempts : []).filter(
        ({ outcome }) => !bad || outcome !== 'ok');

    useEffect(() => {
        readAll().then((body) => setState({ body }),
            (refusal) => setState((old) => ({ ...old, refusal })));
    }, [round]);

    return html`
        <h1>${t('log_title')}</h1>
        <p class="ranges"><a href="#/log" aria-current=${bad ? null : 'true'}>
                ${t('log_all')}</a>
            <a href="#/log?failed" aria-current=${bad ? 'true' : null}>
                ${t('log_failed')}</a></p>
        <${Answer} state=${state}>${({ asked }) => html`
            <p class="quiet">${t('log_text', { each, n: asked })}</p>
            <p><button onClick=${() => setRound(round + 1)}>
                ${t('log_again')}</button></p>
            <${Table} rows=${shown} names=${['hook_time', 'log_to',
                'hook_event', 'hook_attempt', 'outcome', 'hook_answer']}
                none=${t(bad ? 'log_none_failed' : 'contact_log_none')}
                row=${(attempt) => html`<${Row} attempt=${attempt}
                    key="${attempt.to.id}-${attempt.event}-${
                        attempt.attempt}" />`} />`}<//>`;
}
