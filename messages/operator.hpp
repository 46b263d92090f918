#pragma once

#include "messages/operator_letters.hpp"
#include "messages/operator_notifications.hpp"
#include "messages/operator_operations.hpp"

// Everything that people ask the service for and that needs its database.
