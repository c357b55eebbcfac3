#!/usr/bin/env python3
"""app/fetch-libtorch against a server on this machine: pinned, checked, resumed, offline.

Usage: fetch_libtorch_test.py ROOT
"""
import hashlib
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


class Server(http.server.ThreadingHTTPServer):
    """Serves the files of a folder; knows ranges, and breaks off after so many bytes."""

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.break_after, self.ranges, self.knows_ranges = folder, None, [], True
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        file = self.server.folder / self.path.lstrip("/")
        if not file.is_file():
            return self.send_error(404)
        content, asked = file.read_bytes(), self.headers.get("Range")
        self.server.ranges.append(asked)
        begin = int(asked[6:-1]) if asked and self.server.knows_ranges else 0
        if begin and begin >= len(content):
            return self.send_error(416)
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(content) - begin))
        self.end_headers()
        part = content[begin:]
        if self.server.break_after is not None:
            part, self.server.break_after = part[:self.server.break_after], None
        self.wfile.write(part)
        self.wfile.flush()
        self.connection.close()

    def log_message(self, *_):
        pass


class FetchTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "app").mkdir()
        shutil.copy(ROOT / "app/fetch-libtorch", self.folder / "app")
        (self.folder / "served").mkdir()
        self.server = Server(self.folder / "served")
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        lines = ["# wheels"]
        for name, kind in (("torch", "cpu"), ("cublas", "gpu"), ("sympy", "python")):
            file = self.folder / "served" / f"{name}-1-py3-none-any.whl"
            with zipfile.ZipFile(file, "w") as wheel:
                wheel.writestr(f"{name}/lib/lib{name}.so", os.urandom(300_000))
            lines.append(f"{name}==1  1  {kind}  {hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}")
        (self.folder / "app/libtorch-wheels").write_text("\n".join(lines) + "\n")
        self.target = self.folder / "to"

    def fetch(self, *arguments, expected=0):
        result = subprocess.run([sys.executable, self.folder / "app/fetch-libtorch", "--to", self.target, *arguments], capture_output=True, text=True,
            env=dict(os.environ, ATELIER_WHEELS=f"http://127.0.0.1:{self.server.server_port}/"))
        self.assertEqual(result.returncode, expected, result.stdout + result.stderr)
        return result

    def unpacked(self):
        return sorted(path.name for path in (self.target / "libtorch").glob("*/lib/*.so"))

    def test_each_kind_has_its_wheels(self):
        self.fetch("--cpu")
        self.assertEqual(self.unpacked(), ["libtorch.so"])
        self.fetch("--gpu")
        self.assertEqual(self.unpacked(), ["libcublas.so", "libtorch.so"])
        self.assertFalse((self.target / "wheels").exists())

    def test_nothing_is_downloaded_again(self):
        self.fetch("--gpu")
        self.server.ranges.clear()
        self.assertIn("LibTorch is in", self.fetch("--cpu").stdout)
        self.assertEqual(self.server.ranges, [])

    def test_a_broken_download_goes_on_where_it_ended(self):
        self.server.break_after = 100_000
        self.fetch("--cpu")
        self.assertEqual(self.server.ranges, [None, "bytes=100000-"])
        self.assertEqual(self.unpacked(), ["libtorch.so"])

    def test_a_killed_download_goes_on_where_it_ended(self):
        (self.target / "wheels").mkdir(parents=True)
        content = (self.folder / "served/torch-1-py3-none-any.whl").read_bytes()
        (self.target / "wheels/torch-1-py3-none-any.whl.part").write_bytes(content[:77_777])
        self.fetch("--cpu")
        self.assertEqual(self.server.ranges, ["bytes=77777-"])

    def test_a_server_without_ranges_sends_all_of_it(self):
        self.server.break_after, self.server.knows_ranges = 100_000, False
        self.fetch("--cpu")
        self.assertEqual(self.unpacked(), ["libtorch.so"])

    def test_a_wheel_with_another_checksum_is_refused_and_deleted(self):
        with open(self.folder / "served/torch-1-py3-none-any.whl", "ab") as stream:
            stream.write(b"x")
        self.assertIn("does not have its checksum", self.fetch("--cpu", expected=1).stderr)
        self.assertEqual(self.unpacked(), [])
        self.assertEqual(list((self.target / "wheels").iterdir()), [])

    def test_what_has_come_is_kept_when_the_next_wheel_is_missing(self):
        (self.folder / "served/cublas-1-py3-none-any.whl").rename(self.folder / "served/hidden")
        self.assertIn("could not download", self.fetch("--gpu", expected=1).stderr)
        (self.folder / "served/hidden").rename(self.folder / "served/cublas-1-py3-none-any.whl")
        self.server.ranges.clear()
        self.fetch("--gpu")
        self.assertEqual(self.server.ranges, [None])

    def test_a_folder_replaces_the_network(self):
        self.fetch("--cpu", "--from", self.folder / "served")
        self.assertEqual(self.server.ranges, [])
        self.assertEqual(self.unpacked(), ["libtorch.so"])
        (self.folder / "served/cublas-1-py3-none-any.whl").write_bytes(b"damaged")
        self.assertIn("does not have its checksum", self.fetch("--gpu", "--from", self.folder / "served", expected=1).stderr)
        (self.folder / "served/cublas-1-py3-none-any.whl").unlink()
        self.assertIn("lacks cublas-1", self.fetch("--gpu", "--from", self.folder / "served", expected=1).stderr)
        self.assertEqual(self.unpacked(), ["libtorch.so"])  # what was there is still there

    def test_wheels_for_python_are_named_and_fetched_on_request(self):
        listed = self.fetch("--list", "--python").stdout.splitlines()
        self.assertEqual([line.split()[0].rpartition("/")[2][:5] for line in listed], ["torch", "cubla", "sympy"])
        self.assertEqual(len(listed[0].split()[1]), 64)
        self.fetch("--python", "--wheels-only")
        self.assertEqual(len(list((self.target / "wheels").glob("*.whl"))), 3)

    def test_the_list_in_the_tree_is_pinned(self):
        listed = subprocess.run([sys.executable, ROOT / "app/fetch-libtorch", "--list", "--python"], capture_output=True, text=True, check=True).stdout
        for line in listed.splitlines():
            address, checksum = line.split()
            self.assertTrue(address.startswith("https://files.pythonhosted.org/packages/") and address.endswith(".whl"), line)
            self.assertRegex(checksum, "^[0-9a-f]{64}$")


if __name__ == "__main__":
    unittest.main()
