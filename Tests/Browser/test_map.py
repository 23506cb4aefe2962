"""The map: places, pins, a view that is in the address, and nothing from the network."""

import re
import subprocess
import unittest

from playwright.sync_api import expect

from workshop import RUNNER, BrowserCase, wait_until


class Map(BrowserCase):
    @classmethod
    def make(cls):
        cls.workshop.job("places", 12)
        cls.workshop.run("places")
        cls.workshop.sql(
            "INSERT INTO collection (job, key, title, subtitle, section, latitude, longitude, position, expected) VALUES "
            "('places', 'place:1', 'Hà Nội', 'Ba Đình', 'Việt Nam', 21.03, 105.85, 10, 6), "
            "('places', 'place:2', 'Freiburg', 'Baden', 'Germany', 47.99, 7.85, 11, 6)",
            "UPDATE item SET collection_id = (SELECT id FROM collection WHERE key = 'place:1') WHERE job = 'places' AND id % 2 = 0",
            "UPDATE item SET collection_id = (SELECT id FROM collection WHERE key = 'place:2') WHERE job = 'places' AND id % 2 = 1")
        # A job that takes pins, and has no key for the service behind it: it lists nothing, but it is there.
        (cls.workshop.folder / "pins.yaml").write_text(
            "name: pins\nsource: {type: flickr, api_key: none, endpoint: 'http://127.0.0.1:9/', pins: catalog}\noutput: {directory: out-pins}\n",
            encoding="utf-8")

    def require_pins(self):
        """Jobs that take pins are of the flickr module; a program without them has nothing to drop a pin for."""
        known = subprocess.run([RUNNER, "check", str(self.workshop.folder / "pins.yaml")], env=self.workshop.environment, capture_output=True, check=False)
        if known.returncode != 0:
            self.skipTest("this program's flickr module does not take pins: catalog")

    def pins(self):
        return self.workshop.sql("SELECT name, round(latitude, 1), round(longitude, 1) FROM pin")[0]

    def test_a_place_opens_its_photos_beside_the_map(self):
        page = self.sign_in()
        page.get_by_role("link", name="Map", exact=True).click()
        region = page.get_by_role("region", name="Map")
        region.get_by_role("button", name="Freiburg, 6 photos").click()
        expect(self.photos(page).get_by_role("listitem")).to_have_count(6)
        page.go_back()
        expect(page.get_by_role("link", name="Hà Nội")).to_be_visible()

    def test_the_view_is_in_the_address(self):
        page = self.sign_in()
        self.visit(page, "/map#7/48.5000/8.5000")
        expect(page.get_by_role("region", name="Map").get_by_role("button", name="Freiburg, 6 photos")).to_be_visible()
        page.get_by_role("button", name="Zoom out").click()
        expect(page).to_have_url(re.compile("#6/48.5"))

    def test_a_long_press_drops_a_pin(self):
        self.require_pins()
        page = self.sign_in()
        self.visit(page, "/map#5/10.0000/20.0000")
        box = page.get_by_role("region", name="Map").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        dialog = page.get_by_role("dialog", name="Add pin")
        expect(dialog).to_be_visible()
        page.mouse.up()
        dialog.get_by_label("Name").fill("Bến Thành")
        dialog.get_by_role("button", name="Add").click()
        expect(page.get_by_role("button", name="Pin Bến Thành")).to_be_visible()
        self.assertEqual(self.pins(), [("Bến Thành", 10.0, 20.0)])
        expect(page.get_by_role("button", name="New Collection")).to_be_visible()
        page.get_by_role("button", name="Remove").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        wait_until(lambda: self.pins() == [], what="the removal of the pin")

    def test_the_keyboard_and_a_button_drop_one_in_the_middle(self):
        self.require_pins()
        page = self.sign_in()
        self.visit(page, "/map#5/10.0000/20.0000")
        expect(page.get_by_role("button", name="Add pin")).to_be_visible()
        page.keyboard.press("n")
        expect(page.get_by_role("dialog", name="Add pin")).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Add pin").click()
        expect(page.get_by_role("dialog", name="Add pin")).to_be_visible()

    def test_places_are_sorted_into_countries_and_found_without_accents(self):
        page = self.sign_in()
        page.get_by_role("link", name="Places", exact=True).click()
        expect(page.get_by_role("heading", level=2)).to_have_text(["Germany", "Việt Nam"])
        page.get_by_role("searchbox", name="Search").fill("ha noi")
        expect(page.get_by_role("heading", level=2)).to_have_text(["Việt Nam"])


if __name__ == "__main__":
    unittest.main()
