/* What the bindings say of an object that could not be made.

   They tell `sys.unraisablehook` of the `MemoryError`, and panic. The program is told by the guard that
   catches the panic, so nothing is printed: the linker puts this in the place of the interpreter's function
   (`--wrap`), in this library alone. */

#include <Python.h>

void __real_PyErr_WriteUnraisable(PyObject *where);

static _Thread_local int is_used_up;

__attribute__((visibility("hidden"))) void __wrap_PyErr_WriteUnraisable(PyObject *where) {
    if (where == NULL && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        is_used_up = 1;
        return;
    }
    __real_PyErr_WriteUnraisable(where);
}

/* Whether that has happened on this thread since the last question. */
__attribute__((visibility("hidden"))) int laptime_memory_was_used_up(void) {
    int was = is_used_up;
    is_used_up = 0;
    return was;
}
