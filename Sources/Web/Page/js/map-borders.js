// Countries, drawn as vectors from Natural Earth (scripts/generate-borders says how the files are made), and their names.

/** From this zoom on the detailed borders are drawn. */
const DETAIL_FROM = 5;
const MOST_LABELS = 60;

/** The lines of a world file as coordinates [latitude, longitude]. */
function lines({ scale, arcs }) {
    return arcs.map((arc) => {
        const points = [];
        for (let i = 0, x = 0, y = 0; i < arc.length; i += 2) {
            x += arc[i];
            y += arc[i + 1];
            points.push([y / scale, x / scale]);
        }
        return points;
    });
}

function ringOf(numbers, arcs) {
    const ring = [];
    for (const number of numbers) {
        const arc = number >= 0 ? arcs[number] : arcs[~number].toReversed();
        for (let i = ring.length ? 1 : 0; i < arc.length; i++) ring.push(arc[i]);
    }
    return ring;
}

async function load(file) {
    const response = await fetch(`/page/${file}`);
    if (!response.ok) throw new Error(`${file}: ${response.status}`);
    return response.json();
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Draws the world on a Leaflet map and keeps it in the colours of the scheme. Returns a function that ends it. */
export function drawBorders(map) {
    const { L } = window;
    map.createPane("land").style.zIndex = 200;
    map.createPane("names").style.zIndex = 350;
    map.getPane("names").style.pointerEvents = "none";
    map.getPane("names").setAttribute("aria-hidden", "true");
    const renderer = L.canvas({ pane: "land", padding: 0.4 });
    const layers = { small: null, detail: null };
    let world = null;
    let isGone = false;
    let asked = false;

    const style = () => ({ renderer, pane: "land", interactive: false, stroke: true, color: color("--border"), weight: 0.8, fill: true, fillColor: color("--land"), fillOpacity: 1, smoothFactor: 0.6 });

    function layerOf(data) {
        const arcs = lines(data);
        return L.layerGroup(data.countries.map(([, , , , polygons]) =>
            L.polygon(polygons.map((polygon) => polygon.map((ring) => ringOf(ring, arcs))), style())));
    }

    async function start() {
        world = await load("world.json");
        if (isGone) return;
        layers.small = layerOf(world);
        choose();
    }

    async function choose() {
        const wantsDetail = map.getZoom() >= DETAIL_FROM;
        if (wantsDetail && !asked) {
            asked = true;
            const data = await load("world-detail.json");
            if (isGone) return;
            layers.detail = layerOf(data);
        }
        const isDetail = map.getZoom() >= DETAIL_FROM && layers.detail;
        const [shown, other] = isDetail ? [layers.detail, layers.small] : [layers.small, layers.detail];
        if (shown && !map.hasLayer(shown)) shown.addTo(map);
        if (other && map.hasLayer(other)) other.remove();
        showNames();
    }

    const names = L.layerGroup().addTo(map);

    /** Names of countries, and of cities when near; those that would lie on one another are left out. */
    function showNames() {
        names.clearLayers();
        const zoom = map.getZoom();
        if (!world || zoom < 3) return;
        const rows = zoom < 6 ? world.countries.map(([, name, x, y]) => [name, x, y, "country"]) : [];
        if (zoom >= 4) rows.unshift(...(world.cities ?? []).map(([name, x, y]) => [name, x, y, "city"]));
        const bounds = map.getBounds();
        const taken = [];
        for (const [name, x, y, kind] of rows) {
            if (taken.length >= MOST_LABELS) break;
            if (!bounds.contains([y, x])) continue;
            const { x: px, y: py } = map.latLngToContainerPoint([y, x]);
            const box = [px - name.length * 4 - 6, py - 10, px + name.length * 4 + 6, py + 10];
            if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
            taken.push(box);
            const label = document.createElement("span");
            label.className = `map-name map-name-${kind}`;
            label.textContent = name;
            L.marker([y, x], { pane: "names", interactive: false, keyboard: false, icon: L.divIcon({ className: "map-name-place", html: label, iconSize: [0, 0] }) }).addTo(names);
        }
    }

    function recolour() {
        for (const layer of Object.values(layers)) layer?.eachLayer((polygon) => polygon.setStyle(style()));
    }

    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", recolour);
    map.on("zoomend", () => choose().catch(() => {}));
    map.on("moveend", showNames);
    start().catch(() => {});
    return () => {
        isGone = true;
        scheme.removeEventListener("change", recolour);
    };
}
