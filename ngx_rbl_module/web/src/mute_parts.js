// Mutes of a thing: which hold now, with a link to make one.

import { isolate } from './bidi.js';
import { html } from './html.js';
import { useLoad } from './load.js';
import { When } from './parts.js';
import { t } from './text.js';

export const mutesPath = 'mutes.json?page_size=100';

// The mutes that hold now, those of a list within a group last.
export const openMutes = (body) => (body ? body.data : [])
    .filter(({ open }) => open === 1)
    .sort((a, b) => (a.group !== '') - (b.group !== ''));

// The group within which a list is muted, in words; nothing without one.
export const withinText = ({ group, group_name: name }) => group
    && t('mute_group', { name: isolate(name) });

const screens = { HT: 'host', RB: 'lists' };

// What is muted: in a line of text, or each name below the other.
export function Target({ mute, line }) {
    const { target } = mute;
    const screen = screens[target.slice(0, 2)];
    const called = (name) => html`<bdi class=${line ? '' : 'name'}>${name}
        </bdi>`;

    return html`${target === '' ? t('mute_account')
        : screen ? html`<a href="#/${screen}/${target}">${called(mute.name)}</a>`
        : called(mute.name)}${mute.group && html`${line && ', '}${
        called(withinText(mute))}`}`;
}

// Until when; and what is muted, unless that is the thing with this id.
export function Until({ mute, id }) {
    return html`${t('muted_until')}${' '}<${When} text=${mute.ends} />
        ${(mute.target !== id || mute.group) && html`${' '}
            (<${Target} mute=${mute} line />)`}`;
}

// ids: of the thing, and of what it belongs to; id: of the thing alone.
export function Muted({ ids, id, may }) {
    const now = openMutes(useLoad(mutesPath).body).filter(({ target, group }) =>
        target === '' || (group === '' ? ids.includes(target)
            : target === id || group === id));

    return html`
        ${now.map((mute) => html`<p key=${mute.id}>
            <${Until} mute=${mute} id=${id} />: <bdi>${mute.reason}</bdi></p>`)}
        ${may && html`<p><a href="#/mutes/${id}">${t('mute_this')}</a></p>`}`;
}
