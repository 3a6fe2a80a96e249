"""Rows of programs that read files and text. The columns are those of programs.py.

Sources: the manuals of GNU coreutils, grep, diffutils, procps, util-linux, and of busybox.
"""

from __future__ import annotations

from edge.gate.shell.marks import names

_SUMS = "-bctzw --check --binary --text --tag --zero --quiet --status --warn --strict --ignore-missing !"
_GREP = (
    "-EFGPivwxcLlqsonHhbTUzyaIV -rR^ --recursive^ --dereference-recursive^ -e! --regexp! -f=r --file=r -m: -A: -B: -C: "
    "-d: -D: --include: --exclude: --exclude-dir: --exclude-from=r --color? --colour? --max-count: --after-context: "
    "--before-context: --context: --label: --binary-files: --count --ignore-case --invert-match --word-regexp "
    "--line-regexp --line-number --files-with-matches --files-without-match --only-matching --no-filename "
    "--with-filename --quiet --silent --no-messages --text --null --null-data --fixed-strings --extended-regexp "
    "--perl-regexp --basic-regexp --line-buffered --byte-offset --initial-tab --no-ignore-case -Z -# --help --version !"
)
_ZGREP = "-EFGPivwxcLlqsonHhb -e! -A: -B: -C: -m: --color? -# !"

