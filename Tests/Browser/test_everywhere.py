"""What holds for every view: accessible in both schemes, titles are text, keys are listed, empty states name the command."""

import unittest

from playwright.sync_api import expect

from workshop import BrowserCase

HOSTILE = [
    '<img src=x onerror="window.attacked = 1">', '"><script>window.attacked = 1</script>', "javascript:window.attacked=1",
    "שלום עולם", "مراكش عند الغروب", "\u202egpj.exe\u202c", "🏔️ 👩‍👩‍👧‍👦 🌊", "x" * 300, "A & B < C",
]
VIEWS = ["/", "/jobs/titles", "/jobs/titles/photos", "/jobs/titles/runs", "/runs/1", "/map", "/places", "/recents", "/favourites", "/jobs/nothing"]


class Everywhere(BrowserCase):
    @classmethod
    def make(cls):
        cls.workshop.job("titles", len(HOSTILE) + 1, titles=HOSTILE + ["Plain"])
        cls.workshop.run("titles")
        cls.workshop.sql("UPDATE collection SET title = '<b>bold</b> & \"quoted\"', section = '<i>x</i>', latitude = 10, longitude = 20")

    def settle(self, page, path):
        self.visit(page, path)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        page.wait_for_timeout(300)

    def test_axe_finds_nothing_serious_in_either_scheme(self):
        for scheme in ("light", "dark"):
            page = self.sign_in(color_scheme=scheme, reduced_motion="reduce")
            for path in VIEWS:
                with self.subTest(view=path, scheme=scheme):
                    self.settle(page, path)
                    self.assert_accessible(page, f"{path} {scheme}")

    def test_axe_finds_nothing_serious_on_a_phone_or_in_the_viewer(self):
        page = self.sign_in(**{**self.driver.devices["Pixel 5"], "reduced_motion": "reduce"})
        for path in VIEWS:
            with self.subTest(view=path):
                self.settle(page, path)
                self.assert_accessible(page, path)
        first = self.workshop.sql("SELECT min(id) FROM item")[0][0][0]
        for options in ({}, self.driver.devices["Pixel 5"]):
            page = self.sign_in(**{**options, "reduced_motion": "reduce"})
            self.visit(page, f"/jobs/titles/photos?item={first}")
            page.get_by_role("button", name="Image details").click()
            expect(page.get_by_role("complementary", name="Details")).to_contain_text("SHA-256")
            self.assert_accessible(page, "viewer")

    def test_titles_are_text(self):
        page = self.sign_in()
        self.visit(page, "/jobs/titles/photos")
        for title in HOSTILE:
            expect(self.photos(page).get_by_role("listitem", name=title, exact=True)).to_have_count(1)
        for path in VIEWS:
            self.settle(page, path)
            self.assertIsNone(page.evaluate("() => window.attacked ?? null"), path)
            self.assertEqual(page.locator("main script, main b:text-is('bold') , main img[onerror]").count(), 0)

    def test_nothing_is_wider_than_a_phone(self):
        page = self.sign_in(**self.driver.devices["Pixel 5"])
        for path in VIEWS:
            self.settle(page, path)
            self.assertLessEqual(page.evaluate("() => document.documentElement.scrollWidth"), 393, path)
            self.assertLessEqual(page.evaluate("() => document.querySelector('main').scrollWidth"), 393, path)

    def test_the_question_mark_lists_the_keys_and_they_do_what_it_says(self):
        page = self.sign_in()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_contain_text("favourites")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.keyboard.press("g")
        page.keyboard.press("p")
        expect(page).to_have_url(self.workshop.base + "/places")
        page.get_by_role("searchbox", name="Search").fill("g m ?")
        expect(page).to_have_url(self.workshop.base + "/places?search=g+m+%3F")

    def test_someone_who_is_not_signed_in_is_told_what_to_open(self):
        context = self.browser.new_context()
        self.contexts.append(context)
        page = self.open(context)
        self.visit(page, "/jobs/titles/photos")
        expect(page.get_by_text("Open the link that runner web printed").first).to_be_visible()


class Empty(BrowserCase):
    def test_empty_views_name_the_command(self):
        page = self.sign_in()
        expect(page.get_by_role("main")).to_contain_text("runner web")
        self.visit(page, "/recents")
        expect(page.get_by_role("main")).to_contain_text("runner recents")
        self.visit(page, "/favourites")
        expect(page.get_by_role("main")).to_contain_text("runner favourites")
        self.visit(page, "/places")
        expect(page.get_by_role("main")).to_contain_text("runner sources")


if __name__ == "__main__":
    unittest.main()
