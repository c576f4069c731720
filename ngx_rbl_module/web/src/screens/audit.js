// The audit log: who changed what, when, from where; all of it, or the changes
// by one user or application ("who/SID"), or of one object ("target/SID").

import { useState } from 'preact/hooks';

import { isolate } from '../bidi.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, When } from '../parts.js';
import { t } from '../text.js';

// The screens of objects, by the kind of their SID.
const screens = {
    HT: 'host', CO: 'contacts', CG: 'groups', RP: 'profiles', RB: 'lists',
    AP: 'apps', WH: 'webhooks'
};

function Only({ what, of: { id, name } }) {
    return /^[A-Z]{2}/.test(id) && html`${' '}<a href="#/audit/${what}/${id}"
        aria-label=${t(`audit_only_${what}`, { name: isolate(name || id) })}>
        ${t('audit_more_of')}</a>`;
}

function Who({ who }) {
    return html`<p><bdi>${who.name || who.id}</bdi>
        <${Only} what="who" of=${who} /></p>
        <p class="quiet">${t(`audit_${who.kind}`)}</p>`;
}

// A link to the object, unless it is known to be deleted.
function Thing({ of, gone }) {
    const screen = !gone && screens[of.id.slice(0, 2)];
    const text = html`<bdi>${of.name || of.id}</bdi>`;

    return screen ? html`<a href="#/${screen}/${of.id}">${text}</a>` : text;
}

function What({ change, gone }) {
    const did = t(`did_${change.call.replaceAll('/', '_')}`) || change.call;
    const self = change.call.startsWith('session/');
    const times = change.count > 1 && t('audit_times', { n: change.count });

    return html`<p>${did} ${!self && html`<${Thing} of=${change.target}
        gone=${gone} /><${Only} what="target" of=${change.target} />`}</p>
        ${times && html`<p class="quiet">${times}</p>`}`;
}

function With({ fields }) {
    return fields.length > 0 && html`<dl class="facts">${fields.map((field) =>
        html`<div key=${field.name}><dt>${field.name}</dt>
            <dd>${field.value === '****' ? t('audit_secret')
                : html`<bdi>${field.value}</bdi>`}</dd></div>`)}</dl>`;
}

function Row({ change, gone }) {
    return html`<tr>
        <th scope="row" data-label=${t('audit_when')}>
            <${When} text=${change.at} /></th>
        <td data-label=${t('audit_who')}><${Who} who=${change.who} /></td>
        <td data-label=${t('audit_what')}>
            <${What} change=${change} gone=${gone} /></td>
        <td data-label=${t('audit_with')}>
            <${With} fields=${change.fields} /></td>
        <td data-label=${t('audit_from')}><bdi>${change.from}</bdi></td>
    </tr>`;
}

function Table({ changes }) {
    const gone = new Set(changes.filter(({ call }) => /\/delete$/.test(call))
        .map(({ target }) => target.id));

    return html`<table class="changes">
        <thead><tr>
            <th scope="col">${t('audit_when')}</th>
            <th scope="col">${t('audit_who')}</th>
            <th scope="col">${t('audit_what')}</th>
            <th scope="col">${t('audit_with')}</th>
            <th scope="col">${t('audit_from')}</th>
        </tr></thead>
        <tbody>${changes.map((change) => html`<${Row} key=${change.id}
            change=${change} gone=${gone.has(change.target.id)} />`)}</tbody>
    </table>`;
}

export function Audit({ rest }) {
    const [before, setBefore] = useState('');
    const [, what, id] = /^(who|target)\/([A-Z]{2}[0-9a-f]{32})$/.exec(rest)
        || [];
    const query = [what && `${what}=${id}`, before && `before=${before}`]
        .filter((part) => part).map((part) => `&${part}`).join('');
    const state = useLoad(`audit.json?limit=50${query}`);

    return html`<h1>${t('audit')}</h1>
        <p>${t('audit_text')}</p>
        ${what && html`<p>${t(`audit_filter_${what}`)}
            ${' '}<a href="#/audit">${t('audit_all')}</a></p>`}
        <${Answer} state=${state}>${({ data, next }) => html`
            ${data.length > 0 ? html`<${Table} changes=${data} />`
                : html`<p>${t(next || what || before ? 'audit_none_here'
                    : 'audit_none')}</p>`}
            <p class="pager">
                ${before && html`<button onClick=${() => setBefore('')}>
                    ${t('audit_newest')}</button>`}
                ${next && html`<button onClick=${() => setBefore(next)}>
                    ${t('audit_older')}</button>`}
            </p>`}<//>`;
}
