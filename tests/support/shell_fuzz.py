"""Shell texts that hide "create the file M" behind wrappers and obfuscations. Every text is made from a seed.

Three layers: a payload that makes M; wrappers around it, one in the other; a disguise of its words. Half of the texts
put the result into an everyday command that only reads. Nothing a text does reaches beyond its own folder.
"""

from __future__ import annotations

import random
from collections.abc import Callable

# What makes M, in every way that a program of an everyday board can; F is a file that is there.
PAYLOADS = (
    "touch M", ": > M", ">M", "echo x > M", "printf x >> M", "cat F > M", "cat < F >| M", "cp F M", "tee M < F",
    "tee -a M < /dev/null", "dd if=F of=M 2>/dev/null", "mkdir M", "ln -s F M", "ln F M", "mv F M", "install F M",
    "sort -o M F", "sort --output=M F", "sort -oM F", "uniq F M", "sed -n 'w M' F", "sed 's/a/b/w M' F", "sed -n '1wM' F",
    "sed -i.M s/a/b/ F; mv F.M M", "sed '1e touch M' F", "sed 's/.*/touch M/e' F", "sed -e 1d -e 'w M' F",
    "sed -n -f P F", "sed --expression='w M' F",
    "awk 'BEGIN{print 1 > \"M\"}'", "awk 'BEGIN{system(\"touch M\")}'", "awk 'BEGIN{print 1 | \"cat > M\"}'",
    "awk 'BEGIN{\"touch M\" | getline}'", "awk 'BEGIN{printf(\"x\") >> \"M\"}'", "awk '{print>\"M\"}' F",
    "awk -f A F", "awk 'BEGIN{f=\"M\"; print 1 > f}'", "awk -v f=M 'BEGIN{print 1 > f}'",
    "find . -maxdepth 0 -exec touch M ';'", "find . -maxdepth 0 -fprintf M x", "find F -fprint M", "find F -fls M",
    "find . -maxdepth 0 -execdir touch M +", "find . -maxdepth 0 -fprint0 M", "find F -ok touch M ';' < Y",
    "tar cf M F", "tar -cf M F", "tar xf T", "tar --to-command='touch M' -xf T",
    "tar tf T --checkpoint=1 --checkpoint-action=exec='touch M'", "tar -I 'sh S' -tf T", "tar -tf T --use-compress-program='sh S'",
    "split -b 1 F M; mv Maa M", "csplit -f M F 1 >/dev/null; mv M00 M", "truncate -s 0 M", "mkfifo M", "mktemp M.XXXX; mv M.* M",
    "python3 -c 'open(\"M\",\"w\")'", "perl -e 'open(F,\">M\")'", "sh -c 'touch M'", "bash -c '>M'", "dash -c ': >M'",
    "sh S", ". ./S", "sh < S", "cat S | sh", "./S", "env sh S", "xargs touch < N", "echo M | xargs touch", "echo M | xargs -I{} touch {}",
    "echo touch M | sh", "printf 'touch M' | dash", "printf '%s\\n' 'touch M' | xargs -I% sh -c %", "xargs -a N touch",
    "base64 -d B | sh", "echo dG91Y2ggTQo= | base64 -d | sh", "eval 'touch M'", "eval touch M", "eval \"$(cat S)\"",
    "trap 'touch M' EXIT", "trap 'touch M' 0", "exec touch M", "command touch M", "env touch M", "env -i /usr/bin/touch M", "env -S 'touch M'",
    "nohup touch M >/dev/null 2>&1", "nice touch M", "timeout 5 touch M", "setsid touch M", "stdbuf -o0 touch M", "busybox touch M",
    "time -o M true", "script -qc true M >/dev/null", "script -c 'touch M' /dev/null >/dev/null", "exec 3> M", "exec > M; echo x",
    "read x < F; echo $x > M", "gzip -c F > M", "xxd F M", "xxd -r -p H M", "od F > M", "paste F > M", "split F M --additional-suffix= -a 1; mv Ma M",
    "cut -c1 F >M", "ls>M", "ls 1>M", "ls 2>M", "ls &>M", "ls >&M", "ls <>M", "ls 3<>M", "id 9>M", "date >M", "diff F F > M",
    "printf x | dd of=M 2>/dev/null", "LC_ALL=C touch M", "A=1 touch M", "cd . && touch M", "cd /; cd - >/dev/null; touch M",
    "umask 022; touch M", "set -- M; touch $1", "set -- touch M; \"$@\"", "set -- touch M; $*", "x=M; touch $x", "x='touch M'; $x",
    "alias t=touch\nt M", "f() { touch M; }; f", "f() { \"$@\"; }; f touch M", "test -e M || touch M", "[ -f M ] || : >M",
    "PATH=.:$PATH; S", "flock F touch M", "ionice touch M", "chrt -o 0 touch M", "taskset 1 touch M", "unshare touch M", "unshare -r touch M",
    "hexdump -C F > M", "tac F > M", "comm F F > M", "journalctl --cursor-file=M -n0", "sort F -T . --compress-program=./S -S1b -o /dev/null",
    "date --reference=F > M", "busybox sh -c 'touch M'", "busybox ash S", "busybox sed -n 'w M' F", "busybox awk 'BEGIN{print>\"M\"}'",
    "busybox find . -maxdepth 0 -exec touch M \\;", "busybox tee M < F", "busybox xargs touch < N", "busybox env touch M",
    "less -oM F < /dev/null", "git init -q M", "make -s -f K", "ed -s F <<'E'\nw M\nE", "ex -sc 'w M|q' F", "vi -es -c 'w M' -c q F",
    "rev F > M", "nl F > M", "cmp -l F F > M", "patch -o M F < /dev/null", "ld.so --help > M", "/lib64/ld-linux-x86-64.so.2 /usr/bin/touch M",
    "sed -s -n 'w M' F", "sed -n '$!{p;};$w M' F", "sed 'y/a/b/;w M' F", "sed -n '/x/,$ w M' F", "sed -n 's/q*/x/gw M' F", "sed -n 'a\\\nfoo\nw M' F",
    "printf 'touch M\\n' > /dev/stdout | sh", "cat <<E | sh\ntouch M\nE", "sh <<'E'\ntouch M\nE", "sh -s < S", "sh -- S", "sh -e S", "sh +x ./S",
)  # fmt: skip

