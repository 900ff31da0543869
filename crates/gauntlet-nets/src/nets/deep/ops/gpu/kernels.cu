// All kernels of the project for GPUs, as one module.
#include "edges.cu"
#include "rows.cu"
