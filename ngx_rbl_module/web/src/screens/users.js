// Users of the account, for its owners: who may sign in, and what as.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { NewLink } from '../new_link.js';
import { Answer, Head, State, When } from '../parts.js';
import { t } from '../text.js';

const roles = ['viewer', 'admin', 'owner'];

function Role({ id, value, onChange, label }) {
    return html`<select id=${id} aria-label=${label} value=${value}
        onChange=${(e) => onChange(e.target.value)}>
        ${roles.map((role) => html`<option key=${role} value=${role}>
            ${t(`role_${role}`)}</option>`)}
    </select>`;
}

function Row({ user, me, act }) {
    const [asked, setAsked] = useState(false);

    return html`<tr>
        <th scope="row" data-label=${t('mail')}>
            <bdi class="name" title=${user.mail}>${user.mail}</bdi></th>
        <td data-label=${t('name')}>${user.name && html`
            <bdi class="name" title=${user.name}>${user.name}</bdi>`}</td>
        <td data-label=${t('role')}>
            <${Role} label=${t('role_of', { mail: user.mail })}
                value=${user.role} onChange=${(role) =>
                    act('role', user.id, { role })} /></td>
        <td data-label=${t('seen')}><span><${When} text=${user.seen} />
            ${!user.confirmed && html`${' '}<${State} name="pending"
                text=${t('unconfirmed')} />`}</span></td>
        <td data-label=${t('actions')}><div>
            <button onClick=${() => act('link', user.id)}>
                ${t('new_link')}</button>
            ${user.id !== me.user.id && (asked
                ? html`<button class="danger" onClick=${() =>
                    act('delete', user.id)}>${t('delete_now')}</button>
                    <button onClick=${() => setAsked(false)}>
                        ${t('cancel')}</button>`
                : html`<button onClick=${() => setAsked(true)}>
                    ${t('delete')}</button>`)}
        </div></td>
    </tr>`;
}

function Invite({ act }) {
    const [mail, setMail] = useState('');
    const [role, setRole] = useState('viewer');

    async function submit(event) {
        event.preventDefault();

        if (await act('add', '', { mail, role })) {
            setMail('');
        }
    }

    return html`<form onSubmit=${submit}>
        <h2>${t('invite')}</h2>
        <label for="mail">${t('mail')}</label>
        <input id="mail" type="email" required autocomplete="off" value=${mail}
            onInput=${(e) => setMail(e.target.value)} />
        <label for="role">${t('role')}</label>
        <${Role} id="role" value=${role} onChange=${setRole} />
        <p class="quiet">${t(`role_${role}_may`)}</p>
        <button class="main">${t('invite_do')}</button>
    </form>`;
}

export function Users({ me }) {
    const [round, setRound] = useState(0);
    const [link, setLink] = useState('');
    const change = useChange(({ data }) => {
        setLink((data && data.link) || '');
        setRound((n) => n + 1);
    });
    const state = useLoad('users.json', round);

    // Returns the answer, if the call was made.
    const act = (verb, id, fields) => change.run('', () =>
        post(`user/${verb}${id && `/${id}`}.json`, fields));

    return html`<h1>${t('users')}</h1>
        <${Said} of=${change} />
        ${link && html`<${NewLink} link=${link} text=${t('link_for')} />`}
        <${Answer} state=${state}>${({ data }) => html`<table
            class="dense brief">
            <${Head} names=${['mail', 'name', 'role', 'seen', 'actions']} />
            <tbody>${data.map((user) => html`<${Row} key=${user.id}
                user=${user} me=${me} act=${act} />`)}</tbody>
        </table>`}<//>
        <${Invite} act=${act} />`;
}
