// SPDX-License-Identifier: Apache-2.0
/* Code from reset to main(). It runs the constructors, calls main(), and ends the program with
 * main()'s result. */
    .section .text.init.enter, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la      gp, __global_pointer$
    .option pop
    la      sp, __stack
    la      tp, __tls_base        /* picolibc keeps errno in thread-local storage */

    la      t0, trap_entry
    csrw    mtvec, t0             /* direct mode */
    csrw    mie, zero

    la      t0, __bss_start
    la      t1, __bss_end
1:  bgeu    t0, t1, 2f
    sw      zero, 0(t0)
    addi    t0, t0, 4
    j       1b

2:  call    system_open
    call    __libc_init_array     /* constructors: they may use the HAL */
    call    main
    tail    exit                  /* main's result is the exit code */
