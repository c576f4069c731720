// A table of a few hosts.

import { html } from './html.js';
import { State, stateOf, When } from './parts.js';
import { t } from './text.js';

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
                <a href="#/host/${host.id}">
                    <bdi class="address">${host.host}</bdi></a></th>
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
