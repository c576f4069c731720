// Users of the account, for its owners: who may sign in, and what as.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, reason, When } from '../parts.js';
import { t } from '../text.js';

const roles = ['viewer', 'admin', 'owner'];

function Role({ id, value, onChange, label }) {
    return html`<select id=${id} aria-label=${label} value=${value}
        onChange=${(e) => onChange(e.target.value)}>
        ${roles.map((role) => html`<option key=${role} value=${role}>
            ${t(`role_${role}`)}</option>`)}
    </select>`;
}

// A link, which is shown once.
function Link({ link }) {
    const url = `${new URL('.', document.baseURI)}#/link/${link}`;

    return html`<p class="banner" role="status">${t('link_for')}
        <br /><code>${url}</code>
        <button onClick=${() => navigator.clipboard.writeText(url)}>
            ${t('copy')}</button></p>`;
}

function Row({ user, me, act }) {
    const [asked, setAsked] = useState(false);

    return html`<tr>
        <th scope="row" data-label=${t('mail')}><bdi>${user.mail}</bdi>
            ${user.name && html`<p class="quiet"><bdi>${user.name}</bdi></p>`}
        </th>
        <td data-label=${t('role')}>
            <${Role} label=${t('role_of', { mail: user.mail })}
                value=${user.role} onChange=${(role) =>
                    act('role', user.id, { role })} /></td>
        <td data-label=${t('seen')}><${When} text=${user.seen} /></td>
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
    const [said, setSaid] = useState({});
    const state = useLoad('users.json', round);

    // True if the call was made.
    async function act(verb, id, fields) {
        try {
            const { data } = await post(`user/${verb}${id && `/${id}`}.json`,
                fields);

            setSaid({ link: data && data.link });
            setRound((n) => n + 1);
            return true;
        } catch (refusal) {
            setSaid({ problem: refusal.status === 409 || refusal.status === 400
                ? refusal.message : reason(refusal) });
            return false;
        }
    }

    return html`<h1>${t('users')}</h1>
        ${said.problem && html`
            <p class="banner" role="alert">${said.problem}</p>`}
        ${said.link && html`<${Link} link=${said.link} />`}
        <${Answer} state=${state}>${({ data }) => html`<table>
            <thead><tr>
                <th scope="col">${t('mail')}</th>
                <th scope="col">${t('role')}</th>
                <th scope="col">${t('seen')}</th>
                <th scope="col">${t('actions')}</th>
            </tr></thead>
            <tbody>${data.map((user) => html`<${Row} key=${user.id}
                user=${user} me=${me} act=${act} />`)}</tbody>
        </table>`}<//>
        <${Invite} act=${act} />`;
}
