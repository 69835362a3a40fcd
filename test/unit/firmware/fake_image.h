// SPDX-License-Identifier: Apache-2.0
/* A model image with shapes but no weights. Firmware reads only these parts of an image. */
#pragma once

#include "test/unit/firmware/fake_platform.h"

#include <stddef.h>
#include <stdint.h>

/* Writes header and tensor table to `image`, without the tensors' data. Returns the number of
 * bytes written, at most `room`. */
size_t fake_image(const struct fake_job* job, uint8_t* image, size_t room);
