"""TLS towards a model's server: whom to trust, and what a failure means for a person.

Rules:
1. Certificates are read on demand from a hashed folder of authorities (`c_rehash`) where there is one: parsing the
   whole bundle costs more than the rest of the program's start. The bundle is the fall-back.
2. SSL_CERT_FILE and SSL_CERT_DIR are honoured, as OpenSSL does. What `ca_file` of the settings holds is trusted as
   well, so that a server with an authority of its own needs no change of the system.
3. A certificate that is "not yet valid" while the clock stands before this program was written means that the
   clock is wrong, and the sentence says so: boards without a battery start in the past. So may one whose clock stands
   later, at the day its image was made: there the sentence says how to set it.
"""

from __future__ import annotations

import os
import time

from edge.faults import ModelFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FOLDERS = ("/etc/ssl/certs", "/etc/pki/tls/certs")
BUNDLES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")
WRITTEN = 1_767_225_600  # 2026-01-01T00:00:00Z: no right clock shows less
SET_CLOCK = "set the clock (date -s, or wait for network time)"

# X509_V_ERR_... of OpenSSL's x509_vfy.h
NOT_YET, EXPIRED, SELF_SIGNED, SELF_SIGNED_CHAIN, NO_ISSUER, NO_ISSUER_HERE = 9, 10, 18, 19, 2, 20
UNTRUSTED = (SELF_SIGNED, SELF_SIGNED_CHAIN, NO_ISSUER, NO_ISSUER_HERE, 21)
WRONG_NAME = (62, 64)


def context(environ: Mapping[str, str], endpoint: str, ca_file: str = "") -> Any:
    """A client context that checks certificate and name. ModelFault when no authorities can be loaded.

    `ca_file`: authorities in PEM that the operator trusts beside those of the system, "" for none.
    """
    import ssl

    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    folder, bundle = authorities(environ)
    if ca_file:
        _trust(made, ca_file, endpoint)
        if not folder and not bundle:
            return made
    try:
        made.load_verify_locations(cafile=bundle or None, capath=folder or None)
    except (OSError, TypeError) as error:  # TypeError: neither was found
        raise ModelFault(
            f"no certificate authorities could be loaded, so {endpoint} cannot be checked",
            "install ca-certificates, or set SSL_CERT_DIR or SSL_CERT_FILE",
            endpoint,
        ) from error
    return made


def _trust(made: Any, ca_file: str, endpoint: str) -> None:
    try:
        made.load_verify_locations(cafile=ca_file)
    except OSError as error:  # ssl.SSLError, of what is no certificate, is one as well
        why = (error.strerror or "it holds no certificate in PEM").lower() if error.errno else "no certificate in PEM"
        raise ModelFault(
            f"the authority in ca_file {ca_file} cannot be used: {why}",
            "ca_file names a file with certificates, -----BEGIN CERTIFICATE-----",
            endpoint,
        ) from error


def authorities(environ: Mapping[str, str]) -> tuple[str, str]:
    """(hashed folder, bundle file): one of them is "" (both when there are none)."""
    import ssl

    told, told_file = environ.get("SSL_CERT_DIR", ""), environ.get("SSL_CERT_FILE", "")
    if told or told_file:
        return (told, "") if told and hashed(told) else ("", told_file)
    default = ssl.get_default_verify_paths()
    for folder in (default.openssl_capath, *FOLDERS):
        if hashed(folder):
            return folder, ""
    for bundle in (default.openssl_cafile, *BUNDLES):
        if os.path.isfile(bundle):
            return "", bundle
    return "", ""


def hashed(folder: str) -> bool:
    """True when a folder holds certificates under their hash: 8 hexadecimal digits, a dot, a number."""
    try:
        with os.scandir(folder) as entries:
            return any(_is_hash(entry.name) for entry in entries)
    except OSError:
        return False


def _is_hash(name: str) -> bool:
    return name[8:9] == "." and name[9:].isdigit() and all(c in "0123456789abcdef" for c in name[:8])


def failed(error: Any, endpoint: str, now: float) -> ModelFault:
    """What an ssl.SSLError means. `now` is the wall clock."""
    code = getattr(error, "verify_code", 0)
    if code in (NOT_YET, EXPIRED):
        return _of_time(code, endpoint, now)
    if code in WRONG_NAME:
        what, fix = "is made out to another name", "use the name that stands in the certificate"
    elif code in UNTRUSTED:
        what = "is signed by nobody this board trusts"
        fix = "add its authority to the certificates (SSL_CERT_DIR), or ask whose server this is"
    elif code:
        what, fix = f"is not good: {getattr(error, 'verify_message', '')}", ""
    else:
        said = str(getattr(error, "reason", None) or error).replace("_", " ").lower()
        plain = "wrong version" in said or "record layer" in said or "packet length" in said
        fix = "if this server speaks plain http, write http:// in base_url" if plain else ""
        return ModelFault(f"no TLS connection to {endpoint}: {said}", fix, endpoint)
    return ModelFault(f"the certificate of {endpoint} {what}", fix, endpoint)


def _of_time(code: int, endpoint: str, now: float) -> ModelFault:
    says = time.strftime("%Y-%m-%d %H:%M", time.gmtime(now)) + " UTC"
    if now < WRITTEN:
        what = f"the clock of this board is wrong (it says {says}), so the certificate of {endpoint} cannot be checked"
        return ModelFault(what, SET_CLOCK, endpoint)
    if code == NOT_YET:
        what, fix = "is not valid yet", f"if it is later than that, {SET_CLOCK}"
    else:
        what, fix = "has run out", "check both"
    return ModelFault(f"the certificate of {endpoint} {what}; this board's clock says {says}", fix, endpoint)
