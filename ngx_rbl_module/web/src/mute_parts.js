// Mutes of a thing: which hold now, with a link to end them or to make one.

import { html } from './html.js';
import { useLoad } from './load.js';
import { When } from './parts.js';
import { t } from './text.js';

export const mutesPath = 'mutes.json?page_size=100';

// ids: of the thing, and of what it belongs to.
export function Muted({ ids, id, may }) {
    const { body } = useLoad(mutesPath);
    const now = body ? body.data.filter(({ open, target }) => open
        && (target === '' || ids.includes(target))) : [];

    return html`
        ${now.map((mute) => html`<p key=${mute.id}>${t('muted_until')}${' '}
            <${When} text=${mute.ends} />: <bdi>${mute.reason}</bdi></p>`)}
        ${may && html`<p><a href="#/mutes/${id}">${t('mute_this')}</a></p>`}`;
}
