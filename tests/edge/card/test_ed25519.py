"""Ed25519 against the vectors of RFC 8032, against OpenSSL, and against what must not hold."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from edge.card import ed25519 as ed
from edge.faults import CardFault

ROUNDS = 200 if os.environ.get("FIELDHAND_SOAK") == "1" else 20

# RFC 8032 section 7.1: secret, public key, message, signature.
VECTORS = {
    "empty": (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    "one byte": (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    "two bytes": (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    "1023 bytes": (
        "f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5",
        "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
        "08b8b2b733424243760fe426a4b54908632110a66c2f6591eabd3345e3e4eb98fa6e264bf09efe12ee50f8f54e9f77b1"
        "e355f6c50544e23fb1433ddf73be84d879de7c0046dc4996d9e773f4bc9efe5738829adb26c81b37c93a1b270b20329d"
        "658675fc6ea534e0810a4432826bf58c941efb65d57a338bbd2e26640f89ffbc1a858efcb8550ee3a5e1998bd177e93a"
        "7363c344fe6b199ee5d02e82d522c4feba15452f80288a821a579116ec6dad2b3b310da903401aa62100ab5d1a36553e"
        "06203b33890cc9b832f79ef80560ccb9a39ce767967ed628c6ad573cb116dbefefd75499da96bd68a8a97b928a8bbc10"
        "3b6621fcde2beca1231d206be6cd9ec7aff6f6c94fcd7204ed3455c68c83f4a41da4af2b74ef5c53f1d8ac70bdcb7ed1"
        "85ce81bd84359d44254d95629e9855a94a7c1958d1f8ada5d0532ed8a5aa3fb2d17ba70eb6248e594e1a2297acbbb39d"
        "502f1a8c6eb6f1ce22b3de1a1f40cc24554119a831a9aad6079cad88425de6bde1a9187ebb6092cf67bf2b13fd65f270"
        "88d78b7e883c8759d2c4f5c65adb7553878ad575f9fad878e80a0c9ba63bcbcc2732e69485bbc9c90bfbd62481d9089b"
        "eccf80cfe2df16a2cf65bd92dd597b0707e0917af48bbb75fed413d238f5555a7a569d80c3414a8d0859dc65a46128ba"
        "b27af87a71314f318c782b23ebfe808b82b0ce26401d2e22f04d83d1255dc51addd3b75a2b1ae0784504df543af8969b"
        "e3ea7082ff7fc9888c144da2af58429ec96031dbcad3dad9af0dcbaaaf268cb8fcffead94f3c7ca495e056a9b47acdb7"
        "51fb73e666c6c655ade8297297d07ad1ba5e43f1bca32301651339e22904cc8c42f58c30c04aafdb038dda0847dd988d"
        "cda6f3bfd15c4b4c4525004aa06eeff8ca61783aacec57fb3d1f92b0fe2fd1a85f6724517b65e614ad6808d6f6ee34df"
        "f7310fdc82aebfd904b01e1dc54b2927094b2db68d6f903b68401adebf5a7e08d78ff4ef5d63653a65040cf9bfd4aca7"
        "984a74d37145986780fc0b16ac451649de6188a7dbdf191f64b5fc5e2ab47b57f7f7276cd419c17a3ca8e1b939ae49e4"
        "88acba6b965610b5480109c8b17b80e1b7b750dfc7598d5d5011fd2dcc5600a32ef5b52a1ecc820e308aa342721aac09"
        "43bf6686b64b2579376504ccc493d97e6aed3fb0f9cd71a43dd497f01f17c0e2cb3797aa2a2f256656168e6c496afc5f"
        "b93246f6b1116398a346f1a641f3b041e989f7914f90cc2c7fff357876e506b50d334ba77c225bc307ba537152f3f161"
        "0e4eafe595f6d9d90d11faa933a15ef1369546868a7f3a45a96768d40fd9d03412c091c6315cf4fde7cb68606937380d"
        "b2eaaa707b4c4185c32eddcdd306705e4dc1ffc872eeee475a64dfac86aba41c0618983f8741c5ef68d3a101e8a3b8ca"
        "c60c905c15fc910840b94c00a0b9d0",
        "0aab4c900501b3e24d7cdf4663326a3a87df5e4843b2cbdb67cbf6e460fec350"
        "aa5371b1508f9f4528ecea23c436d94b5e8fcd4f681e30a6ac00a9704a188a03",
    ),
    "SHA(abc)": (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
        "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
}
SECRET, PUBLIC, _, SIGNATURE = (bytes.fromhex(text) for text in VECTORS["two bytes"])
MESSAGE = b"\xaf\x82"

# Encodings of the points of small order and of y that is p or more (y = 0, 1, p, p + 1, -1, the two of order eight).
SMALL = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
]


@pytest.mark.parametrize("name", VECTORS)
def test_the_vectors_of_the_rfc_hold_both_ways(name: str) -> None:
    secret, public, message, signature = (bytes.fromhex(text) for text in VECTORS[name])
    assert ed.public_key(secret) == public
    assert ed.sign(secret, message) == signature
    assert ed.verify(public, message, signature)
    assert not ed.verify(public, message + b"\0", signature)


def test_a_flipped_bit_of_signature_key_or_message_does_not_hold() -> None:
    chance = random.Random(25519)
    for _ in range(ROUNDS):
        texts = [bytearray(PUBLIC), bytearray(MESSAGE), bytearray(SIGNATURE)]
        text = chance.choice(texts)
        bit = chance.randrange(len(text) * 8)
        text[bit // 8] ^= 1 << bit % 8
        assert not ed.verify(*(bytes(one) for one in texts)), (bit, texts)
    print(f"{ROUNDS} flipped bits")


def test_s_and_s_plus_l_are_not_two_signatures() -> None:
    s = int.from_bytes(SIGNATURE[32:], "little")
    for more in (ed.L, 2 * ed.L, 8 * ed.L):
        assert not ed.verify(PUBLIC, MESSAGE, SIGNATURE[:32] + (s + more).to_bytes(32, "little"))


@pytest.mark.parametrize("key", SMALL)
def test_a_key_of_small_order_or_in_a_second_spelling_signs_nothing(key: str) -> None:
    public = bytes.fromhex(key)
    # With A of small order, R = [S]B holds for every message whose k is a multiple of the order: try several.
    for s in (0, 1, 7):
        r = ed._encoded(ed._times(s, ed.BASE))
        for message in (b"", b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h"):
            assert not ed.verify(public, message, r + s.to_bytes(32, "little"))


@pytest.mark.parametrize("r", SMALL)
def test_an_r_of_small_order_is_judged_by_the_equation_alone(r: str) -> None:
    """S = k * a with R = 0: only who has the secret can make it, and in no other spelling of R does it hold."""
    text = bytes.fromhex(r)
    scalar = ed._secret(SECRET)[0]
    s = ed._hashed(text, PUBLIC, MESSAGE) * scalar % ed.L
    assert ed.verify(PUBLIC, MESSAGE, text + s.to_bytes(32, "little")) is (r == SMALL[0])


@pytest.mark.parametrize("sizes", [(0, 0), (31, 64), (33, 64), (32, 63), (32, 65), (0, 64), (32, 0), (64, 32)])
def test_a_wrong_size_is_no_signature_and_no_exception(sizes: tuple[int, int]) -> None:
    public, signature = PUBLIC.ljust(99, b"\1")[: sizes[0]], SIGNATURE.ljust(99, b"\1")[: sizes[1]]
    assert ed.verify(public, MESSAGE, signature) is False


def test_any_bytes_are_judged_without_an_exception() -> None:
    chance = random.Random(8032)
    for _ in range(ROUNDS):
        assert not ed.verify(chance.randbytes(32), b"m", chance.randbytes(63) + b"\0")
    print(f"{ROUNDS} random keys")


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_a_secret_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(CardFault, match=f"32 bytes, not {size}"):
        ed.sign(bytes(size), b"")
    with pytest.raises(CardFault):
        ed.public_key(bytes(size))


def openssl() -> str:
    """The program, if it can sign a raw message (OpenSSL 3)."""
    found = shutil.which("openssl")
    if found and b"OpenSSL 3" in subprocess.run([found, "version"], capture_output=True, timeout=60, check=True).stdout:
        return found
    pytest.skip("needs the program openssl, version 3")


def pem(kind: str, der: bytes) -> bytes:
    import base64

    return f"-----BEGIN {kind} KEY-----\n{base64.b64encode(der).decode()}\n-----END {kind} KEY-----\n".encode()


def test_openssl_takes_our_signatures_and_makes_the_same(tmp_path: Path) -> None:
    program = openssl()
    secret, message = random.Random(3).randbytes(32), b"fieldhand" * 99
    # RFC 8410: the bytes before a raw key.
    (tmp_path / "key.pem").write_bytes(pem("PRIVATE", bytes.fromhex("302e020100300506032b657004220420") + secret))
    public = bytes.fromhex("302a300506032b6570032100") + ed.public_key(secret)
    (tmp_path / "pub.pem").write_bytes(pem("PUBLIC", public))
    (tmp_path / "message").write_bytes(message)
    (tmp_path / "ours").write_bytes(ed.sign(secret, message))
    check = ["pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", "pub.pem", "-in", "message", "-sigfile", "ours"]
    assert subprocess.run([program, *check], cwd=tmp_path, capture_output=True, timeout=60).returncode == 0
    make = ["pkeyutl", "-sign", "-rawin", "-inkey", "key.pem", "-in", "message", "-out", "theirs"]
    subprocess.run([program, *make], cwd=tmp_path, capture_output=True, timeout=60, check=True)
    assert (tmp_path / "theirs").read_bytes() == (tmp_path / "ours").read_bytes()
