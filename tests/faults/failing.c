/* Makes one system call of Laptime's extension module fail: the n-th, or all from there on.
 *
 * Loaded before the C library (LD_PRELOAD). Calls of the interpreter and of everybody else pass
 * untouched: a call counts where the code that it returns to lies in the extension module. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int seen, chosen, lasting, error_number;

void failing_arm(int nth, int error, int all_after) {
    seen = 0;
    error_number = error;
    lasting = all_after;
    chosen = nth;
}

int failing_seen(void) { return seen; }

static int fails(void *caller) {
    Dl_info info;
    if (chosen == 0 || dladdr(caller, &info) == 0 || info.dli_fname == NULL ||
        strstr(info.dli_fname, "laptime/_core") == NULL)
        return 0;
    int number = ++seen;
    return chosen > 0 && (number == chosen || (lasting && number > chosen));
}

#define FAILS fails(__builtin_return_address(0))
#define REAL(type, name, ...)                                                                       \
    static type (*real)(__VA_ARGS__);                                                              \
    if (real == NULL)                                                                              \
        real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)
#define FAIL(result)                                                                               \
    do {                                                                                           \
        errno = error_number;                                                                      \
        return result;                                                                             \
    } while (0)

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        REAL(int, #name, const char *, int, ...);                                                  \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = va_arg(rest, int);                                                           \
        va_end(rest);                                                                              \
        if (FAILS)                                                                                 \
            FAIL(-1);                                                                              \
        return real(path, flags, mode);                                                            \
    }
OPEN(open)
OPEN(open64)

#define CALL2(type, bad, name, A, B)                                                               \
    type name(A a, B b) {                                                                          \
        REAL(type, #name, A, B);                                                                   \
        if (FAILS)                                                                                 \
            FAIL(bad);                                                                             \
        return real(a, b);                                                                         \
    }
CALL2(int, -1, mkdir, const char *, mode_t)
CALL2(int, -1, rename, const char *, const char *)
CALL2(int, -1, munmap, void *, size_t)
CALL2(int, -1, ftruncate, int, off_t)
CALL2(int, -1, ftruncate64, int, off64_t)
CALL2(int, -1, fstat, int, struct stat *)
CALL2(int, -1, fstat64, int, struct stat64 *)

int unlink(const char *path) {
    REAL(int, "unlink", const char *);
    if (FAILS)
        FAIL(-1);
    return real(path);
}

#define CALL3(type, name, A, B, C)                                                                 \
    type name(A a, B b, C c) {                                                                     \
        REAL(type, #name, A, B, C);                                                                \
        if (FAILS)                                                                                 \
            FAIL(-1);                                                                              \
        return real(a, b, c);                                                                      \
    }
CALL3(ssize_t, read, int, void *, size_t)
CALL3(ssize_t, write, int, const void *, size_t)
CALL3(int, msync, void *, size_t, int)
CALL3(int, madvise, void *, size_t, int)

#define CALL4(type, name, A, B, C, D)                                                              \
    type name(A a, B b, C c, D d) {                                                                \
        REAL(type, #name, A, B, C, D);                                                             \
        if (FAILS)                                                                                 \
            FAIL(-1);                                                                              \
        return real(a, b, c, d);                                                                   \
    }
CALL4(ssize_t, pread, int, void *, size_t, off_t)
CALL4(ssize_t, pread64, int, void *, size_t, off64_t)
CALL4(ssize_t, pwrite, int, const void *, size_t, off_t)
CALL4(ssize_t, pwrite64, int, const void *, size_t, off64_t)
CALL4(int, fallocate, int, int, off_t, off_t)
CALL4(int, fallocate64, int, int, off64_t, off64_t)

void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset) {
    REAL(void *, "mmap", void *, size_t, int, int, int, off_t);
    if (FAILS)
        FAIL(MAP_FAILED);
    return real(at, length, protection, flags, file, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with) {
    REAL(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (FAILS)
        return error_number;
    return real(thread, how, run, with);
}
