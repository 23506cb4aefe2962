"""The report in HTML, opened from disk in a browser without a network: at 0, 1, 10,000 and 200,000 transfers."""
import json
import os
import random
import sqlite3
import subprocess
import tempfile
import time
import unittest

from playwright.sync_api import sync_playwright

RUNNER = os.environ['RUNNER']
START = 1_795_000_000_000_000
HOSTILE = [
    '</script><script>document.title = "owned"</script>', '<img src=x onerror="document.title=1">', 'مرحبا بالعالم',
    '日本語 🇯🇵', 'a\u202egnp.exe', '"quoted" & \'single\'', '', '{{7*7}}', '\x00\x07',
]
ORIGINS = ['https://one.example', 'https://two.example', 'http://slow.example:8080']


def make_catalog(folder, count, runs=1):
    """A catalog whose last run has so many transfers, with a listing that the program itself began."""
    path = os.path.join(folder, 'catalog.sqlite')
    with open(os.path.join(folder, 'photos.yaml'), 'w') as job:
        job.write('name: photos\nsource: {type: manifest, url: list.txt}\noutput: {directory: out}\n')
    with open(os.path.join(folder, 'list.txt'), 'w') as listing:
        listing.write('\n')
    # The list is empty, so the run fails; the catalog is there.
    subprocess.run([RUNNER, os.path.join(folder, 'photos.yaml'), '--database', path, '-q'], capture_output=True)
    numbers = random.Random(4)
    with sqlite3.connect(path) as catalog:
        catalog.execute('DELETE FROM run')
        catalog.execute("INSERT INTO collection (id, job, key, title, position) VALUES (1, 'photos', 'c', 'Photos', 1)")
        catalog.executemany(
            """INSERT INTO item (id, job, collection_id, key, position, url, title, state, stem, path_hash, size)
            VALUES (?1, 'photos', 1, ?2, ?1, ?3, ?4, 'stored', 's', ?1, 1000)""",
            [(i, f'c/{i}', f'{ORIGINS[i % 3]}/{i * 7919 % 1000003}.jpg',
              HOSTILE[i - 1] if i <= len(HOSTILE) else f'picture number {i}') for i in range(1, count + 1)])
        for run in range(1, runs + 1):
            start, slots, rows = START + run * 86_400_000_000, [0] * 16, []
            for i in range(1, (count if run == runs else min(count, 200)) + 1):
                slot = slots.index(min(slots))
                outcome = 'downloaded' if count == 1 or i % 50 else 'failed'
                wait, size = int(numbers.lognormvariate(11, .6)), int(numbers.lognormvariate(9.5, 1.4))
                receive = size // 2
                rows.append((run, i, outcome, start + slots[slot], slots[slot], wait, receive, wait + receive,
                             wait + receive, size if outcome == 'downloaded' else 0,
                             'timeout' if outcome == 'failed' else None, '<b>late</b>' if outcome == 'failed' else None))
                slots[slot] += wait + receive + 50
            failed = sum(row[2] == 'failed' for row in rows)
            catalog.execute(
                """INSERT INTO run (id, job, started_at, finished_at, outcome, downloaded, failed, wire_bytes, runner_version,
                libcurl_version, host, pid) VALUES (?, 'photos', ?, ?, ?, ?, ?, ?, '1', '8', 'host', 1)""",
                (run, start, start + max(slots), 'partial' if failed else 'complete', len(rows) - failed, failed,
                 sum(row[9] for row in rows)))
            catalog.executemany(
                """INSERT INTO transfer (run_id, item_id, outcome, attempts, status, started_at, queue_us, dns_us,
                connect_us, tls_us, wait_us, receive_us, total_us, store_us, elapsed_us, wire_bytes, body_bytes,
                http_version, connection_reused, failure, detail)
                VALUES (?1, ?2, ?3, 1, 200, ?4, ?5, 0, 0, 0, ?6, ?7, ?8, 90, ?9, ?10, ?10, '1.1', 1, ?11, ?12)""", rows)
    return path


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = {}
        for count, runs in [(0, 1), (1, 1), (10_000, 12), (200_000, 1)]:
            folder = os.path.join(cls.folder.name, str(count))
            os.mkdir(folder)
            catalog = make_catalog(folder, count, runs)
            cls.files[count] = os.path.join(folder, 'report.html')
            subprocess.run([RUNNER, 'report', 'photos', '--database', catalog, '--format', 'html', '--output',
                            cls.files[count]], check=True)
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path='/usr/bin/chromium', args=['--no-sandbox'])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.folder.cleanup()

    def open(self, count, words='', width=1280, height=900, **options):
        context = self.browser.new_context(viewport={'width': width, 'height': height}, offline=True, **options)
        self.addCleanup(context.close)
        page = context.new_page()
        self.faults, self.requests = [], []
        page.on('console', lambda message: self.faults.append(message.text))
        page.on('pageerror', lambda error: self.faults.append(str(error)))
        page.on('request', lambda request: self.requests.append(request.url))
        page.goto(f'file://{self.files[count]}{words}')
        page.wait_for_selector('html[data-ready]', state='attached')
        return page

    def test_opens_without_a_network_at_every_size_on_desktop_and_phone_dark_and_light(self):
        for count in self.files:
            for width, height in [(1280, 900), (390, 844)]:
                for scheme in ['light', 'dark']:
                    with self.subTest(count=count, width=width, scheme=scheme):
                        page = self.open(count, width=width, height=height, color_scheme=scheme)
                        self.assertEqual(self.faults, [])
                        self.assertEqual([url for url in self.requests if not url.startswith(('file:', 'blob:'))], [])
                        self.assertLessEqual(page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
                        self.assertTrue(page.title().startswith('photos run '))
                        blank = page.evaluate("""[...document.querySelectorAll('canvas')].filter((canvas) =>
                            !canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((x) => x)).length""")
                        page.wait_for_timeout(50)
                        if blank:
                            page.wait_for_timeout(500)
                            blank = page.evaluate("""[...document.querySelectorAll('canvas')].filter((canvas) =>
                                !canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((x) => x)).length""")
                        self.assertEqual(blank, 0)

    def test_ten_thousand_transfers_are_small_and_soon_there(self):
        self.assertLessEqual(os.path.getsize(self.files[10_000]), 400_000)
        self.open(10_000)
        started = time.monotonic()
        page = self.open(10_000)
        self.assertLess(time.monotonic() - started, 5)
        # Only what is seen is in the document.
        self.assertLess(page.locator('.items-scroll tr').count(), 60)
        took = page.evaluate("""() => {
            const started = performance.now();
            [...document.querySelectorAll('.items-scroll thead button')].find((b) => b.textContent === 'Time').click();
            return performance.now() - started;
        }""")
        self.assertLess(took, 400)

    def test_titles_are_never_markup(self):
        page = self.open(10_000)
        self.assertEqual(page.locator('.items-scroll tbody img, .items-scroll tbody script, .failures b').count(), 0)
        self.assertTrue(page.get_by_text('</script><script>document.title', exact=False).first.is_visible())
        self.assertNotIn('owned', page.title())

    def test_sorts_filters_and_searches_and_the_address_brings_it_back(self):
        page = self.open(10_000)
        page.get_by_role('button', name='Time', exact=True).click()
        page.get_by_label('Outcome', exact=True).select_option('failed')
        page.get_by_label('Search titles and URLs').fill('number 10')
        page.wait_for_function("() => document.querySelector('.count').textContent.includes(' of ')")
        page.wait_for_function("() => location.hash.includes('q=number+10')")
        count = page.locator('.count').text_content()
        first = page.locator('.items-scroll tbody button').first
        title = first.text_content()
        first.click()
        self.assertIn('timeout', page.locator('.details').text_content())
        self.assertIn('<b>late</b>', page.locator('.details').text_content())
        words = page.evaluate('location.hash')
        again = self.open(10_000, words)
        self.assertEqual(again.locator('.count').text_content(), count)
        self.assertEqual(again.locator('.items-scroll tbody button').first.text_content(), title)
        self.assertEqual(again.locator('.details-name').text_content(), title)
        self.assertEqual(again.locator('th[aria-sort=descending]').text_content(), 'Time')

    def test_the_end_of_the_table_is_reached(self):
        page = self.open(10_000)
        page.evaluate("document.querySelector('.items-scroll').scrollTop = 1e9")
        page.wait_for_function("() => [...document.querySelectorAll('.items-scroll tbody th')].some((cell) => cell.textContent === 'picture number 10000')")

    def test_the_timeline_zooms_by_wheel_and_keys_and_a_click_marks_its_item(self):
        page = self.open(10_000)
        canvas = page.locator('canvas[data-plot=timeline]')
        canvas.scroll_into_view_if_needed()
        picture = lambda: canvas.evaluate('(canvas) => canvas.toDataURL()')
        page.wait_for_timeout(200)
        whole = picture()
        box = canvas.bounding_box()
        page.mouse.move(box['x'] + 400, box['y'] + 40)
        page.mouse.wheel(0, -900)
        page.wait_for_timeout(200)
        zoomed = picture()
        self.assertNotEqual(zoomed, whole)
        canvas.focus()
        page.keyboard.press('ArrowRight')
        page.wait_for_timeout(200)
        self.assertNotEqual(picture(), zoomed)
        page.keyboard.press('0')
        page.wait_for_timeout(200)
        self.assertEqual(picture(), whole)
        page.mouse.move(box['x'] + 420, box['y'] + 44)
        self.assertTrue(page.locator('.plot-tip').is_visible())
        page.mouse.click(box['x'] + 420, box['y'] + 44)
        self.assertEqual(page.locator('.details-name').count(), 1)
        self.assertEqual(page.locator('tr[aria-current]').count(), 1)

    def test_two_hundred_thousand_say_that_they_are_a_sample(self):
        page = self.open(200_000)
        note = page.locator('.note').text_content()
        self.assertIn('Of 200,000 transfers', note)
        self.assertLess(os.path.getsize(self.files[200_000]), 2_000_000)
        page.get_by_label('Outcome', exact=True).select_option('failed')
        self.assertIn('4,000 of ', page.locator('.count').text_content())

    def test_numbers_and_failures_are_there_without_scripts(self):
        page = self.browser.new_context(java_script_enabled=False).new_page()
        page.goto(f'file://{self.files[10_000]}')
        text = page.locator('main').inner_text()
        for words in ['200 of 10,000 items failed', '200 × timeout', 'one.example', 'Received', 'took longest']:
            self.assertIn(words, text)
        self.assertFalse(page.locator('canvas').first.is_visible())

    def test_the_switch_changes_the_scheme(self):
        page = self.open(1, color_scheme='light')
        ground = lambda: page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
        light = ground()
        for _ in range(2):
            page.locator('.top button').click()
        self.assertNotEqual(ground(), light)

    def test_axe_finds_nothing(self):
        try:
            from axe_playwright_python.sync_playwright import Axe
        except ImportError:
            self.skipTest('axe-playwright-python is not there')
        for count in [1, 10_000]:
            for scheme in ['light', 'dark']:
                page = self.open(count, color_scheme=scheme)
                results = Axe().run(page)
                found = [(fault['id'], [node['target'] for node in fault['nodes']][:3]) for fault in results.response['violations']]
                self.assertEqual(found, [], json.dumps(found))


if __name__ == '__main__':
    unittest.main()
