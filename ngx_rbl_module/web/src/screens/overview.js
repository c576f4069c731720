// Overview: how many hosts there are, and which are listed.

import { Answer } from '../parts.js';
import { HostTable } from './hosts.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { t } from '../text.js';

export function Overview() {
    const state = useLoad('listings.json?page_size=100');

    return html`<${Answer} state=${state}>${(body) => html`
        <h1 class=${body.total_listed > 0 ? 'bad' : 'good'}>
            ${body.total_listed > 0 ? t('total_listed', { n: body.total_listed })
                : t('none_listed')}</h1>
        <p>${t('total_hosts', { n: body.total_hosts })}</p>
        ${body.data.length > 0 && html`<${HostTable} hosts=${body.data} />`}`}
    <//>`;
}
