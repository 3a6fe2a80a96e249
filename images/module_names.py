"""Which kernel modules a board may need, with the reason of each group.

A name that a kernel has built in, or was not made for, is passed over; the names of MUST are not.
"""

from __future__ import annotations

# Without these no slot is mounted, on any board. crc32c_generic stands in no list of dependencies: ext4 asks for it by
# the name of an algorithm (metadata_csum).
MUST = ("squashfs", "overlay", "ext4", "crc32c_generic", "vfat", "nls_cp437", "nls_ascii", "loop")

GROUPS = {
    "file systems and names that laptops write": "nls_utf8 nls_iso8859-1 exfat fuse",
    "the card": "bcm2835 sdhci-iproc sdhci-brcmstb mmc_block gpio-regulator",
    "clocks, power, resets, what Pi firmware answers for": (
        "clk-raspberrypi raspberrypi-cpufreq reset-raspberrypi bcm2835-power raspberrypi-hwmon gpio-raspberrypi-exp"
        " bcm2835_thermal bcm2711_thermal nvmem_rmem pinctrl-bcm2835 cpufreq-dt"
    ),
    "watchdog": "bcm2835_wdt softdog",
    "random numbers": "bcm2835-rng iproc-rng200",
    "buses": (
        "i2c-dev i2c-bcm2835 i2c-brcmstb i2c-gpio i2c-mux i2c-mux-pca954x spi-bcm2835 spi-bcm2835aux spi-gpio spidev"
        " w1-gpio ds2482 ds2490 w1_therm w1_ds2413 w1_ds2408 w1_ds2406 w1_ds2431 w1_ds2433 w1_ds2438"
    ),
    "pulses, lights, GPIO expanders": (
        "pwm-bcm2835 pwm-gpio pwm-pca9685 leds-gpio leds-pwm ledtrig-timer ledtrig-heartbeat ledtrig-default-on"
        " ledtrig-gpio gpio-pca953x gpio-pcf857x gpio-mcp23s08 pinctrl-mcp23s08 pinctrl-mcp23s08_i2c gpio-74x164"
        " pps-gpio gpio-fan pwm-fan"
    ),
    "temperature, humidity, pressure, gas, light": (
        "bmp280 bmp280-i2c bmp280-spi bme680 bme680_i2c bme680_spi dht11 hdc100x hdc2010 hts221_i2c htu21 si7005 si7020"
        " am2315 ms5611_i2c ms5637 mpl115_i2c mpl3115 dps310 t5403 lps22hb tsys01 tsys02d mlx90614 maxim_thermocouple"
        " max31856 max31865 ccs811 scd30_core scd30_i2c scd4x sps30 sps30_i2c sgp30 sgp40 bh1750 tsl2563 tsl2583 "
        "tsl4531 veml6030 veml6070 opt3001 apds9960 ltr501 vl53l0x-i2c srf04 tmp006 tmp007 tmp117"
    ),
    "voltages and currents": (
        "ti-ads1015 ti-ads7950 ti-ads8688 mcp320x mcp3422 mcp3911 ina2xx-adc ina2xx ina209 ina238 ina3221 ltc2945 "
        "ad7124 ad7793 mcp4725 mcp4922 max1363 hx711"
    ),
    "sensors as hwmon": (
        "lm75 lm73 lm90 lm92 tmp102 tmp103 tmp108 tmp401 tmp421 tmp464 tmp513 sht15 sht21 sht3x sht4x shtc1 hih6130 "
        "ds1621 ds620 jc42 max31722 max6620 max6639 mcp3021 ads7828 emc2103 emc2305 aht10 chipcap2 iio_hwmon"
    ),
    "motion": "mpu3050-i2c inv-mpu6050-i2c adxl345_i2c lis3lv02d_i2c bmi160_i2c st_accel_i2c st_magn_i2c hmc5843_i2c",
    "clocks with a battery": "rtc-ds1307 rtc-ds3232 rtc-pcf8523 rtc-pcf8563 rtc-pcf85063 rtc-rv3028 rtc-rx8025",
    "USB hosts": "dwc2 xhci-hcd xhci-pci xhci-plat-hcd phy-generic usbhid hid-generic",
    "serial ports at USB": "usbserial ftdi_sio cp210x ch341 pl2303 option cdc-acm cdc-wdm",
    "wired network": (
        "smsc95xx lan78xx cdc_ether cdc_ncm cdc_eem rndis_host r8152 ax88179_178a asix dm9601 genet broadcom "
        "bcm-phy-lib bcm7xxx smsc microchip mdio-bcm-unimac af_packet ipv6"
    ),
    "sticks": "usb-storage uas sd_mod",
    "CAN": "can can-raw can-dev mcp251x mcp251xfd gs_usb slcan",
    "emulated boards": "virtio_mmio virtio_pci virtio_blk virtio_net virtio_console virtio-rng",
    "what a flasher or a test makes": "zram dm-verity dummy tun",
}


def every() -> list[str]:
    """All names of all groups, in order."""
    return [name for names in GROUPS.values() for name in names.split()]