# name -> flags, operands, needs
FILES: dict[str, tuple[str, str, str]] = {
    "ls": (
        "-abcdfghiklmnopqrstuvxABCFGHLNQSUXZ1 -R^ --recursive^ -I: -w: -T: --color? --all --almost-all "
        "--human-readable "
        "--si --sort: --time: --time-style: --format: --full-time --group-directories-first --directory --inode --size "
        "--reverse --ignore: --hide: --indicator-style: --classify? --numeric-uid-gid --no-group --block-size: "
        "--width: "
        "--literal --quote-name --quoting-style: --dereference --author --escape --zero --help --version !",
        "l*",
        "",
    ),
    "dir": ("-abcdfghiklmnopqrstuvxABCFGHLNQSUXZ1 -R^ !", "l*", ""),
    "vdir": ("-abcdfghiklmnopqrstuvxABCFGHLNQSUXZ1 -R^ !", "l*", ""),
    "tree": (
        "-adflshpugDNCnxFvtUrcQiqAS -L: -P: -I: --dirsfirst --du --noreport --prune -J -X --sort: --help",
        "L*",
        "",
    ),
    "cat": (
        "-AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --help --version !",
        "r*",
        "",
    ),
    "tac": ("-brs: --before --regex --separator: !", "r*", ""),
    "rev": ("!", "r*", ""),
    "head": ("-qvz -n: -c: --lines: --bytes: --quiet --silent --verbose --zero-terminated -# !", "r*", ""),
    "tail": (
        "-qvz -n: -c: --lines: --bytes: --quiet --silent --verbose --zero-terminated -# + -f -F --follow? --retry -s: "
        "--pid: --sleep-interval: --max-unchanged-stats: !",
        "r*",
        "",
    ),
    "more": ("-dflpcsu -n: -# !", "r*", ""),
    "less": (
        "-o=w -O=w -NSRFXEeiIKMmnqrQswgG --no-init --quit-if-one-screen --chop-long-lines --RAW-CONTROL-CHARS -#",
        "r*",
        "",
    ),
    "grep": (_GREP, "d r*", ""),
    "egrep": (_GREP, "d r*", ""),
    "fgrep": (_GREP, "d r*", ""),
    "rgrep": (_GREP, "d R*", ""),
    "zgrep": (_ZGREP, "d r*", ""),
    "bzgrep": (_ZGREP, "d r*", ""),
    "xzgrep": (_ZGREP, "d r*", ""),
    "rg": (
        "-iSvwxclnNoHIFPULas -e! -f=r -g: -t: -T: -m: -A: -B: -C: -M: -j: -r: --hidden --no-ignore --count --files "
        "--json --color: --no-heading --heading --line-number --sort: --glob: --type: --stats --no-config -u -0 -p",
        "d R*",
        "",
    ),
    "wc": ("-clmLw --bytes --lines --chars --words --max-line-length --files0-from=r --total: !", "r*", ""),
    "sort": (
        "-o=w --output=w -T=w --temporary-directory=w "
        "-bdfgiMhnRrVcCmsuz -k: -t: -S: --key: --field-separator: --reverse --numeric-sort --human-numeric-sort "
        "--unique "
        "--version-sort --general-numeric-sort --ignore-case --stable --check? --zero-terminated --buffer-size: "
        "--parallel: --sort: --dictionary-order --ignore-leading-blanks --month-sort --random-sort --batch-size: "
        "--merge",
        "r*",
        "",
    ),
    "uniq": (
        "-cdDiuz -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars: --check-chars: "
        "--all-repeated? --group? --zero-terminated -#",
        "r w",
        "",
    ),
    "cut": (
        "-nsz -b: -c: -d: -f: --bytes: --characters: --delimiter: --fields: --complement --only-delimited "
        "--output-delimiter: --zero-terminated !",
        "r*",
        "",
    ),
    "tr": ("-cCdst --complement --delete --squeeze-repeats --truncate-set1 !", "d d", ""),
    "nl": ("-p -b: -d: -f: -h: -i: -l: -n: -s: -v: -w: !", "r*", ""),
    "od": (
        "-abcdfiloshvx -A: -j: -N: -S: -t: -w? --width? --address-radix: --format: --read-bytes: --skip-bytes: !",
        "r*",
        "",
    ),
    "hexdump": ("-bcCdovx -e: -n: -s: -f=r --canonical --length: --skip: --no-squeezing !", "r*", ""),
    "hd": ("-v -n: -s: !", "r*", ""),
    "xxd": ("-abeEipu -c: -g: -l: -o: -s: -d -C", "r w", ""),
    "strings": ("-aTfw -n: -t: -e: -o -# --all --bytes: --radix: --encoding: !", "r*", ""),
    "file": ("-bchikLNprsvzZ0 -m=r -F: --brief --mime --mime-type --mime-encoding --dereference", "r*", ""),
    "stat": ("-Lft -c: --format: --printf: --dereference --file-system --terse --cached: !", "l*", ""),
    "readlink": ("-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline !", "l*", ""),
    "realpath": ("-emLPqsz --relative-to: --relative-base: --no-symlinks --canonicalize-missing !", "l*", ""),
    "dirname": ("-z --zero !", "d*", ""),
    "basename": ("-az -s: --suffix: --multiple --zero !", "d*", ""),
    "namei": ("-lmovx !", "l*", ""),
    "du": (
        "-0abcDhHklmPsSxL -d: -B: -t: -X=r --max-depth: --exclude: --human-readable --si --summarize --total --all "
        "--apparent-size --one-file-system --block-size: --threshold: --inodes --time? --time-style: --bytes -# !",
        "L*",
        "",
    ),
    "diff": (
        "-qsceunyilbBwEZatTpNdH -r^ --recursive^ -U: -C: -W: -x: -X=r -I: -F: -L: --brief --unified? --context? "
        "--color? "
        "--side-by-side --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --exclude: "
        "--width: --suppress-common-lines --label: --text --new-file --report-identical-files --strip-trailing-cr !",
        "r r",
        "",
    ),
    "diff3": ("-aeExX3mAiT -L:", "r r r", ""),
    "sdiff": ("-alsiBEtWbd -w:", "r r", ""),
    "cmp": ("-bls -i: -n: --bytes: --print-bytes --silent --quiet --verbose --ignore-initial: !", "r r d d", ""),
    "comm": ("-123z --check-order --nocheck-order --output-delimiter: --total --zero-terminated !", "r r", ""),
    "join": ("-iz -a: -e: -1: -2: -j: -o: -t: -v: --header --check-order --nocheck-order !", "r r", ""),
    "paste": ("-sz -d: --delimiters: --serial --zero-terminated !", "r*", ""),
    "column": ("-txneLJ -s: -o: -c: -N: -R: -H: -T: -W: --table --separator: --output-separator: --json !", "r*", ""),
    "fold": ("-bs -w: --width: --spaces --bytes !", "r*", ""),
    "fmt": ("-cstu -w: -p: -g: -# !", "r*", ""),
    "pr": ("-acdfFJmrtTv -D: -e? -h: -i? -l: -n? -N: -o: -s? -S? -w: -W: -# + !", "r*", ""),
    "expand": ("-i -t: --tabs: --initial -# !", "r*", ""),
    "unexpand": ("-a -t: --all --first-only --tabs: !", "r*", ""),
    "shuf": ("-o=w --output=w -ezr -i: -n: --echo --input-range: --head-count: --repeat", "r", ""),
    "tsort": ("!", "r", ""),
    "iconv": ("-o=w --output=w -cls -f: -t: --from-code: --to-code: --list", "r*", ""),
    "base64": ("-dDi -w: --decode --ignore-garbage --wrap: !", "r", ""),
    "base32": ("-di -w: --decode --ignore-garbage --wrap: !", "r", ""),
    **dict.fromkeys(
        names("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum crc32"),
        (_SUMS, "r*", ""),
    ),
    "zcat": ("-fv !", "r*", ""),
    "bzcat": ("-ksv !", "r*", ""),
    "xzcat": ("-fqv -T: !", "r*", ""),
    "zstdcat": ("-fqv", "r*", ""),
    "lz4cat": ("-fqv", "r*", ""),
    "zdiff": ("-u -q -s", "r r", ""),
    "zcmp": ("-s", "r r", ""),
    "zipinfo": ("-1smlvhtzZTM", "r d*", ""),
    "unzip": ("-lvZtz -1 -q", "r d*", ""),
    "look": ("-adf -t:", "d r", ""),
    "jq": (
        "-ncrsSajRCMe -f=r --tab --indent: --raw-output --compact-output "
        "--null-input --slurp --sort-keys --exit-status --join-output --raw-input --color-output --monochrome-output "
        "--seq --stream",
        "d r*",
        "",
    ),
    "xmllint": ("--noout --format --xpath: --nonet --recover", "r*", ""),
    "seq": ("-w -f: -s: --equal-width --format: --separator: -# !", "d d d", ""),
    "expr": ("-# + !", "d*", ""),
    "factor": ("-h --exponents !", "d*", ""),
    "numfmt": ("--to: --from: --suffix: --padding: --field: --format: --header? -d: --round: --grouping !", "d*", ""),
    "readelf": (
        "-aehlSsgtdnurVADIWw -p: -x: -R: -C --all --file-header --program-headers --segments --sections --headers "
        "--symbols --syms --notes --relocs --dynamic --version-info --wide --arch-specific",
        "r*",
        "",
    ),
    "nm": (
        "-aABCDglnopPrSu -t: -f: --demangle? --dynamic --extern-only --numeric-sort --size-sort --print-size "
        "--undefined-only --defined-only --reverse-sort --debug-syms --no-demangle --radix: --format:",
        "r*",
        "",
    ),
    "objdump": (
        "-afhpxdDSsgGtTrRClwz -j: -M: --disassemble? --section-headers --headers --file-headers --all-headers --syms "
        "--dynamic-syms --private-headers --full-contents --reloc --demangle? --wide --source --section: "
        "--start-address: --stop-address: --no-show-raw-insn",
        "r*",
        "",
    ),
    "size": ("-ABdoxt --format: --radix: --totals", "r*", ""),
    "bc": ("-lqsi --mathlib --quiet --standard", "r*", ""),
    "cal": ("-13jmsywn: -A: -B: --", "d*", ""),
    "ncal": ("-13jMSwbhCNe -A: -B: -d: -H: -m: -s:", "d*", ""),
    "sleep": ("", "d*", ""),
}
