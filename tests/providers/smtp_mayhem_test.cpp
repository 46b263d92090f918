#include "messages/log.hpp"
#include "tests/providers/smtp_fixture.hpp"
#include "tests/support/wait.hpp"

#include <boost/asio/error.hpp>

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

// Everything goes wrong at once, and the books must balance.

namespace notify {
namespace {

using namespace std::chrono_literals;
using namespace test;
using kind = outcome_kind;

/// Decides what goes wrong, and knows which mails the relay took responsibility for.
class mayhem {
public:
  /// How an answer came out.
  enum class answer { usual, refused, over };

  /// Says `usual`, or does one of the things that relays do instead.
  answer say(smtp_peer& peer, const std::string& usual) {
    switch (draw(60)) {
    case 0:
      return said(peer, "451 4.3.0 later", answer::refused);
    case 1:
      return said(peer, "550 5.0.0 no", answer::refused);
    case 2:
      said(peer, "421 bye", answer::over);
      return answer::over;
    case 3:
      return answer::over;
    case 4:
      peer.wire().reset();
      return answer::over;
    case 5:
      return said(peer, "what?", answer::refused);
    case 6:
      return said(peer, "999 ?", answer::refused);
    case 7:
      peer.say("250 half a re");
      return answer::over;
    case 8:
      peer.wire().freeze();
      return answer::over;
    case 9:
      return said(peer, usual + "\r\n" + usual, answer::usual);
    case 10:
      return said(peer, usual + "\r\n421 bye", answer::usual);
    default:
      return said(peer, usual, answer::usual);
    }
  }

  size_t draw(size_t below) {
    std::lock_guard guard{mutex_};
    return std::uniform_int_distribution<size_t>{0, below - 1}(random_);
  }

  /// Reads a message and answers it; false if that was the end.
  bool take(smtp_peer& peer) {
    std::string data;
    if (!peer.read_data(data))
      return false;
    constexpr std::string_view mark = "Message-Id: <";
    auto begin = data.find(mark) + mark.size();
    auto key = data.substr(begin, data.find('@', begin) - begin);
    auto result = say(peer, "250 2.0.0 Ok");
    std::lock_guard guard{mutex_};
    if (result == answer::usual)
      accepted_.insert(key);
    return result != answer::over;
  }

  std::set<std::string> accepted() const {
    std::lock_guard guard{mutex_};
    return accepted_;
  }

private:
  static answer said(smtp_peer& peer, const std::string& text, answer result) {
    return peer.say(text + "\r\n") ? result : answer::over;
  }

  mutable std::mutex mutex_;
  std::mt19937 random_{20260901};
  std::set<std::string> accepted_;
};

/// A relay under mayhem: greeting, commands and mails, until the connection ends.
smtp_step under(const std::shared_ptr<mayhem>& x) {
  return [x](smtp_peer& peer) {
    if (x->say(peer, "220 hi") == mayhem::answer::over)
      return false;
    std::string line;
    while (peer.read_line(line)) {
      auto is_data = line == "DATA";
      auto usual = is_data                    ? "354 go"
                   : line.starts_with("EHLO") ? "250-hi\r\n250 SIZE 20000"
                                              : "250 ok";
      auto result = x->say(peer, usual);
      if (result == mayhem::answer::over)
        return false;
      if (is_data && result == mayhem::answer::usual && !x->take(peer))
        return false;
    }
    return false;
  };
}

/// Mostly the relay; now and then no address, or one where nobody listens.
smtp_lookup doubtful_lookup(const std::shared_ptr<mayhem>& x, uint16_t relay, uint16_t nobody) {
  return [=](const std::string&, uint16_t, const smtp_addresses_found& found) {
    auto port = x->draw(40) == 0 ? nobody : relay;
    auto failure = x->draw(40) == 0 ? boost::asio::error::host_not_found_try_again
                                    : boost::system::error_code{};
    found(failure, {{boost::asio::ip::address_v4::loopback(), port}});
  };
}

/// One mail in ten has a fault of its own.
send_request nth_mail(size_t i) {
  auto result = a_mail("key-" + std::to_string(i));
  if (i % 40 == 7)
    result.recipient = "nobody";
  else if (i % 40 == 17)
    result.content.text = filled(30'000, 'x');
  else if (i % 40 == 27)
    result.deadline = 1ms;
  else if (i % 40 == 37)
    result.idempotency_key += " bad";
  return result;
}

TEST_CASE("D-D7: after 2,000 mails and every fault at once no connection is lost from the pool") {
  constexpr size_t count = 2000;
  log::configure(log::level::error, log::format::text); // Hundreds of warnings are as they should.
  auto x = std::make_shared<mayhem>();
  uint16_t nobody = 0;
  {
    scripted_smtp gone{smtp_script{}};
    nobody = gone.port();
  }
  scripted_smtp relay{{under(x)}};
  auto config = plain_config(relay);
  config.host = "relay.example";
  config.max_connections = 8;
  config.max_messages_per_connection = 10;
  config.command_timeout = 200ms;
  config.final_dot_timeout = 200ms;
  std::map<kind, size_t> by_kind;
  {
    smtp_client client{config, 2, doubtful_lookup(x, relay.port(), nobody)};
    std::vector<std::future<outcome>> pending;
    for (size_t i = 0; i < count; ++i)
      pending.push_back(client.start(nth_mail(i)));
    std::vector<outcome> results;
    for (auto& future : pending) // A second answer to one mail would end the test.
      results.push_back(answer_of(future));
    CHECK(eventually([&] { return client.gauge().busy == 0; }));
    CHECK(client.gauge().waiting == 0);
    CHECK(client.gauge().idle <= config.max_connections);
    client.provider().stop();
    CHECK(client.gauge().idle == 0);
    REQUIRE(eventually([&] { return relay.open_connections() == 0; }));
    auto accepted = x->accepted();
    for (size_t i = 0; i < count; ++i) {
      const auto& result = results[i];
      ++by_kind[result.kind];
      INFO(i << ": " << to_string(result.kind) << ", " << result.reason);
      CHECK(result.reason.empty() == (result.kind == kind::sent));
      auto is_accepted = accepted.count("key-" + std::to_string(i)) != 0;
      if (result.kind != kind::unknown)
        CHECK((result.kind == kind::sent) == is_accepted);
    }
  }
  log::configure(log::level::info, log::format::text);
  // All kinds came up, or the mix is none.
  for (auto expected :
       {kind::sent, kind::retry, kind::retry_after, kind::permanent, kind::hold, kind::unknown}) {
    INFO(to_string(expected));
    CHECK(by_kind[expected] > 0);
  }
}

} // namespace
} // namespace notify
