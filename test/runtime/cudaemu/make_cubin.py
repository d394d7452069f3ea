#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a cubin without any NVIDIA tool: an ELF file for the CUDA machine with the symbols that a runtime and the
emulated driver look for. Kernels have no GPU code. With --code, an x86-64 shared object (as clang makes it for
-fopenmp-targets=x86_64-pc-linux-gnu) travels in it: the emulated driver runs its functions as the kernels."""

import argparse
import re
import struct

CUDA, X86_64 = 190, 62
PROGBITS, SYMTAB, STRTAB, RELA, NOBITS, DYNSYM, CUDA_INFO = 1, 2, 3, 4, 8, 11, 0x70000000
ALLOC, WRITE, EXEC = 2, 1, 4
OBJECT, FUNC, WEAK, GLOBAL = 1, 2, 2, 1
KERNEL_ENTRY = 0x10
ENVIRONMENT = "_kernel_environment"
DEVICE_ENVIRONMENT = "__omp_rtl_device_environment"


class Strings:
    def __init__(self):
        self.data = b"\0"

    def add(self, text):
        at = len(self.data)
        self.data += text.encode() + b"\0"
        return at


class Section:
    def __init__(self, name, kind, data=b"", flags=0, link=0, info=0, align=8, entry=0, size=None):
        self.name, self.kind, self.data, self.flags = name, kind, data, flags
        self.link, self.info, self.align, self.entry = link, info, align, entry
        self.size = len(data) if size is None else size


def parameters_info(n):
    """The attributes of a kernel with n parameters of 8 bytes."""
    info = struct.pack("<BBHIHH", 4, 0x0A, 8, 0, 0x210, 8 * n)  # where the argument buffer lies, and its size
    for i in range(n):
        info += struct.pack("<BBHIHHI", 4, 0x17, 12, 0, i, 8 * i, 8 << 18 | 0x1F000)
    return info + struct.pack("<BBHIII", 4, 0x05, 12, 1024, 1, 1)  # the most threads of a block


def environment(mode):
    """KernelEnvironmentTy of LLVM 19 and 22: the execution mode; no bounds of threads and teams, no reduction."""
    return struct.pack("<BBBxiiiiiixxxxQQ", 0, 0, mode, -1, -1, -1, -1, 0, 0, 0, 0)


class SharedObject:
    """The dynamic symbols of an x86-64 shared object."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:4] != b"\x7fELF" or struct.unpack_from("<H", self.data, 18)[0] != X86_64:
            raise SystemExit(f"{path}: no x86-64 shared object")
        shoff, shnum = struct.unpack_from("<Q", self.data, 40)[0], struct.unpack_from("<H", self.data, 60)[0]
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + 64 * i) for i in range(shnum)]

    def symbols(self):
        """Yields name, type, section, value and size of each defined one."""
        for _, kind, _, _, offset, size, link, _, _, _ in self.sections:
            if kind != DYNSYM:
                continue
            names = self.sections[link][4]
            for at in range(offset + 24, offset + size, 24):
                name, info, _, section, value, bytes_ = struct.unpack_from("<IBBHQQ", self.data, at)
                end = self.data.index(b"\0", names + name)
                if section:
                    yield self.data[names + name:end].decode(), info & 15, section, value, bytes_

    def bytes_of(self, section, value, size):
        _, kind, _, address, offset, *_ = self.sections[section]
        at = offset + value - address
        return bytes(size) if kind == NOBITS else self.data[at:at + size]


def parameter_counts(path):
    """Kernel names in a listing of LLVM IR, and how many parameters each has: 8 bytes each, as clang makes them."""
    with open(path) as file:
        kernels = re.findall(r"^define .*@(__omp_offloading_\w+)\((.*)$", file.read(), re.MULTILINE)
    return {name: len(re.findall(r"%[\w.]+[,)]", parameters)) for name, parameters in kernels}


