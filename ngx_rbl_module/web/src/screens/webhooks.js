// Webhooks: all of them; a new one; one of them ("#/webhooks/ID").

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Form } from '../form.js';
import { HookFields, HookMark, Secret, typeName, Verify }
    from '../hook_parts.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, Head, NameLink, Place, When } from '../parts.js';
import { useFields } from '../record.js';
import { t } from '../text.js';
import { Webhook } from './webhook.js';

const limit = 100;

function Table({ hooks }) {
    return html`<table class="dense">
        <${Head} names=${['name', 'state', 'hook_gets', 'hook_url',
            'hook_created']} />
        <tbody>${hooks.map((hook) => html`<tr key=${hook.id}>
            <th scope="row" data-label=${t('name')}>
                <${NameLink} to="webhooks/${hook.id}" name=${hook.name} /></th>
            <td data-label=${t('state')}><${HookMark} hook=${hook} /></td>
            <td data-label=${t('hook_gets')}><span>${hook.types.length
                ? hook.types.map(typeName).join(', ')
                : t('hook_all_events')}</span></td>
            <td data-label=${t('hook_url')}>
                <bdi class="name" title=${hook.url}>${hook.url}</bdi></td>
            <td data-label=${t('hook_created')}>
                <${When} text=${hook.created} /></td>
        </tr>`)}</tbody>
    </table>`;
}

function List({ may }) {
    const state = useLoad(`webhooks.json?page_size=${limit}`);

    return html`<${Answer} state=${state}>${({ data, total_webhooks: total }) =>
        html`<h1>${t('hook_total', { n: total })}</h1>
        ${total === 0 && html`<p>${t('hook_none_text')}</p>`}
        ${may && total < limit && html`<p>
            <a class="button" href="#/webhooks/new">${t('hook_add')}</a></p>`}
        ${may && total >= limit && html`
            <p>${t('hook_limit', { n: limit })}</p>`}
        ${total > 0 && html`<${Table} hooks=${data} />`}`}
    <//>`;
}

function Add({ bill }) {
    const [made, setMade] = useState(null);
    const form = useFields({ name: '', url: '', types: [] });

    if (made) {
        return html`
            <${Place} path=${[['webhooks', t('webhooks')]]} />
            <h1><bdi>${made.name}</bdi></h1>
            <${Secret} secret=${made.secret}>
                <${Verify} />
                <p><a class="button" href="#/webhooks/${made.id}">
                    ${t('hook_next')}</a></p><//>`;
    }

    return html`
        <${Place} path=${[['webhooks', t('webhooks')]]} />
        <h1>${t('hook_add')}</h1>
        <${Form} button=${t('hook_add')} onDone=${({ data }) => setMade(data)}
            call=${() => post('webhook/add.json', form.mine)}>
            <${HookFields} form=${form} bill=${bill} /><//>`;
}

export function Webhooks({ me, rest }) {
    const may = me.user.role !== 'viewer';

    const { bill } = me.account;

    return rest === 'new' ? html`<${Add} bill=${bill} />`
        : rest ? html`<${Webhook} id=${rest} may=${may} bill=${bill} />`
            : html`<${List} may=${may} />`;
}
