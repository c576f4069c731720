// The error log of an application; its page and the status are in the address.

import { addressOf, Refusals } from '../app_parts.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Pager } from '../pager.js';
import { Answer } from '../parts.js';
import { t } from '../text.js';

const size = 10;
const codes = [400, 403, 404, 405, 409, 413, 415, 429, 500, 503];

export function AppErrors({ id, query }) {
    const given = new URLSearchParams(query);
    const page = Number(given.get('page')) || 1;
    const code = codes.find((n) => `${n}` === given.get('code')) || '';
    const state = useLoad(`app/errors/${encodeURIComponent(id)}.json`
        + `?page=${page}&page_size=${size}`
        + (code && `&code=${code}`));
    const show = (changes) => {
        location.hash = addressOf(`apps/${id}`, query, changes);
    };

    return html`<section aria-labelledby="app-errors">
        <h2 id="app-errors">${t('error_log')}</h2>
        <p class="beside"><select id="app-code" class="chip"
            aria-label=${t('status')} value=${code}
            onChange=${(e) => show({ page: '', code: e.target.value })}>
                <option value="">${t('status')}: ${t('all')}</option>
                ${codes.map((n) => html`<option key=${n} value=${n}>
                    ${n}</option>`)}
            </select>
            <span role="status">${state.body && t('total_errors',
                { n: state.body.total_errors })}</span></p>
        <${Answer} state=${state}>${({ data, total_pages }) => html`
            ${data.length > 0 && html`<${Refusals} errors=${data} />`}
            <${Pager} page=${page} pages=${total_pages}
                onPage=${(n) => show({ page: n })} />`}
        <//>
    </section>`;
}
