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

/* The bindings write texts of errors where a panic aborts: behind the guard, of arguments that don't fit. There a
   text that can't be made is this one. */

PyObject *__real_PyUnicode_FromStringAndSize(const char *text, Py_ssize_t size);

static _Thread_local int guards;
static PyObject *no_text;

__attribute__((visibility("hidden"))) PyObject *
__wrap_PyUnicode_FromStringAndSize(const char *text, Py_ssize_t size) {
    PyObject *made = __real_PyUnicode_FromStringAndSize(text, size);
    if (made == NULL && guards == 0 && no_text != NULL && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        return Py_NewRef(no_text);
    }
    return made;
}

/* Makes it, with the module. */
__attribute__((visibility("hidden"))) int laptime_make_no_text(void) {
    no_text = PyUnicode_FromString("there is no memory for the text of this error");
    return no_text == NULL ? -1 : 0;
}

/* A guard begins (1) or ends (-1) on this thread. */
__attribute__((visibility("hidden"))) void laptime_guards(int change) {
    guards += change;
}

/* Whether that has happened on this thread since the last question. */
__attribute__((visibility("hidden"))) int laptime_memory_was_used_up(void) {
    int was = is_used_up;
    is_used_up = 0;
    return was;
}
