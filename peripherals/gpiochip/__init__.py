"""GPIO lines through the kernel's character device (uAPI v2, Linux 5.10 and later), in pure Python.

find     which chip is meant, by its label             chip     what a chip and its lines are; asking for a line
request  one held line: get, set, change, edges        uapi     the kernel's numbers and bytes
trouble  the kernel's refusals as sentences            seam     the five calls by which all of them reach a chip
model    the chips of a kernel in this process, the double behind the seam (wires: its parts, stock: its boards)
server   the same model as a process, for `model:SOCKET` in the settings; remote: its seam, and its wires
"""
