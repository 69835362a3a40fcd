/* Host link: how a program tells the platform that it ended, which phase it is in, which tokens it
 * produced and what it measured. All registers are 32 bits wide and write-only. */
#pragma once

#define LEVEE_HOSTLINK_EXIT 0x00u        /* ends the run with this exit code (0 = success) */
#define LEVEE_HOSTLINK_PHASE 0x04u       /* enum levee_phase: a phase begins, the one before ends */
#define LEVEE_HOSTLINK_SEQUENCE 0x08u    /* which sequence the next TOKEN belongs to */
#define LEVEE_HOSTLINK_TOKEN 0x0Cu       /* a generated token id */
#define LEVEE_HOSTLINK_METRIC_NAME 0x10u /* address of a name: 1 to 63 of [a-z0-9_.], then 0 */
#define LEVEE_HOSTLINK_VALUE_LO 0x14u
#define LEVEE_HOSTLINK_VALUE_HI 0x18u
#define LEVEE_HOSTLINK_METRIC 0x1Cu /* enum levee_metric_kind: records name = value */

enum levee_phase {
    LEVEE_PHASE_OTHER = 0, /* not counted as either */
    LEVEE_PHASE_PREFILL = 1,
    LEVEE_PHASE_DECODE = 2
};

enum levee_metric_kind {
    LEVEE_METRIC_U64 = 1,
    LEVEE_METRIC_I64 = 2,
    LEVEE_METRIC_F64 = 3 /* the bits of a double */
};
