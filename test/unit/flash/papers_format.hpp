// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/flash/ecc/page_code.hpp"

namespace levee::flash::test {

/// The format in Cambricon-LLM, section VI.
inline constexpr CodeFormat papers_format{16384, 8, 14, 163, 9, 2};

} // namespace levee::flash::test
