// SPDX-License-Identifier: Apache-2.0
# Tests Zicntr, the machine counters, writes to them, and mcountinhibit. Every instruction takes one cycle.
#include "isa.inc"
start
    csrr a0, instret
    nop
    nop
    csrr a1, instret
    sub a1, a1, a0
    check 1, a1, 3
    csrwi minstret, 0           # the write itself does not count
    csrr a0, minstret
    check 2, a0, 0
    li a0, -1
    csrw minstret, a0
    csrwi minstreth, 7
    nop
    csrr a0, minstret
    csrr a1, minstreth
    check 3, a0, 0
    check 4, a1, 8
    csrwi mcycle, 0
    csrr a0, mcycle
    check 10, a0, 0
    csrr a0, cycle
    csrr a1, cycle
    sub a1, a1, a0
    check 11, a1, 1
    li a0, -1
    csrwi mcycleh, 0
    csrw mcycle, a0
    nop
    csrr a0, cycle
    csrr a1, cycleh
    check 12, a0, 0
    check 13, a1, 1
    csrwi mcountinhibit, 5
    csrwi mcycle, 9
    csrwi minstret, 11
    nop
    csrr a0, mcycle
    csrr a1, minstret
    check 14, a0, 9
    check 15, a1, 11
    csrr a0, mcountinhibit
    check 16, a0, 5
    csrwi mcountinhibit, 0
    csrr a0, mcycle
    csrr a1, minstret
    check 17, a0, 9
    check 18, a1, 12
    csrr a0, time               # time advances and equals mtime
    csrr a2, timeh
    li a1, 1000
1:  addi a1, a1, -1
    bnez a1, 1b
    csrr a1, time
    bltu a0, a1, 1f
    li gp, 19
    j fail
1:  li a2, 0x0200bff8
    lw a1, 0(a2)
    csrr a0, time
    sub a0, a0, a1
    sltiu a0, a0, 2
    check 20, a0, 1
    # a trapped instruction does not retire
    la t5, 2f
    csrw mtvec, t5
    csrr a0, instret
    ecall
    .balign 4
2:  csrr a1, instret
    sub a1, a1, a0
    check 21, a1, 1
pass
