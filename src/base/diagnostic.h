// Diagnostics are part of the public surface; the rooms reach them here.
#pragma once

#include <thence/diagnostic.h>
