// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace levee::config {

/// Throws Error at the first byte of a file's text that is not UTF-8. Results are written as JSON,
/// which requires UTF-8.
void check_utf8(const std::shared_ptr<const std::string>& file, std::string_view text);

} // namespace levee::config
