"""A run is started, watched and steered from the page."""

import json
import re
import subprocess
import unittest

from playwright.sync_api import expect

from workshop import BrowserCase, wait_until


class Run(BrowserCase):
    @classmethod
    def make(cls):
        cls.workshop.job("watched", 300, concurrency=8, per_host=256, media=False)
        cls.workshop.job("steered", 300, concurrency=1, per_host=256, media=False)
        # The same rate all day: what counts is that the page says until when.
        cls.workshop.job(
            "paused", 120, concurrency=4, per_host=256, bandwidth="00:00 8MB/s, 12:00 8MB/s", media=False)

    def start(self, name, delay):
        self.workshop.origin.delay = delay
        self.workshop.origin.reset()
        page = self.sign_in()
        self.visit(page, f"/jobs/{name}")
        page.get_by_role("button", name="Run", exact=True).click()
        # The list has one collection, which has its name.
        expect(page.get_by_role("progressbar", name=name)).to_be_visible()
        expect(page.get_by_role("progressbar", name="Whole run")).to_be_visible()
        return page

    def outcome(self, name):
        rows = self.workshop.sql(f"SELECT outcome FROM run WHERE job = '{name}' ORDER BY id DESC LIMIT 1")[0]
        return rows[0][0] if rows else None

    def test_three_hundred_slow_items_are_watched_to_their_end(self):
        page = self.start("watched", 0.1)
        expect(page.get_by_role("list", name="In flight").get_by_role("listitem").first).to_contain_text("127.0.0.1")
        expect(page.get_by_role("status", name="Live")).to_contain_text("watched")
        expect(page.get_by_role("progressbar", name="watched")).to_have_attribute("aria-valuemax", "300")
        expect(page.get_by_role("region", name="Progress")).to_contain_text("300 downloaded", timeout=30_000)
        self.assertEqual(self.outcome("watched"), "complete")

    def test_the_slider_changes_how_many_the_server_gets_at_once(self):
        page = self.start("steered", 0.25)
        origin = self.workshop.origin
        wait_until(lambda: origin.now == 1, what="one request at a time")
        slider = page.get_by_role("slider", name="Concurrency")
        slider.focus()
        slider.evaluate("element => { element.value = 48; element.dispatchEvent(new Event('input', {bubbles: true})) }")
        wait_until(lambda: origin.now > 40, what="more than 40 requests at once")
        slider.evaluate("element => { element.value = 8; element.dispatchEvent(new Event('input', {bubbles: true})) }")
        wait_until(lambda: origin.now <= 2, what="two requests at once")
        page.get_by_role("button", name="Stop").click()
        wait_until(lambda: self.outcome("steered") != "running", what="the end of the run")

    def test_a_run_is_paused_the_tab_closed_opened_and_the_run_resumed(self):
        page = self.start("paused", 0.15)
        limits = page.get_by_role("region", name="Limits")
        expect(limits).to_contain_text(re.compile(r"at most 8\.0 MB/s until (00:00|12:00)"))
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("button", name="Resume")).to_be_visible()
        wait_until(lambda: self.workshop.origin.now == 0, what="silence")
        before = len(self.workshop.origin.paths)
        page.close()
        page = self.sign_in()
        self.visit(page, "/jobs/paused")
        expect(page.get_by_role("region", name="Progress")).to_contain_text("Paused")
        expect(page.get_by_role("list", name="Collections")).to_contain_text("Paused")
        expect(page.get_by_role("slider", name="Concurrency")).to_have_attribute("aria-valuetext", "4 at once")
        self.visit(page, "/")
        expect(page.get_by_role("article", name="paused")).to_contain_text("Paused")
        self.visit(page, "/jobs/paused")
        self.assertEqual(len(self.workshop.origin.paths), before)
        page.get_by_role("button", name="Resume").click()
        expect(page.get_by_role("region", name="Progress")).to_contain_text("120 downloaded", timeout=30_000)


class Controls(BrowserCase):
    @classmethod
    def make(cls):
        cls.workshop.job("idle", 3)
        cls.workshop.run("idle")

    def test_what_is_not_possible_says_why(self):
        page = self.sign_in()
        self.visit(page, "/jobs/idle")
        pause = page.get_by_role("button", name="Pause")
        expect(pause).to_be_disabled()
        expect(pause).to_have_attribute("title", "Nothing is running")
        expect(page.get_by_role("button", name="Retry failed")).to_have_attribute("title", "Nothing failed")

    def test_reset_asks_first_and_then_deletes(self):
        page = self.sign_in()
        self.visit(page, "/jobs/idle")
        page.get_by_role("button", name="Reset").click()
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        self.assertEqual(self.workshop.sql("SELECT count(*) FROM item WHERE state = 'stored'")[0], [(3,)])
        page.get_by_role("button", name="Reset").click()
        page.get_by_role("dialog").get_by_role("button", name="Reset").click()
        wait_until(lambda: self.workshop.sql("SELECT count(*) FROM item WHERE state = 'stored'")[0] == [(0,)], what="the reset")


