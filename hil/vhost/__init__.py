"""Devices of an emulated board that live in this process: QEMU's vhost-user-i2c and vhost-user-gpio, the far side."""
