/* The two fields of CPython's thread state that no function returns: which context is
 * current, and how often that has changed. `context_ver` grows at every entry to and exit
 * from a context (PEP 567), so an unchanged (thread, version) means the same context,
 * without holding a reference to it. Compiled against the headers of the interpreter that
 * the extension is built for. */
#include <Python.h>
#include <stdint.h>

typedef struct {
    uint64_t version;
    uint64_t thread;
} laptime_place;

laptime_place laptime_context_place(void) {
    PyThreadState *state = PyThreadState_Get();
    laptime_place place = {state->context_ver, (uint64_t)state->id};
    return place;
}

/* Borrowed; NULL while the thread has made none. */
PyObject *laptime_context_current(void) {
    return PyThreadState_Get()->context;
}
