# SPDX-License-Identifier: Apache-2.0
"""Digests of a recording of decisions (platform/observe/decisions/recording_format.hpp)."""
import gzip
import hashlib
import struct

HEAD = struct.Struct("<8sI")
STRIDED, DISCARDED = 1, 2
DIMENSIONS_OF_A_PATTERN = 3


class Reader:
    """Reads numbers, texts and bytes of a recording sequentially."""

    def __init__(self, data):
        magic, version = HEAD.unpack_from(data)
        if magic != b"LEVEEDEC" or version != 1:
            raise ValueError(f"no recording of version 1: {magic!r}, version {version}")
        self.data = gzip.decompress(data[HEAD.size:])
        self.at = 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self):
        return self.bytes(self.number()).decode()


class Digest:
    """The decisions of one kind of one block. Addresses count from the first one, so that moving a table makes no
    difference."""

    def __init__(self):
        self.count = 0
        self.first_address = None
        self.hash = hashlib.sha256()

    def add(self, address, pattern, payload):
        if self.first_address is None:
            self.first_address = address
        self.count += 1
        self.hash.update(repr((address - self.first_address, pattern)).encode() + payload)

    def text(self):
        return f"{self.count} decisions, {self.hash.hexdigest()[:16]}"


def read_write(reader, block, digests):
    reader.number()  # skips the operation's iteration, because the division of work into operations is not a decision
    what, shape = reader.number(), reader.number()
    address, run_bytes = reader.number(), reader.number()
    steps = [(reader.number(), reader.number()) for _ in range(DIMENSIONS_OF_A_PATTERN)] if shape & STRIDED else []
    runs = 1
    for count, _ in steps:
        runs *= count
    payload = b"" if shape & DISCARDED else reader.bytes(run_bytes * runs)
    digests.setdefault(f"{block}.{what}", Digest()).add(address, (shape, run_bytes, steps), payload)


def digests(data):
    """Returns the number and the hash of decisions for each block and kind (the block's own number `what`)."""
    reader = Reader(data)
    for _ in range(reader.number()):
        reader.text(), reader.text()
    blocks, found = {}, {}
    while reader.number() == 1:
        number = reader.number()
        if number not in blocks:
            blocks[number] = reader.text().split(".")[0]  # the path without the name of the block's queue
        reader.number(), reader.number()  # skips the operation's number and its descriptor's hash
        for _ in range(reader.number()):
            read_write(reader, blocks[number], found)
    return {name: digest.text() for name, digest in sorted(found.items())}
