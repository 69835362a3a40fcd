// SPDX-License-Identifier: Apache-2.0
/* A machine of cores of compute-in-memory macros (Titanus). Each core keeps one decoder layer and
 * does all of it by one descriptor; a function unit does embedding, final norm and picks, and a
 * systolic array the classifier. Where the cores are chained one descriptor takes a prompt through
 * all of them. */
#pragma once

#include "firmware/target/target.h"

extern const struct target target_titanus;
