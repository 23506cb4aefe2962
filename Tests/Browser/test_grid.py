"""The grid, with a handful of pictures and with a million."""

import re
import unittest

from playwright.sync_api import expect

from workshop import BrowserCase, many_items, wait_until

TITLES = ["Chợ nổi buổi sáng", "Phố cổ về đêm", "Nắng trên cánh đồng", "Đà Lạt trong sương", "夕焼けの海", "Зимнее утро"]


class Grid(BrowserCase):
    @classmethod
    def make(cls):
        cls.workshop.job("small", 40, titles=[TITLES[i % 6] + (f" {i}" if i >= 6 else "") for i in range(40)])
        cls.workshop.run("small")
        cls.workshop.job("large", 30)
        cls.workshop.run("large")
        many_items(cls.workshop, "large", 1_000_000)

    def positions(self, page):
        """Where the pictures in view are in the list, in their order."""
        return page.evaluate("""() => {
            const view = document.querySelector(".grid").getBoundingClientRect();
            return [...document.querySelectorAll(".tile")].filter(tile => {
                const { top, bottom } = tile.getBoundingClientRect();
                return bottom > view.top && top < view.bottom;
            }).map(tile => Number(tile.getAttribute("aria-posinset"))).sort((a, b) => a - b);
        }""")

    def focused(self, page):
        return page.locator(".tile:has(:focus)")

    def test_pictures_have_their_titles_as_names_and_their_own_ratio(self):
        page = self.sign_in()
        self.visit(page, "/jobs/small/photos")
        items = self.photos(page).get_by_role("listitem")
        expect(items.nth(0)).to_have_accessible_name("Chợ nổi buổi sáng")
        expect(page.locator(".tile.is-loaded").first).to_be_visible()
        wide, tall = items.nth(0).bounding_box(), items.nth(1).bounding_box()
        self.assertAlmostEqual(wide["width"] / wide["height"], 1.5, delta=0.05)
        self.assertAlmostEqual(tall["width"] / tall["height"], 0.667, delta=0.03)

    def test_a_blurred_preview_is_there_before_the_thumbnail(self):
        page = self.sign_in()
        page.route("**/pictures/**", lambda route: route.abort())
        self.visit(page, "/jobs/small/photos")
        preview = page.locator(".tile canvas").first
        expect(preview).to_be_visible()
        # The picture's own colours, not the grey of the place: a gradient has a top unlike its bottom.
        top, bottom, ratio = preview.evaluate("""canvas => {
            const { width, height } = canvas, data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
            const at = (y) => [...data.slice(4 * y * width, 4 * y * width + 3)];
            return [at(0), at(height - 1), width / height];
        }""")
        self.assertGreater(sum(abs(a - b) for a, b in zip(top, bottom)), 30)
        self.assertAlmostEqual(ratio, 1.5, delta=0.2)

    def test_lists_are_sorted_also_those_of_a_million(self):
        page = self.sign_in()
        self.visit(page, "/jobs/small/photos?sort=title")
        items = self.photos(page).get_by_role("listitem")
        for place, name in ((1, TITLES[0]), (2, f"{TITLES[0]} 12"), (3, f"{TITLES[0]} 18")):
            expect(page.locator(f".tile[aria-posinset='{place}']")).to_have_accessible_name(name)
        self.visit(page, "/jobs/large/photos?sort=size")
        # Only what is stored has a size: it comes first.
        expect(items.nth(0)).to_have_accessible_name(re.compile("Picture"), timeout=120_000)

    def test_rows_are_as_wide_as_the_grid(self):
        page = self.sign_in()
        self.visit(page, "/jobs/small/photos")
        expect(page.locator(".tile.is-loaded").first).to_be_visible()
        rows = page.evaluate("""() => Object.values(Object.groupBy([...document.querySelectorAll(".tile")]
            .map(tile => tile.getBoundingClientRect()), box => Math.round(box.top)))
            .map(row => Math.round(Math.max(...row.map(box => box.right)) - Math.min(...row.map(box => box.left))))""")
        self.assertGreater(len(rows), 2)
        self.assertEqual(len(set(rows)), 1, rows)

    def test_search_finds_vietnamese_titles_as_someone_types(self):
        page = self.sign_in()
        self.visit(page, "/jobs/small/photos")
        expect(self.photos(page).get_by_role("listitem").first).to_be_visible()
        page.keyboard.press("/")
        box = page.get_by_role("searchbox", name="Search")
        expect(box).to_be_focused()
        box.press_sequentially("phố cổ")
        expect(self.photos(page).get_by_role("listitem").first).to_have_accessible_name("Phố cổ về đêm")
        names = [item.get_attribute("aria-label") for item in self.photos(page).get_by_role("listitem").all()]
        self.assertTrue(all(name.startswith("Phố cổ") for name in names), names)
        box.fill("pho co")
        expect(self.photos(page).get_by_role("listitem").first).to_have_accessible_name("Phố cổ về đêm")
        box.fill("không có gì")
        expect(page.get_by_text("No title has these words")).to_be_visible()

    def test_arrows_move_by_geometry_and_enter_opens(self):
        page = self.sign_in()
        self.visit(page, "/jobs/small/photos")
        expect(self.photos(page).get_by_role("listitem").first).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(self.focused(page)).to_have_attribute("aria-posinset", "1")
        page.keyboard.press("ArrowRight")
        expect(self.focused(page)).to_have_attribute("aria-posinset", "2")
        before = self.focused(page).bounding_box()
        page.keyboard.press("ArrowDown")
        expect(self.focused(page)).not_to_have_attribute("aria-posinset", "2")
        after = self.focused(page).bounding_box()
        self.assertGreater(after["y"], before["y"])
        self.assertLess(abs(after["x"] + after["width"] / 2 - before["x"] - before["width"] / 2), before["width"] + after["width"])
        name = self.focused(page).get_attribute("aria-label")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog", name=name)).to_be_visible()
        page.keyboard.press("Escape")
        expect(self.focused(page)).to_have_attribute("aria-label", name)

    def test_a_million_items_scroll_to_the_end(self):
        page = self.sign_in()
        self.visit(page, "/jobs/large/photos")
        expect(page.get_by_text("1,000,030 items")).to_be_visible()
        page.keyboard.press("End")
        expect(self.focused(page)).to_have_attribute("aria-posinset", "1000030")
        page.keyboard.press("PageUp")
        expect(self.focused(page)).not_to_have_attribute("aria-posinset", "1000030")
        at = int(self.focused(page).get_attribute("aria-posinset"))
        self.assertTrue(999_950 < at < 1_000_030, at)
        page.keyboard.press("Home")
        expect(self.focused(page)).to_have_attribute("aria-posinset", "1")

    def test_the_scroll_bar_reaches_every_part_of_a_million(self):
        page = self.sign_in()
        self.visit(page, "/jobs/large/photos")
        expect(page.get_by_text("1,000,030 items")).to_be_visible()
        for share in (0.5, 1, 0.25):
            page.evaluate("share => { const grid = document.querySelector('.grid'); grid.scrollTop = grid.scrollHeight * share }", share)
            expect(page.locator(".tile[data-state]").first).to_be_visible()
            expect(page.locator('.tile[aria-label^="Made up"]').first).to_be_visible()
            def is_there():
                seen = self.positions(page)
                return seen and abs(seen[len(seen) // 2] / 1_000_030 - share) < 0.02
            wait_until(is_there, what=f"what is at {share} of the list")
            seen = self.positions(page)
            self.assertEqual(seen, list(range(seen[0], seen[-1] + 1)))

    def test_scrolling_a_million_moves_every_picture_by_the_same(self):
        page = self.sign_in()
        self.visit(page, "/jobs/large/photos")
        expect(page.get_by_text("1,000,030 items")).to_be_visible()
        page.evaluate("() => { const grid = document.querySelector('.grid'); grid.scrollTop = grid.scrollHeight * 0.4 }")
        expect(page.locator('.tile[aria-label^="Made up"]').first).to_be_visible()
        jumps = page.evaluate("""async () => {
            const grid = document.querySelector(".grid");
            const frame = () => new Promise(requestAnimationFrame);
            await new Promise(resolve => setTimeout(resolve, 600));
            const jumps = [];
            for (let step = 0; step < 120; step++) {
                const before = new Map([...document.querySelectorAll(".tile")].map(tile => [tile.getAttribute("aria-posinset"), tile.getBoundingClientRect().top]));
                grid.scrollTop += 40;
                await frame(); await frame();
                for (const tile of document.querySelectorAll(".tile")) {
                    const was = before.get(tile.getAttribute("aria-posinset"));
                    if (was !== undefined) jumps.push(Math.abs(was - tile.getBoundingClientRect().top - 40));
                }
            }
            return Math.max(...jumps);
        }""")
        self.assertLessEqual(jumps, 2)

    def test_a_grey_place_says_what_is_the_matter(self):
        page = self.sign_in()
        self.visit(page, "/jobs/large/photos?state=failed")
        expect(self.photos(page).get_by_role("listitem").first).to_contain_text("Error")
        self.visit(page, "/jobs/large/photos?state=pending")
        expect(self.photos(page).get_by_role("listitem").first).to_contain_text("Queueing…")

    def test_a_blurred_preview_is_drawn_from_its_hash(self):
        page = self.sign_in()
        pixels = page.evaluate("""async () => {
            const { drawPreview } = await import("/page/js/thumbhash.js");
            const canvas = document.createElement("canvas");
            drawPreview(canvas, "3OcRJYB4d3h/iIeHeEh3eIhw+j3A");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const damaged = document.createElement("canvas");
            drawPreview(damaged, "%%%");
            return { width: canvas.width, height: canvas.height, alpha: data[3], damaged: damaged.width };
        }""")
        self.assertEqual((max(pixels["width"], pixels["height"]), pixels["alpha"], pixels["damaged"]), (32, 255, 1))

    def test_filters_and_sorting_are_in_the_address_and_back_leads_out(self):
        page = self.sign_in()
        self.visit(page, "/jobs/large/photos")
        page.get_by_role("combobox", name="State").select_option("stored")
        expect(page.get_by_text("30 items", exact=True)).to_be_visible()
        page.get_by_role("combobox", name="Sort").select_option("size")
        expect(page).to_have_url(self.workshop.base + "/jobs/large/photos?state=stored&sort=size")
        page.go_back()
        page.go_back()
        expect(page.get_by_text("1,000,030 items")).to_be_visible()


if __name__ == "__main__":
    unittest.main()
