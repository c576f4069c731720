// Payment sources.  One is added on a page of the gateway: the daemon asks the
// gateway for it, and this page goes there once its URL is known.

import { useEffect, useRef, useState } from 'preact/hooks';

import { post } from '../api.js';
import { isolate } from '../bidi.js';
import { Said, useChange } from '../change.js';
import { Ask } from '../form.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Head } from '../parts.js';
import { t } from '../text.js';

const pause = 1000;             // ms between two looks for the page
const patience = 60000;         // ms

// Only a page of https, whatever the answer says.
function safe(url) {
    try {
        return new URL(url).protocol === 'https:';
    } catch {
        return false;
    }
}

// Waits for the page of the gateway and goes there.  An answer that is older
// than the request is not looked at.
function Wait({ before, onOver }) {
    const state = useLoad('billing.json', 0, pause);
    const since = useRef(Date.now());
    const setup = state.body && state.body.data !== before
        && state.body.data.setup;

    useEffect(() => {
        if (setup && setup.state === 'open' && safe(setup.url)) {
            location.assign(setup.url);
            onOver('');
        } else if (setup && setup.state === 'failed') {
            onOver(t('source_failed', { why: setup.text }));
        } else if (Date.now() - since.current > patience) {
            onOver(t('source_late'));
        }
    });

    return html`<p role="status">${t('source_wait')}</p>`;
}

// keeps: the gateway keeps several sources, and the account chooses one.
function Source({ source, chosen, keeps, change }) {
    const remove = () => change.run(t('source_removed'), () =>
        post(`billing/source/remove/${source.id}.json`));
    const choose = () => change.run(t('saved'), () =>
        post('billing/update.json', { source: source.id }));
    const name = t('source_name', { brand: isolate(source.brand
        || source.type), last4: isolate(source.last4) });

    return html`<tr>
        <th scope="row" data-label=${t('source')}>
            <bdi class="name" title=${name}>${name}</bdi>
            ${!source.live && html`<p class="quiet">${t('source_test')}</p>`}
        </th>
        <td data-label=${t('source_expires')}>${source.exp_year > 0
            && `${String(source.exp_month).padStart(2, '0')}/${
                source.exp_year}`}</td>
        <td data-label=${t('actions')}><div>
            ${keeps && (chosen ? html`<span>${t('source_chosen')}</span>`
                : html`<button onClick=${choose}
                    aria-label="${t('source_choose')}: ${name}">
                    ${t('source_choose')}</button>`)}
            <${Ask} question=${t('source_sure', { name })} onYes=${remove} />
        </div></td>
    </tr>`;
}

export function Sources({ bill, onDone }) {
    const change = useChange(onDone);
    const [waits, setWaits] = useState(null);
    const keeps = bill.gateway === 'stripe';
    const add = () => change.run('', () => post('billing/source/add.json'), {
        then: () => setWaits(bill) });

    function over(problem) {
        setWaits(null);
        problem && change.refuse(problem);
    }

    if (!keeps && bill.sources.length === 0) {
        return null;
    }

    return html`<section aria-labelledby="sources">
        <h2 id="sources">${t('sources')}</h2>
        <p>${t(bill.sources.length === 0 ? 'sources_none'
            : keeps ? 'sources_text' : 'sources_named')}</p>
        ${bill.sources.length > 0 && html`<table class="dense brief">
            <${Head} names=${['source', 'source_expires', 'actions']} />
            <tbody>${bill.sources.map((source) => html`<${Source}
                key=${source.id} source=${source} change=${change}
                keeps=${keeps} chosen=${bill.source === source.id} />`)}</tbody>
        </table>`}
        <${Said} of=${change} />
        ${waits ? html`<${Wait} before=${waits} onOver=${over} />`
            : keeps && html`<button onClick=${add}>
                ${t('source_add')}</button>`}
    </section>`;
}
