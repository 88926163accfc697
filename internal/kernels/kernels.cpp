// All kernels are compiled as one unit, because compiling libtorch's headers takes longer than
// compiling any kernel.
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
