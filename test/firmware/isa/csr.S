// SPDX-License-Identifier: Apache-2.0
# Tests the six CSR instructions, the identity and trap CSRs, hard-wired fields, PMP entry 0, and triggers.
#include "isa.inc"
start
    use_handler
    csrwi mscratch, 3
    csrrci a0, mscratch, 1
    check 1, a0, 3
    csrrsi a0, mscratch, 4
    check 2, a0, 2
    csrrwi a0, mscratch, 2
    check 3, a0, 6
    li a1, 0x0bad1dea
    csrrw a0, mscratch, a1
    check 4, a0, 2
    li a1, 0x1dea
    csrrc a0, mscratch, a1
    check 5, a0, 0x0bad1dea
    li a1, 0xbeef
    csrrs a0, mscratch, a1
    check 6, a0, 0x0bad0000
    csrrw a1, mscratch, a1      # one register is destination and source
    check 7, a1, 0x0badbeef
    csrr a0, mscratch
    check 8, a0, 0xbeef

    csrr a0, misa
    check 10, a0, 0x40001105    # RV32 IMAC
    csrw misa, zero
    csrr a0, misa
    check 11, a0, 0x40001105
    csrr a0, mhartid
    check 12, a0, 0
    csrr a0, mvendorid
    csrr a0, marchid
    csrr a0, mimpid
    csrr a0, mconfigptr
    csrw mstatus, zero
    csrr a0, mstatus
    check 13, a0, 0x1800        # MPP has no other value
    li a0, -1
    csrw mstatus, a0
    csrr a0, mstatus
    check 14, a0, 0x1888
    csrw mstatus, zero
    li a0, -1
    csrw mie, a0
    csrr a0, mie
    check 15, a0, 0x888
    csrw mie, zero
    csrw mip, a0
    csrr a0, mip
    check 16, a0, 0
    li a0, 0x80000103
    csrw mtvec, a0
    csrr a0, mtvec
    check 17, a0, 0x80000101    # modes 2 and 3 do not exist
    la a0, handler
    csrw mtvec, a0
    li a0, 0x80000003
    csrw mepc, a0
    csrr a0, mepc
    check 18, a0, 0x80000002
    li a0, 0x8000000b
    csrw mcause, a0
    csrr a0, mcause
    check 19, a0, 0x8000000b
    li a0, 0x12345678
    csrw mtval, a0
    csrr a0, mtval
    check 20, a0, 0x12345678

    li a0, -1
    csrw pmpaddr0, a0
    csrr a0, pmpaddr0
    check 30, a0, -1
    li a0, 0x1f
    csrw pmpcfg0, a0
    csrr a0, pmpcfg0
    check 31, a0, 0x1f
    csrw pmpaddr0, zero
    csrr a0, pmpaddr0
    check 32, a0, 0
    csrr a0, pmpaddr1
    check 33, a0, 0
    li a0, 0x80000000
    csrw tselect, a0
    csrr a0, tselect
    check 34, a0, 0             # hard-wired: no triggers
    csrr a0, tdata1
    check 35, a0, 0
    csrr a0, mhpmcounter3
    check 36, a0, 0
    csrr a0, mhpmevent31
    check 37, a0, 0
    csrwi mhpmcounter31, 5
    csrr a0, mhpmcounter31
    check 38, a0, 0
    csrr a0, hpmcounter3
    check 40, a0, 0

    expect_trap 50, 2, 0xc0101073, csrw time, zero
    expect_trap 54, 2, 0xf140e073, csrsi mhartid, 1
    expect_trap 60, 2, 0x5c002573, csrr a0, 0x5c0
    expect_trap 64, 2, 0x18005073, .word 0x18005073         # csrwi satp: no S mode
    expect_trap 68, 2, 0x7c001073, csrw 0x7c0, zero
    expect_trap 76, 2, 0x30602573, csrr a0, mcounteren      # no U mode
    li s0, 0
    csrr a0, cycle              # setting or clearing no bits does not count as a write
    csrrs a0, instret, zero
    csrrc a0, time, zero
    csrrci a0, cycleh, 0
    check 72, s0, 0
pass
trap_handler
