"""The build of an image: one step after the other, each with a name and a time.

    lock -> pool -> tree (unpack, compile, gates) -> root -> initramfs -> slot -> first partition -> card
         -> compress -> block map, manifest, signature, update, SBOM, licences, notes -> results at their place

Rules:
1. What comes in: the lock, the packages it names, the checkout, the product, the version, the keys. No clock, no host
   name, no locale, no umask: two builds are equal byte for byte. The date in everything is the lock's.
2. A gate that fails ends the build with all its sentences; nothing is left but what was there before.
3. Without a key the image is whole, but there is no update, and the board will take none. That is said.
"""

from __future__ import annotations

from pathlib import Path

from edge.card import layout, manifest
from edge.faults import CardFault
from edge.record import Record, replace
from images import (
    arches,
    bmap,
    bundle,
    bytecode,
    card,
    fat,
    host,
    initrd,
    licences,
    papers,
    pool,
    report,
    selector,
    slot,
    squash,
    user_mode,
    wheels,
    workplace,
)
from images import lock as locks
from images import product as products
from images import tree as trees
from images.hashes import sha256_of
from images.keys import Key
from images.product import Product
from images.progress import Progress

ROOT = Path(__file__).resolve().parent.parent
BOARD = ROOT / "images" / "board"
PROGRAMS = ("mksquashfs", "mkfs.vfat", "mcopy", "mmd", "mkimage", "zstd", "depmod")
SERIALS = {layout.CONFIG: 0xEDCE0001, layout.SLOT_A: 0xEDCE0002}
# Measured on a whole image: see docs/images.md.
LEVEL = 15


class Order(Record):
    """What is asked for. `trust` are further public keys whose updates the boards take, besides that of `key`.

    `fresh`: nothing that was compiled before is taken.
    """

    product: Product
    out: Path
    version: str
    pools: tuple[Path, ...] = ()
    key: Key | None = None
    trust: tuple[manifest.Key, ...] = ()
    keep: bool = False
    fresh: bool = False


def build(order: Order, progress: Progress) -> report.Built:
    """Make the image; what was made. CardFault, ConfigFault or UsageFault with a sentence otherwise."""
    absent = host.missing(PROGRAMS)
    if absent:
        raise CardFault("programs of the build are not on this machine", f"apt install {' '.join(absent)}")
    user_mode.emulator(arches.named(order.product.arch))
    with workplace.place(order.out, order.keep) as work:
        made = _Build(order, progress, work).run()
    said = (f"kept: {work}",) if order.keep else ()
    return replace(made, said=(*made.said, *said))


