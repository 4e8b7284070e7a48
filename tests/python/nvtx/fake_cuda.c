/* A driver of CUDA's for tests: has a context when FAKE_CONTEXT says so, and writes when the profiler is
 * switched to the file that FAKE_LOG names. */
#include <stdio.h>
#include <stdlib.h>

static int has_context(void) { return getenv("FAKE_CONTEXT") != NULL; }

static int line(const char *what) {
    FILE *file = fopen(getenv("FAKE_LOG"), "a");
    if (file == NULL) {
        return 1;
    }
    fprintf(file, "%s\n", what);
    return fclose(file);
}

int cuCtxGetCurrent(void **context) {
    *context = has_context() ? context : NULL;
    return 0;
}

int cuDeviceGetCount(int *count) {
    *count = 1;
    return 0;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
    (void)device;
    *flags = 0;
    *active = has_context();
    return 0;
}

int cuCtxCreate_v2(void) { return line("a context was made"); }
int cuInit(unsigned flags) { return flags, line("initialized"); }
int cuProfilerStart(void) { return line("start"); }
int cuProfilerStop(void) { return line("stop"); }
