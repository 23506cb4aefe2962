"""The viewer over three hundred pictures, marks that outlive the server, and an item that is taken away."""

import unittest

from playwright.sync_api import expect

from workshop import BrowserCase, wait_until


class Viewer(BrowserCase):
    @classmethod
    def make(cls):
        cls.workshop.job("photos", 300, concurrency=32, per_host=32)
        cls.workshop.run("photos")

    def item(self, number):
        return self.workshop.sql(f"SELECT id FROM item WHERE title = 'Picture {number}'")[0][0][0]

    def open_item(self, number, **options):
        page = self.sign_in(**options)
        self.visit(page, f"/jobs/photos/photos?item={self.item(number)}")
        expect(page.get_by_role("dialog", name=f"Picture {number}", exact=True)).to_be_visible()
        wait_until(lambda: page.evaluate("""() => {
            const picture = document.querySelector(".slide:not([inert]) .slide-picture");
            return picture !== null && picture.getBoundingClientRect().width > 0;
        }"""), what="the picture")
        return page

    def scale(self, page):
        return page.evaluate("""() => {
            const picture = document.querySelector(".slide:not([inert]) .slide-picture");
            return picture.getBoundingClientRect().width / picture.offsetWidth;
        }""")

    def test_arrows_lead_through_all_of_it(self):
        page = self.open_item(0)
        expect(page.get_by_role("button", name="Previous")).to_be_disabled()
        for number in range(1, 300):
            page.keyboard.press("ArrowRight")
            expect(page.get_by_role("dialog")).to_have_accessible_name(f"Picture {number}")
        expect(page.get_by_role("button", name="Next")).to_be_disabled()
        expect(page).to_have_url(f"{self.workshop.base}/jobs/photos/photos?item={self.item(299)}")
        page.keyboard.press("Home")
        expect(page.get_by_role("dialog")).to_have_accessible_name("Picture 0")

    def test_it_takes_most_of_the_screen_and_the_whole_of_a_phone(self):
        page = self.open_item(3)
        box = page.locator(".viewer-stage").bounding_box()
        self.assertGreaterEqual(box["width"] * box["height"], 0.75 * 1280 * 800)
        phone = self.open_item(3, **self.driver.devices["Pixel 5"])
        box = phone.get_by_role("dialog").bounding_box()
        self.assertEqual((box["width"], box["height"]), (393, 727))

    def test_wheel_double_click_and_keys_zoom(self):
        page = self.open_item(3)
        stage = page.locator(".viewer-stage")
        page.mouse.move(640, 400)
        before = self.scale(page)
        page.mouse.wheel(0, -240)
        wait_until(lambda: self.scale(page) > before * 1.2, what="a larger picture")
        page.keyboard.press("0")
        wait_until(lambda: abs(self.scale(page) - before) < 0.02, what="the picture fitted")
        stage.dblclick(position={"x": 640, "y": 350})
        wait_until(lambda: self.scale(page) > before * 1.5, what="a picture zoomed by double click")
        page.keyboard.press("z")
        wait_until(lambda: abs(self.scale(page) - before) < 0.02, what="the picture fitted again")

    def touch(self, page, *moments):
        """Fingers on the screen: each moment is a list of points, the first touches, the last is lifted."""
        session = page.context.new_cdp_session(page)
        # The next moment comes when the page has seen the one before.
        page.evaluate("""() => {
            window.seen = { pointerdown: 0, pointermove: 0, pointerup: 0 };
            for (const name in window.seen) addEventListener(name, () => window.seen[name]++, { capture: true });
        }""")
        def seen(name):
            return page.evaluate("name => window.seen[name]", name)
        for number, points in enumerate(moments):
            session.send("Input.dispatchTouchEvent", {
                "type": "touchStart" if number == 0 else "touchMove", "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]})
            name = "pointerdown" if number == 0 else "pointermove"
            wait_until(lambda: seen(name) >= max(1, number), what=f"{name} {number}")
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        wait_until(lambda: seen("pointerup") > 0, what="the end of a touch")

    def test_a_swipe_leads_on_and_a_pinch_zooms(self):
        page = self.open_item(10, **self.driver.devices["Pixel 5"])
        self.touch(page, *[[(300 - 40 * i, 350)] for i in range(6)])
        expect(page.get_by_role("dialog")).to_have_accessible_name("Picture 11")
        self.touch(page, *[[(80 + 40 * i, 350)] for i in range(6)])
        expect(page.get_by_role("dialog")).to_have_accessible_name("Picture 10")
        before = self.scale(page)
        self.touch(page, *[[(180 - 12 * i, 350), (210 + 12 * i, 350)] for i in range(8)])
        wait_until(lambda: self.scale(page) > before * 1.5, what="a picture zoomed by two fingers")
        expect(page.get_by_role("dialog")).to_have_accessible_name("Picture 10")

    def test_pulling_down_closes(self):
        page = self.open_item(10, **self.driver.devices["Pixel 5"])
        self.touch(page, *[[(190, 200 + 45 * i)] for i in range(8)])
        expect(page.get_by_role("dialog")).to_have_count(0)

    def test_back_closes_and_details_tell_all(self):
        page = self.sign_in()
        self.visit(page, "/jobs/photos/photos")
        self.photos(page).get_by_role("listitem", name="Picture 4", exact=True).get_by_role("link").click()
        page.get_by_role("button", name="Image details").click()
        details = page.get_by_role("complementary", name="Details")
        digest = self.workshop.sql("SELECT sha256 FROM item WHERE title = 'Picture 4'")[0][0][0]
        expect(details).to_contain_text(digest)
        expect(details).to_contain_text("Wait")
        expect(details.get_by_role("link", name="run 1")).to_be_visible()
        page.go_back()
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page).to_have_url(self.workshop.base + "/jobs/photos/photos")

    def test_the_address_of_an_item_opens_it_in_its_collection(self):
        page = self.sign_in()
        self.visit(page, f"/items/{self.item(123)}")
        expect(page.get_by_role("dialog", name="Picture 123")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("dialog", name="Picture 124")).to_be_visible()

    def test_favourites_and_recents_outlive_the_server(self):
        page = self.open_item(20)
        page.get_by_role("button", name="Favourite").click()
        expect(page.get_by_role("button", name="Favourite")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("dialog", name="Picture 21")).to_be_visible()
        wait_until(lambda: self.workshop.sql(f"SELECT count(*) FROM mark WHERE kind = 'favourite' AND item_id = {self.item(20)}")[0] == [(1,)], what="the mark")
        wait_until(lambda: self.workshop.sql(f"SELECT count(*) FROM mark WHERE kind = 'viewed' AND item_id = {self.item(21)}")[0] == [(1,)], what="the view")
        self.workshop.kill()
        self.workshop.serve()
        page = self.sign_in()
        page.get_by_role("link", name="Favourites").click()
        expect(self.photos(page).get_by_role("listitem")).to_have_accessible_name("Picture 20")
        page.get_by_role("link", name="Recents").click()
        expect(self.photos(page).get_by_role("listitem").first).to_have_accessible_name("Picture 21")

    def test_an_item_is_removed_and_brought_back(self):
        page = self.open_item(40)
        page.get_by_role("button", name="Remove").click()
        wait_until(lambda: self.workshop.sql("SELECT state FROM item WHERE title = 'Picture 40'")[0] == [("removed",)], what="the removal")
        page.get_by_role("button", name="Undo").click()
        wait_until(lambda: self.workshop.sql("SELECT state FROM item WHERE title = 'Picture 40'")[0] != [("removed",)], what="the return")


if __name__ == "__main__":
    unittest.main()
