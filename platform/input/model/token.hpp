// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace levee {

struct Token {
    float score = 0.0F;
    std::string text; ///< the bytes that are printed
};

} // namespace levee
