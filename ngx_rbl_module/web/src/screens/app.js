// One application: its requests, errors, access and tokens, and its end.

import { useState } from 'preact/hooks';

import { Access } from './app_access.js';
import { AppErrors } from './app_errors.js';
import { AppStatus } from './apps.js';
import { Tokens } from './app_tokens.js';
import { post } from '../api.js';
import { Said, useChange } from '../change.js';
import { html } from '../html.js';
import { lazy } from '../lazy.js';
import { useLoad } from '../load.js';
import { Answer, Changes, Place, When } from '../parts.js';
import { t } from '../text.js';

const Graph = lazy(() => import('../graph.js'), 'Graph');

const ranges = { hours_24: 'hours=24', days_31: 'hours=744',
    days_396: 'days=396' };

function Stats({ id }) {
    const [range, setRange] = useState('hours_24');
    const state = useLoad(`app/stats/${encodeURIComponent(id)}.json`
        + `?${ranges[range]}`);

    return html`<section aria-labelledby="app-stats">
        <h2 id="app-stats">${t('requests')}</h2>
        <fieldset class="choice"><legend>${t('period')}</legend>
            ${Object.keys(ranges).map((name) => html`
                <label key=${name}><input type="radio" name="range"
                    checked=${name === range}
                    onChange=${() => setRange(name)} />
                    ${' '}${t(`range_${name}`)}</label>`)}
        </fieldset>
        <${Answer} state=${state}>${({ data, unit, requests, errors }) => {
            const title = t('graph_says', { range: t(`range_${range}`),
                requests, errors });

            return html`<p role="status">${title}</p>
                ${requests === 0 && html`<p>${t('no_requests_text')}</p>`}
                <${Graph} rows=${data} days=${unit === 'day'}
                    title=${title} />`;
        }}<//>
    </section>`;
}

function Revoke({ app, onDone }) {
    const [name, setName] = useState('');
    const end = useChange(onDone);

    function submit(event) {
        event.preventDefault();

        if (name.trim() !== app.name) {
            end.refuse(t('name_differs'));

        } else {
            end.run('', () => post(`app/revoke/${app.id}.json`));
        }
    }

    return html`<section aria-labelledby="app-revoke">
        <h2 id="app-revoke">${t('app_revoke')}</h2>
        <p>${t('app_revoke_text')}</p>
        <form onSubmit=${submit}>
            <p class="field"><label for="app-typed">${t('app_type_name')}${' '}
                <bdi>${app.name}</bdi></label>
                <input id="app-typed" value=${name} autocomplete="off" required
                    onInput=${(e) => setName(e.target.value)} /></p>
            <p><button class="danger" disabled=${end.busy}>
                ${t('app_revoke')}</button></p>
            <${Said} of=${end} />
        </form>
    </section>`;
}

export function App({ me, id }) {
    const state = useLoad(`app/${encodeURIComponent(id)}.json`);
    const { reload } = state;
    const may = me.user.role !== 'viewer';

    return html`
        <${Place} path=${[['apps', t('apps')]]} />
        <${Answer} state=${state}>${({ data: app }) => html`
            <h1><bdi>${app.name}</bdi>
                <${AppStatus} of=${app.status} /></h1>
            <p class="quiet">${t('created')}${' '}
                <${When} text=${app.created} /></p>
            <${Stats} id=${id} />
            <${AppErrors} id=${id} />
            ${app.status === 'active' && html`
                <${Access} app=${app} may=${may} onDone=${reload} />
                <${Tokens} me=${me} app=${app} may=${may} onDone=${reload} />
                ${may && html`<${Revoke} app=${app} onDone=${reload} />`}`}
            <${Changes} may=${may} id=${app.id} />`}
        <//>`;
}
