#include "serve/http_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "base/format.h"
#include "serve/limits.h"

namespace thence::serve {
namespace {

using Clock = std::chrono::steady_clock;

struct Connection {
  int descriptor = -1;
  std::string received, to_send;
  std::size_t sent = 0;
  bool closes = false;                         // after sending
  bool is_known = false;                       // a request was not refused, so its client has the cookie
  bool may_have_more = false;                  // received bytes may contain another request
  Clock::time_point last_used = Clock::now();  // accepted, answered, or part of an answer sent
};

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

// Reads what has arrived. Returns false if the connection is over.
bool receive(Connection& connection) {
  char buffer[4096];
  const ssize_t count = recv(connection.descriptor, buffer, sizeof buffer, 0);
  if (count < 0) return would_block();
  if (count == 0) return false;
  connection.received.append(buffer, static_cast<std::size_t>(count));
  return true;
}

bool send_pending(Connection& connection) {
  while (connection.sent < connection.to_send.size()) {
    const ssize_t count = send(connection.descriptor, connection.to_send.data() + connection.sent,
                               connection.to_send.size() - connection.sent, MSG_NOSIGNAL);
    if (count < 0) return would_block();
    connection.sent += static_cast<std::size_t>(count);
    connection.last_used = Clock::now();
  }
  connection.to_send = std::string();  // gives its memory back
  connection.sent = 0;
  return !connection.closes;
}

// Answers at most one request, so that a client with many waits for the others.
void answer_next(Connection& connection, const std::function<Response(const Request&)>& answer) {
  if (!connection.to_send.empty() || connection.closes) return;
  connection.may_have_more = false;
  Request request;
  std::size_t taken = 0;
  const Parse parsed = parse_request(connection.received, request, taken);
  if (parsed == Parse::incomplete && connection.received.size() <= max_request_bytes) return;
  if (parsed != Parse::complete || taken > max_request_bytes) {
    connection.closes = true;
    connection.to_send =
        to_bytes({.status = 400, .body = "not a request that this server reads\n"}, true, false);
    return;
  }
  connection.received.erase(0, taken);
  connection.closes = request.header("connection") == "close";
  const Response response = answer(request);
  connection.is_known |= response.status < 400;
  connection.may_have_more = !connection.received.empty();
  connection.last_used = Clock::now();
  connection.to_send = to_bytes(response, request.method != "HEAD", !connection.closes);
}

// Closes the connection that is missed least: one that is idle, for the longest time. Browsers connect again.
// Clients without the cookie get half of the connections at most, so that they never lock the user out; and
// those of the user that are idle give way to new ones, which are of unknown clients until they ask.
bool close_one(std::vector<Connection>& connections) {
  const auto strangers = std::count_if(connections.begin(), connections.end(),
                                       [](const Connection& one) { return !one.is_known; });
  const bool keeps_known = static_cast<std::size_t>(strangers) > connections.size() / 2;
  const auto order = [&](const Connection& one) {
    return std::make_tuple(one.is_known == keeps_known, !one.to_send.empty(), one.last_used);
  };
  const auto least =
      std::min_element(connections.begin(), connections.end(),
                       [&](const Connection& a, const Connection& b) { return order(a) < order(b); });
  if (least == connections.end()) return false;
  close(least->descriptor);
  connections.erase(least);
  return true;
}

// Accepts some connections, so that those can send requests before they are replaced by others. Returns false
// if the process can have no more descriptors, which would make poll() return at once.
bool accept_some(int listener, std::vector<Connection>& connections) {
  for (std::size_t i = 0; i < max_accepted_at_once; ++i) {
    const int descriptor = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return would_block() || errno == ECONNABORTED || close_one(connections);
    if (connections.size() >= max_connections) close_one(connections);
    connections.push_back({.descriptor = descriptor});
  }
  return true;
}

Error cannot_listen(std::uint16_t port) {
  return {ErrorKind::input_output, "V002",
          base::format("cannot listen on 127.0.0.1:{}: {}", port, std::strerror(errno)),
          port == 0 ? "allow connections on loopback"
                    : "choose another port, or leave out --port for a free one"};
}

// Waits for new connections, unless the listener is -1, for those that can be read or written, and at most a
// second.
void wait_for_events(int listener, const std::vector<Connection>& connections, std::vector<pollfd>& events) {
  int milliseconds = 1000;
  events.clear();
  events.push_back({listener, POLLIN, 0});
  for (const Connection& one : connections) {
    events.push_back({one.descriptor, static_cast<short>(one.to_send.empty() ? POLLIN : POLLOUT), 0});
    if (one.may_have_more && one.to_send.empty()) milliseconds = 0;
  }
  if (poll(events.data(), events.size(), milliseconds) < 0)
    for (pollfd& event : events) event.revents = 0;
}

// Returns false if the connection is over.
bool serve_connection(Connection& connection, short events,
                      const std::function<Response(const Request&)>& answer) {
  if ((events & POLLIN) != 0 && !receive(connection)) return false;
  if ((events & (POLLERR | POLLNVAL)) != 0 || ((events & POLLHUP) != 0 && (events & POLLIN) == 0))
    return false;
  if ((events & POLLOUT) != 0 && !send_pending(connection)) return false;
  answer_next(connection, answer);
  if (!connection.to_send.empty() && !send_pending(connection)) return false;
  return Clock::now() - connection.last_used < std::chrono::seconds(max_idle_seconds);
}

}  // namespace

Result<HttpServer> HttpServer::listen(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return cannot_listen(port);
  HttpServer server(descriptor, port);
  const int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(descriptor, SOMAXCONN) != 0 ||
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return cannot_listen(port);
  server.port_ = ntohs(address.sin_port);
  return server;
}

HttpServer::HttpServer(HttpServer&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), port_(other.port_) {}

HttpServer::~HttpServer() {
  if (descriptor_ >= 0) close(descriptor_);
}

void HttpServer::run(const std::function<Response(const Request&)>& answer,
                     const std::function<bool()>& is_stopped) {
  std::vector<Connection> connections;
  std::vector<pollfd> events;
  bool can_accept = true;
  while (!is_stopped()) {
    wait_for_events(can_accept ? descriptor_ : -1, connections, events);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      if (!serve_connection(connections[i], events[i + 1].revents, answer)) {
        close(connections[i].descriptor);
        continue;
      }
      if (kept != i) connections[kept] = std::move(connections[i]);
      ++kept;
    }
    connections.resize(kept);
    can_accept = accept_some(descriptor_, connections);
  }
  for (const Connection& one : connections) close(one.descriptor);
}

}  // namespace thence::serve
