#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: make_corpus.py [FOLDER]

Writes the first inputs of the fuzz targets to FOLDER/<target>/ (the folder corpus/ beside this script): small, made of
nothing but what stands here. Inputs that fuzzing has found lie beside them under names of their own and stay.
"""
import pathlib
import struct
import sys

X86_64, SHARED = 62, 3
TO, FROM, ALWAYS, DELETE, IMPLICIT, CLOSE, PRESENT, HOLD = (1 << i for i in range(8))
TARGET, BEGIN, END, UPDATE, FINISH, CHECK = 0, 1, 2, 3, 4, 7


def elf(n_segments=2, machine=X86_64, kind=SHARED, segment_size=16):
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01" + bytes(9), kind, machine, 1, 0, 64, 0, 0, 64, 56,
                         n_segments, 64, 0, 0)
    body = 64 + 56 * n_segments
    segments = b"".join(struct.pack("<IIQQQQQQ", 1, 5, body + i * segment_size, 0, 0, segment_size, segment_size, 16)
                        for i in range(n_segments))
    return header + segments + bytes(segment_size * n_segments)


def offload_binary(image, entry_offset=32, image_offset=None, version=1):
    image_offset = 32 + 40 if image_offset is None else image_offset
    size = image_offset + len(image)
    header = struct.pack("<4sIQQQ", b"\x10\xff\x10\xad", version, size, entry_offset, 40)
    entry = struct.pack("<HHIQQQQ", 1, 1, 0, 72, 0, image_offset, len(image))
    return (header + entry).ljust(image_offset, b"\0") + image


def damaged(at, change):
    return at.to_bytes(3, "little") + bytes([change])


def entry_32(address, name, size, flags, data=0):
    return struct.pack("<QQQii", address, name, size, flags, data)


def entry_56(address, name, size, flags, data=0, kind=1, version=1):
    return struct.pack("<QHHIQQQQQ", 0, version, kind, flags, address, name, size, data, 0)


IMAGES = {
    "elf": b"\0" + elf(),
    "elf-no-segments": b"\0" + elf(0),
    "elf-other-machine": b"\0" + elf(machine=183),
    "elf-truncated": b"\0" + elf()[:100],
    "elf-segment-past-end": b"\0" + elf()[:-20],
    "elf-misaligned": b"\x01" + elf(),
    "wrapper": b"\0" + offload_binary(elf()),
    "wrapper-odd-offset": b"\0" + offload_binary(elf(), image_offset=73),
    "wrapper-other-version": b"\0" + offload_binary(elf(), version=2),
    "wrapper-entry-outside": b"\0" + offload_binary(elf(), entry_offset=1 << 40),
    "real-whole": b"\x40",
    "real-first-segment-type": b"\x40" + damaged(64, 1),
    "real-first-segment-flags": b"\x40" + damaged(68, 4),
    "real-zeroed-behind-headers": b"\x40" + damaged(0x238, 0),
    "real-zeroed-from-middle": b"\x40" + damaged(8192, 0),
    "entries-19": b"\x80" + entry_32(0x1000, 0x2000, 0, 0) + entry_32(0x1008, 0x2010, 8, 0) +
                  entry_32(0, 0x20, 0, 16, 8),
    "entries-22": b"\x80" + entry_56(0x1000, 0x2000, 0, 0) + entry_56(0x1008, 0x2010, 8, 1) + entry_56(0, 0, 0, 16, 8),
    "entries-twice": b"\x80" + 3 * entry_56(0x1000, 0x2000, 0, 0),
    "entries-odd-size": b"\x80" + entry_56(0x1000, 0x2000, 0, 0)[:-3],
}


def construct(kind, *entries, amount=5, options=0):
    """entries: (type, begin, length); options: 1 waits for it, 2 changes the host first."""
    head = bytes([kind | (len(entries) - 1 | options << 3) << 3, amount])
    return head + b"".join(bytes(entry) for entry in entries)


def finish(which):
    return bytes([FINISH | which << 3])


MAPPING = {
    "region": construct(TARGET, (TO | FROM, 3, 9)) + bytes([CHECK]),
    "enter-region-exit": construct(BEGIN, (TO, 0, 8)) + construct(TARGET, (TO | FROM, 2, 3)) +
                         construct(END, (FROM, 0, 8)) + bytes([CHECK]),
    "neighbours": construct(TARGET, (TO | FROM, 8, 8), (TO | FROM, 0, 8), (TO | FROM, 16, 8)) + finish(0),
    "dying-again": construct(TARGET, (FROM, 4, 8)) + construct(BEGIN, (TO, 4, 8)) + finish(0) +
                   construct(END, (DELETE, 4, 8)),
    "overlapping-implicit": construct(BEGIN, (TO | IMPLICIT, 4, 4)) + construct(TARGET, (TO | FROM | IMPLICIT, 2, 9)) +
                            construct(END, (FROM, 0, 15)),
    "endings-out-of-order": construct(TARGET, (TO | FROM, 0, 4)) + construct(TARGET, (TO | FROM, 4, 4)) +
                            construct(TARGET, (TO | FROM, 0, 8)) + finish(1) + finish(0) + bytes([CHECK]),
    # With two works in flight where there should be one, the wrong one is over first.
    "copy-in-before-copy-out": construct(TARGET, (TO | FROM, 4, 8)) + construct(BEGIN, (TO, 4, 8)) + finish(1),
    "copy-in-inside-copy-out": construct(TARGET, (TO | FROM, 0, 15)) + construct(BEGIN, (TO, 4, 4)) + finish(1),
    "region-before-copy-in": construct(BEGIN, (TO, 4, 8)) + construct(TARGET, (TO | FROM, 4, 8)) + finish(1),
    "end-before-region": construct(BEGIN, (TO, 4, 8)) + finish(0) + construct(TARGET, (TO, 5, 2)) +
                         construct(END, (FROM, 4, 8)) + finish(1),
    "copy-out-before-copy-out": construct(TARGET, (FROM, 4, 8)) + construct(TARGET, (FROM, 2, 12), amount=6) +
                                finish(1),
    "hold": construct(BEGIN, (TO | HOLD, 0, 8)) + construct(BEGIN, (TO, 0, 8)) + construct(END, (DELETE, 0, 8)) +
            construct(END, (FROM | HOLD, 0, 8)),
    "update": construct(BEGIN, (TO, 0, 8)) + construct(UPDATE, (TO, 2, 4), options=2) + b"\x07" +
              construct(UPDATE, (FROM, 1, 3)),
    "always": construct(BEGIN, (TO, 0, 8)) +
              construct(TARGET, (TO | FROM | ALWAYS | PRESENT, 2, 4), options=3) + b"\x07",
    "zero-length": construct(TARGET, (TO | FROM, 5, 0), (TO | CLOSE, 5, 3)) + construct(END, (FROM, 5, 0)),
}

SETTINGS = {
    "empty": b"",
    "good": b"NOWAIT_COMPLETION=requeue\nNOWAIT_STATS=yes\nNOWAIT_LOG=debug\nNOWAIT_HOST_DEVICES=2\nNOWAIT_SPIN=20us\n"
            b"LIBOMPTARGET_INFO=-1\nOMPTARGET_QUERY_COUNT_BACKOFF_FACTOR=0.25",
    "units": b"NOWAIT_SPIN=0\nNOWAIT_HOST_WORKERS=1024\nNOWAIT_POOL_LIMIT=0",
    "bad": b"NOWAIT_COMPLETION=fast\nNOWAIT_STATS=2\nNOWAIT_HOST_DEVICES=65\nNOWAIT_SPIN=1h\nLIBOMPTARGET_INFO=0xz\n"
           b"OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR=nan",
    "overflow": b"NOWAIT_SPIN=9223372036854775807s\nNOWAIT_POOL_LIMIT=99999999999999999999\nLIBOMPTARGET_INFO=-9e99",
    "misspelt": b"NOWAIT_COMPLETIONS=event\nNOWAIT_=1\nNOWAIT_" + b"X" * 70 + b"=1\nNOWAIT_SPINS\n=\n",
}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "corpus")
    for target, inputs in (("images", IMAGES), ("mapping", MAPPING), ("settings", SETTINGS)):
        (folder / target).mkdir(parents=True, exist_ok=True)
        for name, data in inputs.items():
            (folder / target / f"{name}.bin").write_bytes(data)


if __name__ == "__main__":
    main()
