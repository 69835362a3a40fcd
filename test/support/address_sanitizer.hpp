// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::test {

/// Returns whether the program runs under the address sanitizer, which uses additional memory. The
/// sanitizer does not know the stacks of SystemC's processes, so an exception that ends a
/// simulation causes false reports.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

} // namespace levee::test