class Cubin:
    def __init__(self, abi, sm):
        self.abi, self.sm = abi, sm
        self.names = Strings()
        self.symbols = [struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)]
        self.sections = [Section("", 0, align=0), Section(".strtab", STRTAB, align=1),
                         Section(".symtab", SYMTAB, link=1, info=1, entry=24)]
        self.variables = bytearray()
        self.relocations = []  # (offset, symbol)
        self.numbers = {}

    def add_section(self, section):
        self.sections.append(section)
        return len(self.sections) - 1

    def add_symbol(self, name, kind, section, value, size, other=0):
        self.numbers[name] = len(self.symbols)
        self.symbols.append(
            struct.pack("<IBBHQQ", self.names.add(name), GLOBAL << 4 | kind, other, section, value, size))

    def add_kernel(self, name, n_parameters):
        text = self.add_section(Section(".text." + name, PROGBITS, bytes(16), ALLOC | EXEC))
        self.add_section(Section(".nv.info." + name, CUDA_INFO, parameters_info(n_parameters), link=2, info=text))
        self.add_symbol(name, FUNC, text, 0, 16, KERNEL_ENTRY)

    def finish_variables(self, variables, zeros, pointers):
        """variables: (name, bytes); zeros: (name, size); pointers: (name, name of the variable it points to)."""
        data = self.add_section(Section(".nv.global.init", PROGBITS, flags=ALLOC | WRITE))
        bss = self.add_section(Section(".nv.global", NOBITS, flags=ALLOC | WRITE))
        for name, value in variables + [(name, bytes(8)) for name, _ in pointers]:
            self.variables += bytes(-len(self.variables) % 8)
            self.add_symbol(name, OBJECT, data, len(self.variables), len(value))
            if name in dict(pointers):
                self.relocations.append((len(self.variables), dict(pointers)[name]))
            self.variables += value
        for name, size in zeros:
            self.sections[bss].size += -self.sections[bss].size % 8
            self.add_symbol(name, OBJECT, bss, self.sections[bss].size, size)
            self.sections[bss].size += size
        self.sections[data].data = bytes(self.variables)
        self.sections[data].size = len(self.variables)
        if self.relocations:
            table = b"".join(
                struct.pack("<QQq", at, self.numbers[to] << 32 | 2, 0) for at, to in self.relocations)
            self.add_section(Section(".rela.nv.global.init", RELA, table, link=2, info=data, entry=24))

    def header(self, section_offset, n_sections):
        osabi, flags = (0x33, self.sm << 16 | 0x500 | self.sm) if self.abi == 7 else (0x41, 0x6000004 | self.sm << 8)
        ident = b"\x7fELF" + bytes([2, 1, 1, osabi, self.abi]) + bytes(7)
        return ident + struct.pack("<HHIQQQIHHHHHH", 2, CUDA, 1, 0, 0, section_offset, flags, 64, 56, 0, 64, n_sections,
                                   n_sections - 1)

    def bytes(self):
        self.sections[1].data = self.names.data
        self.sections[2].data = b"".join(self.symbols)
        names = Strings()
        sections = self.sections + [Section(".shstrtab", STRTAB, align=1)]
        offsets = [names.add(section.name) if section.name else 0 for section in sections]
        sections[-1].data = names.data
        body, table = b"", b""
        for section, name in zip(sections, offsets):
            body += bytes(-(64 + len(body)) % max(section.align, 1))
            size = section.size if section.kind == NOBITS else len(section.data)
            table += struct.pack("<IIQQQQIIQQ", name, section.kind, section.flags, 0, 64 + len(body) if name else 0,
                                 size, section.link, section.info, section.align, section.entry)
            body += section.data
        body += bytes(-len(body) % 8)
        return self.header(64 + len(body), len(sections)) + body + table


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--abi", type=int, choices=(7, 8), default=7, help="ELF ABI version")
    parser.add_argument("--sm", type=int, default=90, help="compute capability, as in sm_90")
    parser.add_argument("--kernel", action="append", default=[], metavar="NAME[:PARAMETERS]")
    parser.add_argument("--variable", action="append", default=[], metavar="NAME=HEXBYTES")
    parser.add_argument("--zeros", action="append", default=[], metavar="NAME=SIZE")
    parser.add_argument("--pointer", action="append", default=[], metavar="NAME=VARIABLE")
    parser.add_argument("--mode", type=int, metavar="MODE",
                        help="give each OpenMP kernel an environment with this execution mode (1 generic, 2 SPMD), and "
                        "the device its own")
    parser.add_argument("--code", metavar="FILE", help="x86-64 shared object whose functions are the kernels")
    parser.add_argument("--ir", metavar="FILE", help="the same code as LLVM IR, which tells how many parameters the "
                        "kernels have; without it the cubin says nothing of them")
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()

    cubin = Cubin(arguments.abi, arguments.sm)
    kernels = [(item.split(":") + ["0"])[:2] for item in arguments.kernel]
    variables = [(name, bytes.fromhex(value)) for name, value in (item.split("=") for item in arguments.variable)]
    if arguments.code:
        code = SharedObject(arguments.code)
        n_parameters = parameter_counts(arguments.ir) if arguments.ir else {}
        # In the order of their definitions, as ptxas has them; a shared object has them by hash.
        for name, kind, section, value, size in sorted(code.symbols(), key=lambda symbol: symbol[2:4]):
            if kind == FUNC and name.startswith("__omp_offloading_"):
                kernels.append([name, n_parameters[name] if arguments.ir else 0])
            elif kind == OBJECT and size and not name.startswith(".offloading"):
                variables.append((name, code.bytes_of(section, value, size)))
        cubin.add_section(Section(".cudaemu.x86_64", PROGBITS, code.data, align=16))
    for name, parameters in kernels:
        cubin.add_kernel(name, int(parameters))
        if arguments.mode is not None and name.startswith("__omp_offloading_"):
            variables.append((name + ENVIRONMENT, environment(arguments.mode)))
    zeros = [(name, int(size)) for name, size in (item.split("=") for item in arguments.zeros)]
    if arguments.mode is not None:
        zeros.append((DEVICE_ENVIRONMENT, 48))
    cubin.finish_variables(variables, zeros, [tuple(item.split("=")) for item in arguments.pointer])
    with open(arguments.output, "wb") as file:
        file.write(cubin.bytes())


if __name__ == "__main__":
    main()
