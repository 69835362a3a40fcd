// SPDX-License-Identifier: Apache-2.0
# Tests the M extension with its special cases (division by zero, overflow).
#include "isa.inc"
start
    check_op 1, mul, 0xaaaaaaab, 0x2fe7d, 0x0000ff7f
    check_op 2, mul, 0xffff8000, 0x80000000, 0
    check_op 3, mul, 0xffffffff, 0xffffffff, 1
    check_op 4, mulh, 0xffffffff, 1, 0xffffffff
    check_op 5, mulh, 0x80000000, 0x80000000, 0x40000000
    check_op 6, mulh, 0x7fffffff, 0x7fffffff, 0x3fffffff
    check_op 7, mulhu, 0xffffffff, 0xffffffff, 0xfffffffe
    check_op 8, mulhu, 0x80000000, 2, 1
    check_op 9, mulhsu, 0xffffffff, 0xffffffff, 0xffffffff
    check_op 10, mulhsu, 0x80000000, 0xffffffff, 0x80000000
    check_op 11, mulhsu, 0x7fffffff, 0xffffffff, 0x7ffffffe
    check_op 20, div, 20, 6, 3
    check_op 21, div, -20, 6, -3
    check_op 22, div, 20, -6, -3
    check_op 23, div, 1, 0, -1
    check_op 24, div, 0x80000000, -1, 0x80000000
    check_op 25, divu, 0xffffffec, 6, 0x2aaaaaa7
    check_op 26, divu, 5, 0, 0xffffffff
    check_op 27, rem, -20, 6, -2
    check_op 28, rem, 20, -6, 2
    check_op 29, rem, 0x80000000, -1, 0
    check_op 30, rem, -7, 0, -7
    check_op 31, remu, 0xffffffec, 6, 2
    check_op 32, remu, 9, 0, 9
pass
