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

// What is muted: each name below the other; or in a line of text on the page of
// the thing with this id, which is not named.
export function Target({ mute: { target, name, ...mute }, id }) {
    const line = id !== undefined;
    const screen = screens[target.slice(0, 2)];
    const called = (text) => html`<bdi class=${line ? '' : 'name'}>${text}
        </bdi>`;
    const what = target !== id && (target === '' ? t('mute_account')
        : screen ? html`<a href="#/${screen}/${target}">${called(name)}</a>`
            : called(name));
    const group = mute.group && mute.group !== id && called(withinText(mute));

    return html`${what}${what && group && line && ', '}${group}`;
}

// Until when, and what else is muted than the thing with this id.
export function Until({ mute, id = null }) {
    return html`${t('muted_until')}${' '}<${When} text=${mute.ends} />
        ${(mute.target !== id || mute.group) && html`${' '}
            (<${Target} mute=${mute} id=${id} />)`}`;
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
