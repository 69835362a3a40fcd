// SPDX-License-Identifier: Apache-2.0
# Tests loads and stores of every width: aligned, misaligned (which do not trap), with sign and zero
# extension, and across a page boundary.
#include "isa.inc"
    .macro check_load number, instruction, offset, value
    la a1, data
    \instruction a0, \offset(a1)
    check \number, a0, \value
    .endm
start
    check_load 1, lb, 0, 0xffffffef
    check_load 2, lbu, 0, 0xef
    check_load 3, lb, 3, 0x0000000d
    check_load 4, lh, 0, 0xffffbeef
    check_load 5, lhu, 0, 0xbeef
    check_load 6, lh, 2, 0x0df0
    check_load 7, lw, 0, 0x0df0beef
    check_load 8, lw, 4, 0x87654321
    check_load 10, lh, 1, 0xfffff0be
    check_load 11, lhu, 3, 0x210d
    check_load 12, lw, 1, 0x210df0be
    check_load 13, lw, 2, 0x43210df0
    check_load 14, lw, 3, 0x6543210d

    la a1, page + 4094
    li a2, 0x11223344
    sw a2, 0(a1)            # across the boundary
    lw a0, 0(a1)
    check 20, a0, 0x11223344
    lhu a0, 0(a1)
    check 21, a0, 0x3344
    lhu a0, 2(a1)
    check 22, a0, 0x1122
    lh a0, 1(a1)
    check 23, a0, 0x2233
    li a2, 0xa5b6
    sh a2, 1(a1)
    lw a0, 0(a1)
    check 24, a0, 0x11a5b644

    la a1, data
    li a2, 0x5a5a5a99
    sb a2, 5(a1)
    lw a0, 4(a1)
    check 30, a0, 0x87659921
    sh a2, 6(a1)
    lw a0, 4(a1)
    check 31, a0, 0x5a999921
    sw a2, -4(a1)
    lw a0, -4(a1)
    check 32, a0, 0x5a5a5a99
    addi a1, a1, 2047
    lw a0, -2047(a1)
    check 33, a0, 0x0df0beef
pass
    .data
    .balign 8
    .word 0
data: .word 0x0df0beef, 0x87654321
    .balign 4096
page: .zero 8192