class Failures(BrowserCase):
    @classmethod
    def make(cls):
        cls.workshop.job("broken", 4)
        path = cls.workshop.folder / "broken.json"
        rows = json.loads(path.read_text(encoding="utf-8"))
        rows[2] = {"url": cls.workshop.origin.url("missing"), "title": "<b>Lost</b>"}
        path.write_text(json.dumps(rows), encoding="utf-8")
        cls.workshop.run("broken")

    def test_what_failed_has_its_reason_and_advice_and_the_report_opens(self):
        page = self.sign_in()
        self.visit(page, "/runs/1")
        card = page.get_by_role("region", name="What failed")
        expect(card).to_contain_text("1 × http 404")
        expect(card).to_contain_text("--failed retries at once")
        expect(card.get_by_role("link", name="<b>Lost</b>")).to_be_visible()
        with page.context.expect_page() as opened:
            page.get_by_role("link", name="The report as one page").click()
        report = opened.value
        expect(report.get_by_role("heading", level=1)).to_contain_text("broken run 1")
        expect(report.locator("body")).to_contain_text("1 × http 404")


class Server(BrowserCase):
    @classmethod
    def make(cls):
        cls.workshop.job("first", 3)
        cls.workshop.run("first")

    def test_a_server_that_is_gone_is_said_and_its_return_found(self):
        page = self.sign_in()
        self.workshop.kill()
        expect(page.get_by_role("alert")).to_contain_text("does not answer")
        self.workshop.serve()
        # Nobody has to do anything in the tab: it is still signed in, and finds the server again.
        expect(page.get_by_role("alert")).to_be_hidden(timeout=30_000)
        expect(page.get_by_role("article", name="first")).to_be_visible()

    def test_a_view_that_did_not_arrive_is_there_when_the_server_is_back(self):
        page = self.sign_in()
        expect(page.get_by_role("article", name="first")).to_be_visible()
        page.route("**/page/js/places.js", lambda route: route.abort())
        page.keyboard.press("g")
        page.keyboard.press("p")
        expect(page.get_by_role("main")).to_contain_text("does not answer")
        page.unroute("**/page/js/places.js")
        self.workshop.kill()
        expect(page.get_by_role("alert")).to_contain_text("does not answer")
        self.workshop.serve()
        expect(page.get_by_role("heading", name="Places", exact=True)).to_be_visible(timeout=30_000)

    def test_a_server_that_goes_while_the_page_arrives_is_said_and_its_return_found(self):
        # The worker that all tabs share is the last to arrive.
        for missing in ("stream-worker.js", "jobs.js", "stream-worker.js and jobs.js"):
            context = self.browser.new_context()
            self.contexts.append(context)
            page = self.open(context)
            for name in missing.split(" and "):
                context.route(f"**/page/js/{name}", lambda route: route.abort())
            page.goto(self.workshop.link)
            self.workshop.kill()
            expect(page.get_by_role("alert")).to_contain_text("does not answer")
            context.unroute_all()
            self.workshop.serve()
            expect(page.get_by_role("alert")).to_be_hidden(timeout=30_000)
            expect(page.get_by_role("article", name="first")).to_be_visible()

    def test_seven_tabs_at_once_are_all_served(self):
        page = self.sign_in()
        tabs = [page] + [self.open(page.context) for _ in range(6)]
        for tab in tabs[1:]:
            self.visit(tab, "/jobs/first/photos")
        for tab in tabs[1:]:
            expect(self.photos(tab).get_by_role("listitem")).to_have_count(3)

    def test_a_job_that_is_added_to_the_folder_appears(self):
        page = self.sign_in()
        self.workshop.job("second", 2)
        expect(page.get_by_role("article", name="second")).to_be_visible(timeout=30_000)

    def test_a_run_that_is_killed_is_not_shown_as_running(self):
        self.workshop.job("killed", 60, concurrency=1, media=False)
        self.workshop.origin.delay = 0.3
        page = self.sign_in()
        expect(page.get_by_role("article", name="killed")).to_be_visible(timeout=30_000)
        page.get_by_role("article", name="killed").get_by_role("button", name="Run", exact=True).click()
        expect(page.get_by_role("article", name="killed").get_by_role("progressbar")).to_be_visible()
        pid = self.workshop.sql("SELECT pid FROM run WHERE job = 'killed'")[0][0][0]
        subprocess.run(["kill", "-9", str(pid)], check=True)
        expect(page.get_by_role("article", name="killed").get_by_role("button", name="Run", exact=True)).to_be_visible(timeout=30_000)


if __name__ == "__main__":
    unittest.main()
