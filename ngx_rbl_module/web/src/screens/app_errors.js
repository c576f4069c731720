// The error log of an application.

import { useState } from 'preact/hooks';

import { Answer, When } from '../parts.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Pager } from '../pager.js';
import { t } from '../text.js';

const size = 10;
const codes = [400, 403, 404, 405, 409, 413, 415, 429, 500, 503];

function Row({ error }) {
    return html`<tr>
        <td data-label=${t('time')}><${When} text=${error.time} /></td>
        <td data-label=${t('request')}><code>${error.method}${' '}
            <bdi>${error.path}</bdi></code></td>
        <td data-label=${t('status')}>${error.code}</td>
        <td data-label=${t('message')}><bdi>${error.message}</bdi></td>
        <td data-label=${t('address')}><bdi>${error.address}</bdi></td>
    </tr>`;
}

export function AppErrors({ id }) {
    const [page, setPage] = useState(1);
    const [code, setCode] = useState('');
    const state = useLoad(`app/errors/${encodeURIComponent(id)}.json`
        + `?page=${page}&page_size=${size}`
        + (code && `&code=${code}`));

    function choose(event) {
        setCode(event.target.value);
        setPage(1);
    }

    return html`<section aria-labelledby="app-errors">
        <h2 id="app-errors">${t('error_log')}</h2>
        <p class="field"><label for="app-code">${t('status')}</label>
            <select id="app-code" value=${code} onChange=${choose}>
                <option value="">${t('all')}</option>
                ${codes.map((n) => html`<option key=${n} value=${n}>
                    ${n}</option>`)}
            </select></p>
        <${Answer} state=${state}>${({ data, total_errors,
            total_pages }) => html`
            <p role="status">${t('total_errors', { n: total_errors })}</p>
            ${data.length > 0 && html`<table>
                <thead><tr>
                    <th scope="col">${t('time')}</th>
                    <th scope="col">${t('request')}</th>
                    <th scope="col">${t('status')}</th>
                    <th scope="col">${t('message')}</th>
                    <th scope="col">${t('address')}</th>
                </tr></thead>
                <tbody>${data.map((error, i) => html`
                    <${Row} key=${i} error=${error} />`)}</tbody>
            </table>`}
            <${Pager} page=${page} pages=${total_pages} onPage=${setPage} />`}
        <//>
    </section>`;
}
