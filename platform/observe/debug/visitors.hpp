// SPDX-License-Identifier: Apache-2.0
#pragma once

// Selects the stand-alone, header-only variant of the library, which does not need Boost.
#define ASIO_STANDALONE
#include <asio.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

namespace levee::debug {

/// Holds connections that are not yet the debugger's: those that have sent nothing, and
/// refused ones. A client's first byte decides whether it is the debugger. A client with
/// another protocol, such as a web browser, therefore cannot affect the run or block the
/// debugger.
class Visitors {
public:
    using Socket = asio::ip::tcp::socket;
    struct Host {
        std::function<void(Socket)> admit; ///< called if the first byte, which is still unread, is
                                           ///< a debugger's
        std::function<void()> foreign;     ///< called if a connection was closed because of its
                                           ///< first byte
    };

    explicit Visitors(Host host) : host_(std::move(host)) {}

    /// Waits for the connection's first byte, and then admits or closes it.
    void receive(Socket socket);
    /// Sends the reason to a refused debugger, and waits until it closes the connection. The reason
    /// is the payload of a packet.
    void refuse(Socket socket, const std::string& reason);
    void close() { waiting_.clear(); }

private:
    struct Visitor {
        Socket socket;
        bool refused = false;
        std::size_t discarded = 0;
    };

    void keep(Visitor visitor);
    void wait(std::uint64_t number);
    void judge(std::uint64_t number);
    void discard(std::uint64_t number);

    Host host_;
    std::map<std::uint64_t, Visitor> waiting_;
    std::uint64_t next_ = 0;
};

} // namespace levee::debug
