// SPDX-License-Identifier: Apache-2.0
# A four-byte instruction whose second half lies beyond the end of memory, 0x80100000 (1 MiB). The
# fetch fault must report the address of the missing half.
#include "isa.inc"
    .option norvc
start
    use_handler
    la s4, 1f
    li a0, 0x800ffffe
    li a1, 0x0003
    sh a1, 0(a0)
    jalr ra, 0(a0)
1:  check 1, s1, 1
    check 2, s2, 0x800ffffe
    check 3, s3, 0x80100000
pass
trap_handler
