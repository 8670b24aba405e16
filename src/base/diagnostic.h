// Diagnostics are part of the public API; the rooms include them from here.
#pragma once

#include <thence/diagnostic.h>
