// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/cli.hpp"
#include "platform/run/stop_signals.hpp"

#include <systemc>

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace {

/// Opens /dev/null in place of closed standard streams. Otherwise a file opened later would get a
/// stream's number and receive its output. Writes to the replaced streams fail.
void hold_standard_streams()
{
    int file = open("/dev/null", O_RDONLY);
    while (file >= 0 && file <= STDERR_FILENO)
        file = open("/dev/null", O_RDONLY);
    if (file >= 0)
        close(file);
}

} // namespace

int main(int argc, char* argv[])
{
    hold_standard_streams();
    levee::let_writes_fail();
    // Suppresses SystemC's banner.
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
    // Suppresses SystemC's message about sc_stop(), which ends every run.
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_INFO,
                                            sc_core::SC_DO_NOTHING);
    return sc_core::sc_elab_and_sim(argc, argv);
}

int sc_main(int argc, char* argv[])
{
    return levee::cli::run(argc, argv);
}
