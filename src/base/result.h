// Result is part of the public surface; the rooms reach it here.
#pragma once

#include <thence/result.h>
