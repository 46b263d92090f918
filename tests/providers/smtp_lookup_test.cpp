#include "tests/providers/smtp_fixture.hpp"
#include "tests/support/wait.hpp"

#include <boost/asio/error.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

// What a name server may do to a mail: nothing lasting.

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;
using boost::system::error_code;
using kind = outcome_kind;
using phase = send_phase;

namespace error = boost::asio::error;

/// Answers lookups in order; the last answer stands for all later ones.
class scripted_lookup {
public:
  struct answer {
    error_code failure;
    std::vector<uint16_t> ports; ///< On this machine.
  };

  explicit scripted_lookup(std::vector<answer> answers) : state_(std::make_shared<state>()) {
    state_->answers = std::move(answers);
  }

  smtp_lookup hook() const {
    return [x = state_](const std::string& host, uint16_t, const smtp_addresses_found& found) {
      auto number = x->count++;
      const auto& next = x->answers[std::min(number, x->answers.size() - 1)];
      std::vector<boost::asio::ip::tcp::endpoint> endpoints;
      for (auto port : next.ports)
        endpoints.emplace_back(boost::asio::ip::address_v4::loopback(), port);
      found(host == "relay.example" ? next.failure : error::invalid_argument, endpoints);
    };
  }

  size_t count() const { return state_->count; }

private:
  struct state {
    std::vector<answer> answers;
    std::atomic<size_t> count = 0;
  };

  std::shared_ptr<state> state_;
};

smtp_config named_config() {
  smtp_config result;
  result.host = "relay.example";
  result.security = smtp_security::none;
  return result;
}

void check_unsent(const outcome& result, const std::string& reason) {
  INFO(result.reason << ", " << result.detail);
  CHECK(result.kind == kind::retry);
  CHECK(result.phase == phase::resolve);
  CHECK(result.reason == reason);
  CHECK_FALSE(result.detail.empty());
  CHECK(result.bytes_sent == 0);
}

/// An error of the resolver, and the reason that the outcome gives.
struct name_trouble {
  std::string name;
  error_code failure;
  std::string reason;
};

const std::vector<name_trouble> name_troubles = {
    {"SERVFAIL, or no name server", error::host_not_found_try_again, "smtp_resolve_failed"},
    {"NXDOMAIN", error::host_not_found, "smtp_host_not_found"},
    {"a zone that cannot be read", error::no_recovery, "smtp_resolve_failed"},
    {"a port without a name", error::service_not_found, "smtp_resolve_failed"},
    {"no network", error::network_unreachable, "smtp_resolve_failed"},
    {"refused", error::connection_refused, "smtp_resolve_failed"},
    {"no memory", error::no_memory, "smtp_resolve_failed"},
};

TEST_CASE("P-32: whatever is wrong with a name, its mail is not lost") {
  for (const auto& x : name_troubles) {
    INFO(x.name);
    scripted_smtp relay{{smtp::hello(), smtp::serve()}};
    scripted_lookup names{{{x.failure, {}}, {{}, {relay.port()}}}};
    smtp_client client{named_config(), 1, names.hook()};
    check_unsent(client.send(), x.reason);
    CHECK(relay.connections() == 0);
    CHECK(client.send().kind == kind::sent);
    CHECK(names.count() == 2);
    CHECK(relay.mails().size() == 1);
  }
}

TEST_CASE("D-C4: a name that cannot be looked up for a while costs attempts, not mails") {
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  scripted_lookup names{{{error::host_not_found_try_again, {}},
                         {error::host_not_found_try_again, {}},
                         {{}, {relay.port()}}}};
  smtp_client client{named_config(), 1, names.hook()};
  check_unsent(client.send(), "smtp_resolve_failed");
  check_unsent(client.send(), "smtp_resolve_failed");
  CHECK(client.send().kind == kind::sent);
  auto again = client.send(a_mail("key-2"));
  CHECK(again.kind == kind::sent);
  CHECK(again.connection_reused);
  CHECK(names.count() == 3);
}

TEST_CASE("D-C4: a name that does not exist is one failed attempt each time, never more") {
  scripted_lookup names{{{error::host_not_found, {}}}};
  smtp_client client{named_config(), 1, names.hook()};
  for (size_t i = 1; i <= 5; ++i) {
    check_unsent(client.send(), name_troubles[1].reason);
    CHECK(names.count() == i);
  }
  CHECK(eventually([&] { return client.gauge().busy == 0; }));
}

TEST_CASE("D-C4: a name server that does not answer is a retry, and its late answer is nothing") {
  std::promise<smtp_addresses_found> asked;
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  auto config = named_config();
  config.connect_timeout = 200ms;
  smtp_client client{config, 1, [&](const std::string&, uint16_t, smtp_addresses_found found) {
                       asked.set_value(std::move(found));
                     }};
  check_unsent(client.send(), "smtp_resolve_timeout");
  asked.get_future().get()({}, {{boost::asio::ip::address_v4::loopback(), relay.port()}});
  CHECK(eventually([&] { return client.gauge().busy == 0; }));
  CHECK(relay.connections() == 0);
}

TEST_CASE("a name with several addresses leads to the first that answers") {
  uint16_t nobody = 0;
  {
    scripted_smtp gone{smtp_script{}};
    nobody = gone.port();
  }
  scripted_smtp relay{{smtp::hello(), smtp::serve()}};
  scripted_lookup names{{{{}, {nobody, relay.port()}}}};
  smtp_client client{named_config(), 1, names.hook()};
  CHECK(client.send().kind == kind::sent);
}

TEST_CASE("a name without an address is a retry") {
  scripted_lookup names{{{{}, {}}}};
  smtp_client client{named_config(), 1, names.hook()};
  auto result = client.send();
  CHECK(result.kind == kind::retry);
  CHECK(result.phase == phase::connect);
}

TEST_CASE("the system's resolver is asked if nothing replaces it") {
  auto config = named_config();
  config.host = "relay.invalid";
  smtp_client client{config};
  auto result = client.send();
  CHECK(result.kind == kind::retry);
  CHECK(result.phase == phase::resolve);
}

} // namespace
} // namespace notify