# Ways to put a piece of shell text into another, so that it still runs.
WRAPPERS: tuple[tuple[str, str], ...] = (
    ("echo $(", ")"), ("echo `", "`"), ("echo \"$(", ")\""), (": ${x:-$(", ")}"), (": ${x:=`", "`}"), ("echo $((1 + $(", "; echo 1)))"),
    ("(", ")"), ("{ ", "; }"), ("if true; then ", "; fi"), ("if ", "; then :; fi"), ("if false; then :; else ", "; fi"),
    ("while ", "; do break; done"), ("until ", "; do break; done"), ("for i in 1; do ", "; done"), ("for i in $(", "); do :; done"),
    ("case a in a) ", ";; esac"), ("case a in b) ;; (a|c) ", ";; esac"), ("case $(", ") in *) ;; esac"), ("case x in $(", ")) ;; esac"),
    ("f() { ", "; }; f"), ("f() ( ", " ); f"), ("true && ", ""), ("false || ", ""), ("true; ", ""), ("! ", ""), ("true\n", "\n"), ("true & ", "; wait"),
    ("", " &\nwait"), ("cat F | (", ")"), ("(", ") | cat"), ("", "; true"), ("", " # done"), ("cat <<E\n$(", ")\nE"), ("cat <<-E\n\t`", "`\n\tE"),
    ("cat <<\"E\" >/dev/null; ", "\ntext\nE\n"), ("cat <<'E'\ntext\nE\n", ""), (": \"${HOME:+$(", ")}\""), ("x=$(", ")"), ("x=$(", ") true"), ("export x=$(", ")"),
    ("[ -n \"$(", ")\" ]"), ("test \"`", "`\""), ("printf '%s' $(", ")"), ("exec 3<&0; ", ""), ("set -e; ", ""), ("cd . ; ", ""),
    ("LC_ALL=C; ", ""), (": <<E\n${y-$(", ")}\nE"), ("echo \"a`", "`b\""), ("echo $(echo $(", "))"), ("read x <<E\n$(", ")\nE"), ("trap \"", "\" EXIT"),
    ("while read l; do ", "; done < F"), ("sleep 0; ", ""), ("local x 2>/dev/null; ", ""), ("readonly q=$(", ")"), ("echo ${x#$(", ")}"), ("echo ${x%%`", "`}"),
    ("uptime >/dev/null 2>&1; ", ""), ("( : ; (", ") )"), ("true && { false || ", "; }"), ("if [ -f F ] && ", "; then :; fi"), ("eval \"", "\""), ("time ", ""),
)  # fmt: skip

