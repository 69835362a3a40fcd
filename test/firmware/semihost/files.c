// SPDX-License-Identifier: Apache-2.0
/* A semihosted program that prints, writes a file and reads it back. It is refused another file,
 * and exits. */
#include <stdio.h>
#include <string.h>

static unsigned traps;

/* An ebreak outside the semihosting sequence is an ordinary breakpoint exception. */
__attribute__((interrupt("machine"), aligned(4))) static void on_trap(void)
{
    unsigned long cause, pc;
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    __asm__ volatile("csrr %0, mepc" : "=r"(pc));
    traps += cause == 3;
    __asm__ volatile("csrw mepc, %0" ::"r"(pc + 4));
}

static void plain_breakpoints(void)
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(on_trap));
    __asm__ volatile(".option push\n .option norvc\n"
                     "slli x0, x0, 0x1f\n ebreak\n nop\n"
                     "nop\n ebreak\n srai x0, x0, 7\n"
                     ".option pop");
}

int main(void)
{
    char line[32] = "";
    FILE* file = fopen("notes.txt", "w");
    if (file == NULL)
        return 1;
    fprintf(file, "kept: %d\n", 42);
    fclose(file);
    file = fopen("notes.txt", "r");
    if (file == NULL || fgets(line, sizeof line, file) == NULL)
        return 2;
    fclose(file);
    printf("read back \"%.8s\"\n", line);
    printf("outside: %s\n", fopen("../notes.txt", "w") == NULL ? "refused" : "opened");
    plain_breakpoints();
    printf("%u breakpoints\n", traps);
    return strcmp(line, "kept: 42\n") != 0;
}
