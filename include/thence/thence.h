// All public headers.
#pragma once

#include <thence/diagnostic.h>
#include <thence/map.h>
#include <thence/result.h>
