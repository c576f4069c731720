// Applications: all of them; one of them and a new one are screens of their
// own.

import { useState } from 'preact/hooks';

import { Answer, State, When } from '../parts.js';
import { App } from './app.js';
import { NewApp } from './app_new.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Pager } from '../pager.js';
import { number, t } from '../text.js';

const size = 20;
const minute = 60000;

export function AppStatus({ of }) {
    return html`<${State} name=${of === 'active' ? 'active' : 'disabled'}
        text=${t(`app_${of}`) || of} />`;
}

function Requests({ id }) {
    const { body } = useLoad(`app/stats/${encodeURIComponent(id)}.json`
        + '?hours=24', 0, minute);

    return body ? html`${number(body.requests)}` : html`…`;
}

function Row({ app }) {
    return html`<tr>
        <th scope="row" data-label=${t('name')}>
            <a href="#/apps/${app.id}"><bdi class="name" title=${app.name}>
                ${app.name}</bdi></a></th>
        <td data-label=${t('state')}><${AppStatus} of=${app.status} /></td>
        <td data-label=${t('tokens')}>${number(app.total_tokens)}</td>
        <td data-label=${t('requests_day')}><${Requests} id=${app.id} /></td>
        <td data-label=${t('created')}><${When} text=${app.created} /></td>
    </tr>`;
}

function AppList({ me }) {
    const [page, setPage] = useState(1);
    const state = useLoad(`apps.json?page=${page}&page_size=${size}`);

    return html`<${Answer} state=${state}>${(body) => html`
        <h1>${t('total_apps', { n: body.total_applications })}</h1>
        ${body.total_applications === 0 && html`<p>${t('no_apps_text')}</p>`}
        ${me.user.role !== 'viewer' && html`
            <p><a class="button" href="#/apps/new">${t('app_new')}</a></p>`}
        ${body.data.length > 0 && html`<table>
            <thead><tr>
                <th scope="col">${t('name')}</th>
                <th scope="col">${t('state')}</th>
                <th scope="col">${t('tokens')}</th>
                <th scope="col">${t('requests_day')}</th>
                <th scope="col">${t('created')}</th>
            </tr></thead>
            <tbody>${body.data.map((app) => html`
                <${Row} key=${app.id} app=${app} />`)}</tbody>
        </table>`}
        <${Pager} page=${page} pages=${body.total_pages} onPage=${setPage} />`}
    <//>`;
}

// The key: what one of them shows must not stay for the next one.
export function Apps({ me, rest }) {
    return rest === 'new' ? html`<${NewApp} key="new" me=${me} />`
        : rest ? html`<${App} key=${rest} me=${me} id=${rest} />`
            : html`<${AppList} key="all" me=${me} />`;
}
