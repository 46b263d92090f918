#pragma once

#include "http/failure.hpp"
#include "http/message.hpp"
#include "messages/log.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/expected.hpp>
#include <caf/sec.hpp>
#include <caf/timespan.hpp>

#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace notify::http {

/// Asks `actor` and calls `done` with a `caf::expected<Reply>`, on one of CAF's threads. Blocks
/// nobody. An actor that is not there (a null handle), that ends or that does not answer in time is
/// an error like any other.
template <class Reply, class Handle, class Done, class Message>
void ask(caf::actor_system& system, const Handle& actor, caf::timespan timeout, Message message,
         Done done) {
  if (!actor) {
    done(caf::expected<Reply>{caf::make_error(caf::sec::invalid_argument)});
    return;
  }
  auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  system.spawn([actor, limit, message = std::move(message),
                done = std::move(done)](caf::event_based_actor* self) {
    self->request(actor, caf::duration{limit}, message)
        .then([done](Reply& x) { done(caf::expected<Reply>{std::move(x)}); },
              [done](caf::error& err) { done(caf::expected<Reply>{std::move(err)}); });
  });
}

/// Runs `make`, which gives the answer; a bug in it costs one answer, nothing else.
template <class Make>
void answer_safely(const responder& respond, Make make) {
  try {
    respond(make());
  } catch (const std::exception& x) {
    log::error("http", "an answer could not be made", {{"reason", x.what()}});
    respond(error_response(500, "INTERNAL_ERROR", "Something went wrong here."));
  }
}

/// Asks `actor` for what a route is to answer: `render` makes the answer from the reply, an error
/// becomes what `failure_response` says, with this noun.
template <class Reply, class Handle, class Message, class Render>
void ask_for(caf::actor_system& system, const Handle& actor, caf::timespan timeout, Message message,
             responder respond, std::string noun, Render render) {
  ask<Reply>(system, actor, timeout, std::move(message),
             [respond = std::move(respond), noun = std::move(noun),
              render = std::move(render)](const caf::expected<Reply>& reply) {
               answer_safely(respond, [&] {
                 return reply ? render(*reply) : failure_response(reply.error(), noun);
               });
             });
}

} // namespace notify::http