# Commands of every day that only read; %s is where something is put in.
CARRIERS = (
    "ls -la %s", "cat F %s", "grep -n x F %s", "head -3 F %s | wc -l", "df -h %s", "echo start; %s; echo end", "ps aux | head -3; %s", "%s; uptime",
    "stat -c %%n F %s", "for f in F; do echo $f %s; done", "wc -l F && %s", "date +%%F %s", "cut -d. -f1 /proc/uptime; %s", "%s\ndf -h", "(cd . && ls %s)",
    "while read l; do echo $l %s; done < F", "sort F %s | uniq -c", "sed 's/a/b/' F %s", "awk '{print $1}' F %s", "find . -name F %s", "id; %s", "test -f F && echo yes %s",
)  # fmt: skip


def texts(seed: int, count: int) -> list[str]:
    """`count` texts from `seed`."""
    chance = random.Random(seed)
    return [_text(chance) for _ in range(count)]


def _text(chance: random.Random) -> str:
    text = chance.choice(PAYLOADS)
    if "\n" not in text and chance.random() < 0.6:
        text = _disguised(text, chance)
    for _ in range(chance.choice((0, 0, 1, 1, 1, 2, 3))):
        before, after = chance.choice(WRAPPERS)
        text = before + text + after
    if chance.random() < 0.4:
        carrier = chance.choice(CARRIERS)
        start = carrier.index("%s")
        in_words = carrier[:start].rstrip()[-1:] not in (";", "&", "|", "") and not carrier.startswith("%s")
        text = carrier.replace("%%", "%").replace("%s", f"$({text})" if in_words and chance.random() < 0.7 else text, 1)
    return text


def _disguised(text: str, chance: random.Random) -> str:
    """The same command with one of its first words written another way."""
    words = text.split(" ")
    at = 0 if chance.random() < 0.7 else chance.randrange(len(words))
    if words[at] and words[at][0].isalpha() and "'" not in text[: text.find(words[at]) + 1]:
        words[at] = chance.choice(_DISGUISES)(words[at], chance)
    return " ".join(words)


def _cut(word: str, chance: random.Random) -> tuple[str, str]:
    at = chance.randrange(1, len(word)) if len(word) > 1 else len(word)
    return word[:at], word[at:]


def _quoted(word: str, chance: random.Random) -> str:
    head, tail = _cut(word, chance)
    return chance.choice((f"{head}''{tail}", f'{head}""{tail}', f"'{head}'{tail}", f'"{head}"{tail}', f"{head}\\{tail}", f"{head}\\\n{tail}", f'""{word}'))  # fmt: skip


def _expanded(word: str, chance: random.Random) -> str:
    head, tail = _cut(word, chance)
    return chance.choice((f"{head}${{nothing}}{tail}", f"{head}$nothing{tail}" if not tail[:1].isalnum() else f"{head}${{z}}{tail}", f"${{u:-{word}}}", f"{head}$(){tail}", f"{head}``{tail}", f"$(echo {word})", f"`printf {word}`", f"${{u-{head}}}{tail}", f"{head}$*{tail}" if not tail[:1].isalnum() else word))  # fmt: skip


def _located(word: str, chance: random.Random) -> str:
    return chance.choice((f"/usr/bin/{word}", f"/bin/{word}", f"/usr/bin/../bin/{word}", f"/usr//bin/./{word}", f"/usr/bin/{word[:-1]}?", f"/usr/bin/[{word[0]}]{word[1:]}"))  # fmt: skip


def _assigned(word: str, chance: random.Random) -> str:
    head, tail = _cut(word, chance)
    return chance.choice((f"q={head}; r={tail}; $q$r", f"q={word}; $q", f"q={word}; \"$q\"", f"q={word}\n${{q}}", f"for q in {word}; do $q", f"q={head}; ${{q}}{tail}")).replace("; do $q", "; do break; done; $q")  # fmt: skip


def _wrapped(word: str, chance: random.Random) -> str:
    return chance.choice(("command", "env", "exec", "nohup", "nice", "timeout 9", "busybox", "env A=1", "stdbuf -oL", "setsid -w", "nice -n 5", "command --", "A=1 B=2", "\t", "time")) + " " + word  # fmt: skip


_DISGUISES: tuple[Callable[[str, random.Random], str], ...] = (_quoted, _expanded, _located, _assigned, _wrapped)
