// The audit log: who changed what, when, from where; all of it, or the changes
// by one user or application ("who/SID"), or of one object ("target/SID").

import { useState } from 'preact/hooks';

import { isolate } from '../bidi.js';
import { html } from '../html.js';
import { useLoad } from '../load.js';
import { Answer, Head, When } from '../parts.js';
import { t } from '../text.js';

// The screens of objects, by the kind of their SID.
const screens = {
    HT: 'host', CO: 'contacts', CG: 'groups', RP: 'profiles', RB: 'lists',
    AP: 'apps', WH: 'webhooks'
};

const short = 60;               // characters of fields on one line

// A name that leads to the changes of or by it alone.
function Only({ what, of: { id, name } }) {
    const text = html`<bdi>${name || id}</bdi>`;

    return /^[A-Z]{2}/.test(id) ? html`<a href="#/audit/${what}/${id}"
        title=${t(`audit_only_${what}`, { name: isolate(name || id) })}>
        ${text}</a>` : html`<span title=${name || id}>${text}</span>`;
}

// A link to the object, whose page leads to its changes; or to these, if it has
// no page or is known to be deleted.
function Thing({ of, gone }) {
    const screen = !gone && screens[of.id.slice(0, 2)];

    return screen ? html`<a href="#/${screen}/${of.id}"
        title=${of.name || of.id}><bdi>${of.name || of.id}</bdi></a>`
        : html`<${Only} what="target" of=${of} />`;
}

function What({ change, gone }) {
    const did = t(`did_${change.call.replaceAll('/', '_')}`) || change.call;
    const self = change.call.startsWith('session/');
    const times = change.count > 1 && t('audit_times', { n: change.count });

    return html`<span class="name">${did} ${!self && html`<${Thing}
        of=${change.target} gone=${gone} />`}${times && ` (${times})`}</span>`;
}

const valueOf = ({ value }) => (value === '****' ? t('audit_secret')
    : html`<bdi>${value}</bdi>`);

// The fields on one line; if they are long, one opens the line for all of them.
function With({ fields }) {
    const length = fields.reduce((sum, { name, value }) => sum + name.length
        + value.length, 0);
    const line = fields.map((field, i) => html`${i > 0 && ', '}<span
        class="quiet">${field.name}</span> ${valueOf(field)}`);

    return fields.length > 0 && (length < short ? html`<span>${line}</span>`
        : html`<details><summary><span class="one">${line}</span></summary>
            <dl>${fields.map((field) => html`<div key=${field.name}>
                <dt class="quiet">${field.name}</dt>
                <dd>${valueOf(field)}</dd></div>`)}</dl></details>`);
}

function Row({ change, gone }) {
    return html`<tr>
        <th scope="row" data-label=${t('audit_when')}>
            <${When} text=${change.at} /></th>
        <td data-label=${t('audit_who')}><span class="name">
            <${Only} what="who" of=${change.who} />${change.who.kind
                !== 'user' && html` <span class="quiet">
                ${t(`audit_${change.who.kind}`)}</span>`}</span></td>
        <td data-label=${t('audit_what')}>
            <${What} change=${change} gone=${gone} /></td>
        <td data-label=${t('audit_with')}>
            <${With} fields=${change.fields} /></td>
        <td data-label=${t('audit_from')}><bdi>${change.from}</bdi></td>
    </tr>`;
}

// The whole name of whom or what the changes are; the table cuts a long one.
function Whole({ what, changes: [first] }) {
    const of = first && first[what];

    return of && html`<p><bdi>${of.name || of.id}</bdi></p>`;
}

function Table({ changes }) {
    const gone = new Set(changes.filter(({ call }) => /\/delete$/.test(call))
        .map(({ target }) => target.id));

    return html`<table class="changes dense many">
        <${Head} names=${['audit_when', 'audit_who', 'audit_what', 'audit_with',
            'audit_from']} />
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
        ${what && html`<p>${t(`audit_filter_${what}`)}
            ${' '}<a href="#/audit">${t('audit_all')}</a></p>`}
        <${Answer} state=${state}>${({ data, next }) => html`
            ${what && html`<${Whole} what=${what} changes=${data} />`}
            ${data.length > 0 ? html`<${Table} changes=${data} />`
                : html`<p>${t(next || what || before ? 'audit_none_here'
                    : 'audit_none')}</p>`}
            <p class="pager">
                ${before && html`<button onClick=${() => setBefore('')}>
                    ${t('audit_newest')}</button>`}
                ${next && html`<button onClick=${() => setBefore(next)}>
                    ${t('audit_older')}</button>`}
            </p>`}<//>
        <p class="quiet">${t('audit_text')}</p>`;
}
