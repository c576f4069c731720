// Profiles: the sets of lists that hosts are checked at.

import { useState } from 'preact/hooks';

import { html } from '../html.js';
import { listsOf } from '../list_choice.js';
import { PaidAnswer } from '../list_parts.js';
import { useLoad } from '../load.js';
import { Pager } from '../pager.js';
import { Head, NameLink } from '../parts.js';
import { t } from '../text.js';
import { Profile, ProfileAdd } from './profile.js';

const size = 50;

function Row({ shown }) {
    const { profile } = shown;

    return html`<tr>
        <th scope="row" data-label=${t('profile')}>
            <${NameLink} to="profiles/${profile.id}" name=${profile.name} />
        </th>
        <td data-label=${t('lists')}>${listsOf(shown)}</td>
        <td data-label=${t('default_head')}>${profile.is_default === 1
            && t('default')}</td>
    </tr>`;
}

function All({ me }) {
    const [page, setPage] = useState(1);
    const state = useLoad(`profiles.json?page=${page}&page_size=${size}`);

    return html`<${PaidAnswer} title=${t('profiles')} state=${state}>
        ${({ data, total_rbl_profiles: total, total_pages: pages }) => html`
            <h1>${t('total_profiles', { n: total })}</h1>
            <p>${t('profiles_text')}</p>
            ${me.user.role !== 'viewer' && html`<p><a class="button"
                href="#/profiles/add">${t('add_profile')}</a></p>`}
            <table>
                <${Head} names=${['profile', 'lists', 'default_head']} />
                <tbody>${data.map((shown) => html`
                    <${Row} key=${shown.profile.id} shown=${shown} />`)}</tbody>
            </table>
            <${Pager} page=${page} pages=${pages} onPage=${setPage} />`}
    <//>`;
}

export function Profiles({ me, rest }) {
    return rest === 'add' ? html`<${ProfileAdd} me=${me} />`
        : rest ? html`<${Profile} me=${me} id=${rest} />`
            : html`<${All} me=${me} />`;
}
