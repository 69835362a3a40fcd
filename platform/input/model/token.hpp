// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace levee {

struct Token {
    float score = 0.0F;
    std::string text; ///< bytes that the token prints
};

} // namespace levee
