#pragma once

#include "messages/delivery.hpp"
#include "messages/kafka.hpp"
#include "messages/status.hpp"
#include "messages/worker.hpp"

#include <caf/type_id.hpp>

#include <vector>

// Append only, one line per type that crosses an actor's boundary; vectors need their own line.
CAF_BEGIN_TYPE_ID_BLOCK(notify, caf::first_custom_type_id)
CAF_ADD_TYPE_ID(notify, (notify::uuid))
CAF_ADD_TYPE_ID(notify, (notify::kafka_record))
CAF_ADD_TYPE_ID(notify, (notify::store_batch))
CAF_ADD_TYPE_ID(notify, (notify::batch_stored))
CAF_ADD_TYPE_ID(notify, (notify::poll_tick))
CAF_ADD_TYPE_ID(notify, (notify::retry_batch))
CAF_ADD_TYPE_ID(notify, (notify::outcome))
CAF_ADD_TYPE_ID(notify, (notify::delivery_job))
CAF_ADD_TYPE_ID(notify, (notify::attempt_ref))
CAF_ADD_TYPE_ID(notify, (notify::rendered_message))
CAF_ADD_TYPE_ID(notify, (notify::deliver))
CAF_ADD_TYPE_ID(notify, (notify::send_finished))
CAF_ADD_TYPE_ID(notify, (notify::attempt_result))
CAF_ADD_TYPE_ID(notify, (notify::result_recorded))
CAF_ADD_TYPE_ID(notify, (notify::jobs_ready))
CAF_ADD_TYPE_ID(notify, (notify::claim_tick))
CAF_ADD_TYPE_ID(notify, (notify::poll_jobs_tick))
CAF_ADD_TYPE_ID(notify, (notify::heartbeat_tick))
CAF_ADD_TYPE_ID(notify, (notify::flush_tick))
CAF_ADD_TYPE_ID(notify, (notify::worker_tick))
CAF_ADD_TYPE_ID(notify, (notify::deadline_tick))
CAF_ADD_TYPE_ID(notify, (notify::reap_now))
CAF_ADD_TYPE_ID(notify, (notify::reap_tick))
CAF_ADD_TYPE_ID(notify, (notify::reap_report))
CAF_ADD_TYPE_ID(notify, (notify::worker_ready))
CAF_ADD_TYPE_ID(notify, (notify::worker_busy))
CAF_ADD_TYPE_ID(notify, (notify::send_message))
CAF_ADD_TYPE_ID(notify, (notify::record_result))
CAF_ADD_TYPE_ID(notify, (notify::get_status))
CAF_ADD_TYPE_ID(notify, (notify::actor_status))
CAF_ADD_TYPE_ID(notify, (notify::crash_now))
CAF_ADD_TYPE_ID(notify, (notify::restart_child))
CAF_ADD_TYPE_ID(notify, (notify::stop_timeout))
CAF_ADD_TYPE_ID(notify, (notify::get_children))
CAF_ADD_TYPE_ID(notify, (notify::child_info))
CAF_ADD_TYPE_ID(notify, (notify::child_list))
CAF_ADD_TYPE_ID(notify, (notify::get_actors))
CAF_ADD_TYPE_ID(notify, (notify::actor_line))
CAF_ADD_TYPE_ID(notify, (notify::actor_tree))
CAF_ADD_TYPE_ID(notify, (std::vector<notify::kafka_record>))
CAF_ADD_TYPE_ID(notify, (std::vector<notify::record_header>))
CAF_ADD_TYPE_ID(notify, (std::vector<notify::child_info>))
CAF_ADD_TYPE_ID(notify, (std::vector<notify::actor_line>))
CAF_ADD_TYPE_ID(notify, (notify::drain_timeout))
CAF_END_TYPE_ID_BLOCK(notify)
