#include "http/auth.hpp"
#include "messages/error.hpp"
#include "tests/support/temp_folder.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

namespace notify::http {
namespace {

using namespace std::chrono_literals;
using notify::test::temp_folder;

token_list tokens_of(const std::vector<std::string>& lines) {
  std::string text = "# name role digest\n\n";
  for (const auto& x : lines)
    text += x + "\n";
  auto result = token_list::parse(text);
  INFO((result ? std::string{} : render(result.error())));
  REQUIRE(result);
  return std::move(*result);
}

/// A gatekeeper that knows two people, and a clock of its own.
struct auth_fixture {
  request asking(const std::string& method = "GET") {
    request x;
    x.method = method;
    x.peer = "192.0.2.1";
    x.headers.emplace_back("Host", "notifyd.example:8080");
    return x;
  }

  request with_token(const std::string& token, const std::string& method = "GET") {
    auto x = asking(method);
    x.headers.emplace_back("Authorization", "Bearer " + token);
    return x;
  }

  /// The status of the refusal; 0: let in.
  unsigned status(request x, access needed) {
    auto refusal = keeper.decide(x, needed);
    who = x.who;
    last = refusal.value_or(response{});
    return refusal ? refusal->status : 0;
  }

  std::string viewer_token = make_token();
  std::string operator_token = make_token();
  rate_window::clock::time_point now{};
  gatekeeper keeper{http_auth::token,
                    tokens_of({token_line("vera", access::viewer, viewer_token),
                               token_line("olga", access::act, operator_token)}),
                    [this] { return now; }};
  principal who;
  response last;
};

TEST_CASE_METHOD(auth_fixture, "a token lets in whom it belongs to, as far as the role goes") {
  CHECK(status(with_token(viewer_token), access::viewer) == 0);
  CHECK(who.name == "vera");
  CHECK(who.role == access::viewer);
  CHECK(status(with_token(operator_token, "POST"), access::act) == 0);
  CHECK(who.name == "olga");
  CHECK(status(with_token(operator_token), access::viewer) == 0);
  CHECK(status(asking(), access::open) == 0);
  CHECK(who.name.empty());
}

TEST_CASE_METHOD(auth_fixture,
                 "Q-B34 a viewer's token opens no act, nor does an unknown one or none") {
  CHECK(status(with_token(viewer_token, "POST"), access::act) == 403);
  CHECK(last.body.find("needs the role operator") != std::string::npos);
  for (auto needed : {access::viewer, access::act}) {
    CHECK(status(asking("POST"), needed) == 401);
    CHECK(last.headers.front().first == "WWW-Authenticate");
    CHECK(status(with_token(viewer_token + "0", "POST"), needed) == 401);
    CHECK(status(with_token("", "POST"), needed) == 401);
  }
  auto basic = asking();
  basic.headers.emplace_back("Authorization", "Basic " + operator_token);
  CHECK(status(basic, access::viewer) == 401);
}

TEST_CASE_METHOD(auth_fixture, "tokens that are taken back or given count at once") {
  auto late_token = make_token();
  auto next = tokens_of({token_line("vera", access::act, viewer_token),
                         token_line("nora", access::viewer, late_token)});
  CHECK(status(with_token(late_token), access::viewer) == 401);
  CHECK(keeper.replace_tokens(next));
  CHECK(status(with_token(late_token), access::viewer) == 0);
  CHECK(who.name == "nora");
  CHECK(status(with_token(viewer_token), access::act) == 0);
  CHECK(status(with_token(operator_token), access::viewer) == 401);
  CHECK_FALSE(keeper.replace_tokens(next));
}

TEST_CASE_METHOD(auth_fixture, "unknown tokens are slowed down by address, known ones never") {
  for (auto i = 0; i < 10; ++i)
    CHECK(status(with_token("guess" + std::to_string(i)), access::viewer) == 401);
  CHECK(status(with_token("guess"), access::viewer) == 429);
  CHECK(last.headers.front() == std::pair<std::string, std::string>{"Retry-After", "60"});
  CHECK(status(with_token(viewer_token), access::viewer) == 0);
  auto elsewhere = with_token("guess");
  elsewhere.peer = "192.0.2.2";
  CHECK(status(elsewhere, access::viewer) == 401);
  now += 1min;
  CHECK(status(with_token("guess"), access::viewer) == 401);
}

TEST_CASE("a window of time forgets addresses rather than growing without end") {
  rate_window x{1, 1min};
  for (auto i = 0; i < 5000; ++i)
    CHECK(x.count("address " + std::to_string(i)) == 1);
  CHECK(x.count("address 4999") == 2);
}

TEST_CASE_METHOD(auth_fixture, "Q-B34 a page of another site cannot act, with or without a token") {
  gatekeeper open{http_auth::none, {}};
  auto judge = [&](const std::string& origin, const std::string& host,
                   const std::string& site = {}) {
    auto x = asking("POST");
    x.headers = {{"Host", host}, {"Authorization", "Bearer " + operator_token}};
    if (!origin.empty())
      x.headers.emplace_back("Origin", origin);
    if (!site.empty())
      x.headers.emplace_back("Sec-Fetch-Site", site);
    auto copy = x;
    auto refused_open = open.decide(copy, access::act);
    auto result = keeper.decide(x, access::act);
    CHECK(refused_open.has_value() == result.has_value());
    return result ? result->status : 0;
  };
  CHECK(judge("", "localhost:8080") == 0);
  CHECK(judge("http://localhost:8080", "localhost:8080") == 0);
  CHECK(judge("https://LOCALHOST", "localhost:443") == 0);
  CHECK(judge("http://localhost", "localhost:80", "same-origin") == 0);
  CHECK(judge("http://evil.example", "localhost:8080") == 403);
  CHECK(judge("http://localhost:8081", "localhost:8080") == 403);
  CHECK(judge("null", "localhost:8080") == 403);
  CHECK(judge("", "localhost:8080", "cross-site") == 403);
  auto look = asking();
  look.headers.emplace_back("Origin", "http://evil.example");
  look.headers.emplace_back("Authorization", "Bearer " + viewer_token);
  CHECK(status(look, access::viewer) == 0);
}

TEST_CASE("without tokens only this machine's own names are served") {
  gatekeeper open{http_auth::none, {}};
  auto judge = [&](const std::string& host) {
    request x;
    x.method = "GET";
    x.headers.emplace_back("Host", host);
    auto refusal = open.decide(x, access::viewer);
    CHECK((refusal.has_value() || x.who.name == "http.auth=none"));
    return refusal ? refusal->status : 0;
  };
  for (auto host : {"localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "127.1.2.3"})
    CHECK(judge(host) == 0);
  // What a name server of somebody else may lead here.
  for (auto host : {"evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1", ""})
    CHECK(judge(host) == 403);
}

TEST_CASE("no login at all is refused unless nobody else reaches the address") {
  http_config config;
  config.auth = http_auth::none;
  CHECK(make_gatekeeper(config));
  config.address = "::1";
  CHECK(make_gatekeeper(config));
  for (auto address : {"0.0.0.0", "::", "10.1.2.3"}) {
    config.address = address;
    auto result = make_gatekeeper(config);
    REQUIRE_FALSE(result);
    CHECK(result.error() == ec::invalid_config);
    CHECK(render(result.error()).find("http.auth=none is for loopback") != std::string::npos);
  }
}

TEST_CASE("without a file of tokens nobody is let in") {
  auto keeper = make_gatekeeper({});
  REQUIRE(keeper);
  request x;
  x.method = "GET";
  auto refusal = (*keeper)->decide(x, access::viewer);
  REQUIRE(refusal);
  CHECK(refusal->status == 401);
  CHECK_FALSE((*keeper)->decide(x, access::open));
}

TEST_CASE("a bad line in the file of tokens is told by its number, not by what is in it") {
  auto digest = std::string(64, 'a');
  for (const auto& line : {std::string{"ann viewer"}, "ann admin " + digest,
                           "ann viewer " + digest + "0", std::string{"ann viewer xyz"},
                           "a;n viewer " + digest, std::string(65, 'a') + " viewer " + digest}) {
    auto result = token_list::parse("# first\n" + line + "\n");
    REQUIRE_FALSE(result);
    auto text = render(result.error());
    CHECK(text.find("line 2") != std::string::npos);
    CHECK(text.find("aaaaaaaa") == std::string::npos);
  }
  auto twice = token_list::parse("a viewer " + digest + "\nb operator " + digest + "\n");
  REQUIRE_FALSE(twice);
  CHECK(render(twice.error()).find("line 2: this token is in another line") != std::string::npos);
}

TEST_CASE("a file of tokens that others may write is refused") {
  temp_folder folder;
  auto token = make_token();
  auto file = folder.write("tokens", token_line("ann", access::viewer, token) + "\n");
  using std::filesystem::perms;
  std::filesystem::permissions(file, perms::owner_read | perms::owner_write);
  auto good = token_list::load(file);
  REQUIRE(good);
  CHECK(good->find(token)->name == "ann");
  CHECK_FALSE(good->find(token + " "));
  CHECK_FALSE(good->find(""));
  std::filesystem::permissions(file, perms::owner_read | perms::others_write);
  auto bad = token_list::load(file);
  REQUIRE_FALSE(bad);
  CHECK(render(bad.error()).find("can be written by others") != std::string::npos);
  CHECK_FALSE(token_list::load(file + ".none"));
}

TEST_CASE("tokens are long, random and not in their own lines") {
  auto one = make_token();
  CHECK(one.size() == 8 + 64);
  CHECK(one != make_token());
  CHECK(token_line("ann", access::act, one).find(one.substr(8)) == std::string::npos);
}

} // namespace
} // namespace notify::http
