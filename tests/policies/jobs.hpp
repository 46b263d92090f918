#pragma once

#include "messages/delivery.hpp"

#include <string>

namespace notify::test {

/// A job as the shipped routes make it, with this payload.
inline delivery_job job_for(std::string template_key, std::string locale, std::string payload) {
  delivery_job result;
  result.template_key = std::move(template_key);
  result.locale = std::move(locale);
  result.event_id = uuid::parse("0191f8a0-b1c2-7d3e-8f4a-5b6c7d8e9f01").value();
  result.event_type = "order.paid.v1";
  result.occurred_at_us = 1788278400000000;
  result.payload = std::move(payload);
  return result;
}

} // namespace notify::test
