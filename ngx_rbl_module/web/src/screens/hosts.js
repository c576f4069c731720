// Hosts: a table of all of them.

import { useState } from 'preact/hooks';

import { Answer, More, State, stateOf, When } from '../parts.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { t } from '../text.js';

export function HostTable({ hosts }) {
    return html`<table>
        <thead><tr>
            <th scope="col">${t('host')}</th>
            <th scope="col">${t('name')}</th>
            <th scope="col">${t('state')}</th>
            <th scope="col">${t('lists')}</th>
            <th scope="col">${t('checked')}</th>
        </tr></thead>
        <tbody>${hosts.map((host) => html`<tr key=${host.id}>
            <th scope="row" data-label=${t('host')}>
                <a href="#/host/${host.id}"><bdi>${host.host}</bdi></a></th>
            <td data-label=${t('name')}>
                <bdi class="name" title=${host.name}>${host.name}</bdi></td>
            <td data-label=${t('state')}>
                <${State} name=${stateOf(host)} /></td>
            <td data-label=${t('lists')}>${host.listed_details
                .map(({ host: list }) => list).join(', ')}</td>
            <td data-label=${t('checked')}>
                <${When} text=${host.last_checked} /></td>
        </tr>`)}</tbody>
    </table>`;
}

export function Hosts({ me }) {
    const [size, setSize] = useState(100);
    const state = useLoad(`hosts.json?page_size=${size}`);

    return html`<${Answer} state=${state}>${({ data, total_hosts: total }) =>
        html`<h1>${t('total_hosts', { n: total })}</h1>
        ${me.user.role !== 'viewer' && html`<p><a class="button" href="#/add">
            ${t('add_hosts')}</a></p>`}
        ${total === 0 && html`<p>${t('no_hosts_text')}</p>`}
        ${total > 0 && html`<${HostTable} hosts=${data} />
            <${More} n=${data.length} total=${total} size=${size}
                setSize=${setSize} />`}`}
    <//>`;
}
