// SPDX-License-Identifier: Apache-2.0
/* The unit of time, for firmware and host. */
#pragma once

#define LEVEE_PS_PER_SECOND 1000000000000u
