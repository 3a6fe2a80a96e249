"""Certificates for tests, made by the openssl program in a folder of the test."""

from __future__ import annotations

import subprocess

CURVE = "ec_paramgen_curve:prime256v1"  # made in no time, unlike an RSA key
CA = """[ca]
default_ca = it
[it]
database = {folder}/index
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
"""


def _openssl(*args):
    subprocess.run(["openssl", *args], check=True, capture_output=True, timeout=60)


class Authority:
    """A certificate authority: `.folder` is hashed as clients want it, `issue` makes certificates of servers."""

    def __init__(self, folder):
        folder.mkdir()
        self.folder = folder / "trusted"
        self.folder.mkdir()
        self._key, self.file = folder / "ca.key", self.folder / "ca.pem"
        self._made = folder
        (folder / "index").write_text("")
        (folder / "ca.cnf").write_text(CA.format(folder=folder))
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", CURVE, "-nodes", "-days", "30", "-subj",
                 "/CN=test authority", "-keyout", str(self._key), "-out", str(self.file))  # fmt: skip
        _openssl("rehash", str(self.folder))

    def issue(self, name, alternative, starts="20200101000000Z", ends="20490101000000Z"):
        """(certificate file, key file) for `alternative`, such as IP:127.0.0.1 or DNS:example.com."""
        key, wish, cert = (self._made / f"{name}.{end}" for end in ("key", "csr", "pem"))
        _openssl("req", "-newkey", "ec", "-pkeyopt", CURVE, "-nodes", "-subj", f"/CN={name}", "-addext",
                 f"subjectAltName={alternative}", "-keyout", str(key), "-out", str(wish))  # fmt: skip
        _openssl("ca", "-batch", "-notext", "-config", str(self._made / "ca.cnf"), "-cert", str(self.file),
                 "-keyfile", str(self._key), "-in", str(wish), "-out", str(cert),
                 "-startdate", starts, "-enddate", ends)  # fmt: skip
        return str(cert), str(key)
