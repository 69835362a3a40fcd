// SPDX-License-Identifier: Apache-2.0
// The operation numbers of Arm's semihosting.
#pragma once

#include <cstdint>

namespace levee::semihost {

enum Operation : std::uint32_t {
    sys_open = 0x01,
    sys_close = 0x02,
    sys_writec = 0x03,
    sys_write0 = 0x04,
    sys_write = 0x05,
    sys_read = 0x06,
    sys_readc = 0x07,
    sys_iserror = 0x08,
    sys_istty = 0x09,
    sys_seek = 0x0A,
    sys_flen = 0x0C,
    sys_remove = 0x0E,
    sys_rename = 0x0F,
    sys_clock = 0x10,
    sys_time = 0x11,
    sys_errno = 0x13,
    sys_get_cmdline = 0x15,
    sys_exit = 0x18,
    sys_exit_extended = 0x20,
    sys_elapsed = 0x30,
    sys_tickfreq = 0x31
};

} // namespace levee::semihost
