// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/packet.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace levee::debug {

/// Events from the server to the simulation's thread.
struct ServerEvent {
    enum class Kind {
        Connected,
        Packet,
        Malformed,
        Interrupt,
        Closed,
        Foreign ///< closed a connection whose first byte cannot be a debugger's; sent only for
                ///< the first
    };
    Kind kind;
    std::string text;
};

/// Serves one debugger at a time on the loopback interface. A thread reads, acknowledges and writes
/// packets; the simulation takes events from a queue of limited length. A client's first byte tells
/// whether it is a debugger. A second debugger gets a message and is disconnected.
class Server {
public:
    /// Starts to listen; port 0 selects a free port. The reading thread calls `on_event` for every
    /// queued event. Throws std::runtime_error if the port is not available.
    Server(std::uint16_t port, std::function<void()> on_event);
    /// A server's sockets, which another process can take over.
    struct Handles {
        int listener = -1;
        int client = -1; ///< -1: none is connected
        bool acks = true;
    };
    /// Takes over these sockets from another process. This process exits when the file `life`
    /// reaches its end.
    Server(const Handles& handles, int life, std::function<void()> on_event);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    [[nodiscard]] std::uint16_t port() const;

    /// Returns the next event. Blocks until there is one.
    [[nodiscard]] ServerEvent wait();
    /// Returns the next event, if one is queued.
    [[nodiscard]] std::optional<ServerEvent> poll();

    /// Sends the payload as a packet. Does nothing if no debugger is connected.
    void send(const std::string& payload);
    /// From now on packets are not acknowledged.
    void stop_acks();
    /// Stops the reading thread until resume(), for instance to copy the process.
    void pause();
    void resume();
    /// Returns the server's sockets; only valid between pause() and resume().
    [[nodiscard]] Handles handles() const;
    /// Closes the connection once everything is sent.
    void disconnect();

private:
    class Connection;
    std::unique_ptr<Connection> connection_;
};

} // namespace levee::debug
