// All kernels are compiled in one unit, because libtorch's headers take longer to compile than any
// kernel.
#include "adam.h"
#include "cacheattention.h"
#include "cosine.h"
#include "dropout.h"
#include "likeliest.h"
#include "linear.h"
#include "lstm.h"
#include "lstmcell.h"
#include "packed.h"
#include "product.h"
#include "vocabloss.h"
