"""GPIO lines through the kernel's character device (uAPI v2, Linux 5.10 and later), in pure Python."""
