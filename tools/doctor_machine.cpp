#include "actors/inspection.hpp"
#include "actors/providers/io_threads.hpp"
#include "http/client/http_client.hpp"
#include "messages/error.hpp"
#include "tools/doctor.hpp"
#include "tools/json_text.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/json/parse.hpp>

#include <future>

#include <sys/timex.h>

namespace notify::doctor {

namespace {

namespace asio = boost::asio;

/// Whether nobody listens there: tried by listening for a moment.
bool is_free(const std::string& address, uint16_t port) {
  asio::io_context io;
  boost::system::error_code failure;
  asio::ip::tcp::endpoint place{asio::ip::make_address(address, failure), port};
  if (failure)
    return false;
  asio::ip::tcp::acceptor acceptor{io};
  acceptor.open(place.protocol(), failure);
  acceptor.set_option(asio::socket_base::reuse_address{true}, failure);
  acceptor.bind(place, failure);
  if (!failure)
    acceptor.listen(1, failure);
  return !failure;
}

http_exchange ask_health(const std::string& host, uint16_t port, std::chrono::seconds timeout) {
  io_threads io{1};
  auto client = http_client::make(io.context(), {});
  if (!client)
    return {};
  http_request request;
  request.method = "GET";
  request.url = "http://" + host + ":" + std::to_string(port) + "/health/ready";
  request.deadline = timeout;
  std::promise<http_exchange> done;
  (*client)->send(std::move(request), [&done](http_exchange x) { done.set_value(std::move(x)); });
  auto result = done.get_future().get();
  (*client)->stop();
  io.stop();
  return result;
}

/// An address to connect to for one to listen on.
std::string reachable(const std::string& address) {
  if (address == "0.0.0.0")
    return "127.0.0.1";
  if (address == "::")
    return "[::1]";
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

void judge_running(const boost::json::value& health, const std::string& where, findings& out) {
  const auto& ready = member(health, "ready");
  if (!ready.is_bool()) {
    out.push_back({verdict::failure, "http", where + " is taken by something else",
                   "stop that, or set another http.port"});
    return;
  }
  if (ready.get_bool()) {
    out.push_back({verdict::ok, "http", "a service runs at " + where + " and is ready", {}});
    return;
  }
  for (const auto& x : items_of(member(health, "checks")))
    if (const auto& fine = member(x, "ok"); fine.is_bool() && !fine.get_bool())
      out.push_back({verdict::warning, "http",
                     "the service at " + where + " is not ready: " + shown(x, "check") + " "
                         + shown(x, "reason"),
                     "see docs/operations.md, Health"});
}

void examine_http(const settings& config, std::chrono::seconds timeout, findings& out) {
  const auto& http = config.http();
  auto where = http.address + ":" + std::to_string(http.port);
  if (!config.service().roles.http || http.port == 0)
    return;
  if (!http.tls_certificate.empty() && !is_free(http.address, http.port)) {
    // Nobody can ask without the name that the certificate is for.
    out.push_back({verdict::ok,
                   "http",
                   where
                       + " is taken, as it is while the service runs; its health was not asked, "
                         "since that takes TLS",
                   {}});
    return;
  }
  auto answer = ask_health(reachable(http.address), http.port, timeout);
  if (answer.event == http_event::answered) {
    boost::json::error_code failure;
    judge_running(boost::json::parse(answer.body, failure), where, out);
  } else if (is_free(http.address, http.port)) {
    out.push_back({verdict::ok, "http", "no service runs, " + where + " is free", {}});
  } else {
    out.push_back({verdict::failure, "http",
                   where + " is taken by something that does not answer, or is not this machine's",
                   "ss -ltnp shows who has it; or set another http.port"});
  }
}

void examine_inspection(const settings& config, std::chrono::seconds timeout, findings& out) {
  auto port = config.inspection().port;
  auto where = "127.0.0.1:" + std::to_string(port);
  if (port == 0) {
    out.push_back({verdict::ok, "inspection", "inspection.port is off", {}});
    return;
  }
  inspection_client client{"127.0.0.1", port};
  auto tree = client.look(caf::duration{timeout});
  if (tree) {
    out.push_back({verdict::ok,
                   "inspection",
                   std::to_string(tree->lines.size()) + " actors at " + where,
                   {}});
  } else if (tree.error() == ec::not_found && is_free("127.0.0.1", port)) {
    out.push_back({verdict::ok, "inspection", "no service runs, " + where + " is free", {}});
  } else {
    out.push_back({verdict::failure, "inspection", problem_text(tree.error()),
                   "ss -ltnp shows who has the port; or set another inspection.port"});
  }
}

void examine_own_clock(findings& out) {
  timex now{};
  if (::adjtimex(&now) == TIME_ERROR)
    out.push_back({verdict::warning, "clock", "the kernel does not know of a time server",
                   "run chrony or systemd-timesyncd; in a container: on the machine below"});
  else
    out.push_back({verdict::ok, "clock", "is kept by a time server", {}});
}

} // namespace

void examine_machine(const settings& config, std::chrono::seconds timeout, findings& out) {
  examine_own_clock(out);
  examine_http(config, timeout, out);
  examine_inspection(config, timeout, out);
}

} // namespace notify::doctor
