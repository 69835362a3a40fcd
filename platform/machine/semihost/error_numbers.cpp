// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/semihost/error_numbers.hpp"

#include <cerrno>

namespace levee::semihost {

int picolibc_errno(int host)
{
    switch (host) {
    case ENOSYS:
        return 88;
    case ENOTEMPTY:
        return 90;
    case ENAMETOOLONG:
        return 91;
    case ELOOP:
        return 92;
    default:
        return host <= ERANGE ? host : EIO;
    }
}

} // namespace levee::semihost
