#pragma once

#include "actors/channel_tuning.hpp"
#include "actors/directory.hpp"
#include "actors/live_value.hpp"
#include "actors/metrics.hpp"
#include "actors/providers/io_threads.hpp"
#include "actors/rendering.hpp"
#include "actors/routing.hpp"
#include "actors/service_config.hpp"
#include "actors/supervisor.hpp"
#include "actors/tracer.hpp"
#include "messages/uuid.hpp"
#include "persistence/job_signal.hpp"

#include <memory>
#include <vector>

namespace notify {

/// What the children of one process share.
struct service_parts {
  service_config config;
  uuid owner; ///< Names this process in leases; outlives restarts of its actors.
  live_value<routing_table> routes;
  live_value<template_set> templates;
  directory_ptr dir;
  std::shared_ptr<io_threads> io;
  metrics_ptr metrics = private_metrics(); ///< Of all lives of all actors.
  std::shared_ptr<job_signal> signal;      ///< From inbox writers to the job listener.
  std::shared_ptr<channel_tuning> tuning;  ///< Of the channels in `config`.
  tracer trace;
};

/// The children of the root supervisor in the order in which they start; they stop in reverse.
std::vector<child_spec> service_tree(const service_parts& parts);

} // namespace notify
