// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee::test {

/// Whether the address sanitizer watches the program. It uses additional memory, and does not know
/// the stacks of SystemC's processes: an exception that ends a simulation confuses it.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

} // namespace levee::test
