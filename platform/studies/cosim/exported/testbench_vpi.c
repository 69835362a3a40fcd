/* SPDX-License-Identifier: Apache-2.0 */
/* @block@: Levee's reference next to the design, for any simulator with the VPI. Made by
 * levee cosim --export. Arguments: +operations=N, +seed=S, +values_only. The last line of the
 * output begins with PASSED or FAILED. */
#include "levee_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vpi_user.h>

enum { input_words = (@inputs@ + 31) / 32, output_words = (@outputs@ + 31) / 32, half_period = 5 };

static vpiHandle clk, in, got;

static vpiHandle find(const char* name)
{
    const vpiHandle found = vpi_handle_by_name((PLI_BYTE8*)name, NULL);
    if (found == NULL) {
        printf("FAILED: the simulator does not show %s over the VPI\n", name);
        exit(1);
    }
    return found;
}

/* The text after +NAME on the command line; NULL if there is none. */
static const char* plusarg(const char* name)
{
    s_vpi_vlog_info info;
    if (vpi_get_vlog_info(&info) == 0)
        return NULL;
    for (int i = 1; i < info.argc; ++i)
        if (info.argv[i][0] == '+' && strncmp(info.argv[i] + 1, name, strlen(name)) == 0)
            return info.argv[i] + 1 + strlen(name);
    return NULL;
}

static int32_t number(const char* name, int32_t otherwise)
{
    const char* const text = plusarg(name);
    return text != NULL ? (int32_t)strtoul(text, NULL, 10) : otherwise;
}

static void put_clock(int level)
{
    s_vpi_value value = {vpiIntVal, {0}};
    value.value.integer = level;
    vpi_put_value(clk, &value, NULL, vpiNoDelay);
}

/* Sets the inputs of the next cycle. Returns 0 if there is none. */
static int put_inputs(void)
{
    uint32_t words[input_words];
    s_vpi_vecval bits[input_words];
    s_vpi_value value = {vpiVectorVal, {0}};
    if (levee_reference_inputs(words) == 0)
        return 0;
    for (int i = 0; i < input_words; ++i) {
        bits[i].aval = (PLI_INT32)words[i];
        bits[i].bval = 0;
    }
    value.value.vector = bits;
    vpi_put_value(in, &value, NULL, vpiNoDelay);
    return 1;
}

/* The reference has no unknown bits, so they become random, like registers without a reset. */
static void take_outputs(void)
{
    static uint32_t random = @seed@u;
    uint32_t words[output_words];
    s_vpi_value value = {vpiVectorVal, {0}};
    vpi_get_value(got, &value);
    for (int i = 0; i < output_words; ++i) {
        const uint32_t unknown = (uint32_t)value.value.vector[i].bval;
        random = random * 1664525u + 1013904223u;
        words[i] = ((uint32_t)value.value.vector[i].aval & ~unknown) | ((random >> 16 | random << 16) & unknown);
    }
    levee_reference_outputs(words);
}

static PLI_INT32 half_cycle(p_cb_data data);

static void wait_half_period(PLI_BYTE8* next)
{
    s_vpi_time delay = {vpiSimTime, 0, 0, 0};
    s_cb_data callback = {cbAfterDelay, half_cycle, NULL, NULL, NULL, 0, NULL};
    /* The testbench's precision is a thousandth of a nanosecond. */
    delay.low = half_period * 1000;
    callback.time = &delay;
    callback.user_data = next;
    vpi_register_cb(&callback);
}

static PLI_BYTE8 rise, fall;

static void end_simulation(void)
{
    levee_reference_close();
    fflush(stdout);
    vpi_control(vpiFinish, 0);
}

/* Simulates a cycle: sets the inputs at the falling edge, and reads the outputs before the rising one. */
static PLI_INT32 half_cycle(p_cb_data data)
{
    if (data->user_data == &rise) {
        take_outputs();
        put_clock(1);
        wait_half_period(&fall);
        return 0;
    }
    put_clock(0);
    if (put_inputs())
        wait_half_period(&rise);
    else
        end_simulation();
    return 0;
}

static PLI_INT32 start(p_cb_data data)
{
    (void)data;
    clk = find("testbench_vpi.clk");
    in = find("testbench_vpi.in");
    got = find("testbench_vpi.got");
    levee_reference_open(number("seed=", @seed@), number("operations=", @operations@), plusarg("values_only") != NULL);
    put_clock(0);
    wait_half_period(&fall);
    return 0;
}

static void register_start(void)
{
    s_cb_data callback = {cbStartOfSimulation, start, NULL, NULL, NULL, 0, NULL};
    vpi_register_cb(&callback);
}

void (*vlog_startup_routines[])(void) = {register_start, NULL};
