// Markers of places and of single photos, gathered into clusters.

import { thumbnailURL } from "./api.js";
import { h, icon } from "./dom.js";
import { countText, plural } from "./format.js";
import { name } from "./map-pins.js";

/** Single photos are drawn from this zoom on; before, their places stand for them. */
const PHOTOS_FROM = 9;

function cover(thumbnail, count) {
    return h("span", { class: "map-photo" },
        thumbnail ? h("img", { src: thumbnail, alt: "", draggable: "false" }) : icon("photos"),
        count && h("span", { class: "map-count", text: count }));
}

const short = (count) => (count >= 10000 ? `${Math.round(count / 1000)}k` : countText(count));

/** `openPlace(row)` and `openPhotos(rows, text)` are called on a click. */
export function addMarkers(map, { collections, items }, { openPlace, openPhotos }) {
    const { L } = window;
    const clusters = (options) => L.markerClusterGroup({ chunkedLoading: true, showCoverageOnHover: false, zoomToBoundsOnClick: false, maxClusterRadius: 56, spiderfyOnMaxZoom: true, ...options });

    const places = clusters({
        iconCreateFunction: (cluster) => {
            const markers = cluster.getAllChildMarkers();
            const best = markers.reduce((a, b) => (b.row.stored > a.row.stored ? b : a));
            const total = markers.reduce((sum, { row }) => sum + (row.stored ?? 0), 0);
            cluster.label = `${plural(markers.length, "place")}, ${plural(total, "photo")}`;
            return iconOf(thumbnailURL(best.row.cover?.id, best.row.cover?.thumbnail), short(total), "is-cluster");
        },
    });
    const located = collections.filter((row) => row.latitude !== null && row.longitude !== null);
    places.addLayers(located.map((row) => {
        const marker = L.marker([row.latitude, row.longitude], { icon: iconOf(thumbnailURL(row.cover?.id, row.cover?.thumbnail), short(row.stored ?? 0)) });
        marker.row = row;
        marker.label = `${row.title || row.key}, ${plural(row.stored ?? 0, "photo")}`;
        marker.on("click", () => openPlace(row));
        return marker;
    }));
    places.on("clusterclick", ({ layer }) => {
        // Zooming in does not separate places at one spot.
        if (layer.getBounds().getNorthEast().equals(layer.getBounds().getSouthWest())) layer.spiderfy();
        else map.fitBounds(layer.getBounds(), { padding: [50, 50], maxZoom: 11 });
    });
    nameAll(places);
    map.addLayer(places);

    let photos = null;
    function choose() {
        const isNear = map.getZoom() >= PHOTOS_FROM || located.length === 0;
        if (isNear && !photos && items.id.length > 0) photos = makePhotos();
        if (!photos) return;
        if (isNear && !map.hasLayer(photos)) map.addLayer(photos);
        if (!isNear && map.hasLayer(photos)) map.removeLayer(photos);
    }

    function makePhotos() {
        const group = clusters({
            maxClusterRadius: 44,
            iconCreateFunction: (cluster) => {
                const markers = cluster.getAllChildMarkers();
                cluster.label = plural(markers.length, "photo");
                return iconOf(markers[0].picture, short(markers.length), "is-photo is-cluster");
            },
        });
        group.addLayers(items.id.map((id, row) => {
            const picture = thumbnailURL(id, items.thumbnail[row]);
            const marker = L.marker([items.latitude[row], items.longitude[row]], { icon: iconOf(picture, null, "is-photo") });
            Object.assign(marker, { id, job: items.job[row], picture, label: "Photo" });
            marker.on("click", () => openPhotos([marker], "Photo"));
            return marker;
        }));
        group.on("clusterclick", ({ layer }) => openPhotos(layer.getAllChildMarkers(), layer.label));
        nameAll(group);
        return group;
    }

    map.on("zoomend", choose);
    choose();
    return { located };
}

function iconOf(picture, count, extra = "") {
    return window.L.divIcon({ className: `map-photo-place ${extra}`, html: cover(picture, count), iconSize: [48, 48], iconAnchor: [24, 24] });
}

/** Clusters make their elements when they come into view; each gets its name then. */
function nameAll(group) {
    const set = ({ layer }) => name(layer, layer.label);
    group.on("layeradd", set);
    const nameVisible = () => group.eachLayer((layer) => name(layer, layer.label));
    group.on("animationend chunkedprogress", nameVisible);
    group._featureGroup?.on("layeradd", set);
}
