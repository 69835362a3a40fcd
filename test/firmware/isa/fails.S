// SPDX-License-Identifier: Apache-2.0
# Ends with failure code 42.
#include "isa.inc"
start
    li gp, 42
    j fail
pass
