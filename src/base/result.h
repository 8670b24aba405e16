// Result is part of the public API; the rooms include it from here.
#pragma once

#include <thence/result.h>