class _Build:
    """One build: what a step made and the next one takes."""

    def __init__(self, order: Order, progress: Progress, work: Path) -> None:
        self.order, self.progress, self.work = order, progress, work
        self.product = order.product
        self.name = f"{order.product.name}-{order.version}"
        self.tree, self.slot, self.config = work / "root", work / "slot", work / "config"
        self.scratch, self.results = work / "scratch", work / "results"
        for folder in (self.slot, self.config, self.scratch, self.results):
            folder.mkdir()

    def run(self) -> report.Built:
        """All steps in their order."""
        step = self.progress.step
        with step("lock"):
            self.lock = locks.load(self.product)
            self.epoch = self.lock.epoch
        with step("pool"):
            self.debs = pool.fetch(self.lock, self.order.pools, self.progress)
            self.wheels = wheels.fetch(self.lock, self.order.pools, self.progress)
        with self.progress.phases("steps") as told:
            cache = None if self.order.fresh else bytecode.CACHE
            self.made = trees.make(self.product, self.debs, self.wheels, ROOT, self.tree, told, cache)
        self.identity()
        with step("root"):
            self.root = squash.make(self.tree, self.slot / "root.sqfs", self.epoch, self.progress)
        with step("initramfs"):
            self.boot()
        with step("licences"):
            self.licences()
        with step("partitions"):
            self.partitions()
        with step("card"):
            card.make(self.work / "card.img", self.work / "config.fat", self.work / "slot.fat", self.progress.at)
        with step("compress"):
            self.compress()
        with step("notes and SBOM"):
            self.papers()
        with step("manifest"):
            self.describe()
        folder = self.order.out / self.product.name / self.order.version
        self.small()
        results = tuple(
            report.Row(path.name, path.stat().st_size, sha256_of(path)) for path in sorted(self.results.iterdir())
        )
        workplace.published(self.results, folder)
        return report.Built(
            self.product.name,
            self.order.version,
            str(folder),
            self.rows(),
            tuple(self.progress.times),
            results,
            () if self.order.key else (UNSIGNED,),
        )

    def small(self) -> None:
        """CardFault for an image beyond its bound, with the table of its parts before it."""
        packed = self.results / f"{self.name}.img.zst"
        try:
            report.small_enough(packed.name, packed.stat().st_size)
        except CardFault:
            self.progress.note("\n".join(report.table(sorted(self.rows(), key=lambda row: -row.bytes), "parts")))
            raise

    def identity(self) -> None:
        """What the board knows of itself: the release and the keys whose updates it takes."""
        etc = self.tree / "etc" / "fieldhand"
        (etc / "keys").mkdir(parents=True, exist_ok=True)
        settings = etc / "config.toml"
        settings.write_text(products.settings(settings.read_text("utf-8"), self.product), "utf-8")
        (etc / "release").write_text(
            f"PRODUCT={self.product.name}\nVERSION={self.order.version}\nSUITE={self.product.suite}\n"
            f"ARCH={self.product.arch}\nDATA_SCHEMA={layout.DATA_SCHEMA}\nEPOCH={self.epoch}\n",
            "ascii",
        )
        own = (manifest.Key(self.order.key.name, self.order.key.public),) if self.order.key else ()
        named = tuple(load(self.product, text) for text in self.product.keys)
        for key in (*own, *named, *self.order.trust):
            (etc / "keys" / f"{key.id}.pub").write_text(f"{key.public.hex()} {key.name}\n", "ascii")

    def boot(self) -> None:
        """Kernel, device trees and initramfs of the slot."""
        slot.kernel(self.debs[self.lock.kernel().name], self.product, self.slot, self.scratch, self.epoch)
        load = initrd.boot_modules(self.tree, self.made.modules)
        archive = initrd.make(self.tree, BOARD / "init", load, self.epoch)
        slot.initrd(archive, self.product, self.slot, self.scratch, self.epoch)
        slot.label(self.product, self.order.version, layout.DATA_SCHEMA, self.root, self.slot)

    def licences(self) -> None:
        """The terms of everything, on the first partition: they go where the programs go."""
        folder = self.config / "licences"
        folder.mkdir()
        texts = pool.fetch_texts(self.lock, self.order.pools, self.progress)
        terms = licences.collect(self.product, self.lock, self.debs, texts, self.wheels, ROOT)
        (folder / "all.txt.xz").write_bytes(licences.packed(terms))
        (folder / "firmware.txt").write_bytes(selector.windows(licences.firmware(self.lock, self.debs)))

    def partitions(self) -> None:
        """The FAT of a slot and that of the first partition."""
        selector.firmware(self.debs["raspi-firmware"], self.product, self.config, self.scratch)
        selector.uboot(self.debs["u-boot-rpi"], set(self.product.uboot.values()), self.config, self.scratch)
        selector.script(BOARD / "boot.cmd", self.product, self.config, self.scratch, self.epoch)
        selector.texts(BOARD, self.product, self.order.version, self.config)
        selector.trees(self.slot, self.config)
        for number, stage, name in (
            (layout.CONFIG, self.config, "config"),
            (layout.SLOT_A, self.slot, "slot"),
        ):
            title = layout.CONFIG_LABEL if number == layout.CONFIG else layout.SLOT_LABEL
            fat.make(self.work / f"{name}.fat", title, SERIALS[number], layout.PARTS[number][1], stage, self.epoch)

    def compress(self) -> None:
        """The compressed image and its block map."""
        packed = self.results / f"{self.name}.img.zst"
        host.run("zstd", f"-{LEVEL}", "--long=27", "-T1", "-q", "-f", self.work / "card.img", "-o", packed)
        (self.results / f"{self.name}.img.bmap").write_text(bmap.make(self.work / "card.img"), "ascii")

    def papers(self) -> None:
        """Bill of materials, licences and notes, for people and their tools."""
        parts = [(row.name, row.bytes) for row in self.rows()]
        papers.write(
            self.product,
            self.lock,
            self.order.version,
            self.debs,
            self.wheels,
            ROOT,
            parts,
            self.results,
            self.order.pools,
            self.progress,
        )

    def describe(self) -> None:
        """Manifest, signature, update."""
        content = self.work / "slot.img"
        bundle.slot_content(self.work / "slot.fat", content)
        about = bundle.describe(self.product, self.order.version, self.epoch, layout.DATA_SCHEMA, content, self.root)
        files = {path.name: bundle.entry(path) for path in sorted(self.results.iterdir())}
        files[f"{self.name}.img"] = bundle.entry(self.work / "card.img")
        text = manifest.pack(replace(about, files=files))
        signature = bundle.signed(text, self.order.key, self.results)
        if signature is not None:
            bundle.update(text, signature, content, self.results / f"{self.name}.update", self.epoch)

    def rows(self) -> tuple[report.Row, ...]:
        """The parts with their sizes, for a person."""
        stages = [(path.name, path) for path in sorted((*self.slot.iterdir(), *self.config.iterdir()))]
        files = [report.Row(name, path.stat().st_size) for name, path in stages if path.is_file()]
        return (*(report.Row(part.name, part.bytes) for part in self.made.parts), *files)


UNSIGNED = (
    "NOT SIGNED: no update was made, and boards with this image take none unless --trust named a key. "
    "Sign with --key NAME.key (image key new NAME)."
)


def load(product: Product, name: str) -> manifest.Key:
    """A public key that the product names, by a path relative to its file."""
    from images import keys

    return keys.load_public(product.place.parent / name)
