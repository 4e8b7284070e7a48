/* A tool that takes NVTX ranges, made from NVIDIA's own headers: writes each call to the file that
 * NVTX_LOG names, one line a call. What was registered is told apart from what wasn't, and pops are
 * written with the depth that the tool counts by itself, thread by thread. With NVTX_PLAIN it takes ranges
 * of no domain too, as PyTorch's emit_nvtx makes them. */
#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>

static FILE *file;
static char names[4096][128];
static int name_count;
static int domain;
static uint64_t next_range;
static __thread int depth, plain_depth;

static void line(const char *what, nvtxDomainHandle_t in, const nvtxEventAttributes_t *with, uint64_t number) {
    const char *name = "";
    unsigned long long payload = 0;
    if (with != NULL) {
        if (with->version != NVTX_VERSION || with->size != NVTX_EVENT_ATTRIB_STRUCT_SIZE) {
            name = "<wrong attributes>";
        } else if (with->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
            name = (const char *)with->message.registered;
        }
        if (with->payloadType == NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) {
            payload = with->payload.ullValue;
        }
    }
    fprintf(file, "%s\t%d\t%ld\t%s\t%s\t%llu\t%llu\t%d\n", what, (int)getpid(), syscall(SYS_gettid),
            in == (nvtxDomainHandle_t)&domain ? "laptime" : "?", name, payload,
            (unsigned long long)number, depth);
    fflush(file);
}

static nvtxDomainHandle_t create(const char *name) {
    return strcmp(name, "laptime") == 0 ? (nvtxDomainHandle_t)&domain : NULL;
}

static nvtxStringHandle_t intern(nvtxDomainHandle_t in, const char *name) {
    char *kept = names[__sync_fetch_and_add(&name_count, 1) % 4096];
    snprintf(kept, sizeof names[0], "%s", name);
    fprintf(file, "register\t%d\t0\t%s\t%s\t0\t0\t0\n", (int)getpid(),
            in == (nvtxDomainHandle_t)&domain ? "laptime" : "?", kept);
    return (nvtxStringHandle_t)kept;
}

static int push(nvtxDomainHandle_t in, const nvtxEventAttributes_t *with) {
    line("push", in, with, 0);
    return depth++;
}

static int pop(nvtxDomainHandle_t in) {
    depth--;
    line("pop", in, NULL, 0);
    return depth;
}

static nvtxRangeId_t start(nvtxDomainHandle_t in, const nvtxEventAttributes_t *with) {
    uint64_t number = __sync_add_and_fetch(&next_range, 1);
    line("start", in, with, number);
    return number;
}

static void end(nvtxDomainHandle_t in, nvtxRangeId_t number) { line("end", in, NULL, number); }

static void mark(nvtxDomainHandle_t in, const nvtxEventAttributes_t *with) { line("mark", in, with, 0); }

static int plain_push(const char *name) {
    fprintf(file, "push\t%d\t%ld\t-\t%s\t0\t0\t%d\n", (int)getpid(), syscall(SYS_gettid), name, plain_depth);
    return plain_depth++;
}

static int plain_pop(void) {
    plain_depth--;
    fprintf(file, "pop\t%d\t%ld\t-\t\t0\t0\t%d\n", (int)getpid(), syscall(SYS_gettid), plain_depth);
    return plain_depth;
}

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
    if (getenv("NVTX_REFUSE") != NULL) {
        return 0;
    }
    const NvtxExportTableVersionInfo *version = export_table(NVTX_ETID_VERSIONINFO);
    const NvtxExportTableCallbacks *callbacks = export_table(NVTX_ETID_CALLBACKS);
    if (version == NULL || version->struct_size < sizeof *version || version->version != NVTX_VERSION ||
        callbacks == NULL || callbacks->struct_size < sizeof *callbacks || export_table(99) != NULL) {
        return 0;
    }
    version->SetInjectionNvtxVersion(NVTX_VERSION);
    const unsigned sizes[] = {0,
                              NVTX_CBID_CORE_SIZE,
                              NVTX_CBID_CUDA_SIZE,
                              NVTX_CBID_OPENCL_SIZE,
                              NVTX_CBID_CUDART_SIZE,
                              NVTX_CBID_CORE2_SIZE,
                              NVTX_CBID_SYNC_SIZE};
    NvtxFunctionTable table;
    unsigned size;
    for (unsigned module = 1; module < NVTX_CB_MODULE_SIZE; module++) {
        if (!callbacks->GetModuleFunctionTable(module, &table, &size) || size != sizes[module]) {
            return 0;
        }
    }
    if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) {
        return 0;
    }
    file = fopen(getenv("NVTX_LOG"), "a");
    if (file == NULL) {
        return 0;
    }
    setlinebuf(file);
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create;
    *table[NVTX_CBID_CORE2_DomainRegisterStringA] = (NvtxFunctionPointer)intern;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
    *table[NVTX_CBID_CORE2_DomainRangeStartEx] = (NvtxFunctionPointer)start;
    *table[NVTX_CBID_CORE2_DomainRangeEnd] = (NvtxFunctionPointer)end;
    *table[NVTX_CBID_CORE2_DomainMarkEx] = (NvtxFunctionPointer)mark;
    if (getenv("NVTX_PLAIN") != NULL && callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size)) {
        *table[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)plain_push;
        *table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)plain_pop;
    }
    return 1;
}
