// SPDX-License-Identifier: Apache-2.0
#pragma once

// The header-only library, without Boost.
#define ASIO_STANDALONE
#include <asio.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace levee::debug {

/// Connections that are not (yet) the debugger's: some have not sent anything, others have been
/// refused. The first byte decides whether a connection becomes the debugger's. A client with
/// another protocol, such as a web browser, therefore neither affects the run nor blocks the
/// debugger.
class Visitors {
public:
    using Socket = asio::ip::tcp::socket;
    struct Host {
        std::function<void(Socket)> admit; ///< Called when the first byte, which is not read yet,
                                           ///< is a debugger's.
        std::function<void()> foreign;     ///< a connection was closed for its first byte
    };

    explicit Visitors(Host host) : host_(std::move(host)) {}

    /// Admits the connection, or closes it, when its first byte has arrived.
    void receive(Socket socket);
    /// Tells a debugger that it is refused, and why: `reason` is a packet's payload.
    void refuse(Socket socket, const std::string& reason);
    void close() { waiting_.clear(); }

private:
    struct Visitor {
        Socket socket;
        bool refused = false;
        std::size_t discarded = 0; ///< reads of a refused debugger's data
    };

    void keep(Visitor visitor);
    void wait(std::uint64_t number);
    void judge(std::uint64_t number);
    void discard(std::uint64_t number);

    Host host_;
    std::map<std::uint64_t, Visitor> waiting_; // Visitors by number, the oldest first.
    std::uint64_t next_ = 0;
};

} // namespace levee::debug
