// SPDX-License-Identifier: Apache-2.0
// How much a debugger may send ahead of what the simulation has taken.
#include "platform/observe/debug/server.hpp"

#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace levee::debug;

namespace {

class Client {
public:
    explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    }
    ~Client() { ::close(socket_); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Sends the text over and over until `most` bytes are sent, or nobody takes more.
    std::size_t flood(const std::string& text, std::size_t most)
    {
        std::size_t sent = 0;
        pollfd writable{socket_, POLLOUT, 0};
        while (sent < most && ::poll(&writable, 1, 2000) == 1) {
            const auto part = std::string_view(text).substr(sent % text.size());
            const ssize_t bytes =
                ::send(socket_, part.data(), part.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            REQUIRE(bytes > 0);
            sent += static_cast<std::size_t>(bytes);
        }
        return sent;
    }

private:
    int socket_;
};

} // namespace

TEST_CASE("packets that nobody has taken wait at the sender, and none is lost")
{
    Server server(0, [] {});
    Client client(server.port());
    const std::string packet = frame(std::string(packet_bytes, 'm'));
    constexpr std::size_t most = std::size_t{256} << 20;
    const std::size_t sent = client.flood(packet, most);
    CHECK(sent < most);
    REQUIRE(server.wait().kind == ServerEvent::Kind::Connected);
    for (std::size_t i = 0; i < sent / packet.size(); ++i) {
        const ServerEvent event = server.wait();
        REQUIRE(event.kind == ServerEvent::Kind::Packet);
        REQUIRE(event.text.size() == packet_bytes);
    }
}
