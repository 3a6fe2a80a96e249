# Chooses the slot, says so to the state, starts its kernel. Run by U-Boot (boot.scr on p1) on every board.
#
# Rules:
# 1. The state is read as edge/card/state.py has it: copy 1 (sector 0x400) if it is whole, else copy 2 (0x408), else
#    slot a, taken as good. It is written only when it changed: copy 2, then copy 1. No file system is written here.
# 2. Not good and tries left: one try less. Not good and none left: back to `prev`, which is taken as good (fellback).
# 3. A kernel or initramfs that cannot be read, or whose CRC is not that of its header, or a slot without a device tree
#    of this board is as bad as a rotten root: `prev` is started instead, and the slot is not fallen back to (rotten).
# 4. Where neither can be started a plain message is repeated and nothing is tried again: no reset loop.
# 5. The kernel hears the whole state as words `fieldhand.NAME=VALUE`, then what the firmware's device tree says in
#    /chosen/bootargs (cmdline.txt is in it), or cmdline.txt itself where there is no such device tree.
# 6. Addresses fit a board of 256 MiB: kernel file at 96 MiB, initramfs at 64, device tree at 63, all below 128 MiB,
#    where zImage wants to be (Documentation/arch/arm/booting.rst); the unpacked arm64 Image lies below 63 MiB.

test -n "${devtype}" || setenv devtype mmc
test -n "${devnum}" || setenv devnum 0
setenv at_state 0x01f00000
setenv at_words 0x01f01000
setenv at_fdt 0x03f00000
setenv at_initrd 0x04000000
setenv at_kernel 0x06000000

setenv names data good prev slot tries why
setenv defaults 'setenv slot a; setenv prev a; setenv good 1; setenv tries 0; setenv data made; setenv why lost'
setenv keep_state 'env export -c -s 200 ${at_state} ${names} && ${devtype} write ${at_state} 408 1 && ${devtype} write ${at_state} 400 1'
setenv read_1 '${devtype} read ${at_state} 400 1 && env import -c ${at_state} 200 ${names}'
setenv read_2 '${devtype} read ${at_state} 408 1 && env import -c ${at_state} 200 ${names}'
setenv rotten 'setenv slot ${prev}; setenv good 1; setenv tries 0; setenv why rotten'
setenv part_of 'if test ${slot} = b; then setenv part 3; else setenv part 2; fi'
setenv load_tree 'load ${devtype} ${devnum}:${part} ${at_fdt} dtb/${tree} && fdt addr ${at_fdt}'
setenv load_initrd 'load ${devtype} ${devnum}:${part} ${at_initrd} initrd && iminfo ${at_initrd}'
setenv load_kernel 'load ${devtype} ${devnum}:${part} ${at_kernel} kernel && iminfo ${at_kernel}'
setenv load_slot 'run part_of; echo "Fieldhand: slot ${slot} (good ${good}, tries ${tries}, ${why})"; run load_tree && run load_initrd && run load_kernel'
setenv give_up 'while true; do echo "Fieldhand: no slot of this card can be started. Flash it again (fieldhand image flash)."; sleep 60; done'

# --- the words for the kernel that are not ours (rule 5); before a device tree of a slot takes its place ---
setenv words
if test -n "${fdt_addr}"; then
	fdt addr ${fdt_addr} && fdt get value words /chosen bootargs
fi
if test -z "${words}"; then
	# "cmdline=" before the file's text makes it a line that env import reads
	mw.l ${at_words} 0x6c646d63
	setexpr at_line ${at_words} + 4
	mw.l ${at_line} 0x3d656e69
	setexpr at_line ${at_words} + 8
	if load ${devtype} ${devnum}:1 ${at_line} cmdline.txt; then
		setexpr size ${filesize} + 8
		env import -t ${at_words} ${size} cmdline && setenv words "${cmdline}"
	fi
fi

# --- the device tree of this board: upstream's name, without the folder that arm64 has it in ---
setexpr tree sub ".*/" "" "${fdtfile}" || setenv tree ${fdtfile}

# --- the state, and what follows from it (rules 1 and 2) ---
${devtype} dev ${devnum}
if run read_1; then
	true
elif run read_2; then
	echo "Fieldhand: the first copy of the boot state is torn, the second is whole"
else
	echo "Fieldhand: no copy of the boot state is whole, slot a is taken"
	run defaults
fi
setenv changed 0
if test "${good}" = 0; then
	setenv changed 1
	if test "${tries}" = 0; then
		echo "Fieldhand: slot ${slot} was never confirmed, back to slot ${prev}"
		setenv slot ${prev}
		setenv good 1
		setenv why fellback
	else
		setexpr tries ${tries} - 1
	fi
fi

# --- the slot, or the one before it (rules 3 and 4) ---
if run load_slot; then
	true
else
	if test "${slot}" = "${prev}"; then
		run give_up
	fi
	echo "Fieldhand: slot ${slot} cannot be loaded, slot ${prev} is taken"
	run rotten
	setenv changed 1
	run load_slot || run give_up
fi
if test "${changed}" = 1; then
	run keep_state || echo "Fieldhand: the boot state could not be written"
fi

setenv bootargs "panic=10 oops=panic fieldhand.slot=${slot} fieldhand.prev=${prev} fieldhand.good=${good} fieldhand.tries=${tries} fieldhand.data=${data} fieldhand.why=${why} ${words}"
# iminfo has looked at both CRCs (rule 3): bootm need not do it once more, which is seconds on the slow boards
setenv verify n
bootm ${at_kernel} ${at_initrd} ${at_fdt}
echo "Fieldhand: the kernel of slot ${slot} did not start"
test "${slot}" = "${prev}" && run give_up
run rotten
run keep_state
reset
