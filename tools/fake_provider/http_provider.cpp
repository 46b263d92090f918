#include "tools/fake_provider/http_provider.hpp"

#include "tools/fake_provider/digest.hpp"

#include <ctime>
#include <string>
#include <utility>

namespace notify::fake {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// One request from its first sight to its end. Every exit leaves the journal with what became of
/// it, and no key running.
class http_turn {
public:
  http_turn(http_peer& peer, stage& shared, const http_request& request)
      : peer_(peer), shared_(shared), request_(request),
        call_(understand(request, shared.known, std::time(nullptr))) {}

  ~http_turn() {
    if (is_running_)
      shared_.keys.finish(call_.key, usual_);
  }

  http_turn(const http_turn&) = delete;
  http_turn& operator=(const http_turn&) = delete;

  /// False if the connection is over.
  asio::awaitable<bool> play();

private:
  void enter_in_journal();
  void note(const char* state);

  /// Ends the connection or stays silent, if that is what the rule does.
  asio::awaitable<bool> break_off();

  /// Waits for a release; false if the client left before.
  asio::awaitable<bool> wait();

  /// Decides as the real provider would, and keeps what is accepted.
  void judge();
  void judge_key();
  void accept();

  asio::awaitable<bool> say(const http_answer& answer);

  http_peer& peer_;
  stage& shared_;
  const http_request& request_;
  http_call call_;
  action rule_;
  uint64_t id_ = 0;
  http_answer usual_; ///< What is said when no rule says otherwise.
  bool is_accepted_ = false;
  bool is_running_ = false; ///< Its key is marked as in progress.
};

asio::awaitable<bool> http_turn::play() {
  enter_in_journal();
  co_await pause(peer_.socket(), rule_.delay);
  if (rule_.at == moment::request && rule_.what != deed::answer) {
    if (rule_.what != deed::wait)
      co_return co_await break_off();
    auto released = co_await wait();
    if (!released)
      co_return false;
  }
  // Whatever is awaited with has a name: GCC 12 destroys some temporaries of such lines twice.
  auto refusal = rule_.answer.value_or(http_answer{500, {}, {}});
  if (!accepts(rule_))
    co_return co_await say(refusal);
  judge();
  if (rule_.at == moment::record && rule_.what != deed::answer) {
    if (rule_.what != deed::hold && rule_.what != deed::wait)
      co_return co_await break_off();
    auto released = co_await wait();
    if (!released)
      co_return false;
  }
  // A refusal of the provider's own is what it is; a rule says how an acceptance is answered.
  auto answer = usual_;
  if (is_accepted_ && rule_.answer)
    answer = *rule_.answer;
  co_return co_await say(answer);
}

void http_turn::enter_in_journal() {
  record fresh;
  fresh.via = call_.via;
  fresh.recipient = call_.recipient;
  fresh.path = call_.path;
  fresh.key = call_.key;
  fresh.body_hash = sha256_hex(call_.body);
  fresh.body_bytes = call_.body.size();
  const auto& entry = shared_.log.begin(std::move(fresh));
  id_ = entry.id;
  rule_ =
      shared_.rules
          .pick({call_.via, moment::request, call_.recipient, call_.path, call_.key, entry.attempt})
          .value_or(action{});
}

void http_turn::note(const char* state) {
  if (auto* entry = shared_.log.find(id_))
    entry->state = state;
}

asio::awaitable<bool> http_turn::break_off() {
  if (rule_.what == deed::silence) {
    note("silent");
    co_await wait_for_end(peer_.socket());
  } else {
    auto by_reset = rule_.what == deed::reset;
    note(by_reset ? "reset" : "closed");
    end_connection(peer_.socket(), by_reset);
  }
  co_return false;
}

asio::awaitable<bool> http_turn::wait() {
  note("waiting");
  auto name = call_.key + ' ' + call_.recipient;
  auto released = co_await shared_.room.wait(peer_.socket(), name);
  note(released ? "open" : "gone");
  co_return released;
}

void http_turn::judge() {
  if (call_.refusal) {
    usual_ = *call_.refusal;
    if (auto* entry = shared_.log.find(id_))
      entry->problem = call_.problem;
    return;
  }
  if (call_.via == protocol::resend)
    judge_key();
  else
    accept();
}

void http_turn::judge_key() {
  using verdict = idempotency::verdict;
  switch (shared_.keys.begin(call_.key, sha256_hex(call_.body))) {
  case verdict::fresh:
    is_running_ = true;
    accept();
    return;
  case verdict::repeated:
    usual_ = shared_.keys.answer(call_.key);
    if (auto* entry = shared_.log.find(id_))
      entry->replayed = true;
    return;
  case verdict::running:
    usual_ = resend_error(409, "concurrent_idempotent_requests",
                          "Same idempotency key used while original request is still in progress.");
    return;
  case verdict::differs:
    usual_ = resend_error(409, "invalid_idempotent_request",
                          "Same idempotency key used with a different request payload.");
    return;
  }
}

void http_turn::accept() {
  is_accepted_ = true;
  shared_.log.accept(id_);
  usual_ = accepted(call_, id_);
}

asio::awaitable<bool> http_turn::say(const http_answer& answer) {
  auto* entry = shared_.log.find(id_);
  if (entry != nullptr) {
    entry->state = "answered";
    entry->answered = answer.status;
  }
  if (std::exchange(is_running_, false))
    shared_.keys.finish(call_.key, usual_);
  co_return co_await peer_.write(answer, request_, rule_.drip);
}

/// What a rule does before anything is read; false if the connection is over.
asio::awaitable<bool> greet(http_peer& peer, stage& shared) {
  auto rule = shared.rules.pick({protocol::webhook, moment::connect, {}, {}, {}, 0});
  if (!rule)
    co_return true;
  co_await pause(peer.socket(), rule->delay);
  if (rule->what == deed::wait) {
    std::string nobody;
    auto released = co_await shared.room.wait(peer.socket(), nobody);
    co_return released;
  }
  if (rule->what == deed::silence) {
    co_await wait_for_end(peer.socket());
    co_return false;
  }
  if (rule->what == deed::answer)
    co_return true;
  end_connection(peer.socket(), rule->what == deed::reset);
  co_return false;
}

} // namespace

asio::awaitable<void> serve_http(tcp::socket socket, stage& shared) {
  http_peer peer{std::move(socket)};
  auto more = co_await greet(peer, shared);
  while (more) {
    auto request = co_await peer.read();
    if (!request)
      break;
    http_turn turn{peer, shared, *request};
    more = co_await turn.play();
  }
  if (peer.socket().is_open())
    end_connection(peer.socket(), false);
}

} // namespace notify::fake
