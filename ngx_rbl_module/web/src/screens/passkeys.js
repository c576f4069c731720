// How the user signs in: passkeys; the end of all sessions.

import { useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { Ask, Field } from '../form.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, Table, When } from '../parts.js';
import { addPasskey, mayPasskey } from '../passkey.js';
import { t } from '../text.js';

function Rename({ passkey, run, onDone }) {
    const [name, setName] = useState(passkey.name);

    function submit(event) {
        event.preventDefault();
        run(t('saved'), () => post(`passkey/rename/${passkey.id}.json`,
            { name: name.trim() }), { then: onDone });
    }

    return html`<form onSubmit=${submit}>
        <${Field} id=${passkey.id} label=${t('name')} required maxlength="255"
            value=${name} onChange=${setName} />
        <button class="main">${t('save')}</button>
    </form>`;
}

function Row({ passkey, run }) {
    const [renaming, setRenaming] = useState(false);
    const end = () => run(t('passkey_deleted'), () =>
        post(`passkey/delete/${passkey.id}.json`));

    return html`<tr>
        <th scope="row" data-label=${t('name')}><bdi class="name"
            title=${passkey.name}>${passkey.name}</bdi></th>
        <td data-label=${t('passkey_made')}>
            <${When} text=${passkey.made} /></td>
        <td data-label=${t('passkey_used')}>
            <${When} text=${passkey.used} /></td>
        <td data-label=${t('actions')}><div>${renaming
            ? html`<${Rename} passkey=${passkey} onDone=${() =>
                setRenaming(false)} run=${run} />`
            : html`<button onClick=${() => setRenaming(true)}>
                ${t('rename')}</button>`}
            <${Ask} question=${t('delete_passkey')} onYes=${end} />
        </div></td>
    </tr>`;
}

function Add({ me, run }) {
    const [name, setName] = useState('');

    async function submit(event) {
        event.preventDefault();

        if (await run(t('passkey_added'), () => addPasskey(name.trim(), me))) {
            setName('');
        }
    }

    return html`<section aria-labelledby="passkey-add">
        <h2 id="passkey-add">${t('passkey_add')}</h2>
        <p>${t('passkey_add_text')}</p>
        <form onSubmit=${submit}>
            <${Field} id="name" label=${t('name')} required maxlength="255"
                help=${t('help_passkey_name')} value=${name}
                onChange=${setName} />
            <button class="main">${t('passkey_add')}</button>
        </form>
    </section>`;
}

export function Passkeys({ me, onSignOut }) {
    const [round, setRound] = useState(0);
    const again = () => setRound((n) => n + 1);
    const change = useChange(again);
    const state = useLoad('passkeys.json', round);

    // Whatever else follows a change, the list is loaded again.
    const run = (text, call, { then = () => {} } = {}) => change.run(text, call,
        { then: () => {
            then();
            again();
        } });

    return html`<h1>${t('passkeys')}</h1>
        <${Said} of=${change} />
        <${Answer} state=${state}>${({ data }) => html`<${Table}
            rows=${data} none=${t('passkeys_none')} names=${['name',
                'passkey_made', 'passkey_used', 'actions']}
            row=${(passkey) => html`<${Row} key=${passkey.id}
                passkey=${passkey} run=${run} />`} />`}<//>
        ${mayPasskey() ? html`<${Add} me=${me} run=${run} />`
            : html`<p>${t('passkeys_not_here')}</p>`}
        <section aria-labelledby="sessions">
            <h2 id="sessions">${t('sessions')}</h2>
            <p>${t('sessions_text')}</p>
            <button onClick=${() => onSignOut(true)}>
                ${t('sign_out_everywhere')}</button>
        </section>`;
}
