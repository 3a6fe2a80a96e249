"""How each thing of a board is reached: QEMU's process and its sockets, a serial port, a power switch."""
