// A new application; and a new token, which is shown once.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { Copied } from '../copied.js';
import { html } from '../html.js';
import { Place } from '../parts.js';
import { snippets } from '../snippets.js';
import { t } from '../text.js';

// made: the answer that has the token.
export function Made({ me, made }) {
    const head = useRef();

    useLayoutEffect(() => head.current.focus(), [made]);

    return html`<section class="made">
        <h2 tabindex="-1" ref=${head}>${t('token_made')}</h2>
        <p class="banner">${t('token_once')}</p>
        <h3>${t('token')}</h3>
        <${Copied} label=${t('token')} text=${made.token} />
        ${made.secret && html`<h3>${t('secret')}</h3>
            <${Copied} label=${t('secret')} text=${made.secret} />
            <p>${t('secret_text')}</p>`}
        <h2>${t('use_it')}</h2>
        ${snippets(location.origin, me.account.id, made.token).map(
            ([name, text]) => html`<div key=${name}>
                <h3>${t(`use_${name}`)}</h3>
                <${Copied} label=${t(`use_${name}`)} text=${text} />
            </div>`)}
    </section>`;
}

export function NewApp({ me }) {
    const [made, setMade] = useState(null);
    const [name, setName] = useState('');
    const add = useChange(({ data }) => setMade(data));

    function submit(event) {
        event.preventDefault();
        add.run('', () => post('app/add.json', { name }));
    }

    if (made) {
        return html`<h1><bdi>${made.name}</bdi></h1>
            <${Made} me=${me} made=${made} />
            <p><a href="#/apps/${made.id}">${t('app_open')}</a></p>`;
    }

    return html`
        <${Place} path=${[['apps', t('apps')]]} />
        <h1>${t('app_new')}</h1>
        <p>${t('app_new_text')}</p>
        <form onSubmit=${submit}>
            <p class="field"><label for="app-name">${t('name')}</label>
                <input id="app-name" required maxlength="255" value=${name}
                    autocomplete="off" aria-describedby="app-name-help"
                    onInput=${(e) => setName(e.target.value)} />
                <small id="app-name-help">${t('app_name_help')}</small></p>
            <p><button class="main" disabled=${add.busy}>
                ${t('app_add')}</button></p>
            <${Said} of=${add} />
        </form>`;
}
