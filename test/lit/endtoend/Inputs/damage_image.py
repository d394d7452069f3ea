#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: damage_image.py PROGRAM WAY...

Damages the first x86-64 device image in a program, which is changed in place: `segment`: the type of the first program
header; `dynamic`: the place of the symbols in the dynamic section; `zeroes`: all from the middle on; `kind`: its magic.
"""
import struct
import sys

MAGIC = b"\x10\xff\x10\xad"
PT_DYNAMIC, DT_SYMTAB = 2, 6


def image_of(data):
    """Where the image lies, and its size."""
    at = data.find(MAGIC)
    while at >= 0:
        version, size, entry = struct.unpack_from("<IQQ", data, at + 4)
        if version == 1 and at + size <= len(data):
            offset, length = struct.unpack_from("<QQ", data, at + entry + 24)
            if data[at + offset:at + offset + 4] == b"\x7fELF":
                return at + offset, length
        at = data.find(MAGIC, at + 1)
    sys.exit("no device image")


def dynamic_entry(data, image, wanted):
    n = struct.unpack_from("<H", data, image + 56)[0]
    for i in range(n):
        kind, _, offset = struct.unpack_from("<IIQ", data, image + 64 + 56 * i)
        while kind == PT_DYNAMIC:
            tag = struct.unpack_from("<q", data, image + offset)[0]
            if tag == wanted:
                return image + offset
            offset += 16
    sys.exit("no dynamic section")


def main():
    program, *ways = sys.argv[1:]
    data = bytearray(open(program, "rb").read())
    image, size = image_of(data)
    for way in ways:
        if way == "segment":
            data[image + 64] ^= 4
        elif way == "dynamic":
            data[dynamic_entry(data, image, DT_SYMTAB) + 9] ^= 0x10
        elif way == "zeroes":
            data[image + size // 2:image + size] = bytes(size - size // 2)
        elif way == "kind":
            data[image] = 0
        else:
            sys.exit(f"{way}: no such way")
    open(program, "wb").write(data)


if __name__ == "__main__":
    main()
